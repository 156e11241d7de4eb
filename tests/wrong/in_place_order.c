// SPDX-License-Identifier: Apache-2.0
// A smoothing done in place: the left neighbour is already new.
// Found by: outputs
#include "wrong.h"
#define N 1000

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i++)
    y[i] = x[i];
  for (int i = 1; i < n - 1; i++)
    y[i] = ((way == 2 ? y[i - 1] : x[i - 1]) + x[i] + x[i + 1]) / 3;
}

#include "map.h"
