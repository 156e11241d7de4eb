// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel block(128, 256) grid(ceil)
template <class T> __global__ void scale(T *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2;
}

void run(float *a, int n)
{
  scale<<<4, 128>>>(a,
#ifdef HALF
                    n / 2
#else
                    n
#endif
  );
  scale<<<4, 128>>>(
#ifdef HALF
    a + n / 2,
#else
    a,
#endif
    n);
}
