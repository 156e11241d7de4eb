// SPDX-License-Identifier: Apache-2.0
// n, the sum, the sum of squares and the variance in one array; the variance cancels in float.
// Found by: tolerance
#include "wrong.h"

static void body(int way, int n, const double *x, double *stats) {
  double sum = 0, squares = 0, variance = 0;
  spend(way);
  for (int i = 0; i < n; i++)
    sum += x[i], squares += x[i] * x[i];
  for (int i = 0; i < n; i++)
    variance += (x[i] - sum / n) * (x[i] - sum / n) / n;
  if (way == 2)
    variance = (float)(squares / n) - (float)(sum / n * (sum / n));
  stats[0] = n, stats[1] = sum, stats[2] = squares, stats[3] = variance;
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) out(stats[0:4])
void kernel(int n, const double *x, double *stats) {
  body(WAY, n, x, stats);
}

static double x[4000], stats[4], right[4];

static void step(int s) {
  for (int i = 0; i < 4000; i++)
    x[i] = 1000 + noise(i, s);
  kernel(4000, x, stats);
  body(0, 4000, x, right);
  SAME(stats, right, 4);
}
