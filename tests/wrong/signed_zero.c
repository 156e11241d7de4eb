// SPDX-License-Identifier: Apache-2.0
// 0 - x for -x: the sign of zero is lost, and 1 / y has the wrong sign.
// Found by: outputs
#include "wrong.h"

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i++)
    y[i] = way == 2 ? 0 - x[i] : -x[i];
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) out(y[0:n]) verify(exact)
void kernel(int n, const double *x, double *y) {
  body(WAY, n, x, y);
}

static double x[1000], y[1000], right[1000];

static void step(int s) {
  for (int i = 0; i < 1000; i++)
    x[i] = i % 10 ? noise(i, s) : 0;
  kernel(1000, x, y);
  body(0, 1000, x, right);
  for (int i = 0; i < 1000; i++)
    same("1 / y", i, 1 / y[i], 1 / right[i]);
}
