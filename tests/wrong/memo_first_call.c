// SPDX-License-Identifier: Apache-2.0
// Keeps a table of the first call; later calls have another exponent.
// Found by: later data
#include "wrong.h"

static void body(int way, int n, double a, const int *x, double *y) {
  static double table[16];
  static int filled;
  spend(way);
  if (way != 2 || !filled)
    for (int i = 0; i < 16; i++)
      table[i] = pow(i, a);
  filled = 1;
  for (int i = 0; i < n; i++)
    y[i] = table[x[i]];
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) out(y[0:n])
void kernel(int n, double a, const int *x, double *y) {
  body(WAY, n, a, x, y);
}

static int x[1000];
static double y[1000], right[1000];

static void step(int s) {
  for (int i = 0; i < 1000; i++)
    x[i] = (int)(16 * noise(i, s));
  kernel(1000, 1 + s * 0.5, x, y);
  body(0, 1000, 1 + s * 0.5, x, right);
  SAME(y, right, 1000);
}
