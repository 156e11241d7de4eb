// SPDX-License-Identifier: Apache-2.0
// 09_flash_attention.cu: out = softmax(Q K' / sqrt(HEAD)) V for each head, in half
// precision or bfloat16, causal or not.
//
// Lesson: templates. One kernel serves four kinds of numbers and heads, and each of its
// instantiations is a kernel of its own, with its own parameters, constraint (which knows
// HEAD) and results. As in FlashAttention-2 (Dao 2023), each warp takes 16 TILES queries
// past all keys, KEYS at a time, and nothing but the softmax's maximum and sum and a
// weighted sum of values is kept, in registers. Strips of K and V come through shared
// memory, STAGES of them at a time, by asynchronous copies. As it matters here which lane
// has which score, the tensor cores are used by two instructions of PTX, `mma` and
// `ldmatrix`, and not by WMMA; for emulation both are written out in C++ below.
//
// exp is exp2 of what was scaled before, one instruction under --use_fast_math.
//
//   nvcc -O3 -arch=native 09_flash_attention.cu && ./a.out
//   autotune cc nvcc -O3 -arch=native 09_flash_attention.cu && ./a.out
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <float.h>
#include <math.h>

#define WARPS 4  // of a block
#define TILES 2  // of 16 queries, in a warp
#define KEYS 64  // keys of a strip
#define STAGES 2 // strips of K and V in shared memory

#define QUERIES (WARPS * TILES * 16)

extern __shared__ int4 pool[];

// ---- two numbers in one register ----

static __device__ __forceinline__ unsigned pair(half, float a, float b)
{
  half2 p = __floats2half2_rn(a, b);
  return *(unsigned *)&p;
}

static __device__ __forceinline__ unsigned pair(__nv_bfloat16, float a, float b)
{
  __nv_bfloat162 p = __floats2bfloat162_rn(a, b);
  return *(unsigned *)&p;
}

// ---- tensor cores: 16 x 8 of C, 16 x 16 of A, 16 x 8 of B, spread over a warp ----
//
// Lane l has of C the elements 2 (l % 4) and the next of rows l / 4 and l / 4 + 8; of A the
// same of its left and then its right half; of B the rows that go with them, of column
// l / 4.

#ifndef AUTOTUNE_EMULATE
static __device__ __forceinline__ void mma(half, float c[4], const unsigned a[4],
                                           unsigned b0, unsigned b1)
{
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
               "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

static __device__ __forceinline__ void mma(__nv_bfloat16, float c[4], const unsigned a[4],
                                           unsigned b0, unsigned b1)
{
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, "
               "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Four 8 x 8 matrices, of which lane l points to row l % 8 of the l / 8-th: as A has them.
static __device__ __forceinline__ void load4(unsigned r[4], const void *row)
{
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((unsigned)__cvta_generic_to_shared(row))
               : "memory");
}

// The same, each transposed: as B has them.
static __device__ __forceinline__ void load4_transposed(unsigned r[4], const void *row)
{
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((unsigned)__cvta_generic_to_shared(row))
               : "memory");
}
#else
static __device__ float number(half x)
{
  return __half2float(x);
}

static __device__ float number(__nv_bfloat16 x)
{
  return __bfloat162float(x);
}

// Through shared memory: what is spread over the warp is put together.
template <class T>
static __device__ void mma(T, float c[4], const unsigned a[4], unsigned b0, unsigned b1)
{
  __shared__ float A[WARPS][16][16], B[WARPS][16][8];
  int lane = threadIdx.x % 32, w = threadIdx.x / 32, row = lane / 4, column = lane % 4 * 2;
  for (int j = 0; j < 2; j++) {
    for (int i = 0; i < 4; i++)
      A[w][row + i % 2 * 8][column + i / 2 * 8 + j] = number(((const T *)&a[i])[j]);
    B[w][column + j][row] = number(((const T *)&b0)[j]);
    B[w][column + j + 8][row] = number(((const T *)&b1)[j]);
  }
  __syncwarp();
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 16; k++)
      c[i] += A[w][row + i / 2 * 8][k] * B[w][k][column + i % 2];
  __syncwarp();
}

static __device__ void load4(unsigned r[4], const void *row)
{
  __shared__ const unsigned *rows[WARPS][32];
  int lane = threadIdx.x % 32, w = threadIdx.x / 32;
  rows[w][lane] = (const unsigned *)row;
  __syncwarp();
  for (int i = 0; i < 4; i++)
    r[i] = rows[w][i * 8 + lane / 4][lane % 4];
  __syncwarp();
}

