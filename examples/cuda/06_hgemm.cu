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
// For compute capability 9.0 there is another way, WGMMA (hopper.h has its instructions).
// One warpgroup does nothing but ask for strips, which come as boxes of 64 columns, and then
// arrive at a barrier by themselves. CONSUMERS warpgroups multiply them from shared memory.
//
//   - CLUSTER: blocks of one column of tiles that get their strips of B together
//   - EPILOGUE: C leaves from registers (0), or as boxes of 64 x 64 through so many buffers
//   - a block takes one tile after another, while the strips of the next are on their way
//
// The kernel as written is the older way, and constraints leave the newer one to devices that
// have it. Tensor maps, which say where the matrices are, are made on the host.
//
//   nvcc -O3 -arch=native 06_hgemm.cu && ./a.out
//   autotune cc nvcc -O3 -arch=native 06_hgemm.cu && ./a.out
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>

#include "hopper.h"

#define WGMMA 0     // 1: the way of compute capability 9.0
#define BM 128      // rows of C of a block
#define BN 256      // columns
#define BK 32       // depth of a strip
#define WM 64       // rows of C of a warp
#define WN 64       // columns
#define STAGES 3    // strips in shared memory
#define GROUP 8     // rows of tiles side by side
#define CLUSTER 1   // blocks of a cluster
#define CONSUMERS 2 // warpgroups that multiply
#define EPILOGUE 2  // buffers of C for each

#define CEIL(a, b) (((a) + (b) - 1) / (b))
// Threads and bytes of shared memory of a block; blocks, if there are SMS multiprocessors.
#define THREADS (WGMMA ? 128 * (CONSUMERS + 1) : 32 * (BM / WM) * (BN / WN))
#define STRIPS (WGMMA ? (BM + BN) * BK : BM * (BK + 8) + BK * (BN + 8))
#define BYTES (STAGES * STRIPS * 2 + (WGMMA ? BYTES_MORE : 0))
#define BYTES_MORE (1024 + CONSUMERS * EPILOGUE * 8192 + STAGES * 16)
#define TILES (CEIL(m, BM * CLUSTER) * CEIL(n, BN))
#define BLOCKS(sms) \
  (CLUSTER * (!WGMMA || TILES < (sms) / CLUSTER ? TILES : (sms) / CLUSTER))

#if WGMMA
// ---- compute capability 9.0 -------------------------------------------------------------

#define ROWS (BM / CONSUMERS) // of C, of a warpgroup
#define STRIP (2 * (BM + BN) * BK) // bytes
#define BOX_BYTES (64 * 128)       // of 64 x 64 halves

// Where the I-th of the clusters' tiles begins, in the block of that rank.
static __device__ __forceinline__ void tile_at(int i, int m, int n, int rank, int &top,
                                               int &left)
{
  int across = CEIL(n, BN), down = CEIL(m, BM * CLUSTER);
  int group = i / (GROUP * across), in_group = i % (GROUP * across);
  int rows = min(GROUP, down - group * GROUP);
  top = ((group * GROUP + in_group % rows) * CLUSTER + rank) * BM;
  left = in_group / rows * BN;
}

// A place in the ring of strips, and the parity of its barriers' phases.
struct place {
  unsigned slot, parity;
};
static __device__ __forceinline__ void advance(place &p)
{
  p.slot = p.slot == STAGES - 1 ? 0 : p.slot + 1;
  p.parity ^= p.slot == 0;
}

