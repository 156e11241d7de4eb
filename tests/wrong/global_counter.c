// SPDX-License-Identifier: Apache-2.0
// A counter of operations at file scope is forgotten.
// Found by: writes
#include "wrong.h"
#define N 1000
#define BEFORE operations = 0
#define AFTER SAME1(operations, 2 * N)

static long operations;

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i++)
    y[i] = 2 * x[i] + 1;
  operations += way == 2 ? 0 : 2 * n;
}

#include "map.h"
