// SPDX-License-Identifier: Apache-2.0
// 05_sgemm.cu: C = A B in single precision, without tensor cores.
//
// Lesson: tiles within tiles. A block makes BM x BN of C from strips of A and B that lie
// in shared memory, BK deep; a warp makes 4 TM x 8 TN of that; a thread TM x TN, which
// stay in registers while it reads its part of the strips as float4. Two strips of each
// take turns (double buffering): the next is on its way from memory while this one is
// multiplied. All of this is long known (Volkov and Demmel 2008; Nath, Tomov and Dongarra
// 2010; CUTLASS), and which numbers are best is a matter of the device.
//
//   - block(...) takes expressions of parameters, and so do grid and shared;
//   - constraint: what the code below needs (each thread copies as much as any other) is
//     told apart from what the device has (shared memory, threads, registers: a
//     thread has TM TN for C, what is on its way from memory, and some 40);
//   - __launch_bounds__ follows the parameters: RESIDENT blocks on one multiprocessor
//     leave each thread so many registers.
//
//   nvcc -O3 -arch=native 05_sgemm.cu && ./a.out
//   autotune cc nvcc -O3 -arch=native 05_sgemm.cu && ./a.out
#include <cuda_runtime.h>

#define BM 128     // rows of C of a block
#define BN 128     // columns
#define BK 16      // depth of a strip
#define TM 8       // rows of C of a thread
#define TN 8       // columns
#define RESIDENT 2 // blocks on one multiprocessor, at least

#define THREADS (BM / TM * (BN / TN))
#define PITCH (BM + 4)          // of the strip of A, which is transposed
#define STRIP (BK * (PITCH + BN)) // floats of both strips
#define COPIES_A (BM * BK / 4 / THREADS)
#define COPIES_B (BK * BN / 4 / THREADS)

extern __shared__ float strips[];

// The part of the strips of A and B, from column and row AT on, that a thread brings. It
// is in registers until the strips' place is free.
struct transit {
  float4 a[COPIES_A], b[COPIES_B];
};

static __device__ __forceinline__ void fetch(transit &t, int m, int n, int k, int at,
                                             const float *__restrict__ A,
                                             const float *__restrict__ B)
{
  const float4 zero = { 0, 0, 0, 0 };
#pragma unroll
  for (int c = 0; c < COPIES_A; c++) {
    int i = threadIdx.x + c * THREADS, column = at + i % (BK / 4) * 4;
    int row = blockIdx.y * BM + i / (BK / 4);
    bool there = row < m && column < k;
    t.a[c] = there ? *(const float4 *)(A + (size_t)row * k + column) : zero;
  }
#pragma unroll
  for (int c = 0; c < COPIES_B; c++) {
    int i = threadIdx.x + c * THREADS, row = at + i / (BN / 4);
    int column = blockIdx.x * BN + i % (BN / 4) * 4;
    bool there = row < k && column < n;
    t.b[c] = there ? *(const float4 *)(B + (size_t)row * n + column) : zero;
  }
}

static __device__ __forceinline__ void put(const transit &t, float *strip)
{
#pragma unroll
  for (int c = 0; c < COPIES_A; c++) {
    int i = threadIdx.x + c * THREADS;
    float *to = strip + i % (BK / 4) * 4 * PITCH + i / (BK / 4);
    to[0] = t.a[c].x;
    to[PITCH] = t.a[c].y;
    to[2 * PITCH] = t.a[c].z;
    to[3 * PITCH] = t.a[c].w;
  }
#pragma unroll
  for (int c = 0; c < COPIES_B; c++) {
    int i = threadIdx.x + c * THREADS;
    *(float4 *)(strip + BK * PITCH + i * 4) = t.b[c];
  }
}

// A is m x k, B is k x n, C is m x n, all by rows; k and n are multiples of 4.
#pragma autotune kernel param(BM: 64, 128, 256) param(BN: 64, 128, 256) \
    param(BK: 8, 16, 32) param(TM: 4, 8, 16) param(TN: 4, 8, 16) param(RESIDENT: 1, 2, 3) \
    block(BM / TM * (BN / TN)) grid((n + BN - 1) / BN, (m + BM - 1) / BM) \
    shared(8 * BK * (BM + 4 + BN)) \
    constraint(BM % (4 * TM) == 0 && BN % (8 * TN) == 0 && \
               BM * BK % (4 * (BM / TM) * (BN / TN)) == 0 && \
               BN * BK % (4 * (BM / TM) * (BN / TN)) == 0) \
    constraint(BM / TM * (BN / TN) >= 64 && BM / TM * (BN / TN) <= AUTOTUNE_MAX_THREADS && \
               8 * BK * (BM + 4 + BN) <= AUTOTUNE_SMEM_PER_BLOCK && \
               RESIDENT * 8 * BK * (BM + 4 + BN) <= AUTOTUNE_SMEM_PER_SM && TM * TN >= 32 && \
               TM * TN <= 128 && \
               RESIDENT * (BM / TM * (BN / TN) * (TM * TN + 40) + BK * (BM + BN)) <= \
                   AUTOTUNE_REGISTERS) \
    in(A[0:m*k], B[0:k*n]) out(C[0:m*n]) verify(rtol: 1e-4, atol: 1e-3) \
    flops(2.0 * m * n * k) search(auto, budget: 60s)
