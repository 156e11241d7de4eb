// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel block(128, 256) grid(ceil)
__global__ void add(float *a, const float *b, int n)
{
  #pragma autotune unroll partial({1, 2, 4})
  while (n-- > 0)
    a[n] += b[n];
}
