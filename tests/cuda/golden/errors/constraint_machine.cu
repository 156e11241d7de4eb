// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel param(TILE: 16, 32) constraint(TILE * TILE * 4 <= AUTOTUNE_SMEM_PER_BLOK)
__global__ void scale(float *a)
{
  __shared__ float tile[TILE];
  a[threadIdx.x] = tile[0];
}