__global__ void __launch_bounds__(THREADS, RESIDENT)
    sgemm(int m, int n, int k, const float *__restrict__ A, const float *__restrict__ B,
          float *__restrict__ C)
{
  // Lanes of a warp in 4 rows of 8: two rows take turns, so that each half of a warp reads
  // as little as it can at a time.
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int row = warp / (BN / (8 * TN)) * 4 * TM + (lane / 16 * 2 + lane % 2) * 4;
  int column = warp % (BN / (8 * TN)) * 8 * TN + lane % 16 / 2 * 4;
  float sum[TM][TN] = {};
  transit next;

  fetch(next, m, n, k, 0, A, B);
  put(next, strips);
  __syncthreads();
  for (int at = 0, now = 0; at < k; at += BK, now ^= 1) {
    const float *a = strips + now * STRIP + row, *b = strips + now * STRIP + BK * PITCH + column;
    if (at + BK < k)
      fetch(next, m, n, k, at + BK, A, B);
#pragma unroll
    for (int p = 0; p < BK; p++) {
      float x[TM], y[TN];
#pragma unroll
      for (int i = 0; i < TM; i += 4)
        *(float4 *)&x[i] = *(const float4 *)(a + p * PITCH + i * 4);
#pragma unroll
      for (int j = 0; j < TN; j += 4)
        *(float4 *)&y[j] = *(const float4 *)(b + p * BN + j * 8);
#pragma unroll
      for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++)
          sum[i][j] += x[i] * y[j];
    }
    if (at + BK < k)
      put(next, strips + (now ^ 1) * STRIP);
    __syncthreads();
  }

  row += blockIdx.y * BM;
  column += blockIdx.x * BN;
#pragma unroll
  for (int i = 0; i < TM; i++) {
    int r = row + i / 4 * 16 + i % 4;
#pragma unroll
    for (int j = 0; j < TN; j += 4)
      if (r < m && column + j * 8 < n)
        *(float4 *)(C + (size_t)r * n + column + j * 8) =
            make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
  }
}

static void launch_sgemm(int m, int n, int k, const float *A, const float *B, float *C)
{
  dim3 grid((n + BN - 1) / BN, (m + BM - 1) / BM);
  sgemm<<<grid, THREADS, 2 * STRIP * sizeof(float)>>>(m, n, k, A, B, C);
}

#ifndef AUTOTUNE_EXAMPLE_KERNEL_ONLY // benchmarks bring a main of their own
#include "lesson.h"

// Compares some elements with sums made one by one.
static bool right(size_t n, const float *A, const float *B, const float *C)
{
  for (size_t q = 0; q < 2000; q++) {
    size_t i = q * 37 % n, j = q * 101 % n;
    double s = 0;
    for (size_t p = 0; p < n; p++)
      s += (double)A[i * n + p] * B[p * n + j];
    if (!(fabs(s - C[i * n + j]) <= 1e-4 * (1 + fabs(s))))
      return printf("  WRONG ANSWER: C[%zu][%zu] = %g, not %g\n", i, j, C[i * n + j], s), false;
  }
  return true;
}

int main(int argc, char **argv)
{
  int n = (argument(argc, argv, 1, 4096, 132) + 3) / 4 * 4;
  array<float> A((size_t)n * n), B(A.n), C(A.n);
  for (size_t i = 0; i < A.n; i++)
    A[i] = (int)(i * 7 % 13) - 6, B[i] = (int)(i * 5 % 11) - 5;
  A.to_device(), B.to_device();

  printf("sgemm n=%d\n", n);
  measure([&] { launch_sgemm(n, n, n, A.device, B.device, C.device); }, 0, 2.0 * n * n * n);
  C.to_host();
  return finish(right(n, A.host, B.host, C.host));
}
#endif
