// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel param(BX: 8, 16) param(BY: 8, 16) param(BZ: 1, 2) block(BX) shared(BY * 4)
__global__ void fill(float *a)
{
  a[threadIdx.x] = 1;
}
