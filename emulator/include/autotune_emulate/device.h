/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: the functions of libautotune-emulate.so that compiled kernels call, in C.
 * Programs do not include it: cuda_runtime.h and the other headers here turn CUDA's names
 * into these.
 *
 * A kernel runs in one thread of the host, the device's thread; the kernel's threads are
 * fibres there. Only kernels call the functions declared under "in a kernel". */
#ifndef AUTOTUNE_EMULATE_DEVICE_H
#define AUTOTUNE_EMULATE_DEVICE_H

#pragma GCC system_header

#ifdef __cplusplus
extern "C" {
#endif

#define AUTOTUNE_EMULATE_API __attribute__((visibility("default")))

/* ---- kernels as the library sees them --------------------------------------------- */

/* Calls the kernel at FN with the arguments that ARGS points to, for one thread. */
typedef void autotune_emulate_call_fn(const void *fn, void *const *args);

struct autotune_emulate_kernel {
  const void *fn;
  autotune_emulate_call_fn *call;
  const char *name;
  unsigned n_args;
  const unsigned *sizes; /* bytes of each argument */
};
/* Registers KERNEL, so that cudaLaunchKernel can find it by its address. It must stay
 * valid. Thread-safe. */
AUTOTUNE_EMULATE_API void autotune_emulate_register(
    const struct autotune_emulate_kernel *kernel);

/* From now on launches, copies and fills are done when the call that queues them returns.
 * Thrust's algorithms, which run on the host, need this. */
AUTOTUNE_EMULATE_API void autotune_emulate_wait_each(void);
/* True in the thread that runs a kernel. */
AUTOTUNE_EMULATE_API int autotune_emulate_in_kernel(void);

/* ---- in a kernel ----------------------------------------------------------------- */

/* The dynamic shared memory of the block: the same place for every launch. */
AUTOTUNE_EMULATE_API extern unsigned char *const autotune_emulate_shared;

/* Waits until all threads of the block that have not returned are here. The last of them
 * calls ACT (may be NULL) with each thread's argument, in the order of the threads. */
AUTOTUNE_EMULATE_API void autotune_emulate_block(void (*act)(void *const *args,
                                                             unsigned n),
                                                 void *arg);
/* The same for the lanes in MASK of the caller's warp. LANES are the lanes of MASK that
 * have not returned; ARGS has NULL for all others. */
AUTOTUNE_EMULATE_API void autotune_emulate_warp(
    unsigned mask, void (*act)(void *const *args, unsigned lanes), void *arg);
/* Returns the lanes that are at this place together. Waits until no other lane of the
 * warp can come. */
AUTOTUNE_EMULATE_API unsigned autotune_emulate_active(void);
/* Returns the caller's number in its block. */
AUTOTUNE_EMULATE_API unsigned autotune_emulate_rank(void);
/* Lets other threads of the block run: for loops that wait for them. */
AUTOTUNE_EMULATE_API void autotune_emulate_yield(void);
AUTOTUNE_EMULATE_API long long autotune_emulate_clock(void);

/* Does a cp.async: copies BYTES and sets ZERO bytes after them to 0. Nothing is copied
 * before a wait() that includes the group to which the copy was committed. */
AUTOTUNE_EMULATE_API void autotune_emulate_copy(void *to, const void *from,
                                                unsigned bytes, unsigned zero);
AUTOTUNE_EMULATE_API void autotune_emulate_commit(void);
AUTOTUNE_EMULATE_API void autotune_emulate_wait(unsigned groups_left);

/* Ends the calling thread, as PTX's `exit`. Objects on its stack are not destroyed. */
AUTOTUNE_EMULATE_API void autotune_emulate_exit(void) __attribute__((noreturn));

/* ---- in a kernel, from compute capability 9.0 on ---------------------------------- */

/* AT, TO, FROM and the addresses of mbarriers are shared addresses: those that
 * __cvta_generic_to_shared gives, in dynamic shared memory. Those of another block of the
 * cluster (peer) are for arrivals without bytes, loads and pointers only. A wrong call
 * ends the launch. PTX ISA has the instructions' meaning. */

/* Says at the kernel's beginning that its blocks are in clusters of X x Y x Z, as
 * __cluster_dims__ does. */
AUTOTUNE_EMULATE_API void autotune_emulate_cluster(unsigned x, unsigned y, unsigned z);
AUTOTUNE_EMULATE_API unsigned autotune_emulate_cluster_rank(void);
/* barrier.cluster */
AUTOTUNE_EMULATE_API void autotune_emulate_cluster_arrive(void);
AUTOTUNE_EMULATE_API void autotune_emulate_cluster_wait(void);
/* mapa: the same address in block RANK of the cluster. */
AUTOTUNE_EMULATE_API unsigned autotune_emulate_peer(unsigned at, unsigned rank);
AUTOTUNE_EMULATE_API void *autotune_emulate_shared_pointer(unsigned at);

/* bar.sync ID, THREADS; bar.arrive without WAIT. ID: 1 to 15. */
AUTOTUNE_EMULATE_API void autotune_emulate_named(unsigned id, unsigned threads, int wait);

/* mbarrier: init, expect_tx, arrive.expect_tx (arrive with BYTES 0), a loop of
 * try_wait.parity, one try_wait.parity. */
AUTOTUNE_EMULATE_API void autotune_emulate_mbarrier_init(unsigned at, unsigned count);
AUTOTUNE_EMULATE_API void autotune_emulate_mbarrier_expect(unsigned at, unsigned bytes);
AUTOTUNE_EMULATE_API void autotune_emulate_mbarrier_arrive(unsigned at, unsigned bytes);
AUTOTUNE_EMULATE_API void autotune_emulate_mbarrier_wait(unsigned at, unsigned parity);
AUTOTUNE_EMULATE_API int autotune_emulate_mbarrier_try(unsigned at, unsigned parity);

/* cp.async.bulk.tensor: copies the box at coordinates AT, innermost first, of the tensor
 * that the CUtensorMap MAP describes. BLOCKS: 0, or the blocks of the cluster that get it
 * (multicast). Arrives at the mbarrier; nothing is copied before a thread waits for that.
 * A store is copied when its group is waited for (cp.async.bulk.wait_group, with or
 * without .read). */
AUTOTUNE_EMULATE_API void autotune_emulate_tensor_load(unsigned to, const void *map,
                                                       const int *at, unsigned rank,
                                                       unsigned barrier, unsigned blocks);
AUTOTUNE_EMULATE_API void autotune_emulate_tensor_store(const void *map, const int *at,
                                                        unsigned rank, unsigned from);
AUTOTUNE_EMULATE_API void autotune_emulate_bulk_commit(void);
AUTOTUNE_EMULATE_API void autotune_emulate_bulk_wait(unsigned groups_left);

/* wgmma.mma_async.m64nNk16 of halves (or bfloat16) with sums in float. D: the thread's N
 * / 2 sums. A: REGISTERS, the thread's four, or the descriptor A. DESCRIPTOR: of B.
 * Nothing is computed before the warpgroup waits for the group. */
enum {
  AUTOTUNE_EMULATE_WGMMA_BF16 = 1,
  AUTOTUNE_EMULATE_WGMMA_MAJOR_A = 2, /* A is M-major, not K-major */
  AUTOTUNE_EMULATE_WGMMA_MAJOR_B = 4, /* B is N-major */
  AUTOTUNE_EMULATE_WGMMA_ADD = 8,     /* D += A B, not D = A B */
  AUTOTUNE_EMULATE_WGMMA_REGISTERS = 16
};
AUTOTUNE_EMULATE_API void autotune_emulate_wgmma(float *d, unsigned n,
                                                 const unsigned *registers,
                                                 unsigned long long a,
                                                 unsigned long long descriptor,
                                                 unsigned flags);
AUTOTUNE_EMULATE_API void autotune_emulate_wgmma_commit(void);
AUTOTUNE_EMULATE_API void autotune_emulate_wgmma_wait(unsigned groups_left);

/* Ends the launch, as an illegal instruction or a failed assertion. */
AUTOTUNE_EMULATE_API void autotune_emulate_trap(void) __attribute__((noreturn));
AUTOTUNE_EMULATE_API void autotune_emulate_assert(const char *text, const char *file,
                                                  unsigned line, const char *function)
    __attribute__((noreturn));
/* Does the same in a kernel; in the host's own code it ends the program. */
AUTOTUNE_EMULATE_API void autotune_emulate_failed(const char *text, const char *file,
                                                  unsigned line, const char *function)
    __attribute__((noreturn));

#ifdef __cplusplus
}
#endif
#endif
