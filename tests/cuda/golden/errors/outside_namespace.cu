// SPDX-License-Identifier: Apache-2.0
namespace ops {
__global__ void fill(float *a);
}

#pragma autotune kernel block(128, 256) grid(ceil)
__global__ void ops::fill(float *a)
{
  a[threadIdx.x] = 1;
}
