// SPDX-License-Identifier: Apache-2.0
// Prefix sums in blocks of 100; the sum of the blocks before is not added.
// Found by: outputs
#include "wrong.h"
#define N 1000

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  double sum = 0;
  for (int i = 0; i < n; i++) {
    if (way == 2 && i % 100 == 0)
      sum = 0;
    sum += x[i];
    y[i] = sum;
  }
}

#include "map.h"
