# SPDX-License-Identifier: Apache-2.0
# `#pragma autotune kernel optional`: the code without its directives is a variant, and wins where these hinder. Without the
# clause a warning says what could win. With `constant()` tiles of one iteration stay slow.
. "$(dirname "$0")/cc_lib.sh"
export AUTOTUNE_MODE=first AUTOTUNE_BUDGET=60s OMP_NUM_THREADS=1

cat > slow.c << 'EOF_C'
#include <stdio.h>
#include <stdlib.h>
#pragma autotune kernel constant() CLAUSE flags("", "-funroll-loops") in(x[0:n]) inout(y[0:n])
void add(int n, const double *restrict x, double *restrict y)
{
  #pragma autotune tile sizes(1, {1, 2})
  #pragma autotune interchange
  for (int t = 0; t < 8; t++)
    for (int i = 0; i < n; i++)
      y[i] += x[i] * 0.25;
}
int main(void)
{
  int n = 40000;
  double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y), sum = 0;
  for (int i = 0; i < n; i++)
    x[i] = i % 13, y[i] = i % 7;
  for (int i = 0; i < 20; i++)
    add(n, x, y);
  for (int i = 0; i < n; i++)
    sum += y[i] * (i % 11);
  printf("%.17g\n", sum);
  free(x);
  free(y);
  return 0;
}
EOF_C
sed 's/CLAUSE/optional/' slow.c > with.c
sed 's/CLAUSE//' slow.c > without.c
gcc -O1 without.c -o plain 2> /dev/null
expected=$(./plain)

autotune check with.c > check.out
has "a parameter" check.out 'directives *no, yes; default no'
has "those of directives depend on it" check.out 'tile@6.1 *1, 2; where directives is not no'
has "variants" check.out '^    6$'
for source in with without; do
  check "$source: builds" autotune cc gcc -O1 $source.c -o $source
  is "$source: answer while it is tuned" "$(AUTOTUNE_CACHE=$work/$source AUTOTUNE_LOG=info ./$source 2> $source.log)" "$expected"
  is "$source: tuned answer" "$(AUTOTUNE_CACHE=$work/$source ./$source 2> /dev/null)" "$expected"
done
has "with: wins" with.log 'add: tuned: .*directives=no'
hasnt "with: nothing to warn of" with.log 'without its directives'
AUTOTUNE_CACHE=$work/with autotune report > report.out
hasnt "with: omitted directives are not told" report.out 'winner.*tile@'
check "with: bakes" env AUTOTUNE_CACHE="$work/with" autotune bake with.c -o baked.c -- -O1
check "with: baked code compiles" gcc -O1 baked.c -o baked
is "with: baked answer" "$(./baked)" "$expected"
if grep -q 'add: tuned:' without.log; then
  has "without: a warning" without.log 'without its directives .* `#pragma autotune kernel optional'
fi

# A nest in the body of another one: both have the same params. All variants are right.
cat > inner.c << 'EOF_C'
#include <stdio.h>
#pragma autotune kernel optional in(a[0:n*n], b[0:n*n]) out(c[0:n*n])
void mul(int n, const double *restrict a, const double *restrict b, double *restrict c)
{
  #pragma autotune tile sizes({4, 16}, 8) optional
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      #pragma autotune simd reduction(+: s) optional
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}
int main(void)
{
  static double a[64 * 64], b[64 * 64], c[64 * 64];
  for (int i = 0; i < 64 * 64; i++)
    a[i] = i % 7, b[i] = i % 5;
  mul(64, a, b, c);
  printf("%.17g\n", c[65]);
  return 0;
}
EOF_C
check "inner: builds" autotune cc gcc -O1 inner.c -o inner
AUTOTUNE_CACHE=$work/inner.store AUTOTUNE_LOG=debug ./inner > inner.out 2> inner.log
has "inner: a tiled variant runs" inner.log 'mul: [0-9.e-]* s (.*directives=yes tile@5.1=yes'
hasnt "inner: no variant is wrong" inner.log 'mul: wrong'

sed -e '/autotune tile/d' -e '/autotune interchange/d' with.c > none.c
autotune check none.c > none.out 2>&1
has "no directive" none.out "'optional' changes nothing: the kernel has no directive"
finish
