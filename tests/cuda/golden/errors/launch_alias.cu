// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel block(128, 256) grid(ceil)
template <class T> __global__ void scale(T *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2;
}

#define KERNEL scale

void run(float *a, int n)
{
  KERNEL<<<(n + 127) / 128, 128>>>(a, n);
}
