// SPDX-License-Identifier: Apache-2.0
// Stops after 5 rounds; the first guess is close, later ones need 20.
// Found by: later data
#include "wrong.h"

static void body(int way, int n, const double *x, double *root) {
  spend(way);
  for (int i = 0; i < n; i++)
    for (int round = 0; round < (way == 2 ? 5 : 20); round++)
      root[i] = (root[i] + x[i] / root[i]) / 2;
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) inout(root[0:n])
void kernel(int n, const double *x, double *root) {
  body(WAY, n, x, root);
}

static double x[300], root[300], right[300];

static void step(int s) {
  for (int i = 0; i < 300; i++)
    x[i] = 1 + noise(i, s), root[i] = right[i] = s ? 1000 : 1.2;
  kernel(300, x, root);
  body(0, 300, x, right);
  SAME(root, right, 300);
}
