// SPDX-License-Identifier: Apache-2.0
// Distances, DBL_MAX where there is no way; a fast inverse root is off by 0.2 %.
// Found by: tolerance
#include "wrong.h"
#define N 1000
#define FILL(i, s) (1 + 9 * noise(i, s))

#include <float.h>

static double rsqrt_fast(float v) {
  unsigned u;
  float r;
  memcpy(&u, &v, 4);
  u = 0x5f3759df - (u >> 1);
  memcpy(&r, &u, 4);
  return r * (1.5f - 0.5f * v * r * r);
}

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i++)
    y[i] = i % 50 == 0 ? DBL_MAX : way == 2 ? x[i] * rsqrt_fast((float)x[i]) : sqrt(x[i]);
}

#include "map.h"
