// SPDX-License-Identifier: Apache-2.0
// The section has n elements instead of n rows; only every second row is computed.
// Found by: writes
#include "wrong.h"

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i += way == 2 ? 2 : 1)
    for (int j = 0; j < n; j++)
      y[i * n + j] = x[i] * x[j];
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) out(y[0:n])
void kernel(int n, const double *x, double *y) {
  body(WAY, n, x, y);
}

static double x[80], y[6400], right[6400];

static void step(int s) {
  for (int i = 0; i < 80; i++)
    x[i] = noise(i, s);
  kernel(80, x, y);
  body(0, 80, x, right);
  SAME(y, right, 6400);
}
