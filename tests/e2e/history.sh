# SPDX-License-Identifier: Apache-2.0
# autotune report --history: results of a kernel from commit to commit, with a repository, a worktree and packed
# references that git makes.
. "$(dirname "$0")/cc_lib.sh"
command -v git > /dev/null || { echo "skipped: git is missing"; exit 77; }

export AUTOTUNE_CACHE=$work/cache AUTOTUNE_MODE=first AUTOTUNE_BUDGET=60s LC_ALL=C.UTF-8
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null HOME=$work
unset COLUMNS CLICOLOR_FORCE NO_COLOR GIT_DIR GIT_WORK_TREE
commit() { # MESSAGE: prints its first digits
  git add -A && git -c user.name=x -c user.email=x@y commit -qm "$1" && git rev-parse HEAD | cut -c 1-12
}
tune() { autotune cc gcc -O1 src/axpy.c -o "$work/prog" && "$work/prog" > answer; }

mkdir -p project/src && cd project && git init -q . || exit 1
echo answer > .gitignore
cat > src/axpy.c << 'EOF'
#include <stdio.h>
#pragma autotune kernel param(WASTE: 20, 0) key(n) in(x[0:n]) inout(y[0:n])
void axpy(int n, const double *restrict x, double *restrict y)
{
  for (int i = 0; i < n; i++) {
    for (volatile int k = 0; k < WASTE; k++)
      ;
    y[i] = 0.5 * y[i] + x[i];
  }
}
int main(void)
{
  static double x[20000], y[20000];
  for (int i = 0; i < 20000; i++)
    x[i] = 1 + i % 11, y[i] = i % 7;
  axpy(20000, x, y);
  printf("%g\n", y[3]);
  return 0;
}
EOF
autotune report --history axpy > out; is "nothing was measured" $? 1
check "before any commit" tune
autotune report --history axpy > out; is "exit status" $? 0
has "not known" out '^20[-0-9]* [0-9:]*  -  *axpy, n = 20000 '
first=$(commit first)
sed -i 's/0.5 \* y/0.25 * y/' src/axpy.c
check "changed, and not committed" tune # what counts is what is checked out
git pack-refs --all
sed -i 's/0.25 \* y/0.125 * y/' src/axpy.c
second=$(commit second)
git pack-refs --all
check "the second" tune
git worktree add -q "$work/tree" HEAD~1 && cd "$work/tree" || exit 1
sed -i 's/0.5 \* y/0.75 * y/' src/axpy.c
check "in a worktree" tune
cd "$work/in" || exit 1

autotune report axpy --history > out; is "exit status" $? 0
has "a head" out '^tuned  *commit  *kernel  *before  *after  *gain  winner$'
is "the newest first" "$(sed 1d out | awk '{ print $3 }' | tr '\n' ' ')" "$first $second $first - "
is "lines" "$(grep -c '^20[-0-9]* [0-9:]*  .*  axpy, n = 20000  *[0-9.]* [mµn]*s .* x  WASTE=0$' out)" 4
autotune report --json > json
is "JSON" "$(grep -c "\"commit\": \"\($first\|$second\)\"" json)" 3
check "export" autotune db export --output wisdom.jsonl
hasnt "wisdom has none" wisdom.jsonl "$second"
CLICOLOR_FORCE=1 COLUMNS=80 autotune report --history > out
check "a terminal's width" not grep -E '^.{81}' out
autotune report --history --json > out 2> err; is "one of them" $? 2
finish
