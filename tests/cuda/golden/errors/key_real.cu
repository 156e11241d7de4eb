// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel block(128, 256) key(f)
__global__ void fill(float *a, float f)
{
  a[threadIdx.x] = f;
}
