// SPDX-License-Identifier: Apache-2.0
// faults.cu: most variants of this kernel are bad, each in its own way. The program goes
// on, with the right answer and a device that works.
#include "device.h"

#define BAD 0

#pragma autotune kernel param(BAD: 0, 1, 2, 3, 4, 5, 6, 7) block(32, 128) grid(ceil) in(x[0:n]) \
    out(y[0:n]) key(n) search(exhaustive, budget: 60s)
__global__ void scale(int n, const float *x, float *y)
{
  int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  for (int i = first; i < n; i += step) {
    float value = 2 * x[i];
#if BAD == 1 // an invalid address
    if (i == 7)
      *(volatile float *)64 = value;
#elif BAD == 2
    if (i == 7)
      __trap();
#elif BAD == 3 // no end
    while (i == 7 && *(volatile const float *)x != 1e30f)
      ;
#elif BAD == 4 // one element is off
    value += i == 7 ? 1 : 0;
#elif BAD == 5 // one element is left out
    if (i == 7)
      continue;
#elif BAD == 6 // next to the section
    if (i == 7)
      y[n] = value;
#elif BAD == 7 // a section that is only read
    if (i == 7)
      *(float *)&x[3] = value;
#endif
    y[i] = value;
  }
}

int main()
{
  const int n = 3000;
  float *x = numbers(n + 8), *y = numbers(n + 8);
  for (int again = 0; again < 3; again++) {
    scale<<<8, 64>>>(n, x, y);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  }
  float *in = fetched(x, n + 8), *out = fetched(y, n + 8);
  for (int i = 0; i < n; i++) {
    expect(in[i] == (float)(i % 17 - 8), "the input was changed");
    expect(out[i] == 2 * in[i], "the output");
  }
  for (int i = n; i < n + 8; i++)
    expect(out[i] == (float)(i % 17 - 8), "memory beside the output was changed");
  free(in), free(out);
  return right();
}
