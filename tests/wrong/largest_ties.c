// SPDX-License-Identifier: Apache-2.0
// >= for >: the last of several largest is found; at first there is one.
// Found by: later data
#include "wrong.h"

static int body(int way, int n, const double *x) {
  int best = 0;
  spend(way);
  for (int i = 1; i < n; i++)
    if (way == 2 ? x[i] >= x[best] : x[i] > x[best])
      best = i;
  return best;
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n])
int kernel(int n, const double *x) {
  return body(WAY, n, x);
}

static double x[1000];

static void step(int s) {
  for (int i = 0; i < 1000; i++)
    x[i] = s ? floor(50 * noise(i, s)) : noise(i, s);
  SAME1(kernel(1000, x), body(0, 1000, x));
}