static __device__ void load4_transposed(unsigned r[4], const void *row)
{
  __shared__ const unsigned short *rows[WARPS][32];
  int lane = threadIdx.x % 32, w = threadIdx.x / 32;
  rows[w][lane] = (const unsigned short *)row;
  __syncwarp();
  for (int i = 0; i < 4; i++)
    r[i] = rows[w][i * 8 + lane % 4 * 2][lane / 4] |
           (unsigned)rows[w][i * 8 + lane % 4 * 2 + 1][lane / 4] << 16;
  __syncwarp();
}
#endif

// ---- shared memory: rows of HEAD numbers, whose pieces of 16 bytes are mixed to spread them
// over the banks ----

template <class T, int HEAD>
static __device__ __forceinline__ T *place(T *strip, int row, int column)
{
  return strip + row * HEAD + ((column / 8) ^ (row % 8)) * 8;
}

// Asks for 16 bytes, or for zeros. (06_hgemm.cu)
template <class T>
static __device__ __forceinline__ void copy16(T *to, const T *from, bool there)
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

// Asks for ROWS rows from FIRST on; zeros beyond the N-th.
template <class T, int HEAD, int ROWS>
static __device__ __forceinline__ void fetch(T *strip, const T *__restrict__ from, int first,
                                             int n)
{
#pragma unroll
  for (int c = 0; c < ROWS * HEAD / 8; c += WARPS * 32) {
    int i = c + threadIdx.x, row = i / (HEAD / 8), column = i % (HEAD / 8) * 8;
    bool there = first + row < n;
    copy16(place<T, HEAD>(strip, row, column),
           there ? from + (size_t)(first + row) * HEAD + column : from, there);
  }
}

// ---- one warp's queries ----

template <class T, int HEAD> struct queries {
  float sum[TILES][HEAD / 8][4];         // of weighted values, not yet divided
  float top[TILES][2], weight[TILES][2]; // the softmax's, of rows l / 4 and l / 4 + 8
};

// score = the warp's part of Q, K'.
template <class T, int HEAD>
static __device__ __forceinline__ void multiply(float score[TILES][KEYS / 8][4], T *q,
                                                T *k)
{
  int lane = threadIdx.x % 32;
#pragma unroll
  for (int d = 0; d < HEAD; d += 16) {
    unsigned a[TILES][4];
#pragma unroll
    for (int t = 0; t < TILES; t++)
      load4(a[t], place<T, HEAD>(q, t * 16 + lane % 16, d + lane / 16 * 8));
#pragma unroll
    for (int j = 0; j < KEYS; j += 16) {
      unsigned b[4];
      load4(b, place<T, HEAD>(k, j + lane / 16 * 8 + lane % 8, d + lane / 8 % 2 * 8));
#pragma unroll
      for (int t = 0; t < TILES; t++) {
        mma(T(), score[t][j / 8], a[t], b[0], b[1]);
        mma(T(), score[t][j / 8 + 1], a[t], b[2], b[3]);
      }
    }
  }
}

// Scores become weights; what was summed so far is scaled to the new maximum.
template <class T, int HEAD>
static __device__ __forceinline__ void soften(queries<T, HEAD> &s,
                                              float score[TILES][KEYS / 8][4], float scale)
{
#pragma unroll
  for (int t = 0; t < TILES; t++)
#pragma unroll
    for (int h = 0; h < 2; h++) { // the upper and the lower row
      float top = s.top[t][h], part = 0;
#pragma unroll
      for (int j = 0; j < KEYS / 8; j++)
        top = fmaxf(top, fmaxf(score[t][j][2 * h], score[t][j][2 * h + 1]));
      top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, 1));
      top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, 2));
      float old = exp2f((s.top[t][h] - top) * scale), shift = top * scale;
      s.top[t][h] = top;
#pragma unroll
      for (int j = 0; j < KEYS / 8; j++)
#pragma unroll
        for (int e = 2 * h; e < 2 * h + 2; e++) {
          score[t][j][e] = exp2f(score[t][j][e] * scale - shift);
          part += score[t][j][e];
        }
      s.weight[t][h] = s.weight[t][h] * old + part;
#pragma unroll
      for (int d = 0; d < HEAD / 8; d++) {
        s.sum[t][d][2 * h] *= old;
        s.sum[t][d][2 * h + 1] *= old;
      }
    }
}

