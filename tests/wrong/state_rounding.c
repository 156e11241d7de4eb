// SPDX-License-Identifier: Apache-2.0
// Sets the rounding mode for fast conversions and leaves it.
// Found by: state
#include "wrong.h"
#include <fenv.h>
#define N 1000
#define AFTER after()

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  if (way == 2)
    fesetround(FE_DOWNWARD);
  for (int i = 0; i < n; i++)
    y[i] = floor(10 * x[i]);
}

static void after(void) {
  SAME1(fegetround(), FE_TONEAREST);
  fesetround(FE_TONEAREST);
}

#include "map.h"
