// SPDX-License-Identifier: Apache-2.0
// hopper.h: what compute capability 9.0 adds, as functions: barriers in shared memory that
// count bytes, copies of boxes of a tensor (TMA), products of a warpgroup (wgmma), clusters.
// Most are one instruction of PTX; the PTX ISA has the details. nvcc compiles them for
// -arch=sm_90a. In code for other architectures they are empty and HOPPER is not defined; a
// kernel that needs them should __trap() there. (It cannot refuse to compile: nvcc
// -arch=sm_90a makes code for sm_90 as well.) Under `autotune cc --emulate` the emulator does
// the same as a device.
//
// Addresses of shared memory are 32-bit numbers, as in PTX: shared_address(p).
#ifndef HOPPER_H
#define HOPPER_H

#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 900
#undef __cluster_dims__
#define __cluster_dims__(...) // a compiler refuses it for older devices
#endif
#if defined __CUDA_ARCH_FEAT_SM90_ALL || defined AUTOTUNE_EMULATE
#define HOPPER 1 // the instructions are there
#endif
#if defined __CUDA_ARCH_FEAT_SM90_ALL && !defined AUTOTUNE_EMULATE
#define HOPPER_PTX 1
#endif

// A tensor map, CUDA's CUtensorMap: where a tensor is, its shape, and the box that a copy
// moves. Kernels take it as `const __grid_constant__ tensor_map`.
struct alignas(128) tensor_map {
  unsigned long long opaque[16];
};

static __device__ __forceinline__ unsigned shared_address(const void *p)
{
  return (unsigned)__cvta_generic_to_shared(p);
}

// ---- barriers in shared memory: 8 bytes each ------------------------------------------
//
// A phase ends when COUNT arrivals and all expected bytes are there; then the next begins.
// The first phase has parity 0.

static __device__ __forceinline__ void mbarrier_init(unsigned at, unsigned count)
{
#ifdef AUTOTUNE_EMULATE
  autotune_emulate_mbarrier_init(at, count);
#elif defined HOPPER_PTX
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(at), "r"(count) : "memory");
#endif
}

// Makes initialised barriers visible to copies and to the other blocks of the cluster,
// together with a barrier of the block or the cluster.
static __device__ __forceinline__ void mbarrier_init_fence()
{
#ifdef HOPPER_PTX
  asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
#endif
}

// Arrives, and expects BYTES more in this phase.
static __device__ __forceinline__ void mbarrier_expect(unsigned at, unsigned bytes)
{
#ifdef AUTOTUNE_EMULATE
  autotune_emulate_mbarrier_arrive(at, bytes);
#elif defined HOPPER_PTX
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(at), "r"(bytes)
               : "memory");
#endif
}

// Arrives at the barrier of this block, or of another one: cluster_address().
static __device__ __forceinline__ void mbarrier_arrive(unsigned at)
{
#ifdef AUTOTUNE_EMULATE
  autotune_emulate_mbarrier_arrive(at, 0);
#elif defined HOPPER_PTX
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];"
               :
               : "r"(at)
               : "memory");
#endif
}

// Waits until the newest phase of parity PARITY is over. A new barrier is in a phase of parity
// 0, and the phase of parity 1 before it counts as over.
static __device__ __forceinline__ void mbarrier_wait(unsigned at, unsigned parity)
{
#ifdef AUTOTUNE_EMULATE
  autotune_emulate_mbarrier_wait(at, parity);
#elif defined HOPPER_PTX
  asm volatile("{\n"
               ".reg .pred done;\n"
               "again:\n"
               "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
               "@done bra over;\n"
               "bra again;\n"
               "over:\n"
               "}"
               :
               : "r"(at), "r"(parity)
               : "memory");
#endif
}

// bar.sync: waits until THREADS threads of the block are there; ID: 1 to 15.
static __device__ __forceinline__ void named_barrier(unsigned id, unsigned threads)
{
#ifdef AUTOTUNE_EMULATE
  autotune_emulate_named(id, threads, 1);
#elif defined HOPPER_PTX
  asm volatile("bar.sync %0, %1;" : : "r"(id), "r"(threads) : "memory");
#endif
}

// bar.arrive: counts for the threads that wait there, and goes on.
static __device__ __forceinline__ void named_arrive(unsigned id, unsigned threads)
{
#ifdef AUTOTUNE_EMULATE
  autotune_emulate_named(id, threads, 0);
#elif defined HOPPER_PTX
  asm volatile("bar.arrive %0, %1;" : : "r"(id), "r"(threads) : "memory");
#endif
}

// ---- clusters: blocks that reach each other's shared memory ----------------------------

