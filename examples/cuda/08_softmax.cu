// SPDX-License-Identifier: Apache-2.0
// 08_softmax.cu: y = exp(x - max x) / sum exp(x - max x), for each row of a matrix.
//
// Lesson: one pass instead of three. Each thread finds the maximum of what it holds in
// registers, KEEP float4, and the sum of exponentials against that; then threads meet once,
// and the one with the smaller maximum scales its sum down ("Online normalizer calculation for
// softmax", Milakov and Gimelshein 2018). So memory is read once, and each exponential is
// made once; what does not fit into KEEP is read again. As in 07_rms_norm.cu, LANES threads
// share a row. exp is exp2 of what was scaled before, which is one instruction under
// --use_fast_math: flags(...) go to NVRTC, and verify says what precision may be lost.
//
//   nvcc -O3 -arch=native 08_softmax.cu && ./a.out
//   autotune cc nvcc -O3 -arch=native 08_softmax.cu && ./a.out
#include <cuda_runtime.h>
#include <float.h>

#define LANES 256 // threads of a row
#define ROWS 1    // rows of a block
#define KEEP 4    // float4 of a row in a thread's registers

#define LOG2_E 1.44269504f

// The largest of some numbers, and the sum of 2^(x - top).
struct normalizer {
  float top, sum;
};

static __device__ __forceinline__ normalizer merge(normalizer a, normalizer b)
{
  float top = fmaxf(a.top, b.top);
  return { top, a.sum * exp2f(a.top - top) + b.sum * exp2f(b.top - top) };
}

static __device__ __forceinline__ float largest(float4 v)
{
  return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
}

static __device__ __forceinline__ float total(float4 v)
{
  return (v.x + v.y) + (v.z + v.w);
}

static __device__ __forceinline__ float4 powers(float4 v, float top)
{
  return make_float4(exp2f(v.x - top), exp2f(v.y - top), exp2f(v.z - top), exp2f(v.w - top));
}

static __device__ __forceinline__ float4 times(float4 v, float f)
{
  return make_float4(v.x * f, v.y * f, v.z * f, v.w * f);
}

// Merges what the row's threads have, in each of them. All threads of the block are here.
static __device__ __forceinline__ normalizer merge_row(normalizer a)
{
#pragma unroll
  for (int d = 16; d > 0; d /= 2)
    a = merge(a, { __shfl_xor_sync(0xffffffff, a.top, d),
                   __shfl_xor_sync(0xffffffff, a.sum, d) });
  if (LANES == 32)
    return a;
  __shared__ float2 part[ROWS][LANES / 32];
  if (threadIdx.x % 32 == 0)
    part[threadIdx.y][threadIdx.x / 32] = make_float2(a.top, a.sum);
  __syncthreads();
  a = { -FLT_MAX, 0 };
#pragma unroll
  for (int w = 0; w < LANES / 32; w++)
    a = merge(a, { part[threadIdx.y][w].x, part[threadIdx.y][w].y });
  return a;
}

// d is a multiple of 4.
#pragma autotune kernel param(LANES: 32, 64, 128, 256, 512, 1024) param(ROWS: 1, 2, 4, 8) \
    param(KEEP: 1, 2, 4, 8, 16) flags("", "--use_fast_math") block(LANES, ROWS) \
    grid((rows + ROWS - 1) / ROWS) \
    constraint(LANES * ROWS >= 64 && LANES * ROWS <= AUTOTUNE_MAX_THREADS && \
               LANES * 4 <= d && LANES * KEEP * 2 < d && LANES * KEEP * 16 >= d) \
    in(x[0:rows*d]) out(y[0:rows*d]) verify(rtol: 1e-4, atol: 1e-7) bytes(8.0 * rows * d)
__global__ void __launch_bounds__(LANES * ROWS)
    softmax(int rows, int d, const float *__restrict__ x, float *__restrict__ y)
{
  int row = blockIdx.x * ROWS + threadIdx.y, n = row < rows ? d / 4 : 0;
  const float4 *from = (const float4 *)(x + (size_t)row * d);
  float4 *to = (float4 *)(y + (size_t)row * d), kept[KEEP];
#pragma unroll
  for (int q = 0; q < KEEP; q++) {
    int i = threadIdx.x + q * LANES;
    kept[q] = i < n ? from[i] : make_float4(-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX);
  }
  float top = -FLT_MAX / 4, sum = 0; // so far above what is missing that this counts nothing
#pragma unroll
  for (int q = 0; q < KEEP; q++)
    top = fmaxf(top, largest(kept[q]) * LOG2_E);
#pragma unroll
  for (int q = 0; q < KEEP; q++) {
    kept[q] = powers(times(kept[q], LOG2_E), top);
    sum += total(kept[q]);
  }
  normalizer all = { top, sum };
  for (int i = threadIdx.x + KEEP * LANES; i < n; i += LANES) {
    float4 v = times(from[i], LOG2_E);
    float larger = fmaxf(all.top, largest(v));
    all = merge(all, { larger, total(powers(v, larger)) });
  }

  all = merge_row(all);
  float scale = 1 / all.sum, own = exp2f(top - all.top) * scale;
#pragma unroll
  for (int q = 0; q < KEEP; q++) {
    int i = threadIdx.x + q * LANES;
    if (i < n)
      to[i] = times(kept[q], own);
  }
  for (int i = threadIdx.x + KEEP * LANES; i < n; i += LANES)
    to[i] = times(powers(times(from[i], LOG2_E), all.top), scale);
}

static void launch_softmax(int rows, int d, const float *x, float *y)
{
  softmax<<<(rows + ROWS - 1) / ROWS, dim3(LANES, ROWS)>>>(rows, d, x, y);
}

#ifndef AUTOTUNE_EXAMPLE_KERNEL_ONLY // benchmarks bring a main of their own
#include "lesson.h"

// Some rows again in double precision.
static bool right(int rows, int d, const float *x, const float *y)
{
  for (int i = 0; i < rows; i += 1 + rows / 100) {
    const float *row = x + (size_t)i * d, *out = y + (size_t)i * d;
    double top = -INFINITY, sum = 0;
    for (int j = 0; j < d; j++)
      top = fmax(top, row[j]);
    for (int j = 0; j < d; j++)
      sum += exp(row[j] - top);
    for (int j = 0; j < d; j++) {
      double want = exp(row[j] - top) / sum;
      if (!(fabs(out[j] - want) <= 1e-4 * want + 1e-7))
        return printf("  WRONG ANSWER: y[%d][%d] = %g, not %g\n", i, j, out[j], want), false;
    }
  }
  return true;
}

int main(int argc, char **argv)
{
  int rows = argument(argc, argv, 1, 32768, 20), d = argument(argc, argv, 2, 4096, 1032) / 4 * 4;
  array<float> x((size_t)rows * d), y(x.n);
  for (size_t i = 0; i < x.n; i++)
    x[i] = (int)(i * 7919 % 2003 - 1000) * 0.005f;
  x.to_device();

  printf("softmax %d x %d\n", rows, d);
  measure([&] { launch_softmax(rows, d, x.device, y.device); }, 8.0 * x.n);
  y.to_host();
  return finish(right(rows, d, x.host, y.host));
}
#endif
