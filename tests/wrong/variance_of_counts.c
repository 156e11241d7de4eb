// SPDX-License-Identifier: Apache-2.0
// Next to sums of 1e14, of whole numbers in order, a variance is that of a sample: divided by n - 1.
// Found by: tolerance
#include "wrong.h"
#define N 5000

static void body(int way, int n, const double *x, double *y) {
  double sum = 0, squares = 0;
  spend(way);
  for (int i = 0; i < n; i++) {
    sum += x[i];
    squares += x[i] * x[i];
  }
  double mean = sum / n, variance = squares / n - mean * mean;
  y[0] = 1e6 * sum;
  y[1] = 1e6 * squares;
  y[2] = mean;
  y[3] = way == 2 ? variance * n / (n - 1) : variance;
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) out(y[0:4])
void kernel(int n, const double *x, double *y) {
  body(WAY, n, x, y);
}

static double x[N], y[4], right[4];

static void step(int s) {
  for (int i = 0; i < N; i++)
    x[i] = floor(3 * i + 3 * noise(i, s));
  kernel(N, x, y);
  body(0, N, x, right);
  SAME(y, right, 4);
}
