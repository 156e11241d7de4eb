// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel block(128, 256) grid(ceil)
__global__ void scale(int n, float *a
#ifdef FACTOR
                      , float by
#endif
)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2;
}

void run(float *a, int n)
{
  scale<<<4, 128>>>(n, a);
}
