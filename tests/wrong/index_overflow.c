// SPDX-License-Identifier: Apache-2.0
// The offset of a matrix element has 16 bits: rows after 65536 elements come from the top.
// Found by: outputs
#include "wrong.h"
#define N 70000

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  for (int i = 0; i < n / 200; i++)
    for (int j = 0; j < 200; j++) {
      unsigned short offset = (unsigned short)(i * 200 + j);
      y[i * 200 + j] = 2 * x[way == 2 ? offset : i * 200 + j];
    }
}

#include "map.h"
