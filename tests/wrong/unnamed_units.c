// SPDX-License-Identifier: Apache-2.0
// Without sections: pressures of 1e5 and fractions of 0 to 1 in turn; a fraction goes through 16 bits.
// Found by: writes
#include "wrong.h"
#define N 1000

struct grid {
  double *x, *y;
};

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i += 2) {
    y[i] = 1e5 * (1 + x[i]);
    y[i + 1] = way == 2 ? floor(x[i + 1] * 65535) / 65535 : x[i + 1];
  }
}

#pragma autotune kernel param(WAY: 0, 1, 2)
void kernel(int n, struct grid *g) {
  body(WAY, n, g->x, g->y);
}

static double x[N], y[N], right[N];

static void step(int s) {
  struct grid g = { x, y };
  for (int i = 0; i < N; i++)
    x[i] = noise(i, s);
  kernel(N, &g);
  body(0, N, x, right);
  SAME(y, right, N);
}
