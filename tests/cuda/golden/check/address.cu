// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#pragma autotune kernel block(128, 256) grid(ceil)
__global__ void scale(float *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2;
}

void run(cudaGraph_t graph, void **args)
{
  cudaGraphNode_t node;
  cudaKernelNodeParams params = {};
  params.func = (void *)scale;
  params.kernelParams = args;
  cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params);
}