// Asks for strips, as long as there is room. They come in boxes of 64 columns, one after
// another. The blocks of a cluster ask for a part of B each, and all get it.
static __device__ __forceinline__ void produce(int m, int n, int k, const tensor_map *A,
                                               const tensor_map *B, unsigned strips,
                                               unsigned full, unsigned empty, int rank)
{
  place p = { 0, 0 };
  for (int t = blockIdx.x / CLUSTER; t < TILES; t += gridDim.x / CLUSTER) {
    int top, left;
    tile_at(t, m, n, rank, top, left);
    for (int at = 0; at < k; at += BK, advance(p)) {
      unsigned a = strips + p.slot * STRIP, b = a + 2 * BM * BK, barrier = full + 8 * p.slot;
      mbarrier_wait(empty + 8 * p.slot, p.parity ^ 1);
      mbarrier_expect(barrier, STRIP);
#pragma unroll
      for (int i = 0; i < BK / 64; i++)
        tensor_load(a + i * BM * 128, A, at + 64 * i, top, barrier);
#pragma unroll
      for (int i = 0; i < BN / 64 / CLUSTER; i++) {
        int j = i + rank * (BN / 64 / CLUSTER);
        if (CLUSTER > 1)
          tensor_load(b + j * BK * 128, B, left + 64 * j, at, barrier,
                      (unsigned short)((1 << CLUSTER) - 1));
        else
          tensor_load(b + j * BK * 128, B, left + 64 * j, at, barrier);
      }
    }
  }
}

// Tells the producers that the calling warp has read a strip. Each block of the cluster fills a
// part of it, so the warp arrives at the barrier of the strip in each of them.
static __device__ __forceinline__ void release(unsigned empty, unsigned slot)
{
  unsigned lane = threadIdx.x % 32;
  if (lane < CLUSTER)
    mbarrier_arrive(CLUSTER > 1 ? cluster_address(empty + 8 * slot, lane) : empty + 8 * slot);
}

// Multiplies the strips of one tile: this warpgroup's rows of A begin at ROW of the block's.
static __device__ __forceinline__ void multiply(int k, float (&sum)[ROWS / 64][BN / 2],
                                                place &p, int row, unsigned strips,
                                                unsigned full, unsigned empty)
{
  unsigned last = 0;
  for (int at = 0; at < k; at += BK) {
    unsigned a = strips + p.slot * STRIP + row * 128, b = strips + p.slot * STRIP + 2 * BM * BK;
    mbarrier_wait(full + 8 * p.slot, p.parity);
    wgmma_fence();
#pragma unroll
    for (int d = 0; d < BK; d += 16)
#pragma unroll
      for (int i = 0; i < ROWS / 64; i++)
        wgmma<1>(sum[i], matrix_at(a + i * BOX_BYTES + d / 64 * BM * 128 + d % 64 * 2, 0),
                 matrix_at(b + d * 128, BK * 128), at > 0 || d > 0);
    wgmma_commit();
    wgmma_wait<1>(); // the products of the strip before are there
    if (at > 0)
      release(empty, last);
    last = p.slot;
    advance(p);
  }
  wgmma_wait<0>();
#pragma unroll
  for (int i = 0; i < ROWS / 64; i++)
    wgmma_hold(sum[i]);
  release(empty, last);
}

// Two sums as halves.
static __device__ __forceinline__ unsigned pair_of(const float *sum)
{
  union {
    half2 pair;
    unsigned all;
  } out;
  out.pair = __floats2half2_rn(sum[0], sum[1]);
  return out.all;
}

#if EPILOGUE
// Copies sums to C, as boxes from TOP, LEFT on, through EPILOGUE buffers in turn. PATCH: the
// warpgroup's buffers. The units of 16 bytes lie as the copy expects them with swizzle.
static __device__ __forceinline__ void copy_out(const float (&sum)[BN / 2], int top, int left,
                                                const tensor_map *C, char *patch, int &turn)
{
  int group = threadIdx.x / 128, warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
  bool first = threadIdx.x % 128 == 0;
#pragma unroll
  for (int q = 0; q < BN / 64; q++) {
    char *to = patch + turn * BOX_BYTES + (16 * warp + lane / 4) * 128 + lane % 4 * 4;
    if (first)
      tensor_wait_read<EPILOGUE - 1>(); // the buffer has been read
    named_barrier(group, 128);
#pragma unroll
    for (int j = 0; j < 16; j++)
      *(unsigned *)(to + j % 2 * 1024 + ((j / 2 ^ lane / 4) << 4)) =
          pair_of(sum + 32 * q + 2 * j);
    shared_fence();
    named_barrier(group, 128);
    if (first) {
      tensor_store(C, left + 64 * q, top, shared_address(patch + turn * BOX_BYTES));
      tensor_commit();
    }
    turn = turn == EPILOGUE - 1 ? 0 : turn + 1;
  }
}
#else
// Writes sums to C; those of this thread begin at TOP, LEFT.
static __device__ __forceinline__ void write(int m, int n, const float (&sum)[BN / 2],
                                             int top, int left, half *__restrict__ C)
{
#pragma unroll
  for (int j = 0; j < BN / 4; j++) {
    int r = top + j % 2 * 8, c = left + j / 2 * 8;
    if (r < m && c < n)
      *(unsigned *)(C + (size_t)r * n + c) = pair_of(sum + 2 * j);
  }
}
#endif

