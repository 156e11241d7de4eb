// SPDX-License-Identifier: Apache-2.0
// A kernel for callers in other languages.
#define STEP 1
#pragma autotune kernel param(STEP : 1, 2, 4) in(x[0:n]) inout(y[0:n])
extern "C" void saxpy(int n, float a, const float *x, float *y) {
  for (int i = 0; i < n; i += STEP)
    for (int j = i; j < n && j < i + STEP; j++)
      y[j] += a * x[j];
}
