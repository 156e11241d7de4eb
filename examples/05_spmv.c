// SPDX-License-Identifier: Apache-2.0
// 05_spmv.c: y = A x with a sparse matrix in compressed rows.
//
// Lesson: irregular loops. Rows have very different lengths here (as in graphs), so how
// rows are dealt to the threads matters: schedule and chunk are sets. Whether the short
// inner loop gains by `simd` depends on the matrix: `optional`. Sums in another order
// differ in their last digits: verify gives a tolerance.
//
// The best variant depends on the matrix, not only on its size: two matrices of one size
// with different numbers of elements are told apart by key(rows, start[rows]), which is
// any C expression. Sections may use such expressions too.
//
//   cc -O3 -march=native 05_spmv.c -lm && ./a.out
//   autotune cc cc -O3 -march=native 05_spmv.c -lm && ./a.out
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#pragma autotune kernel \
    flags("", "-mprefer-vector-width=512", "-fno-tree-vectorize") \
    param(THREADS: 1, 2, 4, 8) constraint(THREADS <= AUTOTUNE_THREADS) \
    key(rows, start[rows]) \
    in(start[0:rows+1], column[0:start[rows]], value[0:start[rows]], x[0:rows]) \
    out(y[0:rows]) verify(rtol: 1e-10, atol: 1e-12) \
    flops(2.0 * start[rows]) bytes(12.0 * start[rows] + 20.0 * rows)
void spmv(int rows, const int *restrict start, const int *restrict column,
          const double *restrict value, const double *restrict x, double *restrict y)
{
  #pragma autotune parallel for num_threads(THREADS) \
      schedule({static, dynamic, guided}, {16, 128, 1024})
  for (int i = 0; i < rows; i++) {
    double s = 0;
    #pragma autotune simd reduction(+: s) optional
    for (int k = start[i]; k < start[i + 1]; k++)
      s += value[k] * x[column[k]];
    y[i] = s;
  }
}

static double seconds(void)
{
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static unsigned noise(unsigned *state)
{
  *state = *state * 1664525 + 1013904223;
  return *state >> 8;
}

// Row i sums backwards here.
static int wrong(int rows, const int *start, const int *column, const double *value,
                 const double *x, const double *y)
{
  for (int i = 0; i < rows; i++) {
    double s = 0;
    for (int k = start[i + 1]; k-- > start[i];)
      s += value[k] * x[column[k]];
    if (!(fabs(s - y[i]) <= 1e-10 * (1 + fabs(s))))
      return printf("  WRONG ANSWER: y[%d] = %g instead of %g\n", i, y[i], s);
  }
  return 0;
}

int main(int argc, char **argv)
{
  int rows = argc > 1 ? atoi(argv[1]) : 40000;
  int *start = malloc(sizeof *start * (rows + 1));
  unsigned state = 1;
  start[0] = 0;
  for (int i = 0; i < rows; i++) // few long rows at the front, many short ones after them
    start[i + 1] = start[i] + 8 + noise(&state) % 16 + 40000 / (i + 40);
  int n = start[rows], *column = malloc(sizeof *column * n);
  double *value = malloc(sizeof *value * n);
  double *x = malloc(sizeof *x * rows), *y = malloc(sizeof *y * rows);
  for (int k = 0; k < n; k++)
    column[k] = noise(&state) % rows, value[k] = noise(&state) % 100 - 50;
  for (int i = 0; i < rows; i++)
    x[i] = sin(i), y[i] = -1;

  double begin = seconds(), best = INFINITY;
  spmv(rows, start, column, value, x, y);
  printf("spmv %d rows, %d elements\n", rows, n);
  printf("  first call   %.6f s\n", seconds() - begin);
  for (double end = seconds() + 0.5; seconds() < end;) {
    begin = seconds();
    spmv(rows, start, column, value, x, y);
    best = fmin(best, seconds() - begin);
  }
  printf("  later calls  %.6f s   %.1f GFLOP/s\n", best, 2e-9 * n / best);
  if (wrong(rows, start, column, value, x, y))
    return 1;
  printf("  right answer\n");
  free(start), free(column), free(value), free(x), free(y);
  return 0;
}
