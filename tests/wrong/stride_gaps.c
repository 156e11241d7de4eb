// SPDX-License-Identifier: Apache-2.0
// Writes every second element, and zeros between them, where another field lives.
// Found by: outputs
#include "wrong.h"

static void body(int way, int n, const double *x, double *pairs) {
  spend(way);
  for (int i = 0; i < n; i++) {
    pairs[2 * i] = 3 * x[i];
    if (way == 2)
      pairs[2 * i + 1] = 0;
  }
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) inout(pairs[0:2*n])
void kernel(int n, const double *x, double *pairs) {
  body(WAY, n, x, pairs);
}

static double x[500], pairs[1000], right[1000];

static void step(int s) {
  for (int i = 0; i < 1000; i++)
    x[i / 2] = noise(i / 2, s), pairs[i] = right[i] = 1 + i;
  kernel(500, x, pairs);
  body(0, 500, x, right);
  SAME(pairs, right, 1000);
}