static __device__ __forceinline__ unsigned cluster_rank()
{
  unsigned rank = 0;
#ifdef AUTOTUNE_EMULATE
  rank = autotune_emulate_cluster_rank();
#elif defined HOPPER_PTX
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
  return rank;
}

// The same place in the shared memory of block RANK of the cluster.
static __device__ __forceinline__ unsigned cluster_address(unsigned at, unsigned rank)
{
#ifdef AUTOTUNE_EMULATE
  at = autotune_emulate_peer(at, rank);
#elif defined HOPPER_PTX
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(at), "r"(rank));
#endif
  return at;
}

// Waits until all threads of the cluster are there.
static __device__ __forceinline__ void cluster_sync()
{
#ifdef AUTOTUNE_EMULATE
  autotune_emulate_cluster_arrive();
  autotune_emulate_cluster_wait();
#elif defined HOPPER_PTX
  asm volatile("barrier.cluster.arrive.release.aligned;\n"
               "barrier.cluster.wait.acquire.aligned;"
               :
               :
               : "memory");
#endif
}

// ---- copies by tensor maps --------------------------------------------------------------

static __device__ __forceinline__ void tensor_prefetch(const tensor_map *map)
{
#ifdef HOPPER_PTX
  asm volatile("prefetch.tensormap [%0];" : : "l"(map) : "memory");
#else
  (void)map;
#endif
}

// Copies the box at column X of row Y to shared memory, with zeros for what lies outside of
// the tensor. The barrier gets as many bytes as the box has.
static __device__ __forceinline__ void tensor_load(unsigned to, const tensor_map *map, int x,
                                                   int y, unsigned barrier)
{
#ifdef AUTOTUNE_EMULATE
  int at[] = { x, y };
  autotune_emulate_tensor_load(to, map, at, 2, barrier, 0);
#elif defined HOPPER_PTX
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3}], [%4];"
               :
               : "r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier)
               : "memory");
#endif
}

// The same into all blocks of the cluster that BLOCKS has a bit for, at the same place.
static __device__ __forceinline__ void tensor_load(unsigned to, const tensor_map *map, int x,
                                                   int y, unsigned barrier,
                                                   unsigned short blocks)
{
#ifdef AUTOTUNE_EMULATE
  int at[] = { x, y };
  autotune_emulate_tensor_load(to, map, at, 2, barrier, blocks);
#elif defined HOPPER_PTX
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
               ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
               :
               : "r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier), "h"(blocks)
               : "memory");
#endif
}

// Copies a box out of shared memory; nothing is written outside of the tensor.
static __device__ __forceinline__ void tensor_store(const tensor_map *map, int x, int y,
                                                    unsigned from)
{
#ifdef AUTOTUNE_EMULATE
  int at[] = { x, y };
  autotune_emulate_tensor_store(map, at, 2, from);
#elif defined HOPPER_PTX
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];"
               :
               : "l"(map), "r"(x), "r"(y), "r"(from)
               : "memory");
#endif
}

// Makes a group of the thread's copies out of shared memory since the last one.
static __device__ __forceinline__ void tensor_commit()
{
#ifdef AUTOTUNE_EMULATE
  autotune_emulate_bulk_commit();
#elif defined HOPPER_PTX
  asm volatile("cp.async.bulk.commit_group;" : : : "memory");
#endif
}

// Waits until all of the thread's groups but the last LEFT have read shared memory.
template <int LEFT> static __device__ __forceinline__ void tensor_wait_read()
{
#ifdef AUTOTUNE_EMULATE
  autotune_emulate_bulk_wait(LEFT);
#elif defined HOPPER_PTX
  asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(LEFT) : "memory");
#endif
}

// Makes what the thread has written to shared memory visible to copies and to wgmma.
static __device__ __forceinline__ void shared_fence()
{
#ifdef HOPPER_PTX
  asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
#endif
}

// ---- registers --------------------------------------------------------------------------

// All threads of a warpgroup take registers, up to N each, or give back those beyond N.
template <int N> static __device__ __forceinline__ void registers_take()
{
#ifdef HOPPER_PTX
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(N));
#endif
}
template <int N> static __device__ __forceinline__ void registers_give()
{
#ifdef HOPPER_PTX
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(N));
#endif
}

// ---- products of a warpgroup -------------------------------------------------------------
//
// Sums of 64 x N are spread over 128 threads: d[4 j], d[4 j + 1] of lane L of warp W are in
// row 16 W + L / 4, columns 8 j + 2 (L % 4) and the next; d[4 j + 2], d[4 j + 3] 8 rows below.

