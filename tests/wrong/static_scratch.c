// SPDX-License-Identifier: Apache-2.0
// Counts in a static array that nothing clears after the first call.
// Found by: later data
#include "wrong.h"

static int counts[16];

static void body(int way, int n, const int *x, int *y) {
  spend(way);
  if (way != 2)
    memset(counts, 0, sizeof counts);
  for (int i = 0; i < n; i++)
    counts[x[i]]++;
  for (int i = 0; i < 16; i++)
    y[i] = counts[i];
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) out(y[0:16])
void kernel(int n, const int *x, int *y) {
  body(WAY, n, x, y);
}

static int x[1000], y[16], right[16];

static void step(int s) {
  for (int i = 0; i < 1000; i++)
    x[i] = (int)(16 * noise(i, s));
  kernel(1000, x, y);
  body(0, 1000, x, right);
  SAME(y, right, 16);
}
