// SPDX-License-Identifier: Apache-2.0
// Counts in two halves and returns the count of the second; the marks are right.
// Found by: outputs
#include "wrong.h"

static int body(int way, int n, const double *x, char *mark) {
  int count = 0;
  spend(way);
  for (int i = 0; i < n; i++) {
    if (way == 2 && i == n / 2)
      count = 0;
    mark[i] = x[i] > 0.5;
    count += mark[i];
  }
  return count;
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) out(mark[0:n])
int kernel(int n, const double *x, char *mark) {
  return body(WAY, n, x, mark);
}

static double x[1000];
static char mark[1000], right[1000];

static void step(int s) {
  for (int i = 0; i < 1000; i++)
    x[i] = noise(i, s);
  int got = kernel(1000, x, mark), expected = body(0, 1000, x, right);
  SAME(mark, right, 1000);
  SAME1(got, expected);
}
