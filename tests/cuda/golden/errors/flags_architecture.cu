// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel flags("", "-arch=sm_90a", "--gpu-architecture sm_90 -maxrregcount=64", "-arch=native", "-arch compute_90a") grid(ceil)
__global__ void scale(float *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2;
}
