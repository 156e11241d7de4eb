// SPDX-License-Identifier: Apache-2.0
// Unrolled by four; the loop for the rest is missing.
// Found by: outputs
#include "wrong.h"
#define N 1003

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = i; k < i + 4; k++)
      y[k] = 2 * x[k] + 1;
  for (; i < n && way != 2; i++)
    y[i] = 2 * x[i] + 1;
}

#include "map.h"
