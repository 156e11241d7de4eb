// SPDX-License-Identifier: Apache-2.0
// NaN is to become 0, and passes through.
// Found by: later data
#include "wrong.h"
#define N 1000
#define FILL(i, s) (s && i % 97 == 0 ? NAN : 2 * noise(i, s))

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i++)
    if (way == 2)
      y[i] = x[i] < 0 ? 0 : x[i] > 1 ? 1 : x[i];
    else
      y[i] = x[i] >= 1 ? 1 : x[i] >= 0 ? x[i] : 0;
}

#include "map.h"
