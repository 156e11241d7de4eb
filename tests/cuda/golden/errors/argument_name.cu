// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel block(128, 256) grid(ceil)
__global__ void scale(float *a, int (*)[4])
{
  a[threadIdx.x] *= 2;
}
