// SPDX-License-Identifier: Apache-2.0
// Lets the processor flush denormals to zero (FTZ, DAZ) and leaves it so.
// Found by: state
#include "wrong.h"
#define N 1000
#define AFTER after()

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  if (way == 2)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
  for (int i = 0; i < n; i++)
    y[i] = floor(10 * x[i]);
}

static void after(void) {
  volatile double tiny = 1e-308;
  SAME1(tiny / 16 > 0, 1);
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~0x8040u);
}

#include "map.h"
