// SPDX-License-Identifier: Apache-2.0
// Running means with a float accumulator.
// Found by: outputs
#include "wrong.h"
#define N 20000
#define FILL(i, s) (1000 + noise(i, s))

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  double sum = 0;
  float fast = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i], fast += (float)x[i];
    y[i] = (way == 2 ? fast : sum) / (i + 1);
  }
}

#include "map.h"
