// SPDX-License-Identifier: Apache-2.0
// Writes 64 elements of another array, 5 KB further on.
// Found by: writes
#include "wrong.h"

static struct {
  double y[1001], between[640], other[64];
} data, right;

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i++)
    y[i] = 2 * x[i];
  for (int i = 0; i < 64 && way == 2; i++)
    y[1641 + i] = x[i];
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) out(y[0:n])
void kernel(int n, const double *x, double *y) {
  body(WAY, n, x, y);
}

static double x[1024];

static void step(int s) {
  for (int i = 0; i < 1024; i++)
    x[i] = noise(i, s);
  memset(&data, 0, sizeof data);
  memset(&right, 0, sizeof right);
  kernel(1001, x, data.y);
  body(0, 1001, x, right.y);
  SAME((double *)&data, (double *)&right, sizeof data / sizeof(double));
}
