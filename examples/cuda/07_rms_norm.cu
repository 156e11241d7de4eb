// SPDX-License-Identifier: Apache-2.0
// 07_rms_norm.cu: y = x / sqrt(mean(x^2) + 1e-5) weight, for each row of a matrix.
//
// Lesson: who works on a row. LANES threads share one, and a block has ROWS of them: from
// a warp for a row, which then needs no barrier, to a whole block. Each thread keeps up to
// KEEP float4 of its row in registers between the two passes over it, so that memory is
// read once; what does not fit there is read again. For one length of rows few choices
// make sense, and the constraint says which: it may use the kernel's arguments.
//
// Results are kept for each (rows, d): by default, integer arguments are the key.
//
//   nvcc -O3 -arch=native 07_rms_norm.cu && ./a.out
//   autotune cc nvcc -O3 -arch=native 07_rms_norm.cu && ./a.out
#include <cuda_runtime.h>

#define LANES 256 // threads of a row
#define ROWS 1    // rows of a block
#define KEEP 4    // float4 of a row in a thread's registers

// The sum of what the row's threads have, in each of them. All threads of the block are here.
static __device__ __forceinline__ float sum_of_row(float s)
{
#pragma unroll
  for (int d = 16; d > 0; d /= 2)
    s += __shfl_xor_sync(0xffffffff, s, d);
  if (LANES == 32)
    return s;
  __shared__ float part[ROWS][LANES / 32];
  if (threadIdx.x % 32 == 0)
    part[threadIdx.y][threadIdx.x / 32] = s;
  __syncthreads();
  s = 0;
#pragma unroll
  for (int w = 0; w < LANES / 32; w++)
    s += part[threadIdx.y][w];
  return s;
}

// d is a multiple of 4.
#pragma autotune kernel param(LANES: 32, 64, 128, 256, 512, 1024) param(ROWS: 1, 2, 4, 8) \
    param(KEEP: 1, 2, 4, 8, 16) block(LANES, ROWS) \
    grid((rows + ROWS - 1) / ROWS) \
    constraint(LANES * ROWS >= 64 && LANES * ROWS <= AUTOTUNE_MAX_THREADS && \
               LANES * 4 <= d && LANES * KEEP * 2 < d && LANES * KEEP * 16 >= d) \
    in(x[0:rows*d], weight[0:d]) out(y[0:rows*d]) verify(rtol: 1e-4, atol: 1e-6) \
    bytes(8.0 * rows * d)
__global__ void __launch_bounds__(LANES * ROWS)
    rms_norm(int rows, int d, const float *__restrict__ x, const float *__restrict__ weight,
             float *__restrict__ y)
{
  int row = blockIdx.x * ROWS + threadIdx.y, n = row < rows ? d / 4 : 0;
  const float4 *from = (const float4 *)(x + (size_t)row * d), *w = (const float4 *)weight;
  float4 *to = (float4 *)(y + (size_t)row * d), kept[KEEP];
  float s = 0;
#pragma unroll
  for (int q = 0; q < KEEP; q++) {
    int i = threadIdx.x + q * LANES;
    kept[q] = i < n ? from[i] : make_float4(0, 0, 0, 0);
  }
#pragma unroll
  for (int q = 0; q < KEEP; q++) {
    float4 v = kept[q];
    s += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  for (int i = threadIdx.x + KEEP * LANES; i < n; i += LANES) {
    float4 v = from[i];
    s += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }

  float scale = rsqrtf(sum_of_row(s) / d + 1e-5f);
#pragma unroll
  for (int q = 0; q < KEEP; q++) {
    int i = threadIdx.x + q * LANES;
    if (i < n) {
      float4 v = kept[q], f = w[i];
      to[i] = make_float4(v.x * scale * f.x, v.y * scale * f.y, v.z * scale * f.z,
                          v.w * scale * f.w);
    }
  }
  for (int i = threadIdx.x + KEEP * LANES; i < n; i += LANES) {
    float4 v = from[i], f = w[i];
    to[i] = make_float4(v.x * scale * f.x, v.y * scale * f.y, v.z * scale * f.z,
                        v.w * scale * f.w);
  }
}

static void launch_rms_norm(int rows, int d, const float *x, const float *weight, float *y)
{
  rms_norm<<<(rows + ROWS - 1) / ROWS, dim3(LANES, ROWS)>>>(rows, d, x, weight, y);
}

#ifndef AUTOTUNE_EXAMPLE_KERNEL_ONLY // benchmarks bring a main of their own
#include "lesson.h"

// Some rows again in double precision.
static bool right(int rows, int d, const float *x, const float *w, const float *y)
{
  for (int i = 0; i < rows; i += 1 + rows / 100) {
    const float *row = x + (size_t)i * d, *out = y + (size_t)i * d;
    double squares = 0;
    for (int j = 0; j < d; j++)
      squares += (double)row[j] * row[j];
    for (int j = 0; j < d; j++) {
      double want = row[j] * w[j] / sqrt(squares / d + 1e-5);
      if (!(fabs(out[j] - want) <= 1e-4 * fabs(want) + 1e-6))
        return printf("  WRONG ANSWER: y[%d][%d] = %g, not %g\n", i, j, out[j], want), false;
    }
  }
  return true;
}

int main(int argc, char **argv)
{
  int rows = argument(argc, argv, 1, 32768, 20), d = argument(argc, argv, 2, 4096, 1032) / 4 * 4;
  array<float> x((size_t)rows * d), weight(d), y(x.n);
  for (size_t i = 0; i < x.n; i++)
    x[i] = (int)(i * 7919 % 2003 - 1000) * 0.003f;
  for (int j = 0; j < d; j++)
    weight[j] = 1 + 0.5f * cosf(j);
  x.to_device(), weight.to_device();

  printf("rms_norm %d x %d\n", rows, d);
  measure([&] { launch_rms_norm(rows, d, x.device, weight.device, y.device); }, 8.0 * x.n);
  y.to_host();
  return finish(right(rows, d, x.host, weight.host, y.host));
}
#endif
