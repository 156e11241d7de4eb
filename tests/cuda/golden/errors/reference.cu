// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel block(128, 256) grid(ceil)
__global__ void scale(float *a, const int &n)
{
  if (threadIdx.x < n)
    a[threadIdx.x] *= 2;
}
