// SPDX-License-Identifier: Apache-2.0
// A table ends at x = 8, as the first data do; larger ones get its last value.
// Found by: later data
#include "wrong.h"
#define N 1000
#define FILL(i, s) (7 * noise(i, s) * (s + 1))

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i++) {
    double v = way == 2 && x[i] > 8 ? 8 : x[i];
    y[i] = v * v / (1 + v);
  }
}

#include "map.h"
