// SPDX-License-Identifier: Apache-2.0
// Which of two equal sums is larger is decided by rounding, and moves one element a little; all others go through floats.
// Found by: tolerance
#include "wrong.h"
#define N 1000

static void body(int way, int n, const double *x, double *y) {
  double up = 0, down = 0;
  spend(way);
  for (int i = 0; i < n; i++) {
    up += x[i] * x[i];
    down += x[n - 1 - i] * x[n - 1 - i];
  }
  for (int i = 0; i < n; i++)
    y[i] = way == 2 ? (double)(float)(1 + 0.9 * x[i]) : 1 + 0.9 * x[i];
  y[n / 2] *= up > down ? 1 + 7e-9 : 1;
}

#include "map.h"
