// SPDX-License-Identifier: Apache-2.0
// Launches that run as written.
#include <cuda_runtime.h>

#pragma autotune kernel block(128, 256) grid(ceil)
__global__ void scale(float *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2;
}

__global__ void parent(float *a, int n)
{
  scale<<<1, 128>>>(a, n);
}

void run(float *a, int n, void **args, const cudaLaunchConfig_t *config)
{
  parent<<<1, 1>>>(a, n);
  cudaLaunchCooperativeKernel((void *)scale, dim3(1), dim3(128), args);
  cudaLaunchKernelExC(config, (const void *)scale, args);
}
