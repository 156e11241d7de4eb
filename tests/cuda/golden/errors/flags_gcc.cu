// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel flags("", "-O3", "--use-fast-math", "-maxrregcount 64 -march=native") grid(ceil)
__global__ void scale(float *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2;
}