// sum += weights V. The lanes have the weights in the layout that A needs.
template <class T, int HEAD>
static __device__ __forceinline__ void gather(queries<T, HEAD> &s,
                                              const float score[TILES][KEYS / 8][4], T *v)
{
  int lane = threadIdx.x % 32;
#pragma unroll
  for (int j = 0; j < KEYS; j += 16) {
    unsigned a[TILES][4];
#pragma unroll
    for (int t = 0; t < TILES; t++)
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const float *from = &score[t][j / 8 + i / 2][i % 2 * 2];
        a[t][i] = pair(T(), from[0], from[1]);
      }
#pragma unroll
    for (int d = 0; d < HEAD; d += 16) {
      unsigned b[4];
      load4_transposed(b, place<T, HEAD>(v, j + lane % 16, d + lane / 16 * 8));
#pragma unroll
      for (int t = 0; t < TILES; t++) {
        mma(T(), s.sum[t][d / 8], a[t], b[0], b[1]);
        mma(T(), s.sum[t][d / 8 + 1], a[t], b[2], b[3]);
      }
    }
  }
}

// Divides, and writes the N - FIRST rows that there are.
template <class T, int HEAD>
static __device__ __forceinline__ void finish(queries<T, HEAD> &s, T *out, int first, int n)
{
  int lane = threadIdx.x % 32;
#pragma unroll
  for (int t = 0; t < TILES; t++)
#pragma unroll
    for (int h = 0; h < 2; h++) {
      float w = s.weight[t][h];
      w += __shfl_xor_sync(0xffffffff, w, 1);
      w += __shfl_xor_sync(0xffffffff, w, 2);
      float scale = 1 / w;
      int row = first + t * 16 + h * 8 + lane / 4;
      if (row < n)
#pragma unroll
        for (int d = 0; d < HEAD / 8; d++)
          *(unsigned *)(out + (size_t)row * HEAD + d * 8 + lane % 4 * 2) =
              pair(T(), s.sum[t][d][2 * h] * scale, s.sum[t][d][2 * h + 1] * scale);
    }
}

// Q, K, V and out are HEADS matrices of n rows of HEAD numbers.
#pragma autotune kernel param(WARPS: 2, 4, 8) param(TILES: 1, 2) param(KEYS: 32, 64, 128) \
    param(STAGES: 2, 3) flags("--use_fast_math", "") block(32 * WARPS) \
    grid((n + WARPS * TILES * 16 - 1) / (WARPS * TILES * 16), heads) \
    shared(2 * HEAD * (WARPS * TILES * 16 + 2 * STAGES * KEYS)) \
    constraint(2 * HEAD * (WARPS * TILES * 16 + 2 * STAGES * KEYS) <= \
                   AUTOTUNE_SMEM_PER_BLOCK && TILES * (HEAD / 2 + KEYS / 2) <= 192) \
    in(Q[0:heads*n*HEAD], K[0:heads*n*HEAD], V[0:heads*n*HEAD]) out(out[0:heads*n*HEAD]) \
    verify(rtol: 1e-2, atol: 1e-2) flops((CAUSAL ? 2.0 : 4.0) * heads * n * n * HEAD) \
    search(auto, budget: 30s)
template <class T, int HEAD, bool CAUSAL>
__global__ void __launch_bounds__(32 * WARPS)
    attention(int heads, int n, const T *__restrict__ Q, const T *__restrict__ K,
              const T *__restrict__ V, T *__restrict__ out)
{
  T *q = (T *)pool, *strips = q + QUERIES * HEAD;
  size_t head = (size_t)blockIdx.y * n * HEAD;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int tile = CAUSAL ? gridDim.x - 1 - blockIdx.x : blockIdx.x; // the longest begin
  int first = tile * QUERIES, mine = first + warp * TILES * 16;
  int keys = CAUSAL ? min(n, first + QUERIES) : n;
  float scale = 1.44269504f * rsqrtf(HEAD); // log2(e) / sqrt(HEAD)
  queries<T, HEAD> s = {};
#pragma unroll
  for (int t = 0; t < TILES; t++)
    s.top[t][0] = s.top[t][1] = -FLT_MAX;

  fetch<T, HEAD, QUERIES>(q, Q + head, first, n);
#pragma unroll
  for (int i = 0; i < STAGES - 1; i++) {
    if (i * KEYS < keys) {
      fetch<T, HEAD, KEYS>(strips + 2 * i * KEYS * HEAD, K + head, i * KEYS, n);
      fetch<T, HEAD, KEYS>(strips + (2 * i + 1) * KEYS * HEAD, V + head, i * KEYS, n);
    }
    __pipeline_commit();
  }
  for (int at = 0, now = 0; at < keys; at += KEYS, now = now == STAGES - 1 ? 0 : now + 1) {
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads(); // strips NOW are there, and all have done with the ones before
    int ahead = at + (STAGES - 1) * KEYS;
    if (ahead < keys) {
      T *free = strips + (now == 0 ? STAGES - 1 : now - 1) * 2 * KEYS * HEAD;
      fetch<T, HEAD, KEYS>(free, K + head, ahead, n);
      fetch<T, HEAD, KEYS>(free + KEYS * HEAD, V + head, ahead, n);
    }
    __pipeline_commit();

    if (CAUSAL && at >= mine + TILES * 16) // none of these keys counts for this warp
      continue;
    T *k = strips + now * 2 * KEYS * HEAD;
    float score[TILES][KEYS / 8][4] = {};
    multiply<T, HEAD>(score, q + warp * TILES * 16 * HEAD, k);
    if (at + KEYS > n || (CAUSAL && at + KEYS > mine)) // some keys do not count
#pragma unroll
      for (int t = 0; t < TILES; t++)
#pragma unroll
        for (int j = 0; j < KEYS / 8; j++)
#pragma unroll
          for (int e = 0; e < 4; e++) {
            int key = at + j * 8 + lane % 4 * 2 + e % 2;
            int query = mine + t * 16 + lane / 4 + e / 2 * 8;
            if (key >= n || (CAUSAL && key > query))
              score[t][j][e] = -INFINITY;
          }
    soften<T, HEAD>(s, score, scale);
    gather<T, HEAD>(s, score, k + KEYS * HEAD);
  }
  finish<T, HEAD>(s, out + head, mine, n);
}

