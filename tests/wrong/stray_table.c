// SPDX-License-Identifier: Apache-2.0
// Corrects a table of constants at file scope, for the next call.
// Found by: writes
#include "wrong.h"

static double weights[8] = { 1, 2, 3, 4, 4, 3, 2, 1 };

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i++)
    y[i] = weights[i % 8] * x[i] / 20;
  for (int i = 0; i < 8 && way == 2; i++)
    weights[i] /= 20;
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) out(y[0:n])
void kernel(int n, const double *x, double *y) {
  body(WAY, n, x, y);
}

static double x[1000], y[1000];

static void step(int s) {
  for (int i = 0; i < 1000; i++)
    x[i] = noise(i, s);
  kernel(1000, x, y);
  for (int i = 0; i < 1000; i++)
    same("y", i, y[i], (double[]){ 1, 2, 3, 4, 4, 3, 2, 1 }[i % 8] * x[i] / 20);
}
