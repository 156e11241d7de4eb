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

#define BLOCK 256 // threads of a block
#define LANES 8   // threads of a row
#define AHEAD 1   // elements of a thread in flight

#pragma autotune kernel param(BLOCK: 64, 128, 256, 512) param(LANES: 1, 2, 4, 8, 16, 32) \
    param(AHEAD: 1, 2, 4) block(BLOCK) grid((rows + BLOCK / LANES - 1) / (BLOCK / LANES)) \
    in(start[0:rows+1], column[0:count], value[0:count], x[0:columns]) out(y[0:rows]) \
    verify(rtol: 1e-4, atol: 1e-3) flops(2.0 * count) \
    bytes(8.0 * count + 8.0 * rows + 4.0 * columns)
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
#include "lesson.h"

static unsigned noise(unsigned *state)
{
  *state = *state * 1664525 + 1013904223;
  return *state >> 8;
}

// Row i sums backwards here, in double precision.
static bool right(int rows, const int *start, const int *column, const float *value,
                  const float *x, const float *y)
{
  for (int i = 0; i < rows; i++) {
    double s = 0, size = 0;
    for (int k = start[i + 1]; k-- > start[i];) {
      s += (double)value[k] * x[column[k]];
      size += fabs((double)value[k] * x[column[k]]);
    }
    if (!(fabs(s - y[i]) <= 1e-5 * (1 + size)))
      return printf("  WRONG ANSWER: y[%d] = %g instead of %g\n", i, y[i], s), false;
  }
  return true;
}

int main(int argc, char **argv)
{
  int rows = argument(argc, argv, 1, 1 << 21, 1000);
  array<int> start(rows + 1);
  unsigned state = 1;
  start[0] = 0;
  for (int i = 0; i < rows; i++) // few long rows at the front, many short ones after them
    start[i + 1] = start[i] + 8 + noise(&state) % 16 + 40000 / (i + 40);
  int n = start[rows];
  array<int> column(n);
  array<float> value(n), x(rows), y(rows);
  for (int i = 0; i < rows; i++) // most near the diagonal
    for (int k = start[i]; k < start[i + 1]; k++) {
      int near = (i + noise(&state) % 1000) % rows;
      column[k] = noise(&state) % 16 ? near : noise(&state) % rows;
      value[k] = (int)(noise(&state) % 100) - 50;
    }
  for (int i = 0; i < rows; i++)
    x[i] = sinf(i);
  start.to_device(), column.to_device(), value.to_device(), x.to_device();

  printf("spmv %d rows, %d elements\n", rows, n);
  measure([&] { launch_spmv(rows, rows, n, start.device, column.device, value.device,
                            x.device, y.device); },
          8.0 * n + 12.0 * rows, 2.0 * n);
  y.to_host();
  return finish(right(rows, start.host, column.host, value.host, x.host, y.host));
}
#endif
