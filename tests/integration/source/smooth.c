// SPDX-License-Identifier: Apache-2.0
#include "smooth.h"

#pragma autotune kernel in(in[0 : n])out(out[0 : n])
void smooth(int n, const double *in, double *out) {
#pragma autotune unroll partial({ 1, 2, 4 })
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = i - RADIUS; j <= i + RADIUS; j++)
      sum += j < 0 || j >= n ? 0 : in[j];
    out[i] = sum;
  }
}
