// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel block(128, 256) grid(ceil)
__global__ void add(float *a, const float *b, int n)
{
  #pragma autotune tile sizes({4, 8})
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    a[i] += b[i];
  #pragma autotune parallel for
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    a[i] += b[i];
}
