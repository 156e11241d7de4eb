// A template that two files instantiate.
#pragma once
template <class T> __device__ T twice(T x) { return x + x; }

#pragma autotune kernel block(32, 64) grid(ceil)
template <class T> __global__ void doubled(T *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = twice(a[i]);
}
