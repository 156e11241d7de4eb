# SPDX-License-Identifier: Apache-2.0
# autotune report --asm: the winner's main loop beside that of the default, with lines where the program has them.
. "$(dirname "$0")/cc_lib.sh"

export AUTOTUNE_CACHE=$work/cache AUTOTUNE_MODE=first AUTOTUNE_BUDGET=60s LC_ALL=C.UTF-8
unset COLUMNS CLICOLOR_FORCE NO_COLOR
cat > axpy.c << 'EOF'
#include <stdio.h>
#pragma autotune kernel param(WASTE: 20, 0) key(n) in(x[0:n]) inout(y[0:n])
void axpy(int n, const double *restrict x, double *restrict y)
{
  for (int i = 0; i < n; i++) {
    for (volatile int k = 0; k < WASTE; k++)
      ;
    y[i] = 0.5 * y[i] + x[i] * x[i];
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
plain() { sed 's/\x1b\[[0-9;]*m//g'; }

autotune report --asm > out; is "nothing was measured" $? 1
has "nothing was measured: said" out 'nothing was ever measured'
check "cc" autotune cc gcc -O0 -g axpy.c -o prog
./prog > answer
autotune report --asm > out; is "exit status" $? 0
has "the kernel" out '^axpy, n = 20000'
has "how the winner's was chosen" out '^ *winner  *\(its only loop\|of its [0-9]* loops the innermost one with the most\)'
has "how the default's was chosen" out '^ *default  *of its 2 loops the innermost one with the most'
check "below 120 columns one after the other" \
  awk '/^  winner$/ { w = NR } /^  default$/ { d = NR } END { exit !(w && d > w) }' out
hasnt "no second column" out '│'
has "a label" out '^ *L1:$'
has "a branch back" out ' L[12]$'
has "lines of the source" out '^ *[5-8]  \(for\|y\[i\]\)'
hasnt "no escape sequences" out "$(printf '\033')"

# On a terminal of 130 columns: side by side.
CLICOLOR_FORCE=1 COLUMNS=130 autotune report --asm | plain > wide
has "side by side" wide '^  winner  *default$'
has "two columns" wide '[^ ] *│ .*[a-z]'
CLICOLOR_FORCE=1 COLUMNS=119 autotune report --asm | plain > narrow
hasnt "one after the other below 120" narrow '│'

# The source has changed: its text is not shown, only numbers.
touch -d 'next hour' axpy.c
autotune report --asm axpy > out
has "numbers of lines stay" out '^ *[5-8]  [a-z]*  *[^ ]'
hasnt "no text of a changed source" out ' for (int'

# For programs, and on the page.
autotune report --json > json
has "JSON" json '"assembly": {'
has "JSON: of the winner" json '"winner": \['
has "JSON: a label" json '" L1:"'
autotune report --html page.html > out 2> err || grep -q 'built without the page' err
[ ! -e page.html ] || has "in the page" page.html '"assembly":{"winner":\['
autotune report --asm --json > out 2> err; is "one of them" $? 2
has "one of them: said" err 'one of them'

# Without debug information there are no lines; without names the default is as the compiler of variants makes it.
autotune db forget axpy > out
autotune cc gcc -O0 axpy.c -o prog && ./prog > again
same "the same answer" again answer
autotune report --asm > out
hasnt "no debug information, no lines" out '^ *[0-9][0-9]*  '
has "code" out '^ *L1:$'
autotune db forget axpy > out
strip prog && ./prog > again
autotune report --asm > out
has "stripped: said" out 'as written, made by the compiler of the variants'
has "stripped: code" out '^ *L1:$'

# Loops of a directive take more lines than the source has: they count as the lines that they stand for.
cat > tile.c << 'EOF'
#pragma autotune kernel key(n) in(x[0:n]) inout(y[0:n])
void tile(int n, const double *restrict x, double *restrict y)
{
  #pragma autotune tile sizes({8, 16}, {8, 16})
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      y[j] = 0.5 * y[j] + x[i] * x[j];
}
int main(void)
{
  static double x[1000], y[1000];
  for (int i = 0; i < 1000; i++)
    x[i] = 1 + i % 11;
  tile(1000, x, y);
  return 0;
}
EOF
check "cc: a directive" autotune cc gcc -O0 -g tile.c -o tile
./tile
autotune report --asm tile > out
has "a directive: its line" out '^   7  y\[j\]'
is "a directive: no other lines" "$(grep -c '^ *\([0-4]\|8\|9\|[1-9][0-9][0-9]*\)  ' out)" 0

# What another machine has tuned, or an earlier autotune.
autotune db export -o known.jsonl
autotune db import --cache "$work/other" known.jsonl > out
autotune report --asm --cache "$work/other" > out; is "nothing is kept: exit status" $? 0
has "nothing is kept: said" out 'its code was not kept: an earlier autotune'
finish
