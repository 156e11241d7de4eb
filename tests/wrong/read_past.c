// SPDX-License-Identifier: Apache-2.0
// Reads one element after the array, which is 0 at first.
// Found by: later data
#include "wrong.h"

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i++)
    y[i] = x[i] - (way == 2 || i + 1 < n ? x[i + 1] : 0);
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) out(y[0:n])
void kernel(int n, const double *x, double *y) {
  body(WAY, n, x, y);
}

static double x[1001], y[1000], right[1000];

static void step(int s) {
  for (int i = 0; i < 1000; i++)
    x[i] = noise(i, s);
  x[1000] = s;
  kernel(1000, x, y);
  body(0, 1000, x, right);
  SAME(y, right, 1000);
}