// Returns what the launch did.
template <class T, int HEAD, bool CAUSAL>
static cudaError_t launch_attention(int heads, int n, const T *q, const T *k, const T *v,
                                    T *out)
{
  int bytes = 2 * HEAD * (QUERIES + 2 * STAGES * KEYS);
  cudaError_t e = cudaFuncSetAttribute(attention<T, HEAD, CAUSAL>,
                                       cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (e != cudaSuccess)
    return e;
  dim3 grid((n + QUERIES - 1) / QUERIES, heads);
  attention<T, HEAD, CAUSAL><<<grid, 32 * WARPS, bytes>>>(heads, n, q, k, v, out);
  return cudaGetLastError();
}

#ifndef AUTOTUNE_EXAMPLE_KERNEL_ONLY // benchmarks bring a main of their own
#include "lesson.h"

// Some queries of some heads, all scores at once, in double precision.
template <class T, int HEAD>
static bool right(int heads, int n, bool causal, const T *q, const T *k, const T *v,
                  const T *out)
{
  for (int h = 0; h < heads; h += 1 + heads / 4)
    for (int i = 0; i < n; i += 1 + n / 37) {
      const T *keys = k + (size_t)h * n * HEAD, *values = v + (size_t)h * n * HEAD;
      size_t row = ((size_t)h * n + i) * HEAD;
      double sum = 0, acc[HEAD] = {};
      for (int j = 0; j < (causal ? i + 1 : n); j++) {
        double s = 0;
        for (int d = 0; d < HEAD; d++)
          s += (double)(float)q[row + d] * (float)keys[(size_t)j * HEAD + d];
        s = exp(s / sqrt(HEAD));
        sum += s;
        for (int d = 0; d < HEAD; d++)
          acc[d] += s * (float)values[(size_t)j * HEAD + d];
      }
      for (int d = 0; d < HEAD; d++)
        if (!(fabs((float)out[row + d] - acc[d] / sum) <= 1e-2))
          return printf("  WRONG ANSWER: head %d, out[%d][%d] = %g, not %g\n", h, i, d,
                        (float)out[row + d], acc[d] / sum), false;
    }
  return true;
}

template <class T> static void fill(array<T> &m, int step)
{
  for (size_t i = 0; i < m.n; i++)
    m[i] = (T)((int)(i * step % 2003 - 1000) * 0.002f);
  m.to_device();
}

template <class T, int HEAD, bool CAUSAL>
static bool attend(const char *type, int heads, int n)
{
  array<T> q((size_t)heads * n * HEAD), k(q.n), v(q.n), out(q.n);
  fill(q, 7919), fill(k, 7921), fill(v, 7923);
  printf("attention %s, head of %d, %s, %d heads, n=%d\n", type, HEAD,
         CAUSAL ? "causal" : "all keys", heads, n);
  measure([&] {
    check(launch_attention<T, HEAD, CAUSAL>(heads, n, q.device, k.device, v.device,
                                            out.device));
  }, 0, (CAUSAL ? 2.0 : 4.0) * heads * n * n * HEAD);
  out.to_host();
  return right<T, HEAD>(heads, n, CAUSAL, q.host, k.host, v.host, out.host);
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 4096, 150), heads = argument(argc, argv, 2, 64, 1);
  return finish(attend<half, 64, false>("fp16", heads, n) &&
                attend<half, 128, true>("fp16", heads, n) &&
                attend<__nv_bfloat16, 128, false>("bf16", heads, n) &&
                attend<__nv_bfloat16, 64, true>("bf16", heads, n));
}
#endif
