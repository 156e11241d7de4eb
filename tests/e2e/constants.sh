# SPDX-License-Identifier: Apache-2.0
# Integers of the key are constants in variants: also in regions of OpenMP, for both compilers and in C++. Code with
# constants runs for its own key only.
. "$(dirname "$0")/cc_lib.sh"
export AUTOTUNE_SEARCH=exhaustive AUTOTUNE_BUDGET=60s AUTOTUNE_LOG=info AUTOTUNE_CACHE=$work/cache AUTOTUNE_MODE=first
export AUTOTUNE_REVERIFY=off OMP_NUM_THREADS=2

# What a variant knows is in its answer, which nothing checks here. DELAY lets it win. `m` is no part of the key.
cat > knows.c << 'END'
#include <stdio.h>
#include <stdlib.h>
#define KNOWN(x) __builtin_constant_p(x)
#define DELAY 200000
#define WAIT for (int w = 0; w < DELAY; w++) __asm__ volatile("")
#define TUNED kernel key(n) param(DELAY: 200000, 1) verify(off) compiler(COMPILER)
#pragma autotune TUNED CLAUSE
int plain(int n, int m, double *x)
{
  WAIT;
  for (int i = 0; i < n; i++)
    x[i] = x[i] * 1.5 + m;
  return KNOWN(n + 1) + 2 * KNOWN(m);
}
/* Changed here: only its value at the beginning is known. */
#pragma autotune TUNED CLAUSE
int changed(int n, double *x)
{
  WAIT;
  int known = KNOWN(n + 1);
  while (n-- > 0)
    x[n] *= 1.25;
  return known + 2 * (n == -1);
}
#pragma autotune TUNED CLAUSE
int shared(int n, double *x)
{
  int known = 0;
  WAIT;
  #pragma omp parallel for reduction(+: known)
  for (int i = 0; i < n; i++) {
    x[i] *= 1.125;
    known += KNOWN(n - 1);
  }
  return known == n;
}
#pragma autotune TUNED CLAUSE
void divided(int n, int *known, double *x)
{
  WAIT;
  #pragma autotune parallel for num_threads(2)
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++)
      sum += x[j] / (1 + j);
    known[i] = KNOWN(n * 2) + 2 * (sum > 0);
  }
}
int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 200, sum = 0;
  double *x = malloc(n * sizeof *x);
  int *known = calloc(n, sizeof *known);
  for (int i = 0; i < n; i++)
    x[i] = i + 1;
  int a = plain(n, argc, x), b = changed(n, x), c = shared(n, x);
  divided(n, known, x);
  for (int i = 0; i < n; i++)
    sum += known[i] % 2;
  printf("plain %d changed %d shared %d divided %d\n", a, b, c, sum == n);
  return 0;
}
END
tuned='kernel key(n) param(DELAY: 200000, 1) verify(off) search(exhaustive) compiler'
for compiler in clang gcc; do
  sed "s/^#define TUNED .*//; s/ TUNED CLAUSE/ $tuned($compiler)/" knows.c > $compiler.c
  check "$compiler: compiles" autotune cc gcc -O2 -fopenmp $compiler.c -o $compiler
  ./$compiler 2> $compiler.log
done
for f in *.log; do cut -c1-200 $f; done
./clang; ./gcc
finish
