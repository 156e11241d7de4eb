// SPDX-License-Identifier: Apache-2.0
// The rows above and below are copies of the last and the first one, and are not renewed.
// Found by: writes
#include "wrong.h"

enum { W = 64, H = 20 };

static void body(int way, const double *x, double *u) {
  spend(way);
  for (int i = 0; i < W * H; i++)
    u[W + i] = x[i] * x[i];
  if (way != 2) {
    memcpy(u, u + W * H, W * sizeof *u);
    memcpy(u + W * (H + 1), u + W, W * sizeof *u);
  }
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:W*H]) out(u[W:W*H])
void kernel(const double *x, double *u) {
  body(WAY, x, u);
}

static double x[W * H], u[W * (H + 2)], right[W * (H + 2)];

static void step(int s) {
  for (int i = 0; i < W * H; i++)
    x[i] = noise(i, s);
  kernel(x, u);
  body(0, x, right);
  SAME(u, right, W * (H + 2));
}
