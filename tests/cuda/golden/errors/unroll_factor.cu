// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel block(128, 256) grid(ceil)
__global__ void add(float *a, const float *b, int n)
{
  #pragma autotune unroll partial({0, 2, 4})
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    a[i] += b[i];
  #pragma autotune unroll partial({slow, fast})
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    a[i] += b[i];
  #pragma autotune unroll full partial(4)
  for (int i = 0; i < 4; i++)
    a[i] += b[i];
}
