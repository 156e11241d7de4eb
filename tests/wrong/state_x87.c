// SPDX-License-Identifier: Apache-2.0
// Sets the precision of the x87 unit to 24 bits and leaves it; long double suffers.
// Found by: state
#include "wrong.h"
#define N 1000
#define AFTER after()

static void precision(unsigned short word) {
  __asm__ volatile("fldcw %0" : : "m"(word));
}

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  if (way == 2)
    precision(0x007f);
  for (int i = 0; i < n; i++)
    y[i] = floor(10 * x[i]);
}

static void after(void) {
  volatile long double one = 1, three = 3;
  SAME1(one / three * 3 - 1 < 1e-15L && one / three != (long double)(float)(1 / 3.0), 1);
  precision(0x037f);
}

#include "map.h"