static __device__ __forceinline__ void consume(int m, int n, int k, const tensor_map *to,
                                               half *__restrict__ C, unsigned strips,
                                               char *patches, unsigned full, unsigned empty,
                                               int rank)
{
  float sum[ROWS / 64][BN / 2];
  place p = { 0, 0 };
  int row = (threadIdx.x / 128 - 1) * ROWS;
#if EPILOGUE
  int turn = 0; // the buffer to be filled next
#endif
  for (int t = blockIdx.x / CLUSTER; t < TILES; t += gridDim.x / CLUSTER) {
    int top, left;
    tile_at(t, m, n, rank, top, left);
    multiply(k, sum, p, row, strips, full, empty);
#pragma unroll
    for (int i = 0; i < ROWS / 64; i++) {
#if EPILOGUE
      copy_out(sum[i], top + row + 64 * i, left, to,
               patches + (threadIdx.x / 128 - 1) * EPILOGUE * BOX_BYTES, turn);
#else
      int lane = threadIdx.x % 32;
      write(m, n, sum[i],
            top + row + 64 * i + threadIdx.x / 32 % 4 * 16 + lane / 4, left + lane % 4 * 2, C);
#endif
    }
  }
#if EPILOGUE
  if (threadIdx.x % 128 == 0)
    tensor_wait_read<0>();
#endif
}

static __device__ __forceinline__ void multiply_all(int m, int n, int k, half *__restrict__ C,
                                                    const tensor_map *map_a,
                                                    const tensor_map *map_b,
                                                    const tensor_map *map_c)
{
  extern __shared__ int4 pool[];
  char *base = (char *)pool + (1024 - shared_address(pool) % 1024) % 1024;
  char *patches = base + STAGES * STRIP;
  unsigned strips = shared_address(base);
  unsigned full = shared_address(patches + CONSUMERS * EPILOGUE * BOX_BYTES);
  unsigned empty = full + 8 * STAGES;
  int rank = CLUSTER > 1 ? (int)cluster_rank() : 0;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      mbarrier_init(full + 8 * s, 1);
      mbarrier_init(empty + 8 * s, 4 * CONSUMERS * CLUSTER); // each warp that multiplies
    }
    mbarrier_init_fence();
    tensor_prefetch(map_a);
    tensor_prefetch(map_b);
  }
  if (CLUSTER > 1)
    cluster_sync();
  else
    __syncthreads();
  if (threadIdx.x < 128) {
    if (CONSUMERS > 1) // a single one can have 255 as it is
      registers_give<40>();
    if (threadIdx.x == 0)
      produce(m, n, k, map_a, map_b, strips, full, empty, rank);
    __syncwarp();
  } else {
    if (CONSUMERS > 1)
      registers_take<232>();
    consume(m, n, k, map_c, C, strips, patches, full, empty, rank);
  }
  if (CLUSTER > 1)
    cluster_sync(); // others may still write to this block's shared memory
}

#else
// ---- older devices ----------------------------------------------------------------------

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

