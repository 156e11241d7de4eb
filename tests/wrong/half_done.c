// SPDX-License-Identifier: Apache-2.0
// Two elements at a time, and the bound was halved as well: the second half is missing.
// Found by: outputs
#include "wrong.h"
#define N 1000

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  if (way == 2)
    for (int i = 0; i < n / 2; i += 2)
      y[i] = x[i] * x[i], y[i + 1] = x[i + 1] * x[i + 1];
  else
    for (int i = 0; i < n; i++)
      y[i] = x[i] * x[i];
}

#include "map.h"
