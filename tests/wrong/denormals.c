// SPDX-License-Identifier: Apache-2.0
// Numbers below DBL_MIN count as zero.
// Found by: tolerance
#include "wrong.h"
#define N 1000
#define FILL(i, s) (noise(i, s) * (i % 2 ? 1e-309 : 1e-300))

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i++)
    y[i] = fabs(x[i]) < 2.3e-308 && way == 2 ? 0 : x[i] * 0.5;
}

#include "map.h"