static __device__ __forceinline__ void multiply_all(int m, int n, int k,
                                                    const half *__restrict__ A,
                                                    const half *__restrict__ B,
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
#endif

#include "tensor_map.h"

// A is m x k, B is k x n, C is m x n, all by rows; k and n are multiples of 8. The maps
// describe them, with a box that a copy moves: its size is one of the parameters, so the host
// makes a map for each. The 1 in __launch_bounds__ makes a compiler give each thread all the
// registers that there are for it, which setmaxnreg then exchanges.
#pragma autotune kernel param(WGMMA: 0, 1) param(BM: 64, 128, 256) \
    param(BN: 64, 128, 192, 256) param(BK: 32, 64, 128) param(WM: 32, 64, 128) \
    param(WN: 32, 64, 128) param(STAGES: 2, 3, 4, 5) param(GROUP: 1, 4, 8, 16) \
    param(CLUSTER: 1, 2) param(CONSUMERS: 1, 2) param(EPILOGUE: 0, 1, 2) block(THREADS) \
    grid(BLOCKS(AUTOTUNE_SMS)) shared(BYTES) \
    constraint(BYTES <= AUTOTUNE_SMEM_PER_BLOCK) \
    constraint(!WGMMA || (k > 0 && k % 8 == 0 && n % 8 == 0)) \
    constraint(WGMMA || (CLUSTER == 1 && CONSUMERS == 2 && EPILOGUE == 2 && BK <= 64)) \
    constraint(WGMMA || (BM % WM == 0 && BN % WN == 0 && WM * WN <= 64 * 64 && \
                         BM / WM * (BN / WN) >= 2 && BM / WM * (BN / WN) <= 16 && \
                         BM * BK % (256 * (BM / WM) * (BN / WN)) == 0 && \
                         BN * BK % (256 * (BM / WM) * (BN / WN)) == 0 && \
                         BM / WM * (BN / WN) * (WM * WN + 64 * 32) <= AUTOTUNE_REGISTERS)) \
    constraint(!WGMMA || (AUTOTUNE_CC == 90 && WM == 64 && WN == 64 && BK >= 64 && \
                          STAGES >= 3 && BM % (64 * CONSUMERS) == 0 && \
                          BN % (64 * CLUSTER) == 0 && BM / CONSUMERS * BN <= 64 * 256)) \
    in(A[0:m*k], B[0:k*n]) out(C[0:m*n]) verify(rtol: 1e-2, atol: 1e-2) \
    flops(2.0 * m * n * k) search(auto, budget: 60s) \
    prepare(map_a = tensor_map_of(A, m, k, BM), map_b = tensor_map_of(B, k, n, BK), \
            map_c = tensor_map_of(C, m, n, 64))
__global__ void __launch_bounds__(THREADS, 1) __cluster_dims__(CLUSTER, 1, 1)
    hgemm(int m, int n, int k, const half *__restrict__ A, const half *__restrict__ B,
          half *__restrict__ C, const __grid_constant__ tensor_map map_a,
          const __grid_constant__ tensor_map map_b, const __grid_constant__ tensor_map map_c)
{
#if WGMMA
#if defined __CUDA_ARCH__ && !defined HOPPER
  __trap(); // code for sm_90, not for sm_90a, lacks the instructions
#endif
  multiply_all(m, n, k, C, &map_a, &map_b, &map_c);
#else
  multiply_all(m, n, k, A, B, C);
#endif
}

// Returns what the launch did. WGMMA needs tensor maps, which there are for k > 0 only.
static cudaError_t launch_hgemm(int m, int n, int k, const half *A, const half *B, half *C)
{
  tensor_map map_a = tensor_map_of(A, m, k, BM), map_b = tensor_map_of(B, k, n, BK);
  tensor_map map_c = tensor_map_of(C, m, n, 64);
  bool valid =
      tensor_map_valid(map_a) && tensor_map_valid(map_b) && tensor_map_valid(map_c);
  if (k % 8 != 0 || n % 8 != 0 || (WGMMA && !valid))
    return cudaErrorInvalidValue;
  cudaError_t e = cudaFuncSetAttribute(hgemm, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       BYTES); // more than 48 KiB must be asked for
  if (e != cudaSuccess)
    return e;
  hgemm<<<CLUSTER * TILES, THREADS, BYTES>>>(m, n, k, A, B, C, map_a, map_b, map_c);
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
