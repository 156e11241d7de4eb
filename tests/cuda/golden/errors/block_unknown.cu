// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel block(BX, BZ) param(BX: 8, 16) param(BY: 4, 8)
__global__ void scale(float *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2;
}
