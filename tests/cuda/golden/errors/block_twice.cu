// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel block(16x16, 32x8, 16x16) grid(ceil)
__global__ void scale(float *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2;
}
