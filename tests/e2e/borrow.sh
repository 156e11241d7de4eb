# SPDX-License-Identifier: Apache-2.0
# A size that was never tuned runs the winner of a near one, once that is right for it, and says so; a kernel of the
# same family begins with that winner.
include=$(cd "$(dirname "$0")/../../include" && pwd)
. "$(dirname "$0")/cc_lib.sh"

export AUTOTUNE_CACHE=$work/cache
unset AUTOTUNE_MODE
export AUTOTUNE_SEARCH=exhaustive AUTOTUNE_BUDGET=30s

cat > rows.c << 'END'
#include <autotune.h>
#include <stdio.h>
#include <stdlib.h>
// U has to divide n, which nobody said.
#pragma autotune kernel param(U = 16: 16, 32) family(rows) inout(x[0:n])
void rows(int n, double *x)
{
  for (int i = 0; i < n / U * U; i += U)
    for (int j = 0; j < 400; j++)
      #pragma autotune simd
      for (int k = 0; k < U; k++)
        x[i + k] = x[i + k] * 0.5 + 1;
}
#pragma autotune kernel param(U: 16, 32, 64) family(rows) inout(x[0:n])
void columns(int n, double *x)
{
  for (int i = n / U * U - 1; i >= 0; i--)
    for (int j = 0; j < 400; j++)
      x[i] = x[i] * 0.5 + 1;
}
int main(int argc, char **argv)
{
  static double x[1 << 14];
  int n = atoi(argv[1]);
  if (argc > 2)
    columns(n, x);
  else
    rows(n, x);
  long long key[] = { n };
  char *why = NULL;
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i];
  if (autotune_why(argc > 2 ? "columns" : "rows", key, &why) == AUTOTUNE_OK)
    printf("%g %s\n", sum, why);
  free(why);
}
END
check "compile" autotune cc gcc -O1 -I"$include" rows.c -o rows
./rows 4096 > tuned
has "one size is tuned" tuned '^8192 tuned: '
AUTOTUNE_MODE=locked ./rows 6144 > near
has "a near one borrows" near '^12288 borrowed from n = 4096'
AUTOTUNE_MODE=locked ./rows 6144 > again
has "also the next time" again '^12288 borrowed from n = 4096'
AUTOTUNE_MODE=locked ./rows 16384 > edge
has "four times as large" edge '^32768 borrowed from n = 4096'
AUTOTUNE_MODE=locked ./rows 1000 > far
hasnt "too small" far 'borrowed'
AUTOTUNE_MODE=locked ./rows 4112 > odd # 16 divides it, 32 does not
has "only what is right" odd '^8224 '
check "report" autotune report > report
has "the report says so" report 'borrowed from n = 4096 until it is tuned'
autotune report --json > report
has "JSON says so" report '"borrowed": "borrowed from n = 4096"'
AUTOTUNE_LOG=info ./rows 6144 > out 2> err
has "a tuning replaces it" out '^12288 tuned: '
has "and begins with it" err 'tries first what was found for n = 4096'
AUTOTUNE_LOG=info ./rows 4096 columns > out 2> err
has "a kernel of the family" err 'columns: tries first what was found for kernel rows, n = '
finish
