// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel block(64x64, 1x1x128, 2048, 16x16) grid(ceil)
__global__ void scale(float *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2;
}
