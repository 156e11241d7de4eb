// SPDX-License-Identifier: Apache-2.0
// A local array without = { 0 }; what the stack held is counted too.
// Found by: outputs
#include "wrong.h"

static void body(int way, int n, const int *x, int *y) {
  int counts[500];
  spend(way);
  if (way != 2)
    memset(counts, 0, sizeof counts);
  for (int i = 0; i < n; i++)
    counts[x[i]]++;
  memcpy(y, counts, sizeof counts);
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) out(y[0:500])
void kernel(int n, const int *x, int *y) {
  body(WAY, n, x, y);
}

static int x[1000], y[500], right[500];

static void step(int s) {
  for (int i = 0; i < 1000; i++)
    x[i] = (int)(500 * noise(i, s));
  kernel(1000, x, y);
  body(0, 1000, x, right);
  SAME(y, right, 500);
}
