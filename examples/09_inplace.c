// SPDX-License-Identifier: Apache-2.0
// 09_inplace.c: a square matrix transposed in place.
//
// Lesson: kernels that overwrite their input. Such a kernel cannot simply be run again
// to see what is fastest: the second run would undo the first. With `inout` autotune
// knows what the kernel reads and writes; every variant is tried in a process of its
// own, on a copy of the data as it was at the call, and the real call is made exactly
// once, with the winner. A transpose shows it: one run too many or too few and the
// matrix is the other way round.
//
// The nest is triangular: where a row ends depends on the outer loop. It is tiled all
// the same.
//
//   cc -O3 -march=native 09_inplace.c -lm && ./a.out
//   autotune cc cc -O3 -march=native 09_inplace.c -lm && ./a.out
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#pragma autotune kernel \
    param(THREADS: 1, 2, 4, 8) constraint(THREADS <= AUTOTUNE_THREADS) \
    key(n) inout(A[0:n][0:n]) verify(exact) bytes(16.0 * n * n)
void transpose(int n, double A[n][n])
{
  #pragma autotune parallel for num_threads(THREADS) schedule({static, dynamic}, {1, 4})
  #pragma autotune tile sizes({4, 8, 16, 32, 64}, {4, 8, 16, 32, 64})
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      double t = A[i][j];
      A[i][j] = A[j][i];
      A[j][i] = t;
    }
}

static double seconds(void)
{
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

// After TIMES transposes A is as it was, or the other way round.
static int wrong(int n, double A[n][n], int times)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double expected = times % 2 ? j * (double)n + i : i * (double)n + j;
      if (A[i][j] != expected)
        return printf("  WRONG ANSWER: A[%d][%d] = %g\n", i, j, A[i][j]);
    }
  return 0;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 2048, times = 1;
  double(*A)[n] = malloc(sizeof(double[n][n]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] = i * (double)n + j;

  double start = seconds(), best = INFINITY;
  transpose(n, A);
  printf("transpose n=%d\n  first call   %.6f s\n", n, seconds() - start);
  if (wrong(n, A, times))
    return 1;
  for (double end = seconds() + 0.5; seconds() < end; times++) {
    start = seconds();
    transpose(n, A);
    best = fmin(best, seconds() - start);
  }
  printf("  later calls  %.6f s   %.1f GB/s\n", best, 16e-9 * n * n / best);
  if (wrong(n, A, times))
    return 1;
  printf("  right answer\n");
  free(A);
  return 0;
}
