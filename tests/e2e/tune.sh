# SPDX-License-Identifier: Apache-2.0
# autotune tune: a program with a full search at its first calls, the printed results, and the exit status.
. "$(dirname "$0")/cc_lib.sh"

export AUTOTUNE_CACHE=$work/cache
unset AUTOTUNE_MODE
tune() { timeout 120 autotune tune "$@" > out 2> err; }

cat > sum.c << 'END'
#include <stdio.h>
#include <stdlib.h>
#pragma autotune kernel param(STEP: 1, 2, 4) in(x[0:n]) mode(offline)
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
#pragma autotune kernel param(MANY: 1, 8) inout(x[0:n])
void scale(int n, double *x)
{
  for (int i = 0; i < n / MANY * MANY; i += MANY)
    for (int k = 0; k < MANY; k++)
      x[i + k] *= 2;
  for (int i = n / MANY * MANY; i < n; i++)
    x[i] *= 2;
}
int main(int argc, char **argv)
{
  static double x[1 << 14];
  for (int i = 0; i < 1 << 14; i++)
    x[i] = i % 8;
  if (argc > 1 && atoi(argv[1]) == 3)
    return 3;
  scale(1 << 14, x);
  printf("%g\n", sum(1 << 14, x));
  return argc > 1 ? atoi(argv[1]) : 0;
}
END
check "compile" autotune cc gcc -O1 sum.c -o sum
is "offline: the program itself tunes nothing" "$(AUTOTUNE_KERNEL=sum ./sum)" 114688
AUTOTUNE_KERNEL=sun ./sum > /dev/null 2> unknown.log
has "a kernel that was not called" unknown.log "warning: AUTOTUNE_KERNEL: no kernel 'sun' was seen in this process; did you mean 'sum'?"
tune --kernel sum --budget 3s -- ./sum 5; is "its exit status" $? 5
is "its answer" "$(cat out)" 114688
has "a line for the key" err '^sum, n = 16384: .*; 3 variants in '
hasnt "the other kernel is left alone" err '^scale'
tune --kernel=sum --budget=3s --output report.json -- ./sum; is "again" $? 0
has "what is stored is not final" err '^sum, n = 16384: '
has "--output" report.json '"kernel": "sum"'
tune --kernel summ -- ./sum; is "another name" $? 0
has "another name: said" err "the program did not call 'summ'; did you mean 'sum'?"
tune -- ./sum 3; is "no call" $? 3
has "no call: said" err 'the program called no kernel'
tune -- ./nothing; is "no program" $? 127
is "no program: one message" "$(cat err)" "autotune tune: ./nothing: No such file or directory"
tune -- sh -c 'kill -TERM $$'; is "a signal" $? 143
tune; is "no program given" $? 2
tune --budget 5x -- ./sum; is "a bad budget" $? 2
tune --budgte 5s -- ./sum; is "a bad option" $? 2
has "a bad option: suggestion" err 'did you mean --budget?'
tune --search nonsense -- ./sum; is "a bad search" $? 2
has "a bad search: those there are" err 'exhaustive, random'
tune --kernel; is "no value" $? 2
finish
