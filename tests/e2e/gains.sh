# SPDX-License-Identifier: Apache-2.0
# The two gains of a winner: over the default, compiled without optimisation here, and over the same code with the
# flags of the variants, which is far less.
. "$(dirname "$0")/cc_lib.sh"

cat > sums.c << 'EOF'
#include <stdio.h>
#define STEP 1
#pragma autotune kernel param(STEP: 1, 2, 4) in(x[0:n]) inout(y[0:n])
void sums(int n, const double *restrict x, double *restrict y)
{
  for (int i = 0; i < n; i += STEP)
    for (int j = i; j < n && j < i + STEP; j++)
      y[j] = 0.5 * y[j] + x[j] * x[j] + 0.25 * x[j];
}
int main(void)
{
  static double x[50000], y[50000];
  for (int i = 0; i < 50000; i++)
    x[i] = 1 + i % 11, y[i] = i % 7;
  sums(50000, x, y);
  printf("%g\n", y[3]);
  return 0;
}
EOF
export AUTOTUNE_CACHE=$work/cache
check "cc" autotune cc gcc -O0 sums.c -o prog
AUTOTUNE_MODE=first AUTOTUNE_BUDGET=2s AUTOTUNE_LOG=info ./prog > out 2> log
has "log" log 'tuned: .* x over the default .*; [0-9.e+]* x over the same code with the same flags'
gains=$(sed -n 's/.*tuned: \([0-9.e+]*\) x over the default.*; \([0-9.e+]*\) x over the same.*/\1 \2/p' log)
check "the flags alone gain much: $gains" awk -v "of=$gains" 'BEGIN { split(of, g); exit !(g[1] > 1.5 * g[2] && g[2] > 0) }'
autotune report --json > json
has "JSON" json '"as_written": [0-9.e-]*'
autotune report > out
has "report" out '[0-9.]* x    over the same code with the same flags'
autotune why sums > out
has "why" out ' x over the default, [0-9.]* x over the same code with the same flags'
finish
