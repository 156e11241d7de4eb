// SPDX-License-Identifier: Apache-2.0
// 06_hgemm.cu: C = A B in half precision on tensor cores, with a pipeline of copies.
//
// Lesson: a pipeline's depth as a number. Warps multiply 16 x 16 x 16 at a time by WMMA
// (CUDA's own interface to tensor cores), sums are kept in single precision. Tensor cores
// are so fast that memory must be several steps ahead of them: STAGES strips of A and B
// are in shared memory or on their way there by asynchronous copies, which pass no
// register (cp.async; on devices before 8.0 they are plain copies).
//
//   - BM, BN, BK: the block's tile of C, and how deep a strip is; WM, WN: a warp's part
//   - STAGES: more hide more of memory's latency, and leave room for fewer blocks
//   - GROUP: blocks of so many rows of tiles run side by side, so that what they read
//     still lies in the second level cache; it changes nothing but the order
//
// Rows in shared memory are 16 bytes longer than they need be, which spreads them over the
// banks. The toolkit's headers that this file includes are found when it is built; the
// unit that is compiled at run time includes them again.
//
//   nvcc -O3 -arch=native 06_hgemm.cu && ./a.out
//   autotune cc nvcc -O3 -arch=native 06_hgemm.cu && ./a.out
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>

#define BM 128   // rows of C of a block
#define BN 256   // columns
#define BK 32    // depth of a strip
#define WM 64    // rows of C of a warp
#define WN 64    // columns
#define STAGES 3 // strips in shared memory
#define GROUP 8  // rows of tiles side by side

#define WARPS (BM / WM * (BN / WN))
#define PITCH_A (BK + 8)
#define PITCH_B (BN + 8)
#define STRIP (BM * PITCH_A + BK * PITCH_B) // halves of one strip of A and of B
#define PATCH 20 // floats of a row of the 16 x 16 on their way from a warp to C

extern __shared__ int4 pool[];

// Asks for 16 bytes, or for zeros. cuda_pipeline.h needs the number of zeros as a constant:
// there would be two copies and a branch in the loop.
static __device__ __forceinline__ void copy16(half *to, const half *from, bool there)
{
#if __CUDA_ARCH__ >= 800 && !defined AUTOTUNE_EMULATE
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(there ? 16 : 0)
               : "memory");
#else
  __pipeline_memcpy_async(to, from, 16, there ? 0 : 16);
#endif
}

// Asks for the strips of A and B that begin at column and row AT; zeros beyond the edges.
static __device__ __forceinline__ void fetch(half *strip, int m, int n, int k, int top,
                                             int left, int at, const half *__restrict__ A,
                                             const half *__restrict__ B)
{
#pragma unroll
  for (int c = 0; c < BM * BK / 8; c += WARPS * 32) {
    int i = c + threadIdx.x, r = i / (BK / 8), p = i % (BK / 8) * 8;
    bool there = top + r < m && at + p < k;
    copy16(strip + r * PITCH_A + p, there ? A + (size_t)(top + r) * k + at + p : A, there);
  }
#pragma unroll
  for (int c = 0; c < BK * BN / 8; c += WARPS * 32) {
    int i = c + threadIdx.x, p = i / (BN / 8), j = i % (BN / 8) * 8;
    bool there = at + p < k && left + j < n;
    copy16(strip + BM * PITCH_A + p * PITCH_B + j,
           there ? B + (size_t)(at + p) * n + left + j : B, there);
  }
}

// A is m x k, B is k x n, C is m x n, all by rows; k and n are multiples of 8.
#pragma autotune kernel param(BM: 64, 128, 256) param(BN: 64, 128, 256) param(BK: 32, 64) \
    param(WM: 32, 64, 128) param(WN: 32, 64, 128) param(STAGES: 2, 3, 4, 5) \
    param(GROUP: 1, 4, 8, 16) block(32 * (BM / WM) * (BN / WN)) \
    grid(((m + BM - 1) / BM) * ((n + BN - 1) / BN)) \
    shared(2 * STAGES * (BM * (BK + 8) + BK * (BN + 8))) \
    constraint(BM % WM == 0 && BN % WN == 0 && WM * WN <= 64 * 64 && \
               BM / WM * (BN / WN) >= 2 && BM / WM * (BN / WN) <= 16 && \
               BM * BK % (256 * (BM / WM) * (BN / WN)) == 0 && \
               BN * BK % (256 * (BM / WM) * (BN / WN)) == 0) \
    constraint(2 * STAGES * (BM * (BK + 8) + BK * (BN + 8)) <= AUTOTUNE_SMEM_PER_BLOCK && \
               BM / WM * (BN / WN) * (WM * WN + 64 * 32) <= AUTOTUNE_REGISTERS) \
    in(A[0:m*k], B[0:k*n]) out(C[0:m*n]) verify(rtol: 1e-2, atol: 1e-2) \
    flops(2.0 * m * n * k) search(auto, budget: 60s)
