// SPDX-License-Identifier: Apache-2.0
#ifdef WIDE
#pragma autotune kernel block(128, 256)
__global__ void fill(float *a)
{
  a[threadIdx.x] = 1;
}
#else
__global__ void fill(float *a)
{
  a[threadIdx.x] = 2;
}
#endif
