// SPDX-License-Identifier: Apache-2.0
namespace a {
#pragma autotune kernel block(128, 256) grid(ceil)
__global__ void fill(float *a)
{
  a[threadIdx.x] = 1;
}
}
namespace a {
#pragma autotune kernel block(128, 256) grid(ceil)
__global__ void fill(double *a)
{
  a[threadIdx.x] = 2;
}
}
