// SPDX-License-Identifier: Apache-2.0
// log(1 + exp(x)) written as it is: infinite for large x.
// Found by: later data
#include "wrong.h"
#define N 1000
#define FILL(i, s) ((s ? 1000 : 5) * noise(i, s))

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i++)
    y[i] = way != 2 && x[i] > 30 ? x[i] : log(1 + exp(x[i]));
}

#include "map.h"
