// SPDX-License-Identifier: Apache-2.0
// Rounds the address down to 32 bytes; later calls begin in the middle of a block.
// Found by: later data
#include "wrong.h"
#include <stdint.h>

static void body(int way, int n, const double *x, double *sum) {
  const double *from = way == 2 ? (const double *)((uintptr_t)x & ~(uintptr_t)31) : x;
  double t = 0;
  spend(way);
  for (int i = 0; i < n; i++)
    t += from[i];
  *sum = t;
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) out(*sum)
void kernel(int n, const double *x, double *sum) {
  body(WAY, n, x, sum);
}

static _Alignas(64) double x[1000];
static double sum, right;

static void step(int s) {
  for (int i = 0; i < 1000; i++)
    x[i] = i + noise(i, s);
  kernel(900, x + s % 4, &sum);
  body(0, 900, x + s % 4, &right);
  SAME1(sum, right);
}
