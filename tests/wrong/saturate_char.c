// SPDX-License-Identifier: Apache-2.0
// Bright pixels wrap around instead of staying at 255.
// Found by: outputs
#include "wrong.h"
#define N 1000
#define T unsigned char
#define FILL(i, s) ((unsigned char)(i + s))

static void body(int way, int n, const unsigned char *x, unsigned char *y) {
  spend(way);
  for (int i = 0; i < n; i++)
    y[i] = (unsigned char)(x[i] + 60 > 255 && way != 2 ? 255 : x[i] + 60);
}

#include "map.h"
