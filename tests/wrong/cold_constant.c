// SPDX-License-Identifier: Apache-2.0
// A stencil shifted by one; the first field is constant.
// Found by: later data
#include "wrong.h"
#define N 1000
#define FILL(i, s) (1 + s * noise(i, s))

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i++) {
    int at = way == 2 ? i + 1 : i;
    y[i] = (x[(at + n - 1) % n] + x[at % n] + x[(at + 1) % n]) / 3;
  }
}

#include "map.h"
