// SPDX-License-Identifier: Apache-2.0
// Four searches at once, and the last one that finds something wins instead of the first.
// Found by: outputs
#include "wrong.h"

static int body(int way, int n, const int *x, int wanted) {
  int found = -1;
  spend(way);
  for (int part = 0; part < 4; part++)
    for (int i = part * n / 4; i < (part + 1) * n / 4; i++)
      if (x[i] == wanted) {
        if (way == 2 || found < 0)
          found = i;
        break;
      }
  return found;
}

#pragma autotune kernel param(WAY: 0, 1, 2) key(n) in(x[0:n])
int kernel(int n, const int *x, int wanted) {
  return body(WAY, n, x, wanted);
}

static int x[1000];

static void step(int s) {
  for (int i = 0; i < 1000; i++)
    x[i] = (i * 7 + s) % 100;
  SAME1(kernel(1000, x, 42), body(0, 1000, x, 42));
}
