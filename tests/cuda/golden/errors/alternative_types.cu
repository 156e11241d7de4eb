// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel block(128, 256)
__global__ void fill(float *a)
{
  a[threadIdx.x] = 1;
}

#pragma autotune alternative(fill)
__global__ void fill_other(double *a)
{
  a[threadIdx.x] = 1;
}
