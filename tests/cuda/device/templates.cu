// SPDX-License-Identifier: Apache-2.0
// templates.cu: each instantiation is a kernel of its own; so is the same one in another file
// (templates_other.cu), of the same text.
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

template <class T, int BY> static void launch(int n, T *a)
{
  increase<T, BY><<<4, 64>>>(n, a);
  CHECK(cudaGetLastError());
}

int main()
{
  const int n = 1000;
  float *a = numbers(n);
  double *d;
  CHECK(cudaMalloc((void **)&d, sizeof *d * n));
  CHECK(cudaMemset(d, 0, sizeof *d * n));
  launch<float, 1>(n, a);
  launch<float, 10>(n, a);
  launch<double, 10>(n, d);
  launch<double, 10>(n, d);
  other_file(n, a);
  float *got = fetched(a, n);
  double *wide = (double *)malloc(sizeof *wide * n);
  CHECK(cudaMemcpy(wide, d, sizeof *wide * n, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++)
    expect(got[i] == (float)(i % 17 - 8) + 21 && wide[i] == 20, "each instantiation does its own");
  free(got), free(wide);
  return right();
}
