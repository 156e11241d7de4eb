// SPDX-License-Identifier: Apache-2.0
__global__ void fill(float *a);
__global__ void fill(float *a, int n);

#pragma autotune kernel block(128, 256) grid(ceil)
__global__ void fill(float *a)
{
  a[threadIdx.x] = 1;
}
