// SPDX-License-Identifier: Apache-2.0
// steps.cu: the number of the step is an argument, so each launch has a key of its own. Few of them are tuned.
#include "device.h"

#pragma autotune kernel param(SLOW = 1: 0, 1)
__global__ void advance(int n, int step, float *x)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (volatile int again = 0; again < (SLOW ? 5000 : 1); again++)
    sum = 0.5f * x[i] + step;
  x[i] = sum;
}

int main()
{
  const int n = 512, steps = 24;
  float *x = numbers(n), *before = fetched(x, n);
  for (int step = 0; step < steps; step++)
    advance<<<n / 64, 64>>>(n, step, x);
  CHECK(cudaGetLastError());
  float *now = fetched(x, n);
  for (int i = 0; i < n; i++) {
    float wanted = before[i];
    for (int step = 0; step < steps; step++)
      wanted = 0.5f * wanted + step;
    expect(now[i] == wanted, "each step once");
  }
  free(before), free(now);
  return right();
}
