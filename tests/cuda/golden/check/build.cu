// args: -DTILE=32 -I. -std=c++17
#ifndef TILE
#define TILE 8
#endif

#pragma autotune kernel param(TILE: 8, 16, 32) block(TILE, 8)
__global__ void scale(float *a)
{
  a[threadIdx.x] *= TILE;
}

#pragma autotune kernel block(32, 64)
__global__ void fill(float *a)
{
#if TILE == 8
  a[threadIdx.x] = 1;
#else
  a[threadIdx.x] = 2;
#endif
}

void run(float *a)
{
  scale<<<1, dim3(TILE, 8)>>>(a);
  fill<<<1, 32>>>(a);
}
