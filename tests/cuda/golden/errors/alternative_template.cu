// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel block(128, 256)
template <typename T, int N>
__global__ void fill(T *a)
{
  a[threadIdx.x] = N;
}

#pragma autotune alternative(fill)
template <typename T, unsigned N>
__global__ void fill_other(T *a)
{
  a[threadIdx.x] = N;
}
