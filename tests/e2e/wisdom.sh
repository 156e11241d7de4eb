# SPDX-License-Identifier: Apache-2.0
# AUTOTUNE_WISDOM and stored results: used where they fit, checked before they are used, and never trusted.
. "$(dirname "$0")/cc_lib.sh"

export AUTOTUNE_CACHE=$work/cache AUTOTUNE_LOG=info AUTOTUNE_BUDGET=60s
source_of() { # STEPS [BODY]: a kernel with these candidates; 3 is a wrong one
  cat << END
#include <autotune.h>
#include <stdio.h>
#include <stdlib.h>
#pragma autotune kernel param(STEP: $1) key(n) in(x[0:n]) out(y[0:1])
void sum(int n, const double *x, double *y)
{
  double s[STEP] = { 0 };
  for (int i = 0; i + STEP <= n; i += STEP)
    for (int k = 0; k < STEP; k++)
      s[k] += x[i + k];
  for (int k = 1; k < STEP; k++)
    s[0] += s[k];
  *y = s[0]${2:-};
}
int main(int argc, char **argv)
{
  static double x[1 << 16];
  double y;
  char *why;
  for (int i = 0; i < 1 << 16; i++)
    x[i] = i % 8;
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] == 'w') {
      autotune_wait(30);
      continue;
    }
    sum(atoi(argv[i]), x, &y);
    printf("%g\n", y);
    if (autotune_why("sum", NULL, &why) == AUTOTUNE_OK) {
      fprintf(stderr, "why: %s\n", why);
      free(why);
    }
  }
  return 0;
}
END
}
include=$(dirname "$(command -v autotune)")/../include
build() { check "compile" autotune cc gcc -O1 -I "$include" ${2:-sum.c} -o "$1"; }
untuned() { ! grep -q 'over the default (' "$1"; } # nothing was measured
variants() { AUTOTUNE_LOG=warn autotune db verify "$@" | sed -n 's/.* \([0-9]*\) variants.*/\1/p'; }

source_of "1, 2, 3, 4" > sum.c
build sum
AUTOTUNE_MODE=first ./sum 65536 4096 > answer 2> log
is "answers" "$(tr '\n' ' ' < answer)" "229376 14336 "
check "export" autotune db export -o a.jsonl
is "lines" "$(grep -c . a.jsonl)" 2
export AUTOTUNE_WISDOM=$work/in/a.jsonl

# Locked: the winner of the wisdom, checked; nothing is timed, so no variant has a record.
export AUTOTUNE_CACHE=$work/locked
AUTOTUNE_MODE=locked ./sum 65536 100 > answer 2> log
is "locked: answers" "$(tr '\n' ' ' < answer)" "229376 342 "
winner=$(sed -n 's/.*65536.*"values": {"STEP": "\([0-9]\)"}.*/\1/p' a.jsonl)
if [ -n "$winner" ]; then
  has "locked: from wisdom" log '^why: from wisdom a.jsonl: .*checked here$'
  has "locked: another key" log '^why: default: locked, .*a.jsonl:[0-9] differs: it is for n = '
  is "locked: nothing is measured" "$(variants)" 0
  AUTOTUNE_MODE=locked ./sum 65536 > answer 2> again
  has "locked: once more" again '^why: from wisdom a.jsonl'
  hasnt "locked: not checked twice" again '^autotune: '
fi
# Two ranks at once, without a store: the same.
for rank in 1 2; do
  AUTOTUNE_CACHE=off AUTOTUNE_MODE=locked ./sum 65536 > rank$rank 2> log$rank &
done
wait
same "ranks: answers" rank1 rank2
same "ranks: variants" log1 log2
check "ranks: nothing measured" untuned log1

# Not locked: adopted instead of a tuning, where it is this very machine.
AUTOTUNE_CACHE=$work/first AUTOTUNE_MODE=first ./sum 65536 > answer 2> log
is "first: answer" "$(cat answer)" 229376
check "first: nothing tuned" untuned log
# Another machine of its kind: its winner is tried first, and raced.
sed 's/\("cpu": "[^ ]*\)/\1 Other/;s/ stepping [0-9]*"/ stepping 99"/;s/, "sum": "[0-9a-f]*"//' a.jsonl > other.jsonl
AUTOTUNE_WISDOM=other.jsonl AUTOTUNE_CACHE=$work/raced AUTOTUNE_MODE=first ./sum 65536 > answer 2> log
is "another machine: answer" "$(cat answer)" 229376
[ -z "$winner" ] || has "another machine: tried first" log 'tries first what was found for wisdom other.jsonl'
# A machine of another kind, from wisdom and from the store: likewise.
sed 's/"cpu": "[^"]*"/"cpu": "Maker Foreign CPU family 1 model 1 stepping 1"/;s/"isa": "[^"]*"/"isa": "other 1"/;s/, "sum": "[0-9a-f]*"//' \
  a.jsonl > foreign.jsonl
AUTOTUNE_WISDOM=foreign.jsonl AUTOTUNE_CACHE=$work/foreign AUTOTUNE_MODE=first ./sum 65536 > answer 2> log
is "another kind: answer" "$(cat answer)" 229376
[ -z "$winner" ] || has "another kind: tried first" log 'tries first what was found for wisdom foreign.jsonl of Foreign CPU'
autotune db import --cache "$work/imported" foreign.jsonl > out
AUTOTUNE_WISDOM="" AUTOTUNE_CACHE=$work/imported AUTOTUNE_MODE=first ./sum 65536 > answer 2> log
is "another kind, imported: answer" "$(cat answer)" 229376
[ -z "$winner" ] || has "another kind, imported: tried first" log 'tries first what was found for n = [0-9]* on Foreign CPU'
hasnt "another kind, imported: not taken over" log '^why: from wisdom'
AUTOTUNE_WISDOM=other.jsonl AUTOTUNE_CACHE=off AUTOTUNE_MODE=locked ./sum 65536 > answer 2> log
has "another machine: locked" log '^why: default: locked, .*other.jsonl:[0-9] differs: machine '

