// SPDX-License-Identifier: Apache-2.0
template <typename T>
#pragma autotune kernel block(128, 256) grid(ceil)
__global__ void fill(T *a)
{
  a[threadIdx.x] = 1;
}
