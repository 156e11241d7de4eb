// SPDX-License-Identifier: Apache-2.0
// x & 7 for x % 8, and x >> 2 for x / 4: wrong for negative numbers.
// Found by: later data
#include "wrong.h"
#define N 1000
#define T int
#define FILL(i, s) ((int)(100 * noise(i, s)) - (s ? 50 : 0))

static void body(int way, int n, const int *x, int *y) {
  spend(way);
  for (int i = 0; i < n; i++)
    y[i] = way == 2 ? (x[i] & 7) + (x[i] >> 2) : x[i] % 8 + x[i] / 4;
}

#include "map.h"
