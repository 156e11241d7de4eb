// SPDX-License-Identifier: Apache-2.0
// The first time step is 0 and changes nothing; the flow is added with the wrong sign.
// Found by: later data
#include "wrong.h"

static void body(int way, int n, double dt, const double *flow, double *u) {
  spend(way);
  for (int i = 0; i < n; i++)
    u[i] += (way == 2 ? -dt : dt) * flow[i];
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(flow[0:n]) inout(u[0:n])
void kernel(int n, double dt, const double *flow, double *u) {
  body(WAY, n, dt, flow, u);
}

static double flow[1000], u[1000], right[1000];

static void step(int s) {
  for (int i = 0; i < 1000; i++)
    flow[i] = noise(i, s), u[i] = right[i] = 1 + noise(-i, s);
  kernel(1000, 0.1 * s, flow, u);
  body(0, 1000, 0.1 * s, flow, right);
  SAME(u, right, 1000);
}
