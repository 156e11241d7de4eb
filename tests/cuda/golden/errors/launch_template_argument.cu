// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel block(128, 256) grid(ceil)
template <class T> __global__ void scale(T *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2;
}

template <void (*K)(float *, int)>
void launch(float *a, int n)
{
  K<<<1, 128>>>(a, n);
}

void run(float *a, int n)
{
  launch<scale<float>>(a, n);
}
