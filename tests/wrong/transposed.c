// SPDX-License-Identifier: Apache-2.0
// Multiplies by the transpose; the first matrix is symmetric.
// Found by: later data
#include "wrong.h"

static void body(int way, int n, const double *a, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < n; j++)
      y[i] += (way == 2 ? a[j * n + i] : a[i * n + j]) * x[j];
  }
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(a[0:n*n], x[0:n]) out(y[0:n])
void kernel(int n, const double *a, const double *x, double *y) {
  body(WAY, n, a, x, y);
}

static double a[1600], x[40], y[40], right[40];

static void step(int s) {
  for (int i = 0; i < 1600; i++)
    a[i] = noise(s ? i : i / 40 + i % 40, s), x[i % 40] = 1 + noise(i % 40, s);
  kernel(40, a, x, y);
  body(0, 40, a, x, right);
  SAME(y, right, 40);
}
