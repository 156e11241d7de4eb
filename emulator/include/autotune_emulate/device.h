/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: what compiled kernels ask of libautotune-emulate.so, in C. Programs do not
 * include it: cuda_runtime.h and the other headers beside it turn CUDA's names into
 * these.
 *
 * A kernel runs in one thread of the host, the device's; its threads are fibres there.
 * Functions declared under "in a kernel" are called by kernels alone. */
#ifndef AUTOTUNE_EMULATE_DEVICE_H
#define AUTOTUNE_EMULATE_DEVICE_H

#pragma GCC system_header

#ifdef __cplusplus
extern "C" {
#endif

#define AUTOTUNE_EMULATE_API __attribute__((visibility("default")))

/* ---- what a kernel is, to the library -------------------------------------------- */

/* Calls the kernel at FN with the arguments that ARGS points to, for one thread. */
typedef void autotune_emulate_call_fn(const void *fn, void *const *args);

struct autotune_emulate_kernel {
  const void *fn;
  autotune_emulate_call_fn *call;
  const char *name;
  unsigned n_args;
  const unsigned *sizes; /* bytes of each argument */
};
/* Makes cudaLaunchKernel, which has an address alone, know KERNEL. It stays. Thread-safe.
 */
AUTOTUNE_EMULATE_API void autotune_emulate_register(
    const struct autotune_emulate_kernel *kernel);

/* ---- in a kernel ----------------------------------------------------------------- */

/* The dynamic shared memory of the block: the same place for every launch. */
AUTOTUNE_EMULATE_API extern unsigned char *const autotune_emulate_shared;

/* All threads of the block that have not returned wait for each other. The last to come
 * calls ACT with what each of them gave, in the order of the threads. ACT may be NULL. */
AUTOTUNE_EMULATE_API void autotune_emulate_block(void (*act)(void *const *args,
                                                             unsigned n),
                                                 void *arg);
/* The same for the lanes in MASK of the caller's warp; ARGS has NULL for lanes that do
 * not take part, and LANES is who does: those of MASK that have not returned. */
AUTOTUNE_EMULATE_API void autotune_emulate_warp(
    unsigned mask, void (*act)(void *const *args, unsigned lanes), void *arg);
/* The lanes that are at this place together: it waits until no other lane of the warp can
 * come. */
AUTOTUNE_EMULATE_API unsigned autotune_emulate_active(void);
/* The caller's number in its block. */
AUTOTUNE_EMULATE_API unsigned autotune_emulate_rank(void);
/* Lets other threads of the block run: for loops that wait for them. */
AUTOTUNE_EMULATE_API void autotune_emulate_yield(void);
AUTOTUNE_EMULATE_API long long autotune_emulate_clock(void);

/* cp.async: BYTES are copied, and ZERO bytes after them set to 0, when wait() says that
 * the group they are committed in must have come, not before. */
AUTOTUNE_EMULATE_API void autotune_emulate_copy(void *to, const void *from,
                                                unsigned bytes, unsigned zero);
AUTOTUNE_EMULATE_API void autotune_emulate_commit(void);
AUTOTUNE_EMULATE_API void autotune_emulate_wait(unsigned groups_left);

/* The launch ends here: as an illegal instruction, and as a failed assertion. */
AUTOTUNE_EMULATE_API void autotune_emulate_trap(void) __attribute__((noreturn));
AUTOTUNE_EMULATE_API void autotune_emulate_assert(const char *text, const char *file,
                                                  unsigned line, const char *function)
    __attribute__((noreturn));
/* The same where it may be the host's own code that fails: that ends the program. */
AUTOTUNE_EMULATE_API void autotune_emulate_failed(const char *text, const char *file,
                                                  unsigned line, const char *function)
    __attribute__((noreturn));

#ifdef __cplusplus
}
#endif
#endif
