// SPDX-License-Identifier: Apache-2.0
// 10_spmv.cu: y = A x with a sparse matrix in compressed rows.
//
// Lesson: what is best depends on the data. LANES threads share a row (Bell and Garland,
// "Implementing sparse matrix-vector multiplication on throughput-oriented processors",
// 2009): one thread for each row reads memory in a bad order, a whole warp has nothing to
// do in short rows. Sizes alone do not tell matrices apart, so the number of elements is
// an argument, and a key, as all integer arguments are. Keys and sections are computed by
// the host: they can look at arguments, but not into the device's memory.
//
// The launch asks for LANES threads a row; another number of LANES needs other blocks:
// grid(...) says how many.
//
//   nvcc -O3 -arch=native 10_spmv.cu && ./a.out
//   autotune cc nvcc -O3 -arch=native 10_spmv.cu && ./a.out
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BLOCK 256 // threads of a block
#define LANES 8   // threads of a row
#define AHEAD 1   // elements of a thread in flight

#pragma autotune kernel param(BLOCK: 64, 128, 256, 512) param(LANES: 1, 2, 4, 8, 16, 32) \
    param(AHEAD: 1, 2, 4) block(BLOCK) grid((rows + BLOCK / LANES - 1) / (BLOCK / LANES)) \
    in(start[0:rows+1], column[0:count], value[0:count], x[0:columns]) out(y[0:rows]) \
    verify(rtol: 1e-4, atol: 1e-3) flops(2.0 * count) bytes(8.0 * count + 8.0 * rows)
__global__ void __launch_bounds__(BLOCK)
    spmv(int rows, int columns, int count, const int *__restrict__ start,
         const int *__restrict__ column, const float *__restrict__ value,
         const float *__restrict__ x, float *__restrict__ y)
{
  int row = blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES, lane = threadIdx.x % LANES;
  float s = 0;
  if (row < rows) {
    int i = start[row] + lane, end = start[row + 1];
    for (; i + (AHEAD - 1) * LANES < end; i += AHEAD * LANES) {
      float product[AHEAD];
#pragma unroll
      for (int p = 0; p < AHEAD; p++)
        product[p] = value[i + p * LANES] * x[column[i + p * LANES]];
#pragma unroll
      for (int p = 0; p < AHEAD; p++)
        s += product[p];
    }
    for (; i < end; i += LANES)
      s += value[i] * x[column[i]];
  }
#pragma unroll
  for (int d = LANES / 2; d > 0; d /= 2)
    s += __shfl_xor_sync(0xffffffff, s, d, LANES);
  if (row < rows && lane == 0)
    y[row] = s;
}

static void launch_spmv(int rows, int columns, int count, const int *start,
                        const int *column, const float *value, const float *x, float *y)
{
  int blocks = (rows + BLOCK / LANES - 1) / (BLOCK / LANES);
  spmv<<<blocks, BLOCK>>>(rows, columns, count, start, column, value, x, y);
}

#ifndef AUTOTUNE_EXAMPLE_KERNEL_ONLY // benchmarks bring a main of their own
#ifdef AUTOTUNE_EMULATE              // a processor plays the device
enum { SIZE = 1000, LAUNCHES = 3 };
#else
enum { SIZE = 1 << 21, LAUNCHES = 30 };
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
template <class F> static void measure(double flops, double bytes, F launch)
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
  printf("  later calls  %.6f s   %.1f GFLOP/s, %.1f GB/s\n", best * 1e-3,
         flops * 1e-6 / best, bytes * 1e-6 / best);
}

static unsigned noise(unsigned *state)
{
  *state = *state * 1664525 + 1013904223;
  return *state >> 8;
}

// Row i sums backwards here, in double precision.
static int wrong(int rows, const int *start, const int *column, const float *value,
                 const float *x, const float *y)
{
  for (int i = 0; i < rows; i++) {
    double s = 0, size = 0;
    for (int k = start[i + 1]; k-- > start[i];) {
      s += (double)value[k] * x[column[k]];
      size += fabs((double)value[k] * x[column[k]]);
    }
    if (!(fabs(s - y[i]) <= 1e-5 * (1 + size)))
      return printf("  WRONG ANSWER: y[%d] = %g instead of %g\n", i, y[i], s);
  }
  return 0;
}

// A copy on the device.
template <class T> static T *on_device(const T *host, size_t n)
{
  T *device;
  check(cudaMalloc((void **)&device, sizeof(T) * n));
  check(cudaMemcpy(device, host, sizeof(T) * n, cudaMemcpyHostToDevice));
  return device;
}

int main(int argc, char **argv)
{
  int rows = argc > 1 ? atoi(argv[1]) : SIZE;
  int *start = (int *)malloc(sizeof *start * (rows + 1));
  unsigned state = 1;
  start[0] = 0;
  for (int i = 0; i < rows; i++) // few long rows at the front, many short ones behind
    start[i + 1] = start[i] + 8 + noise(&state) % 16 + 40000 / (i + 40);
  int n = start[rows], *column = (int *)malloc(sizeof *column * n);
  float *value = (float *)malloc(sizeof *value * n);
  float *x = (float *)malloc(sizeof *x * rows), *y = (float *)malloc(sizeof *y * rows);
  for (int i = 0; i < rows; i++) // most near the diagonal
    for (int k = start[i]; k < start[i + 1]; k++) {
      int near = (i + noise(&state) % 1000) % rows;
      column[k] = noise(&state) % 16 ? near : noise(&state) % rows;
      value[k] = (int)(noise(&state) % 100) - 50;
    }
  for (int i = 0; i < rows; i++)
    x[i] = sinf(i), y[i] = -1;

  int *d_start = on_device(start, rows + 1), *d_column = on_device(column, n);
  float *d_value = on_device(value, n), *d_x = on_device(x, rows), *d_y = on_device(y, rows);
  printf("spmv %d rows, %d elements\n", rows, n);
  measure(2.0 * n, 8.0 * n + 12.0 * rows,
          [&] { launch_spmv(rows, rows, n, d_start, d_column, d_value, d_x, d_y); });
  check(cudaMemcpy(y, d_y, sizeof *y * rows, cudaMemcpyDeviceToHost));
  if (wrong(rows, start, column, value, x, y))
    return 1;
  printf("  right answer\n");
  check(cudaFree(d_start)), check(cudaFree(d_column)), check(cudaFree(d_value));
  check(cudaFree(d_x)), check(cudaFree(d_y));
  free(start), free(column), free(value), free(x), free(y);
  return 0;
}
#endif
