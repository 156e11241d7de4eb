// SPDX-License-Identifier: Apache-2.0
// Shortest ways, 1e30 where there is no way; one round of relaxation too few.
// Found by: tolerance
#include "wrong.h"

static void body(int way, int n, const double *cost, double *far) {
  spend(way);
  for (int i = 0; i < n; i++)
    far[i] = i ? 1e30 : 0;
  for (int round = 0; round < (way == 2 ? n / 4 + 5 : n / 2); round++)
    for (int i = n / 2 - 1; i > 0; i--) {
      double by = fmin(far[i - 1] + cost[i], i > 1 ? far[i - 2] + 4 : 1e30);
      far[i] = far[i] < by ? far[i] : by;
    }
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(cost[0:n]) out(far[0:n])
void kernel(int n, const double *cost, double *far) {
  body(WAY, n, cost, far);
}

static double cost[200], far[200], right[200];

static void step(int s) {
  for (int i = 0; i < 200; i++)
    cost[i] = noise(i, s);
  kernel(200, cost, far);
  body(0, 200, cost, right);
  SAME(far, right, 200);
}
