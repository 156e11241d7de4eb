// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "one.cuh"

#pragma autotune kernel block(64, 128, 256) grid(ceil) inout(a[0:n])
__global__ void add_one(float *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += one<float>();
}
