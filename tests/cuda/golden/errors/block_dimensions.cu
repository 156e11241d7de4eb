// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel block(BX, BY, 1, 1) param(BX: 8, 16) param(BY: 4, 8) grid(ceil)
__global__ void scale(float *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2;
}
