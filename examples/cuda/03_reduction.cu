// SPDX-License-Identifier: Apache-2.0
// 03_reduction.cu: the sum of an array.
//
// Lesson: the algorithm as a parameter. Each thread sums what it reads; then there are
// two ways to make one number of a block's: shuffles within a warp and shared memory
// between warps, or a tree in shared memory alone (Harris, "Optimizing parallel reduction
// in CUDA", 2007). `alternative(sum)` makes the second a candidate for the first, and the
// choice a parameter called `algorithm`. Both may use the parameters of `sum`.
//
// How many blocks there are is for us to say, not for the array: grid(...) may ask the
// device how many multiprocessors it has. Whatever there are, they pass over the whole
// array together, and each adds its part to *total. That makes the order of additions, and
// the last digits, change from run to run: verify says how many of them matter. As the
// kernel adds to what is there, *total is `inout`; trials restore it.
//
//   nvcc -O3 -arch=native 03_reduction.cu && ./a.out
//   autotune cc nvcc -O3 -arch=native 03_reduction.cu && ./a.out
#include <cuda_runtime.h>

#define BLOCK 256 // threads of a block
#define PER 4     // accesses of 16 bytes that a thread has in flight
#define BLOCKS 8  // blocks for each multiprocessor

// The sum of what this thread reads: every so many-th element.
static __device__ float own_part(int n, const float *__restrict__ x)
{
  int threads = gridDim.x * BLOCK, first = blockIdx.x * BLOCK + threadIdx.x, i = first;
  float s[PER] = {};
  for (; i + (PER - 1) * threads < n / 4; i += PER * threads) {
    float4 v[PER];
#pragma unroll
    for (int p = 0; p < PER; p++)
      v[p] = ((const float4 *)x)[i + p * threads];
#pragma unroll
    for (int p = 0; p < PER; p++)
      s[p] += (v[p].x + v[p].y) + (v[p].z + v[p].w);
  }
  for (; i < n / 4; i += threads) {
    float4 v = ((const float4 *)x)[i];
    s[0] += (v.x + v.y) + (v.z + v.w);
  }
  if (first < n % 4)
    s[0] += x[n / 4 * 4 + first];
#pragma unroll
  for (int p = 1; p < PER; p++)
    s[0] += s[p];
  return s[0];
}

// x begins at a multiple of 16 bytes.
#pragma autotune kernel param(BLOCK: 128, 256, 512, 1024) param(PER: 1, 2, 4, 8) \
    param(BLOCKS: 1, 2, 4, 8, 16) block(BLOCK) grid(BLOCKS * AUTOTUNE_SMS) \
    in(x[0:n]) inout(total[0:1]) verify(rtol: 1e-4) bytes(4.0 * n)
__global__ void __launch_bounds__(BLOCK)
    sum(int n, const float *__restrict__ x, float *__restrict__ total)
{
  __shared__ float part[BLOCK / 32];
  float s = own_part(n, x);
  for (int d = 16; d > 0; d /= 2)
    s += __shfl_xor_sync(0xffffffff, s, d);
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x < 32) {
    s = threadIdx.x < BLOCK / 32 ? part[threadIdx.x] : 0;
    for (int d = 16; d > 0; d /= 2)
      s += __shfl_xor_sync(0xffffffff, s, d);
    if (threadIdx.x == 0)
      atomicAdd(total, s);
  }
}

#pragma autotune alternative(sum)
__global__ void __launch_bounds__(BLOCK)
    sum_tree(int n, const float *__restrict__ x, float *__restrict__ total)
{
  __shared__ float part[BLOCK];
  part[threadIdx.x] = own_part(n, x);
  for (int d = BLOCK / 2; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d)
      part[threadIdx.x] += part[threadIdx.x + d];
  }
  if (threadIdx.x == 0)
    atomicAdd(total, part[0]);
}

static void launch_sum(int sms, int n, const float *x, float *total)
{
  cudaMemsetAsync(total, 0, sizeof *total);
  sum<<<BLOCKS * sms, BLOCK>>>(n, x, total);
}

#ifndef AUTOTUNE_EXAMPLE_KERNEL_ONLY // benchmarks bring a main of their own
#include "lesson.h"

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, (1 << 29) + 3, 200003), sms = 1;
  array<float> x(n), total(1);
  double expected = 0;
  for (int i = 0; i < n; i++)
    expected += x[i] = i % 1009 * 0.001f;
  x.to_device();
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));

  printf("sum n=%d\n", n);
  measure([&] { launch_sum(sms, n, x.device, total.device); }, 4.0 * n);
  total.to_host();
  bool right = fabs(total[0] - expected) <= 1e-4 * expected;
  if (!right)
    printf("  WRONG ANSWER: %g instead of %g\n", total[0], expected);
  return finish(right);
}
#endif
