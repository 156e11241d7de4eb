// SPDX-License-Identifier: Apache-2.0
// The section names the real parts only; the imaginary ones are left as they were.
// Found by: writes
#include "wrong.h"

static void body(int way, int n, const double *phase, double *z) {
  spend(way);
  for (int i = 0; i < n; i++)
    z[i] = cos(phase[i]);
  for (int i = 0; i < n && way != 2; i++)
    z[n + i] = sin(phase[i]);
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(phase[0:n]) out(z[0:n])
void kernel(int n, const double *phase, double *z) {
  body(WAY, n, phase, z);
}

static double phase[1000], z[2000], right[2000];

static void step(int s) {
  for (int i = 0; i < 1000; i++)
    phase[i] = noise(i, s);
  kernel(1000, phase, z);
  body(0, 1000, phase, right);
  SAME(z, right, 2000);
}
