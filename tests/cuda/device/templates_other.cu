// SPDX-License-Identifier: Apache-2.0
// templates_other.cu: see templates.cu.
#include "device.h"
#include "templates.h"

#define PER 1

template <class T> static __device__ __forceinline__ T increased(T value, T by)
{
  return value + by;
}

#pragma autotune kernel param(PER: 1, 2) key(n) inout(a[0:n])
template <class T, int BY> __global__ void increase(int n, T *a)
{
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * PER, step = gridDim.x * blockDim.x * PER;
  for (; i < n; i += step)
    for (int p = 0; p < PER && i + p < n; p++)
      a[i + p] = increased(a[i + p], (T)BY);
}

void other_file(int n, float *a)
{
  increase<float, 10><<<4, 64>>>(n, a);
  CHECK(cudaGetLastError());
}
