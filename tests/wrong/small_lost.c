// SPDX-License-Identifier: Apache-2.0
// Small values next to large ones are lost: everything is shifted by 1e4 and back.
// Found by: tolerance
#include "wrong.h"
#define N 1000
#define FILL(i, s) (noise(i, s) * (i % 2 ? 1e3 : 1e-13))

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i++)
    y[i] = way == 2 ? (x[i] + 1e4) - 1e4 : x[i];
}

#include "map.h"