# In the background: the check does not delay the call, and a later call adopts the winner.
export AUTOTUNE_CACHE=$work/beside
AUTOTUNE_MODE=background timeout 60 ./sum 65536 wait 65536 > answer 2> log
is "background: answers" "$(tr '\n' ' ' < answer)" "229376 229376 "
[ -z "$winner" ] || has "background: adopted" log '^why: from wisdom a.jsonl'
check "background: nothing tuned" untuned log

# A wrong answer is found before it is used.
sed 's/"values": {[^}]*}/"values": {"STEP": "3"}/;s/"text": "[0-9a-f]*"/"text": "0000000000000000"/
  s/, "sum": "[0-9a-f]*"//' a.jsonl > wrong.jsonl
AUTOTUNE_WISDOM=wrong.jsonl AUTOTUNE_CACHE=$work/wrong AUTOTUNE_MODE=locked ./sum 65536 > answer 2> log
is "wrong wisdom: answer" "$(cat answer)" 229376
has "wrong wisdom: said" log '^why: default: locked, .*STEP=3: was wrong\|^why: default: locked, .*STEP=3: .*wrong'

# Hostile lines: none of them is run, each file is reported once, and the answer is right.
{
  echo '{"autotune": 1, "kernel": "sum"'
  sed 's/"STEP": "[0-9]"/"STEP": "4];system(\\"touch canary\\");x[1"/;s/, "sum": "[0-9a-f]*"//' a.jsonl
  sed 's/"STEP": "[0-9]"/"STEP": "4", "flags": "-fplugin=.\/canary.so"/;s/, "sum": "[0-9a-f]*"//' a.jsonl
  sed 's/"file": "[^"]*"/"file": "..\/..\/x"/;s/, "sum": "[0-9a-f]*"//' a.jsonl
  head -c 100000 /dev/zero | tr '\0' '['
} > hostile.jsonl
mkdir folder
AUTOTUNE_WISDOM=hostile.jsonl:folder:/nonexistent::/dev/zero AUTOTUNE_CACHE=$work/hostile \
  AUTOTUNE_MODE=locked timeout 30 ./sum 65536 > answer 2> log
is "hostile wisdom: answer" "$(cat answer)" 229376
is "hostile wisdom: one warning a file" "$(grep -c 'hostile.jsonl:[0-9]*: not used' log)" 1
has "hostile wisdom: no file" log 'AUTOTUNE_WISDOM: /nonexistent: '
has "hostile wisdom: no file" log 'AUTOTUNE_WISDOM: /dev/zero: it is not a file'
check "hostile wisdom: canary" [ ! -e canary ]
is "hostile wisdom: no object" "$(ls "$work/hostile/objects" 2> /dev/null)" ""
unset AUTOTUNE_WISDOM

# Imported: checked at the first call. Lost code is made again, without a tuning.
export AUTOTUNE_CACHE=$work/imported AUTOTUNE_MODE=first
check "import" autotune db import a.jsonl > out
for what in imported lost; do
  ./sum 65536 > answer 2> log
  is "$what: answer" "$(cat answer)" 229376
  check "$what: nothing tuned" untuned log
  rm -f "$AUTOTUNE_CACHE"/objects/*
done

# Edits. A line above changes nothing; a further candidate keeps the timings of the others.
export AUTOTUNE_CACHE=$work/edited AUTOTUNE_LOG=debug
source_of "1, 2, 4" > sum.c
build before
./before 65536 > answer 2> log
has "before: tuned" log 'over the default (\|beats it clearly'
{ echo; echo; source_of "1, 2, 4"; } > sum.c
build moved
./moved 65536 > answer 2> log
hasnt "moved: nothing tuned" log 'samples'
mkdir folder2 && { echo; source_of "1, 2, 4, 8"; } > folder2/sum.c
build longer folder2/sum.c
./longer 65536 > answer 2> log
is "longer: answer" "$(cat answer)" 229376
has "longer: said" log 'candidates or the constraint changed; 3 of 3 timings still hold'
has "longer: the new one is tried" log ' samples.*STEP=8'
hasnt "longer: the others are not" log ' samples.*STEP=[124]$'
source_of "1, 2, 4" " + 1" > sum.c
build other
./other 65536 > answer 2> log
is "another text: answer" "$(cat answer)" 229377
has "another text: tuned" log ' samples.*STEP=2'

# A list of permutations is a branch of the text for each: the old ones keep their timings.
permuted() { # PERMUTATIONS
  cat > permuted.c << END
#include <stdio.h>
#pragma autotune kernel key(n) in(A[0:n*n]) out(B[0:n*n])
void transpose(int n, const double *restrict A, double *restrict B)
{
  #pragma autotune parallel for optional
  #pragma autotune interchange permutation({$1})
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      B[j * n + i] = A[i * n + j];
}
int main(void)
{
  static double a[10000], b[10000];
  for (int i = 0; i < 10000; i++)
    a[i] = i;
  transpose(100, a, b);
  printf("%g\n", b[1]);
  return 0;
}
END
  build permuted permuted.c
  is "permuted: answer" "$(./permuted 2> log)" 100
}
permuted "(1,2)"
permuted "(1,2), (2,1)"
has "permuted: said" log 'candidates or the constraint changed; 2 of 2 timings still hold'
has "permuted: the new one is tried" log ' samples.*(2,1)'
hasnt "permuted: the others are not" log ' samples.*(1,2)'
finish
