// SPDX-License-Identifier: Apache-2.0
// Two rows at a time without the last odd one; the first call has an even number, the key is empty.
// Found by: later data
#include "wrong.h"

static void body(int way, int rows, int n, const double *a, double *sums) {
  spend(way);
  for (int i = 0; i < (way == 2 ? rows / 2 * 2 : rows); i++) {
    sums[i] = 0;
    for (int j = 0; j < n; j++)
      sums[i] += a[i * n + j];
  }
}

#pragma autotune kernel param(WAY: 0, 1, 2) key() in(a[0:rows*n]) out(sums[0:rows])
void kernel(int rows, int n, const double *a, double *sums) {
  body(WAY, rows, n, a, sums);
}

static double a[41 * 20], sums[41], right[41];

static void step(int s) {
  int rows = 40 + s % 2;
  for (int i = 0; i < rows * 20; i++)
    a[i] = noise(i, s);
  kernel(rows, 20, a, sums);
  body(0, rows, 20, a, right);
  SAME(sums, right, rows);
}
