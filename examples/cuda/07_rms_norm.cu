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
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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
    param(KEEP: 1, 2, 4, 8, 16) flags("", "--use_fast_math") block(LANES, ROWS) \
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
static int wrong(int rows, int d, const float *x, const float *w, const float *y)
{
  for (int i = 0; i < rows; i += 1 + rows / 100) {
    const float *row = x + (size_t)i * d, *out = y + (size_t)i * d;
    double squares = 0;
    for (int j = 0; j < d; j++)
      squares += (double)row[j] * row[j];
    for (int j = 0; j < d; j++) {
      double want = row[j] * w[j] / sqrt(squares / d + 1e-5);
      if (!(fabs(out[j] - want) <= 1e-4 * fabs(want) + 1e-6))
        return printf("  WRONG ANSWER: y[%d][%d] = %g, not %g\n", i, j, out[j], want);
    }
  }
  return 0;
}

int main(int argc, char **argv)
{
  int rows = argc > 1 ? atoi(argv[1]) : SIZE, d = argc > 2 ? atoi(argv[2]) / 4 * 4 : WIDTH;
  size_t size = (size_t)rows * d, bytes = size * sizeof(float);
  float *x = (float *)malloc(bytes), *y = (float *)malloc(bytes);
  float *w = (float *)malloc(sizeof *w * d), *d_x, *d_y, *d_w;
  for (size_t i = 0; i < size; i++)
    x[i] = (int)(i * 7919 % 2003 - 1000) * 0.003f;
  for (int j = 0; j < d; j++)
    w[j] = 1 + 0.5f * cosf(j);
  check(cudaMalloc((void **)&d_x, bytes));
  check(cudaMalloc((void **)&d_y, bytes));
  check(cudaMalloc((void **)&d_w, sizeof *w * d));
  check(cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(d_w, w, sizeof *w * d, cudaMemcpyHostToDevice));
  check(cudaMemset(d_y, 255, bytes));

  printf("rms_norm %d x %d\n", rows, d);
  measure(2.0 * bytes, [&] { launch_rms_norm(rows, d, d_x, d_w, d_y); });
  check(cudaMemcpy(y, d_y, bytes, cudaMemcpyDeviceToHost));
  if (wrong(rows, d, x, w, y))
    return 1;
  printf("  right answer\n");
  check(cudaFree(d_x));
  check(cudaFree(d_y));
  check(cudaFree(d_w));
  free(x), free(y), free(w);
  return 0;
}
#endif
