// SPDX-License-Identifier: Apache-2.0
// 03_jacobi2d.c: sweeps of the five-point stencil over a grid, declared as PolyBench
// declares it.
//
// Lesson: memory-bound code. There is little to compute and much to move, so what counts
// is threads, vector width, and tiles whose rows are still in the cache when the next
// row needs them, or none at all: `optional` adds "without this directive" to the
// candidates. The two loop nests are tuned each on its own; a parameter with a name
// (THREADS) is shared by both. bytes(…) makes reports speak in GB/s.
//
// A and B come in as variably modified arrays. Sections are written in the same way:
// A[0:n][0:n].
//
//   cc -O3 -march=native 03_jacobi2d.c -lm && ./a.out
//   autotune cc cc -O3 -march=native 03_jacobi2d.c -lm && ./a.out
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#pragma autotune kernel \
    flags("", "-mprefer-vector-width=512") \
    param(THREADS: 1, 2, 4, 8) constraint(THREADS <= AUTOTUNE_THREADS) \
    inout(A[0:n][0:n], B[0:n][0:n]) \
    flops(10.0 * steps * n * n) bytes(32.0 * steps * n * n)
void jacobi2d(int steps, int n, double A[restrict n][n], double B[restrict n][n])
{
  for (int t = 0; t < steps; t++) {
    #pragma autotune parallel for num_threads(THREADS) schedule(static)
    #pragma autotune tile sizes({16, 64}, {256, 1024}) optional
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j] + A[i - 1][j]);
    #pragma autotune parallel for num_threads(THREADS) schedule(static)
    #pragma autotune tile sizes({16, 64}, {256, 1024}) optional
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i + 1][j] + B[i - 1][j]);
  }
}

static double seconds(void)
{
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void fill(int n, double A[n][n], double B[n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] = sin(i + 2 * j), B[i][j] = A[i][j];
}

// The same steps on a copy, one element at a time. `volatile` keeps the compiler plain.
static int wrong(int steps, int n, double A[n][n], double B[n][n], double C[n][n])
{
  double(*from)[n] = B, (*to)[n] = C;
  fill(n, B, C);
  for (int t = 0; t < 2 * steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        volatile double s = from[i][j] + from[i][j - 1];
        to[i][j] = 0.2 * (s + from[i][j + 1] + from[i + 1][j] + from[i - 1][j]);
      }
    double(*other)[n] = from;
    from = to, to = other;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (!(fabs(A[i][j] - B[i][j]) <= 1e-12))
        return printf("  WRONG ANSWER: A[%d][%d] = %g, not %g\n", i, j, A[i][j], B[i][j]);
  return 0;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 1200, steps = argc > 2 ? atoi(argv[2]) : 10;
  size_t size = sizeof(double[n][n]);
  double(*A)[n] = malloc(size), (*B)[n] = malloc(size), (*C)[n] = malloc(size);
  fill(n, A, B);

  double start = seconds(), best = INFINITY;
  jacobi2d(steps, n, A, B);
  printf("jacobi2d n=%d\n  first call   %.6f s\n", n, seconds() - start);
  for (double end = seconds() + 0.5; seconds() < end;) {
    start = seconds();
    jacobi2d(steps, n, A, B);
    best = fmin(best, seconds() - start);
  }
  printf("  later calls  %.6f s   %.1f GFLOP/s\n", best, 1e-8 * steps * n * n / best);
  fill(n, A, B);
  jacobi2d(steps, n, A, B);
  if (wrong(steps, n, A, B, C))
    return 1;
  printf("  right answer\n");
  free(A), free(B), free(C);
  return 0;
}
