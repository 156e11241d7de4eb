// SPDX-License-Identifier: Apache-2.0
// A power by exp and log: NaN for negative numbers.
// Found by: later data
#include "wrong.h"
#define N 1000
#define FILL(i, s) (0.1 + noise(i, s) - (s ? 0.5 : 0))

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i++)
    y[i] = way == 2 ? exp(3 * log(x[i])) : x[i] * x[i] * x[i];
}

#include "map.h"