// Describes a matrix in shared memory that was loaded with 128-byte swizzle. LEADING: bytes
// between groups of 64 columns, if neighbours lie along the columns, not along the depth.
static __device__ __forceinline__ unsigned long long matrix_at(unsigned at, unsigned leading)
{
  return (unsigned long long)(at >> 4 & 0x3fff) |
         (unsigned long long)(leading >> 4 & 0x3fff) << 16 | 1024ull >> 4 << 32 | 1ull << 62;
}

// Comes before the first product that uses registers which other code has written.
static __device__ __forceinline__ void wgmma_fence()
{
#ifdef HOPPER_PTX
  asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
#endif
}

static __device__ __forceinline__ void wgmma_commit()
{
#ifdef AUTOTUNE_EMULATE
  autotune_emulate_wgmma_commit();
#elif defined HOPPER_PTX
  asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
#endif
}

// Waits for all groups of products but the last LEFT.
template <int LEFT> static __device__ __forceinline__ void wgmma_wait()
{
#ifdef AUTOTUNE_EMULATE
  autotune_emulate_wgmma_wait(LEFT);
#elif defined HOPPER_PTX
  asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(LEFT) : "memory");
#endif
}

// Keeps the compiler from moving uses of sums across a wgmma_wait() before it.
template <int N> static __device__ __forceinline__ void wgmma_hold(float (&d)[N])
{
#ifdef HOPPER_PTX
#pragma unroll
  for (int i = 0; i < N; i++)
    asm volatile("" : "+f"(d[i]) : : "memory");
#else
  (void)d;
#endif
}

// Operands of the instructions below: their numbers, and the sums.
#define WGMMA_10(t)                                                                          \
  "%" t "0, %" t "1, %" t "2, %" t "3, %" t "4, %" t "5, %" t "6, %" t "7, %" t "8, %" t "9, "
#define WGMMA_30 WGMMA_10("") WGMMA_10("1") WGMMA_10("2")
#define WGMMA_60 WGMMA_30 WGMMA_10("3") WGMMA_10("4") WGMMA_10("5")
#define WGMMA_90 WGMMA_60 WGMMA_10("6") WGMMA_10("7") WGMMA_10("8")
#define WGMMA_120 WGMMA_90 WGMMA_10("9") WGMMA_10("10") WGMMA_10("11")
#define WGMMA_D4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define WGMMA_D16(i) WGMMA_D4(i), WGMMA_D4(i + 4), WGMMA_D4(i + 8), WGMMA_D4(i + 12)
#define WGMMA_D32(i) WGMMA_D16(i), WGMMA_D16(i + 16)

// d += A B, or d = A B unless ADD, of halves: A is 64 x 16, its neighbours along the depth;
// B is 16 x 2 N, with neighbours along the depth, or along its columns if MAJOR is 1.
template <int MAJOR, int N>
static __device__ __forceinline__ void wgmma(float (&d)[N], unsigned long long a,
                                             unsigned long long b, bool add)
{
#ifdef AUTOTUNE_EMULATE
  autotune_emulate_wgmma(d, 2 * N, 0, a, b,
                         (MAJOR ? AUTOTUNE_EMULATE_WGMMA_MAJOR_B : 0) |
                             (add ? AUTOTUNE_EMULATE_WGMMA_ADD : 0));
#elif defined HOPPER_PTX
  static_assert(N == 32 || N == 64 || N == 96 || N == 128, "B has 64, 128, 192, 256 columns");
  if constexpr (N == 32)
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %34, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" WGMMA_30 "%30, %31}, "
                 "%32, %33, add, 1, 1, 0, %35;\n}"
                 : WGMMA_D32(0)
                 : "l"(a), "l"(b), "r"((int)add), "n"(MAJOR));
  else if constexpr (N == 64)
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" WGMMA_60
                 "%60, %61, %62, %63}, %64, %65, add, 1, 1, 0, %67;\n}"
                 : WGMMA_D32(0), WGMMA_D32(32)
                 : "l"(a), "l"(b), "r"((int)add), "n"(MAJOR));
  else if constexpr (N == 96)
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %98, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n192k16.f32.f16.f16 {" WGMMA_90
                 "%90, %91, %92, %93, %94, %95}, %96, %97, add, 1, 1, 0, %99;\n}"
                 : WGMMA_D32(0), WGMMA_D32(32), WGMMA_D32(64)
                 : "l"(a), "l"(b), "r"((int)add), "n"(MAJOR));
  else
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %130, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" WGMMA_120
                 "%120, %121, %122, %123, %124, %125, %126, %127}, %128, %129, add, 1, 1, 0, "
                 "%131;\n}"
                 : WGMMA_D32(0), WGMMA_D32(32), WGMMA_D32(64), WGMMA_D32(96)
                 : "l"(a), "l"(b), "r"((int)add), "n"(MAJOR));
#endif
}

#endif
