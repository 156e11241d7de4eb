// SPDX-License-Identifier: Apache-2.0
// Right out of place; later calls are in place, and it reads what it has written.
// Found by: later data
#include "wrong.h"

static void body(int way, int n, const double *x, double *y) {
  double before = 0;
  spend(way);
  for (int i = 0; i < n; i++) {
    double here = x[i];
    y[i] = here + (way == 2 ? (i ? x[i - 1] : 0) : before);
    before = here;
  }
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) out(y[0:n])
void kernel(int n, const double *x, double *y) {
  body(WAY, n, x, y);
}

static double x[1000], y[1000], right[1000];

static void step(int s) {
  for (int i = 0; i < 1000; i++)
    x[i] = noise(i, s);
  body(0, 1000, x, right);
  kernel(1000, x, s ? x : y);
  SAME(s ? x : y, right, 1000);
}
