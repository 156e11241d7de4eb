// SPDX-License-Identifier: Apache-2.0
// 02_transpose.cu: out = in', a matrix transposed through shared memory.
//
// Lesson: two-dimensional blocks whose shape is free. A warp reads along rows of `in` and
// writes along rows of `out`, so that both are whole cache lines; the tile in between
// lies in shared memory (Ruetsch and Micikevicius, "Optimizing matrix transpose in CUDA",
// 2009). Its width, the threads that move it and the column of padding that keeps a
// column of the tile out of one bank are numbers, which the pragma lists:
//
//   - block(BX, BY): the block's sizes are parameters, like all others;
//   - constraint: which of them fit together, and into this device's shared memory.
//
// Any PAD gives the right answer. Which one is fast depends on TILE and on the device.
//
//   nvcc -O3 -arch=native 02_transpose.cu && ./a.out
//   autotune cc nvcc -O3 -arch=native 02_transpose.cu && ./a.out
#include <cuda_runtime.h>

#define TILE 32 // rows and columns of a tile
#define BX 32   // threads along a row of it
#define BY 8    // threads along a column
#define PAD 1   // columns more in shared memory

#pragma autotune kernel param(TILE: 16, 32, 64) param(BX: 16, 32, 64) \
    param(BY: 4, 8, 16, 32) param(PAD: 0, 1, 2) block(BX, BY) \
    grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE) \
    constraint(TILE % BX == 0 && TILE % BY == 0 && BX * BY >= 2 * AUTOTUNE_WARP && \
               BX * BY <= AUTOTUNE_MAX_THREADS && TILE * TILE <= 16 * BX * BY) \
    in(in[0:rows*columns]) out(out[0:rows*columns]) bytes(8.0 * rows * columns)
__global__ void __launch_bounds__(BX * BY)
    transpose(int rows, int columns, const float *__restrict__ in, float *__restrict__ out)
{
  __shared__ float tile[TILE][TILE + PAD];
  int x = blockIdx.x * TILE, y = blockIdx.y * TILE, i = threadIdx.x, j = threadIdx.y;
#pragma unroll
  for (int v = 0; v < TILE; v += BY)
#pragma unroll
    for (int u = 0; u < TILE; u += BX)
      if (y + j + v < rows && x + i + u < columns)
        tile[j + v][i + u] = in[(size_t)(y + j + v) * columns + x + i + u];
  __syncthreads();
#pragma unroll
  for (int v = 0; v < TILE; v += BY)
#pragma unroll
    for (int u = 0; u < TILE; u += BX)
      if (x + j + v < columns && y + i + u < rows)
        out[(size_t)(x + j + v) * rows + y + i + u] = tile[i + u][j + v];
}

static void launch_transpose(int rows, int columns, const float *in, float *out)
{
  dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  transpose<<<grid, dim3(BX, BY)>>>(rows, columns, in, out);
}

#ifndef AUTOTUNE_EXAMPLE_KERNEL_ONLY // benchmarks bring a main of their own
#include "lesson.h"

static bool right(size_t rows, size_t columns, const float *in, const float *out)
{
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++)
      if (in[i * columns + j] != out[j * rows + i])
        return printf("  WRONG ANSWER: out[%zu][%zu] = %g\n", j, i, out[j * rows + i]), false;
  return true;
}

int main(int argc, char **argv)
{
  int rows = argument(argc, argv, 1, 16384, 200), columns = argument(argc, argv, 2, rows, rows);
  array<float> in((size_t)rows * columns), out(in.n);
  for (size_t i = 0; i < in.n; i++)
    in[i] = i % 1000003;
  in.to_device();

  printf("transpose %d x %d\n", rows, columns);
  measure([&] { launch_transpose(rows, columns, in.device, out.device); }, 8.0 * in.n);
  out.to_host();
  return finish(right(rows, columns, in.host, out.host));
}
#endif
