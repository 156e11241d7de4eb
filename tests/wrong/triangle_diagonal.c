// SPDX-License-Identifier: Apache-2.0
// A triangular product whose inner loop ends before the diagonal.
// Found by: outputs
#include "wrong.h"

static void body(int way, int n, const double *a, double *c) {
  spend(way);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      c[i * n + j] = 0;
      for (int k = 0; k < (way == 2 ? j : j + 1) && k <= i; k++)
        c[i * n + j] += a[i * n + k] * a[k * n + j];
    }
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(a[0:n*n]) out(c[0:n*n])
void kernel(int n, const double *a, double *c) {
  body(WAY, n, a, c);
}

static double a[900], c[900], right[900];

static void step(int s) {
  for (int i = 0; i < 900; i++)
    a[i] = noise(i, s);
  kernel(30, a, c);
  body(0, 30, a, right);
  SAME(c, right, 900);
}
