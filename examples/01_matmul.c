// SPDX-License-Identifier: Apache-2.0
// 01_matmul.c: C = A B, three naive loops, made fast by directives alone.
//
// Lesson: loop directives with sets of candidates. Any OpenMP loop directive may be
// written with `autotune` in place of `omp`, and then any argument may be a set. The
// directive next to the loop acts first, those above it act on the loops that it leaves:
//
//   interchange     which loop is innermost decides whether memory is read in order
//   tile            blocks that stay in the cache
//   unroll_and_jam  within these blocks of registers: so many iterations of the first and
//                   of the second loop side by side, sharing what they load
//   parallel for    how many threads are worth their cost
//
// The pragmas promise that any of this is allowed, as OpenMP's do; `restrict` says that the
// matrices do not overlap. `k` must not be outermost below `parallel for`, as two threads
// would then write one C[i][j], so the permutations are listed; otherwise one would write
// permutation(any). Each variant's C is compared with that of the loops as written, to
// within rounding; `verify` would say how exactly. The first values of
// all sets are tried first. Here they are in no particular order: a search has to find the
// good ones. A good guess in the first place would save time, as variants that are far
// slower are then cut short.
//
//   cc -O3 -march=native 01_matmul.c -lm && ./a.out
//   autotune cc cc -O3 -march=native 01_matmul.c -lm && ./a.out
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma autotune kernel \
    flags("", "-mprefer-vector-width=512") \
    param(THREADS: 1, 2, 4, 8) constraint(THREADS <= AUTOTUNE_THREADS) \
    key(n) in(A[0:n*n], B[0:n*n]) out(C[0:n*n]) flops(2.0 * n * n * n) \
    search(auto, budget: 40s)
void matmul(int n, const double *restrict A, const double *restrict B, double *restrict C)
{
  memset(C, 0, sizeof *C * n * n);
  #pragma autotune parallel for num_threads(THREADS)
  #pragma autotune unroll_and_jam partial({1, 2, 4}, {1, 2, 4})
  #pragma autotune tile sizes({32, 64, 128}, {32, 64, 128}, {256, 512})
  #pragma autotune interchange permutation({(1,2,3), (1,3,2)})
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i * n + j] += A[i * n + k] * B[k * n + j];
}

static double seconds(void)
{
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

// Compares some elements with sums made one by one.
static int wrong(int n, const double *A, const double *B, const double *C)
{
  for (int q = 0; q < 500; q++) {
    int i = q * 37 % n, j = q * 101 % n;
    double s = 0;
    for (int k = 0; k < n; k++)
      s += A[i * n + k] * B[k * n + j];
    if (!(fabs(s - C[i * n + j]) <= 1e-9 * (1 + fabs(s))))
      return printf("  WRONG ANSWER: C[%d][%d] = %g, not %g\n", i, j, C[i * n + j], s);
  }
  return 0;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 1024;
  size_t size = (size_t)n * n;
  double *A = malloc(size * sizeof *A), *B = malloc(size * sizeof *B);
  double *C = malloc(size * sizeof *C);
  for (size_t i = 0; i < size; i++)
    A[i] = sin(i), B[i] = cos(i), C[i] = -1;

  double start = seconds(), best = INFINITY;
  matmul(n, A, B, C);
  printf("matmul n=%d\n  first call   %.6f s\n", n, seconds() - start);
  for (double end = seconds() + 0.5; seconds() < end;) {
    start = seconds();
    matmul(n, A, B, C);
    best = fmin(best, seconds() - start);
  }
  printf("  later calls  %.6f s   %.1f GFLOP/s\n", best, 2e-9 * n * n * n / best);
  if (wrong(n, A, B, C))
    return 1;
  printf("  right answer\n");
  free(A), free(B), free(C);
  return 0;
}
