// SPDX-License-Identifier: Apache-2.0
// The cubic term is forgotten, and all is zero at the first call.
// Found by: later data
#include "wrong.h"
#define N 1000
#define FILL(i, s) (s * noise(i, s))

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i++)
    y[i] = x[i] - (way == 2 ? 0 : x[i] * x[i] * x[i] / 6);
}

#include "map.h"
