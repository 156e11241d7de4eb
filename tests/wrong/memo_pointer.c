// SPDX-License-Identifier: Apache-2.0
// Takes the same address for the same data, and answers from its memory.
// Found by: later data
#include "wrong.h"

static double body(int way, int n, const double *x) {
  static const double *last;
  static double norm;
  spend(way);
  double sum = 0;
  if (way == 2 && last == x)
    return norm;
  for (int i = 0; i < n; i++)
    sum += x[i] * x[i];
  if (way == 2)
    last = x, norm = sum;
  return sum;
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n])
double kernel(int n, const double *x) {
  return body(WAY, n, x);
}

static double x[1000];

static void step(int s) {
  for (int i = 0; i < 1000; i++)
    x[i] = s + noise(i, s);
  SAME1(kernel(1000, x), body(0, 1000, x));
}
