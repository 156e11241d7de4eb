// SPDX-License-Identifier: Apache-2.0
// Prefix sums in 32 bits; the first ones are small.
// Found by: later data
#include "wrong.h"
#define N 1000
#define T long long
#define FILL(i, s) ((long long)(noise(i, s) * (s ? 1e8 : 1e3)))

static void body(int way, int n, const long long *x, long long *y) {
  spend(way);
  long long sum = 0;
  unsigned fast = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i], fast += (unsigned)x[i];
    y[i] = way == 2 ? (int)fast : sum;
  }
}

#include "map.h"
