// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel block(128, 256) grid(ceil)
template <typename T>
__global__ void fill(T *a)
{
  a[threadIdx.x] = 1;
}

template <>
__global__ void fill<float>(float *a)
{
  a[threadIdx.x] = 1.5f;
}

template __global__ void fill<int>(int *);
