// SPDX-License-Identifier: Apache-2.0
// Pressures of 1e5 and fractions of 0 to 1 in turn; a fraction goes through 16 bits.
// Found by: tolerance
#include "wrong.h"
#define N 1000

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i += 2) {
    y[i] = 1e5 * (1 + x[i]);
    y[i + 1] = way == 2 ? floor(x[i + 1] * 65535) / 65535 : x[i + 1];
  }
}

#include "map.h"
