// SPDX-License-Identifier: Apache-2.0
// Ranks, with a shortcut for sorted data; it looks at the first ten only.
// Found by: later data
#include "wrong.h"
#define N 300
#define FILL(i, s) (s && i > 9 ? 10 + noise(i, s) : i)

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n; i++) {
    int rank = 0;
    if (way == 2 && x[0] <= x[1] && x[1] <= x[2] && x[2] <= x[9])
      rank = i;
    else
      for (int k = 0; k < n; k++)
        rank += x[k] < x[i] || (x[k] == x[i] && k < i);
    y[i] = rank;
  }
}

#include "map.h"
