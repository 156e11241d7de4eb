// SPDX-License-Identifier: Apache-2.0
// Attention scores, masked ones -1e9; the division by the root of the dimension is forgotten.
// Found by: tolerance
#include "wrong.h"
#define N 1600
#define T float
#define FILL(i, s) ((float)(noise(i, s) - 0.5))

static void body(int way, int n, const float *x, float *y) {
  spend(way);
  for (int i = 0; i < n; i++)
    y[i] = i % 40 > i / 40 ? -1e9f : way == 2 ? x[i] : x[i] / 8;
}

#include "map.h"