__global__ void __launch_bounds__(32 * WARPS)
    hgemm(int m, int n, int k, const half *__restrict__ A, const half *__restrict__ B,
          half *__restrict__ C)
{
  using namespace nvcuda::wmma;
  half *strips = (half *)pool;
  int across = (n + BN - 1) / BN, down = (m + BM - 1) / BM;
  int group = blockIdx.x / (GROUP * across), in_group = blockIdx.x % (GROUP * across);
  int rows = min(GROUP, down - group * GROUP);
  int top = (group * GROUP + in_group % rows) * BM, left = in_group / rows * BN;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int row = warp / (BN / WN) * WM, column = warp % (BN / WN) * WN;

  fragment<accumulator, 16, 16, 16, float> sum[WM / 16][WN / 16];
#pragma unroll
  for (int i = 0; i < WM / 16; i++)
#pragma unroll
    for (int j = 0; j < WN / 16; j++)
      fill_fragment(sum[i][j], 0.0f);

#pragma unroll
  for (int s = 0; s < STAGES - 1; s++) {
    if (s * BK < k)
      fetch(strips + s * STRIP, m, n, k, top, left, s * BK, A, B);
    __pipeline_commit();
  }
  for (int at = 0, now = 0; at < k; at += BK, now = now == STAGES - 1 ? 0 : now + 1) {
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads(); // strip NOW is there, and all have done with the one before
    int ahead = at + (STAGES - 1) * BK;
    if (ahead < k)
      fetch(strips + (now == 0 ? STAGES - 1 : now - 1) * STRIP, m, n, k, top, left, ahead, A,
            B);
    __pipeline_commit();
    const half *a = strips + now * STRIP + row * PITCH_A;
    const half *b = strips + now * STRIP + BM * PITCH_A + column;
#pragma unroll
    for (int p = 0; p < BK; p += 16) {
      fragment<matrix_a, 16, 16, 16, half, row_major> x[WM / 16];
      fragment<matrix_b, 16, 16, 16, half, row_major> y[WN / 16];
#pragma unroll
      for (int i = 0; i < WM / 16; i++)
        load_matrix_sync(x[i], a + i * 16 * PITCH_A + p, PITCH_A);
#pragma unroll
      for (int j = 0; j < WN / 16; j++)
        load_matrix_sync(y[j], b + p * PITCH_B + j * 16, PITCH_B);
#pragma unroll
      for (int i = 0; i < WM / 16; i++)
#pragma unroll
        for (int j = 0; j < WN / 16; j++)
          mma_sync(sum[i][j], x[i], y[j], sum[i][j]);
    }
  }

  // To halves through shared memory: which element is in which register is not specified.
  __pipeline_wait_prior(0);
  __syncthreads();
  float *patch = (float *)pool + warp * 16 * PATCH;
  int r = top + row + lane / 2, c = left + column + lane % 2 * 8;
#pragma unroll
  for (int i = 0; i < WM / 16; i++)
#pragma unroll
    for (int j = 0; j < WN / 16; j++) {
      store_matrix_sync(patch, sum[i][j], PATCH, mem_row_major);
      __syncwarp();
      const float *from = patch + lane / 2 * PATCH + lane % 2 * 8;
      union {
        half2 pair[4];
        int4 all;
      } out;
#pragma unroll
      for (int q = 0; q < 4; q++)
        out.pair[q] = __floats2half2_rn(from[2 * q], from[2 * q + 1]);
      if (r + i * 16 < m && c + j * 16 < n)
        *(int4 *)(C + (size_t)(r + i * 16) * n + c + j * 16) = out.all;
      __syncwarp();
    }
}

// Returns what the launch did.
static cudaError_t launch_hgemm(int m, int n, int k, const half *A, const half *B, half *C)
{
  int bytes = STAGES * STRIP * (int)sizeof(half);
  cudaError_t e = cudaFuncSetAttribute(hgemm, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       bytes); // more than 48 KiB must be asked for
  if (e != cudaSuccess)
    return e;
  hgemm<<<(m + BM - 1) / BM * ((n + BN - 1) / BN), 32 * WARPS, bytes>>>(m, n, k, A, B, C);
  return cudaGetLastError();
}

#ifndef AUTOTUNE_EXAMPLE_KERNEL_ONLY // benchmarks bring a main of their own
#include "lesson.h"

// Compares some elements with sums made one by one.
static bool right(size_t n, const half *A, const half *B, const half *C)
{
  for (size_t q = 0; q < 2000; q++) {
    size_t i = q * 37 % n, j = q * 101 % n;
    double s = 0, c = __half2float(C[i * n + j]);
    for (size_t p = 0; p < n; p++)
      s += (double)__half2float(A[i * n + p]) * __half2float(B[p * n + j]);
    if (!(fabs(s - c) <= 2e-3 * (1 + fabs(s))))
      return printf("  WRONG ANSWER: C[%zu][%zu] = %g, not %g\n", i, j, c, s), false;
  }
  return true;
}

int main(int argc, char **argv)
{
  int n = (argument(argc, argv, 1, 8192, 136) + 7) / 8 * 8;
  array<half> A((size_t)n * n), B(A.n), C(A.n);
  for (size_t i = 0; i < A.n; i++) {
    A[i] = __float2half(((int)(i * 7 % 13) - 6) / 8.0f);
    B[i] = __float2half(((int)(i * 5 % 11) - 5) / 8.0f);
  }
  A.to_device(), B.to_device();

  printf("hgemm n=%d\n", n);
  measure([&] { check(launch_hgemm(n, n, n, A.device, B.device, C.device)); }, 0,
          2.0 * n * n * n);
  C.to_host();
  return finish(right(n, A.host, B.host, C.host));
}
#endif
