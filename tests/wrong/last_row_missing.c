// SPDX-License-Identifier: Apache-2.0
// Two rows at a time; the last of an odd number of rows is missing.
// Found by: outputs
#include "wrong.h"

static void body(int way, int rows, int n, const double *a, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < (way == 2 ? rows / 2 * 2 : rows); i++) {
    y[i] = 0;
    for (int j = 0; j < n; j++)
      y[i] += a[i * n + j] * x[j];
  }
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(a[0:rows*n], x[0:n]) out(y[0:rows])
void kernel(int rows, int n, const double *a, const double *x, double *y) {
  body(WAY, rows, n, a, x, y);
}

static double a[31 * 40], x[40], y[31], right[31];

static void step(int s) {
  for (int i = 0; i < 31 * 40; i++)
    a[i] = noise(i, s), x[i % 40] = noise(-i, s);
  kernel(31, 40, a, x, y);
  body(0, 31, 40, a, x, right);
  SAME(y, right, 31);
}
