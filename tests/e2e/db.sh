# SPDX-License-Identifier: Apache-2.0
# autotune db: winners exported as wisdom and imported again; what is damaged, what can be removed; git's merges.
. "$(dirname "$0")/cc_lib.sh"

export AUTOTUNE_CACHE=$work/cache
db() { autotune db "$@" > out 2> err; }

cat > sum.c << 'END'
#include <stdio.h>
#include <stdlib.h>
#pragma autotune kernel param(STEP: 1, 2, 4) key(n) in(x[0:n]) flops(n)
double sum(int n, const double *x)
{
  double s[STEP] = { 0 };
  for (int i = 0; i + STEP <= n; i += STEP)
    for (int k = 0; k < STEP; k++)
      s[k] += x[i + k];
  for (int k = 1; k < STEP; k++)
    s[0] += s[k];
  return s[0];
}
int main(int argc, char **argv)
{
  static double x[1 << 16];
  for (int i = 0; i < 1 << 16; i++)
    x[i] = i % 8;
  for (int i = 1; i < argc; i++)
    printf("%g\n", sum(atoi(argv[i]), x));
  return 0;
}
END
check "compile" autotune cc gcc -O1 sum.c -o sum
AUTOTUNE_MODE=first AUTOTUNE_BUDGET=60s ./sum 65536 4096 > answer
is "answers" "$(cat answer)" "229376
14336"

# list, export
db list; is "list" $? 0
has "list: heading" out '^kernel  for  *machine  *threads  *default  *best  *speed-up  when'
has "list: row" out '^sum  *n = 65536  '
db export -o a.jsonl; is "export" $? 0
is "a line for each key" "$(grep -c '"kernel": "sum"' a.jsonl)" 2
is "sorted by number" "$(sed -n 's/.*\["n", \([0-9]*\)\].*/\1/p' a.jsonl | tr '\n' ' ')" "4096 65536 "
hasnt "no paths" a.jsonl "$work"
db export nothing -o none.jsonl; is "export of a kernel that is not there" $? 1
check "no file of nothing" [ ! -e none.jsonl ]
: > linked.jsonl
ln -s linked.jsonl link.jsonl
db export -o link.jsonl; same "what a link leads to is written" linked.jsonl a.jsonl
check "the link stays" [ -L link.jsonl ]
mkfifo pipe
timeout 60 cat pipe > piped.jsonl &
db export -o pipe; wait
same "a pipe is written to" piped.jsonl a.jsonl
check "the pipe stays" [ -p pipe ]
rm link.jsonl linked.jsonl pipe piped.jsonl
db export sum; same "the same line everywhere" out a.jsonl
db export -o "$work/no/such/folder/x"; is "export to nowhere" $? 2

# import, and export again
mkdir other
db import a.jsonl --cache other/cache; is "import" $? 0
has "import: counted" out '^2 imported, 0 known already, 0 bad lines'
db import a.jsonl --cache other/cache
has "import: once" out '^0 imported, 2 known already'
db export --cache other/cache; same "round trip" out a.jsonl
db list --cache other/cache; has "list: where from" out 'wisdom a.jsonl$'
db diff a.jsonl other/cache; is "diff: the same" $? 0
db diff "$AUTOTUNE_CACHE/results.db" a.jsonl; is "diff: the store" $? 0
(cat a.jsonl; echo '{"autotune": 1}'; echo nonsense) > bad.jsonl
db import bad.jsonl --cache other/cache; is "import of bad lines" $? 1
has "bad line: where" err '^bad.jsonl:3: error: '
has "bad line: where" err '^bad.jsonl:4: error: it is not a JSON object'
head -1 a.jsonl > one.jsonl
db diff a.jsonl one.jsonl; is "diff: one is missing" $? 1
has "diff: heading" out 'machine  *threads  *A '
has "diff: row" out '^sum  *n = 65536 .*—'

