// SPDX-License-Identifier: Apache-2.0
// 04_stencil2d.cu: one Jacobi step of the five-point stencil on an n x n grid.
//
// Lesson: how much work a thread has. A block brings a tile of the grid into shared
// memory, with a border of one (Micikevicius, "3D finite difference computation on GPUs
// using CUDA", 2009), and each thread makes PER points of it, BY rows apart. Large tiles
// read less of the border twice; small ones leave room for more blocks. All of it follows
// from three parameters: the shape of the block, the tile, and how many blocks there are.
// `shared(...)` says how much dynamic shared memory that takes, in place of what the
// launch asks for, and the constraint keeps it within what the device has.
//
//   nvcc -O3 -arch=native 04_stencil2d.cu && ./a.out
//   autotune cc nvcc -O3 -arch=native 04_stencil2d.cu && ./a.out
#include <cuda_runtime.h>
#include <stddef.h>

#define BX 64 // threads along a row
#define BY 8  // threads along a column
#define PER 4 // points of a thread, in a column

#define WIDTH (BX + 2) // of the tile with its border, and its height
#define HEIGHT (BY * PER + 2)

extern __shared__ float tile[];

// Points on the border of the grid stay as they are.
#pragma autotune kernel param(BX: 32, 64, 128, 256) param(BY: 1, 2, 4, 8, 16) \
    param(PER: 1, 2, 4, 8, 16) block(BX, BY) \
    grid((n + BX - 1) / BX, (n + BY * PER - 1) / (BY * PER)) \
    shared(4 * (BX + 2) * (BY * PER + 2)) \
    constraint(BX * BY >= 64 && BX * BY <= AUTOTUNE_MAX_THREADS && BY * PER >= 4 && \
               4 * (BX + 2) * (BY * PER + 2) <= AUTOTUNE_SMEM_PER_BLOCK / 2) \
    in(in[0:n*n]) out(out[0:n*n]) verify(rtol: 1e-6, atol: 1e-6) \
    bytes(8.0 * n * n) flops(6.0 * n * n)
__global__ void __launch_bounds__(BX * BY)
    jacobi(int n, const float *__restrict__ in, float *__restrict__ out)
{
  int i = threadIdx.x, x = blockIdx.x * BX + i, y = blockIdx.y * (BY * PER) + threadIdx.y;
  const float *from = in + (size_t)y * n + x;
#pragma unroll
  for (int p = 0; p < PER; p++) // the rows of the tile
    if (y + p * BY < n && x < n)
      tile[(p * BY + threadIdx.y + 1) * WIDTH + i + 1] = from[(size_t)(p * BY) * n];
#pragma unroll
  for (int p = 0; p < PER; p++) // what lies left and right of them
    if (i < 2) {
      int at = i ? x - 1 + BX : x - 1;
      if (y + p * BY < n && at >= 0 && at < n)
        tile[(p * BY + threadIdx.y + 1) * WIDTH + i * (BX + 1)] =
            from[(ptrdiff_t)(p * BY) * n + at - x];
    }
  if (threadIdx.y == 0 && x < n) { // above and below
    if (y > 0)
      tile[i + 1] = *(from - n);
    if (y + BY * PER < n)
      tile[(HEIGHT - 1) * WIDTH + i + 1] = from[(size_t)(BY * PER) * n];
  }
  __syncthreads();
#pragma unroll
  for (int p = 0; p < PER; p++) {
    int row = y + p * BY;
    const float *t = tile + (p * BY + threadIdx.y + 1) * WIDTH + i + 1;
    if (row < n && x < n) {
      bool inner = row > 0 && row < n - 1 && x > 0 && x < n - 1;
      float around = inner ? t[-WIDTH] + t[WIDTH] + t[-1] + t[1] : 4 * t[0];
      out[(size_t)row * n + x] = 0.2f * (t[0] + around);
    }
  }
}

static void launch_jacobi(int n, const float *in, float *out)
{
  dim3 grid((n + BX - 1) / BX, (n + BY * PER - 1) / (BY * PER));
  jacobi<<<grid, dim3(BX, BY), WIDTH * HEIGHT * sizeof(float)>>>(n, in, out);
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
