// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#pragma autotune kernel block(128, 256) grid(ceil)
__global__ void scale(float *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2;
}

void run(float *a, int n)
{
  void *args[] = { &a, &n };
  cudaLaunchCooperativeKernel((void *)scale, 4, 128, args, 0, 0);
}
