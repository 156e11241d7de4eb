// SPDX-License-Identifier: Apache-2.0
// 04_stencil2d.cu: one Jacobi step of the five-point stencil on an n x n grid.
//
// Lesson: is shared memory worth it? A block brings a tile of the grid there, with a border
// of one (Micikevicius, "3D finite difference computation on GPUs using CUDA", 2009); a
// thread has PER points, one below another, and keeps its column in registers. Or else
// (TILED 0) neighbours are read from memory again, and the first level cache has them: no
// barrier, no copy, more reads. A parameter decides between the two as between two numbers,
// and as it is a constant in each variant, the other way leaves no trace in it.
//
// `shared(...)` says how much dynamic shared memory a variant takes, in place of what the
// launch asks for, and the constraint keeps it within what the device has.
//
//   nvcc -O3 -arch=native 04_stencil2d.cu && ./a.out
//   autotune cc nvcc -O3 -arch=native 04_stencil2d.cu && ./a.out
#include <cuda_runtime.h>

#define BX 64   // threads along a row
#define BY 8    // threads along a column
#define PER 4   // points of a thread, in a column
#define TILED 1 // whether neighbours come by way of shared memory

#define WIDTH (BX + 2) // of the tile with its border, and its height
#define HEIGHT (BY * PER + 2)

extern __shared__ float tile[];

// Fills the tile: with the COLUMN of each thread, ROWS points from FROM on, (x, y) of the
// grid, and with the border around all of them.
static __device__ __forceinline__ void fill(int n, int x, int y, int rows,
                                            const float *from, const float *column)
{
  float *to = tile + (threadIdx.y * PER + 1) * WIDTH + threadIdx.x + 1;
  int side = threadIdx.x == 0 ? -1 : 1; // of the border, for the threads next to it
  bool beside = side < 0 ? x > 0 : threadIdx.x == BX - 1 && x < n - 1;
#pragma unroll
  for (int p = 0; p < PER; p++)
    if (p < rows)
      to[p * WIDTH] = column[p];
  if (beside)
#pragma unroll
    for (int p = 0; p < PER; p++)
      if (p < rows)
        to[p * WIDTH + side] = from[(ptrdiff_t)p * n + side];
  if (threadIdx.y == 0 && x < n && y > 0)
    to[-WIDTH] = *(from - n);
  if (threadIdx.y == BY - 1 && x < n && y + PER < n)
    to[PER * WIDTH] = from[(size_t)PER * n];
}

// Points on the border of the grid stay as they are.
#pragma autotune kernel param(BX: 32, 64, 128, 256) param(BY: 1, 2, 4, 8, 16) \
    param(PER: 1, 2, 4, 8, 16) param(TILED: 0, 1) block(BX, BY) \
    grid((n + BX - 1) / BX, (n + BY * PER - 1) / (BY * PER)) \
    shared(TILED * 4 * (BX + 2) * (BY * PER + 2)) \
    constraint(BX * BY >= 64 && BX * BY <= AUTOTUNE_MAX_THREADS && BY * PER >= 4 && \
               TILED * 4 * (BX + 2) * (BY * PER + 2) <= AUTOTUNE_SMEM_PER_BLOCK / 2) \
    in(in[0:n*n]) out(out[0:n*n]) verify(rtol: 1e-6, atol: 1e-6) \
    bytes(8.0 * n * n) flops(6.0 * n * n)
__global__ void __launch_bounds__(BX * BY)
    jacobi(int n, const float *__restrict__ in, float *__restrict__ out)
{
  int x = blockIdx.x * BX + threadIdx.x, y = (blockIdx.y * BY + threadIdx.y) * PER;
  int rows = x < n ? n - y : 0; // that there are from here on; this thread's are the first PER
  const float *from = in + (size_t)y * n + x;
  float column[PER + 2] = {}; // one above, the thread's own, one below
#pragma unroll
  for (int p = 0; p < PER; p++)
    if (p < rows)
      column[p + 1] = from[(size_t)p * n];
  if (TILED) {
    fill(n, x, y, rows, from, column + 1);
    __syncthreads();
  }
  const float *at = TILED ? tile + (threadIdx.y * PER + 1) * WIDTH + threadIdx.x + 1 : from;
  size_t pitch = TILED ? WIDTH : n;
  bool inside = x > 0 && x < n - 1;
  float left[PER], right[PER];
#pragma unroll
  for (int p = 0; p < PER; p++) {
    left[p] = inside && p < rows ? *(at + p * pitch - 1) : 0;
    right[p] = inside && p < rows ? *(at + p * pitch + 1) : 0;
  }
  if (y > 0 && rows > 0)
    column[0] = *(at - pitch);
  if (rows > PER)
    column[PER + 1] = *(at + PER * pitch);
#pragma unroll
  for (int p = 0; p < PER; p++) {
    bool inner = inside && y + p > 0 && p < rows - 1;
    float around = column[p] + column[p + 2] + left[p] + right[p];
    if (p < rows)
      out[(size_t)(y + p) * n + x] = inner ? 0.2f * (column[p + 1] + around) : column[p + 1];
  }
}

static void launch_jacobi(int n, const float *in, float *out)
{
  dim3 grid((n + BX - 1) / BX, (n + BY * PER - 1) / (BY * PER));
  jacobi<<<grid, dim3(BX, BY), TILED * WIDTH * HEIGHT * sizeof(float)>>>(n, in, out);
}

#ifndef AUTOTUNE_EXAMPLE_KERNEL_ONLY // benchmarks bring a main of their own
#include "lesson.h"

static bool right(size_t n, const float *in, const float *out)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      const float *at = in + i * n + j;
      bool inner = i > 0 && i < n - 1 && j > 0 && j < n - 1;
      float want = inner ? 0.2f * (at[0] + at[-1] + at[1] + *(at - n) + at[n]) : at[0];
      if (!(fabsf(out[i * n + j] - want) <= 1e-5f))
        return printf("  WRONG ANSWER: out[%zu][%zu] = %g, not %g\n", i, j, out[i * n + j],
                      want), false;
    }
  return true;
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 16384, 200);
  array<float> in((size_t)n * n), out(in.n);
  for (size_t i = 0; i < in.n; i++)
    in[i] = i * 7 % 1009 * 0.001f;
  in.to_device();

  printf("jacobi %d x %d\n", n, n);
  measure([&] { launch_jacobi(n, in.device, out.device); }, 8.0 * in.n);
  out.to_host();
  return finish(right(n, in.host, out.host));
}
#endif
