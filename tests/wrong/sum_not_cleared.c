// SPDX-License-Identifier: Apache-2.0
// Adds up in the output, which is zero at the first call only.
// Found by: outputs
#include "wrong.h"
#define N 1000

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i++) {
    if (way != 2)
      y[i] = 0;
    for (int k = 0; k < 4; k++)
      y[i] += x[(i + k) % n];
  }
}

#include "map.h"
