// SPDX-License-Identifier: Apache-2.0
extern "C"
#pragma autotune kernel block(128, 256) grid(ceil)
__global__ void fill(float *a)
{
  a[threadIdx.x] = 1;
}
