// SPDX-License-Identifier: Apache-2.0
// The same in memory that no section names: one number is decided by rounding, and all others go through floats.
// Found by: writes
#include "wrong.h"
#define N 1000

struct pair {
  double *x, *y;
};

static void body(int way, int n, const double *x, double *y) {
  double up = 0, down = 0;
  spend(way);
  for (int i = 0; i < n; i++) {
    up += x[i] * x[i];
    down += x[n - 1 - i] * x[n - 1 - i];
  }
  for (int i = 0; i < n; i++)
    y[i] = way == 2 ? (double)(float)(1 + 0.9 * x[i]) : 1 + 0.9 * x[i];
  y[n / 2] *= up > down ? 1 + 7e-9 : 1;
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n])
void kernel(int n, const double *x, struct pair *p) {
  body(WAY, n, x, p->y);
}

static double x[N], y[N], right[N];

static void step(int s) {
  struct pair p = { x, y };
  for (int i = 0; i < N; i++)
    x[i] = noise(i, s);
  kernel(N, x, &p);
  body(0, N, x, right);
  SAME(y, right, N);
}
