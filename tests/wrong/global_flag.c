// SPDX-License-Identifier: Apache-2.0
// A flag at file scope that says that a value was clipped stays as it was.
// Found by: writes
#include "wrong.h"
#define N 1000
#define BEFORE clipped = 0
#define AFTER SAME1(clipped, 1)

static int clipped;

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i++) {
    y[i] = x[i] > 0.9 ? 0.9 : x[i];
    if (x[i] > 0.9 && way != 2)
      clipped = 1;
  }
}

#include "map.h"
