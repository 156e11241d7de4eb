// SPDX-License-Identifier: Apache-2.0
// Blocks of 64 without a rest; the key is n / 64, and the first n is a multiple of 64.
// Found by: later data
#include "wrong.h"

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < (way == 2 ? n / 64 * 64 : n); i++)
    y[i] = x[i] * x[i];
}

#pragma autotune kernel param(WAY: 0, 1, 2) key(n / 64) in(x[0:n]) out(y[0:n])
void kernel(int n, const double *x, double *y) {
  body(WAY, n, x, y);
}

static double x[700], y[700], right[700];

static void step(int s) {
  int n = 640 + s;
  for (int i = 0; i < n; i++)
    x[i] = noise(i, s);
  kernel(n, x, y);
  body(0, n, x, right);
  SAME(y, right, n);
}
