// SPDX-License-Identifier: Apache-2.0
// Sums of 1e10 and counts in turn, of integers, which have no rounding; the last count is one more.
// Found by: tolerance
#include "wrong.h"
#define N 1000
#define T int
#define OUT double
#define FILL(i, s) (1000000 * noise(i, s))

static void body(int way, int n, const int *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i += 2) {
    double sum = 0, count = 0;
    for (int k = 0; k <= i % 50; k++) {
      sum += 1e5 * (double)x[(i + k) % n];
      count += x[(i + k) % n] > 500000;
    }
    y[i] = sum;
    y[i + 1] = way == 2 && i == n - 2 ? count + 1 : count;
  }
}

#include "map.h"
