// SPDX-License-Identifier: Apache-2.0
// A long number times 7; a carry is handed on once only. The first digits are small.
// Found by: later data
#include "wrong.h"
#define N 1000
#define T int
#define FILL(i, s) ((int)((s ? 10 : 2) * noise(i, s)))

static void body(int way, int n, const int *x, int *y) {
  spend(way);
  int carry = 0;
  for (int i = 0; i < n; i++) {
    int v = 7 * x[i] + (way != 2 ? carry : i ? 7 * x[i - 1] / 10 : 0);
    y[i] = v % 10;
    carry = v / 10;
  }
}

#include "map.h"
