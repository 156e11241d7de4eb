// SPDX-License-Identifier: Apache-2.0
// 08_softmax.cu: y = exp(x - max x) / sum exp(x - max x), for each row of a matrix.
//
// Lesson: one pass instead of three. Maximum and sum are found together: whoever meets a
// larger maximum scales his sum down ("Online normalizer calculation for softmax", Milakov
// and Gimelshein 2018), so that threads meet once and memory is read once, as far as a
// thread's KEEP float4 hold its part of a row. As in 07_rms_norm.cu, LANES threads share a
// row. exp is exp2 of what was scaled before, which is one instruction under
// --use_fast_math: flags(...) go to NVRTC, and verify says what precision may be lost.
//
//   nvcc -O3 -arch=native 08_softmax.cu && ./a.out
//   autotune cc nvcc -O3 -arch=native 08_softmax.cu && ./a.out
#include <cuda_runtime.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LANES 256 // threads of a row
#define ROWS 1    // rows of a block
#define KEEP 4    // float4 of a row in a thread's registers

// The largest of some numbers, and the sum of 2^(x - top).
struct normalizer {
  float top, sum;
};

static __device__ __forceinline__ normalizer merge(normalizer a, normalizer b)
{
  float top = fmaxf(a.top, b.top);
  return { top, a.sum * exp2f(a.top - top) + b.sum * exp2f(b.top - top) };
}

static __device__ __forceinline__ normalizer add(normalizer a, float4 v)
{
  float top = fmaxf(fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)), a.top);
  float sum = exp2f(v.x - top) + exp2f(v.y - top) + (exp2f(v.z - top) + exp2f(v.w - top));
  return { top, a.sum * exp2f(a.top - top) + sum };
}

static __device__ __forceinline__ float4 scaled(float4 v)
{
  const float log2_e = 1.44269504f;
  return make_float4(v.x * log2_e, v.y * log2_e, v.z * log2_e, v.w * log2_e);
}

static __device__ __forceinline__ float4 share(float4 v, float top, float scale)
{
  return make_float4(exp2f(v.x - top) * scale, exp2f(v.y - top) * scale,
                     exp2f(v.z - top) * scale, exp2f(v.w - top) * scale);
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
  normalizer all = { -FLT_MAX, 0 };
#pragma unroll
  for (int q = 0; q < KEEP; q++) {
    int i = threadIdx.x + q * LANES;
    kept[q] = i < n ? from[i] : make_float4(-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX);
  }
#pragma unroll
  for (int q = 0; q < KEEP; q++)
    if (threadIdx.x + q * LANES < n) {
      kept[q] = scaled(kept[q]);
      all = add(all, kept[q]);
    }
  for (int i = threadIdx.x + KEEP * LANES; i < n; i += LANES)
    all = add(all, scaled(from[i]));

  all = merge_row(all);
  float scale = 1 / all.sum;
#pragma unroll
  for (int q = 0; q < KEEP; q++) {
    int i = threadIdx.x + q * LANES;
    if (i < n)
      to[i] = share(kept[q], all.top, scale);
  }
  for (int i = threadIdx.x + KEEP * LANES; i < n; i += LANES)
    to[i] = share(scaled(from[i]), all.top, scale);
}

static void launch_softmax(int rows, int d, const float *x, float *y)
{
  softmax<<<(rows + ROWS - 1) / ROWS, dim3(LANES, ROWS)>>>(rows, d, x, y);
}

#ifndef AUTOTUNE_EXAMPLE_KERNEL_ONLY // benchmarks bring a main of their own
#ifdef AUTOTUNE_EMULATE              // a processor plays the device
enum { SIZE = 20, WIDTH = 1032, LAUNCHES = 3 };
#else
enum { SIZE = 32768, WIDTH = 4096, LAUNCHES = 30 };
#endif

static void check(cudaError_t e)
{
  if (e != cudaSuccess)
    printf("  %s\n", cudaGetErrorString(e)), exit(1);
}

static double seconds()
{
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

// Prints how long the first launch takes on the clock, and the best of later ones on the
// device.
template <class F> static void measure(double bytes, F launch)
{
  cudaEvent_t from, to;
  float best = INFINITY;
  check(cudaEventCreate(&from));
  check(cudaEventCreate(&to));
  double start = seconds();
  launch();
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  printf("  first call   %.6f s\n", seconds() - start);
  for (int i = 0; i < LAUNCHES; i++) {
    float ms = 0;
    check(cudaEventRecord(from));
    launch();
    check(cudaEventRecord(to));
    check(cudaEventSynchronize(to));
    check(cudaEventElapsedTime(&ms, from, to));
    best = fminf(best, ms);
  }
  printf("  later calls  %.6f s   %.1f GB/s\n", best * 1e-3, bytes * 1e-6 / best);
}

// Some rows again in double precision.
static int wrong(int rows, int d, const float *x, const float *y)
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
        return printf("  WRONG ANSWER: y[%d][%d] = %g, not %g\n", i, j, out[j], want);
    }
  }
  return 0;
}

int main(int argc, char **argv)
{
  int rows = argc > 1 ? atoi(argv[1]) : SIZE, d = argc > 2 ? atoi(argv[2]) / 4 * 4 : WIDTH;
  size_t size = (size_t)rows * d, bytes = size * sizeof(float);
  float *x = (float *)malloc(bytes), *y = (float *)malloc(bytes), *d_x, *d_y;
  for (size_t i = 0; i < size; i++)
    x[i] = (int)(i * 7919 % 2003 - 1000) * 0.005f;
  check(cudaMalloc((void **)&d_x, bytes));
  check(cudaMalloc((void **)&d_y, bytes));
  check(cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice));
  check(cudaMemset(d_y, 255, bytes));

  printf("softmax %d x %d\n", rows, d);
  measure(2.0 * bytes, [&] { launch_softmax(rows, d, d_x, d_y); });
  check(cudaMemcpy(y, d_y, bytes, cudaMemcpyDeviceToHost));
  if (wrong(rows, d, x, y))
    return 1;
  printf("  right answer\n");
  check(cudaFree(d_x));
  check(cudaFree(d_y));
  free(x), free(y);
  return 0;
}
#endif
