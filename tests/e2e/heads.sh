# SPDX-License-Identifier: Apache-2.0
# Kernels whose heads have the old style, called from a file without prototypes: they build, are verified, and compute
# what the plain program does. Messages name the user's lines.
. "$(dirname "$0")/cc_lib.sh"
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_BUDGET=4 AUTOTUNE_SEED=1
cat > heads.c << 'END'
typedef unsigned long count_t;
struct pair { double a, b; };
#pragma autotune kernel flags("", "-O1")
void scale(n, x, y)
  int n;          /* how many, at least one */
  double *x,
         *y;
{
  for (int i = 0; i < n; i++)
    x[i] = y[i] * 2;
}
#pragma autotune kernel param(STEP: 1, 2) in(x[0:n]) inout(pairs[0:n])
static long sum(x, n, pairs, offset)
  register const double x[];
  count_t n;
  struct pair (*pairs);
{
  long s = offset;
  for (count_t i = 0; i < n; i++) {
    s += (long)x[i];
    pairs[i].a += STEP - STEP + x[i];
  }
  return s;
}
long total(n, x)
  int n;
  double *x;
{
  static struct pair pairs[100];
  return sum(x, (count_t)n, pairs, 5) + (long)pairs[7].a;
}
END
cat > main.c << 'END'
#include <stdio.h>
void scale();
long total();
int main()
{
  static double x[100], y[100];
  for (int i = 0; i < 100; i++)
    y[i] = i;
  scale(100, x, y);
  printf("%g %ld\n", x[99], total(100, x));
  return 0;
}
END
sed 's/STEP - STEP/0/' heads.c > plain.c
gcc -w -std=gnu17 plain.c main.c -o plain
check "check" autotune check heads.c > list
has "the arguments are known" list "y\[0:n > 0 ? n : 0\]"
has "a line" list "heads.c:13: kernel sum"
check "build" autotune cc gcc -w -std=gnu17 heads.c main.c -o tuned
is "the answer" "$(AUTOTUNE_MODE=first ./tuned 2> err)" "$(./plain)"
is "no message" "$(cat err)" ""
autotune report > report.out
hasnt "a wrong variant" report.out "wrong"
has "verified" report.out "verified"
sed 's/y\[i\] \* 2/y[i] * missing/' heads.c > missing.c
autotune cc gcc -w -std=gnu17 -c missing.c 2> err
has "the compiler's line" err "missing.c:10:.*missing"
finish

# Loops in such functions, which call others of that style, and have OpenMP in an #ifdef.
cat > loops.c << 'END'
#include <stdio.h>
#define N 100
float square(x) float x; { return x * x; }
static twice(k) { return 2 * k; }
later(k, m)
int k;
{
  return k + m;
}
double apply(x, n, w, m)
  float *x, w[];
{
  int i;
  double sum = 0;
#pragma autotune kernel param(STEP: 1, 2) in(x[0:n], w[0:m])
#ifdef _OPENMP
#pragma omp parallel for private(i) reduction(+ : sum)
#endif
  for (i = 0; i < n; i++)
    sum += square(x[i]) * w[i % m] + twice(m) + later(n, i) + STEP - STEP;
  return sum;
}
int main()
{
  static float x[N];
  float w[3] = { 1, 2, 3 };
  for (int i = 0; i < N; i++)
    x[i] = i;
  printf("%g\n", apply(x, N, w, 3));
  return 0;
}
END
sed 's/STEP - STEP/0/' loops.c > plain_loops.c
for flags in "" -fopenmp; do
  gcc -w -std=gnu17 $flags plain_loops.c -o plain_loops
  check "build with loops $flags" autotune cc gcc -w -std=gnu17 $flags loops.c -o loops
  is "the answer of loops $flags" "$(AUTOTUNE_LOG=info AUTOTUNE_MODE=first ./loops 2> err)" "$(./plain_loops)"
  has "tuned $flags" err "apply_.*\(tuned\|default: none of 2 variants beats it\)"
done
