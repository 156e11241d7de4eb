// SPDX-License-Identifier: Apache-2.0
constexpr int TILE = 16;

#pragma autotune kernel param(TILE: 8, 16, 32) block(TILE, TILE)
__global__ void copy(float *a, const float *b)
{
  a[threadIdx.y * TILE + threadIdx.x] = b[threadIdx.y * TILE + threadIdx.x];
}
