// Variables of the device by address, constants by value, shared memory of every kind.
#include <stdint.h>
#include <limits.h>
#include <float.h>
#include <math.h>

#define TILE (BX * 2)
#ifndef WIDTH
#define WIDTH 3
#endif
#define BX 16

struct Point { float x, y; };
static int host_count;
__constant__ float weights[WIDTH][WIDTH];
__constant__ Point origin;
__device__ unsigned long long counter;
#ifdef WIDE
__device__ double depth[2];
#else
__device__ float depth[4];
#endif
__device__ float *rows[4], scale = 2;
static const int limit = 100;
static __device__ const float table[3] = { 1, 2, 3 };
extern __shared__ float dynamic_memory[];

__device__ float *scratch(int i)
{
  static __shared__ float memory[64];
  return &memory[i];
}

__device__ float shadowed(float scale) { return scale * 2; }

#if BX > 16
__device__ float choose(float a) { return a + 1; }
#else
__device__ float choose(float a) { return a - 1; }
#endif

#pragma autotune kernel block(BX, 8) param(BX: 8, 16, 32) shared(4 * TILE)
extern "C" __global__ void stencil(const float *a, float *b, uint32_t n, Point p)
{
  __shared__ alignas(16) float tile[TILE][TILE + 1];
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = i < n && i < INT_MAX ? a[i] : FLT_MAX;
  __syncthreads();
  float sum = -INFINITY + origin.x + p.y + limit + table[i % 3] + shadowed(1.0f);
  for (int y = 0; y < WIDTH; y++)
    for (int x = 0; x < WIDTH; x++)
      sum += weights[y][x] * tile[threadIdx.y + y][threadIdx.x + x] * scale;
  *scratch(threadIdx.x) = sum;
  dynamic_memory[threadIdx.x] = rows[0][0] + *scratch(0) + choose(sum) + M_PI;
  if (i < n)
    b[i] = dynamic_memory[0];
  atomicAdd(&counter, 1ull);
  depth[0] += n;
}

void run(const float *a, float *b) { stencil<<<1, dim3(16, 8), 64>>>(a, b, 1, Point{ 1, 2 }); host_count++; }