# verify
db verify; is "verify" $? 0
has "verify: counts" out 'results.db: whole: 2 keys, 2 with a result, .* variants tried, '
db verify a.jsonl bad.jsonl; is "verify: bad file" $? 1
object=$(ls "$AUTOTUNE_CACHE"/objects/*.so 2> /dev/null | head -1)
if [ -n "$object" ]; then
  cp -p "$object" kept
  echo >> "$object"
  db verify; is "verify: bad object" $? 1
  has "verify: said" out 'it is made again when it is needed'
  cat kept > "$object"
fi

# stats: the folder, its size and its limit
db stats; is "stats" $? 0
has "stats: folder" out "^folder  *$AUTOTUNE_CACHE\$"
has "stats: size" out '^size  *[0-9.]* [KM]iB, of at most 5.0 GiB (AUTOTUNE_MAXSIZE)'
has "stats: database" out '^  database  *[0-9.]* [KM]iB, [0-9]* file'
is "stats: objects" "$(sed -n 's/^  objects .*, \([0-9]*\) files\{0,1\}$/\1/p' out)" \
  "$(ls "$AUTOTUNE_CACHE/objects" | wc -l)"
has "stats: kernels" out '^kernels  *1$'
has "stats: keys" out '^keys  *2, 0 of them stale$'
has "stats: variants" out '^variants  *[0-9]*, [0-9]* right'
has "stats: asked for" out '^asked for  *2 times since '
has "stats: nothing was known" out '^  2  *found nothing'
AUTOTUNE_MODE=locked ./sum 65536 > /dev/null
AUTOTUNE_MAXSIZE=0 db stats; has "stats: no limit" out ', without a limit'
has "stats: found" out "^  1  *found \(the winner's code\|that the default is best\)"
AUTOTUNE_MAXSIZE=much db stats
is "stats: a bad limit is one warning" "$(grep -c . err)" 1
has "stats: a bad limit" err "AUTOTUNE_MAXSIZE=much: neither '0' (no limit) nor a number of bytes"
has "stats: a bad limit is the default" out 'of at most 5.0 GiB'
AUTOTUNE_MAXSIZE=2G db stats --json
is "stats: JSON" "$(node -e '
  const s = JSON.parse(require("fs").readFileSync(0));
  const total = s.size.database.bytes + s.size.objects.bytes + s.size.other.bytes;
  console.log(s.limit, s.kernels, s.keys, s.winners + s.defaults, s.size.total === total, s.asked.nothing,
    s.newest >= s.oldest && s.oldest > 1e9, s.variants.right > 0)' < out)" "2147483648 1 2 2 true 2 true true"
db stats --cache "$work/no/such/folder"; is "stats: no folder" $? 2

# the limit: objects go, the oldest first, and what was just used stays; rows stay, and the winner is compiled again
for i in 1 2 3 4; do
  head -c 100000 /dev/zero > "$AUTOTUNE_CACHE/objects/000000000000000$i.so"
  touch -d "$i hours ago" "$AUTOTUNE_CACHE/objects/000000000000000$i.so"
done
chmod 600 "$AUTOTUNE_CACHE"/objects/*.so
db export -o before.jsonl
find "$AUTOTUNE_CACHE/objects" ! -name '000*' -name '*.so' -exec touch -d '9 hours ago' {} +
cat > scale.c << 'END'
#pragma autotune kernel param(WASTE: 200, 0) key(n) inout(x[0:n])
void scale(int n, double *x)
{
  for (int i = 0; i < n; i++) {
    for (volatile int k = 0; k < WASTE; k++)
      ;
    x[i] *= 2;
  }
}
int main(void)
{
  static double x[1 << 16];
  scale(1 << 16, x);
  return 0;
}
END
check "compile another kernel" autotune cc gcc -O1 scale.c -o scale
size=$(($(cat "$AUTOTUNE_CACHE"/* 2> /dev/null | wc -c) + 300000))
AUTOTUNE_MAXSIZE=$size AUTOTUNE_MODE=first AUTOTUNE_BUDGET=60s AUTOTUNE_LOG=info ./scale 2> log
has "limit: said" log "compiled winners\{0,1\} w[a-z]* removed from $AUTOTUNE_CACHE, which is to take $size bytes"
check "limit: the oldest is removed" [ ! -e "$AUTOTUNE_CACHE/objects/0000000000000004.so" ]
check "limit: the youngest stays" [ -e "$AUTOTUNE_CACHE/objects/0000000000000001.so" ]
db export sum; same "limit: results stay" out before.jsonl
AUTOTUNE_MODE=first AUTOTUNE_BUDGET=60s ./sum 65536 4096 > again
same "limit: answers after it" again answer
rm -f "$AUTOTUNE_CACHE"/objects/000000000000000?.so
db forget scale

# prune
touch "$AUTOTUNE_CACHE/results.db.bad-20200101T000000"
echo > "$AUTOTUNE_CACHE/objects/0123456789abcdef.so"
touch -d '2 hours ago' "$AUTOTUNE_CACHE/objects/0123456789abcdef.so"
echo > "$AUTOTUNE_CACHE/objects/fedcba9876543210.so"
db prune; is "prune" $? 0
has "prune: counted" out '^0 rows, 1 object and 1 other file taken out'
check "prune: what is young stays" [ -e "$AUTOTUNE_CACHE/objects/fedcba9876543210.so" ]
db export; same "prune: winners stay" out a.jsonl
db prune --older-than tomorrow; is "no age" $? 2
db prune --older-than 1h; has "prune: nothing is old" out '^0 rows'
db prune --objects; is "prune: objects" $? 0
is "prune: all objects" "$(ls "$AUTOTUNE_CACHE/objects")" ""
db export; same "prune: winners stay" out a.jsonl

# stale: the kernel was changed
sed 's/s\[0\] += s\[k\]/s[0] = s[0] + s[k]/' sum.c > changed.c
mkdir changed; mv changed.c changed/sum.c
db list; hasnt "list: nothing is stale" out stale
check "compile what was changed" autotune cc gcc -O1 changed/sum.c -o changed/sum
AUTOTUNE_MODE=first AUTOTUNE_BUDGET=60s changed/sum 65536 > answer
db list; is "list: rows" "$(grep -c '^sum ' out)" 3
is "list: stale rows come last" "$(sed -n '2,4s/.*\(stale: the kernel was changed\)$/\1/p' out | wc -l)" 2
hasnt "list: the new one is current" <(sed -n 2p out) stale
has "list: counted" out '^2 results are stale; `autotune db prune --stale` takes them out'
db export -o stale.jsonl; has "export: said" err '2 of 3 winners are stale'
autotune report > out; has "report: overview" out '^    stale: the kernel was changed'
has "report: details" out '^  stale  *the kernel was changed'
autotune report --json > out; is "report: JSON" "$(grep -c '"stale": "the kernel was changed"' out)" 2
autotune report --markdown > out; has "report: Markdown" out '\*\*stale\*\*: the kernel was changed'
db prune; has "prune: stale results stay" out '^0 rows'
db prune --stale; hasnt "prune: stale" out '^0 rows'
db list; is "list: the current one stays" "$(grep -c '^sum ' out)" 1
db import a.jsonl
db forget sum; db import a.jsonl

# forget
db forget sum --key n=4096; is "forget" $? 0
db export; is "forgotten" "$(sed -n 's/.*\["n", \([0-9]*\)\].*/\1/p' out)" 65536
db forget sum --key 4096; is "nothing to forget" $? 1
db forget sum; is "forget all" $? 0
db list; is "nothing left" $? 1
db prune; has "prune: nothing left" out '^0 rows'

# arguments that are refused
db; is "no command" $? 2
db lst; has "suggestion" err "did you mean 'list'?"
db export --key n=3; has "another command's option" err '--key: unknown option$'
db forget; is "no kernel" $? 2
db list --key 3; is "an option of another" $? 2
db merge a.jsonl; is "too few" $? 2

# git: three branches, each with a line of its own; two change the same line
if command -v git > /dev/null; then
  edit() { # FILE KEY BEST WHEN: that line, changed, as if measured again
    sed "/\"n\", $2\]/{s/\"median\": [0-9.e-]*/\"median\": $3/;s/\"low\": [0-9.e-]*/\"low\": $3/
      s/\"high\": [0-9.e-]*/\"high\": $3/;s/\"when\": \"[^\"]*\"/\"when\": \"$4\"/
      s/, \"sum\": \"[0-9a-f]*\"//}" "$1"
  }
  export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null HOME=$work
  export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@t GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@t
  git init -q -b main repository && cd repository || exit 1
  git config merge.autotune.name "autotune wisdom"
  git config merge.autotune.driver "autotune db merge %A %B %O -o %A"
  echo '*.wisdom merge=autotune' > .gitattributes
  cp ../a.jsonl a.wisdom
  git add -A && git commit -qm base
  git checkout -qb ours
  edit a.wisdom 4096 0.5 2030-01-01T00:00:00Z > x && mv x a.wisdom
  sed -n '1{s/4096/100/;s/, "sum": "[0-9a-f]*"//;p}' ../a.jsonl >> a.wisdom
  git commit -qam ours
  git checkout -q main
  edit a.wisdom 4096 0.25 2031-01-01T00:00:00Z > x && mv x a.wisdom
  sed -n '1{s/4096/200/;s/, "sum": "[0-9a-f]*"//;p}' ../a.jsonl >> a.wisdom
  sed -i '/65536/d' a.wisdom
  git commit -qam theirs
  check "git merge" git merge -q ours -m merged
  is "merged keys" "$(sed -n 's/.*\["n", \([0-9]*\)\].*/\1/p' a.wisdom | tr '\n' ' ')" "100 200 4096 "
  has "the newer one" a.wisdom '"median": 0.25.*4096'
  db verify a.wisdom; is "merged: whole" $? 0
  git checkout -q -b damaged HEAD~1
  echo nonsense >> a.wisdom && git commit -qam damaged
  check "a damaged side is a conflict" not git merge -q ours -m merged
  cd ..
else
  echo "no git: its merges are left out"
fi
finish
