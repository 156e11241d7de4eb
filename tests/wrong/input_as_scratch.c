// SPDX-License-Identifier: Apache-2.0
// Sorts its input to find the median.
// Found by: outputs
#include "wrong.h"

static int up(const void *a, const void *b) {
  double d = *(const double *)a - *(const double *)b;
  return (d > 0) - (d < 0);
}

static double scratch[500];

static void body(int way, int n, double *x, double *median) {
  double *t = way == 2 ? x : scratch;
  spend(way);
  memmove(t, x, (size_t)n * sizeof *t);
  qsort(t, (size_t)n, sizeof *t, up);
  *median = t[n / 2];
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) out(*median)
void kernel(int n, double *x, double *median) {
  body(WAY, n, x, median);
}

static double x[500], before[500], median, right;

static void step(int s) {
  for (int i = 0; i < 500; i++)
    x[i] = before[i] = noise(i, s);
  kernel(500, x, &median);
  SAME(x, before, 500);
  body(0, 500, before, &right);
  SAME1(median, right);
}
