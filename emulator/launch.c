/* SPDX-License-Identifier: Apache-2.0 */
/* launch.c: checks a launch and copies its arguments for the device's thread. */
#include <stdlib.h>
#include <string.h>

#include "emulator.h"

enum { ALIGNED = 128, ARGS_BYTES = 32764 }; /* of arguments: the most that CUDA allows */

struct launching {
  struct operation o;
  struct autotune_emulate_kernel kernel;
  struct extent grid, block;
  size_t shared;
  enum fault fault;
  unsigned args;      /* where the arguments begin, in bytes from the start */
  unsigned offsets[]; /* of each argument, from there */
};

static CUresult launch_injected(enum fault f) {
  return f == FAULT_ILLEGAL ? CUDA_ERROR_ILLEGAL_ADDRESS
      : f == FAULT_TRAP     ? CUDA_ERROR_LAUNCH_FAILED
      : f == FAULT_ASSERT   ? CUDA_ERROR_ASSERT
      : f == FAULT_TIMEOUT  ? CUDA_ERROR_LAUNCH_TIMEOUT
                            : CUDA_SUCCESS;
}

static CUresult launching_run(struct operation *o) {
  struct launching *l = (struct launching *)o;
  if (l->fault)
    return launch_injected(l->fault);
  static _Alignas(ALIGNED) char room[ARGS_BYTES];
  void *args[MAX_ARGS];
  memcpy(room, (char *)l + l->args, l->o.size - l->args);
  for (unsigned i = 0; i < l->kernel.n_args; i++)
    args[i] = room + l->offsets[i];
  struct grid g = { .grid = l->grid,
                    .block = l->block,
                    .shared = l->shared,
                    .call = l->kernel.call,
                    .fn = l->kernel.fn,
                    .args = args,
                    .name = l->kernel.name };
  return grid_run(&g);
}

static bool extent_within(struct extent e, unsigned x, unsigned y, unsigned z) {
  return e.x && e.y && e.z && e.x <= x && e.y <= y && e.z <= z;
}

static CUresult launch_possible(const struct launch *l) {
  if (!extent_within(l->grid, 0x7fffffff, 65535, 65535) ||
      !extent_within(l->block, 1024, 1024, 64))
    return CUDA_ERROR_INVALID_VALUE;
  if ((uint64_t)l->block.x * l->block.y * l->block.z > MAX_THREADS)
    return CUDA_ERROR_INVALID_VALUE;
  if (l->shared > l->shared_limit ||
      l->shared + l->shared_static > (size_t)limits_get()->shared_block)
    return CUDA_ERROR_INVALID_VALUE;
  return fault_due(FAULT_LAUNCH) ? CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES : CUDA_SUCCESS;
}

/* Returns the fault that this launch has by AUTOTUNE_EMULATE. Each kind is counted
 * separately; the first one that is due is returned. */
static enum fault launch_fault(void) {
  enum fault due = FAULT_NONE;
  for (enum fault f = FAULT_ILLEGAL; f <= FAULT_TIMEOUT; f++)
    if (fault_due(f) && !due)
      due = f;
  return due;
}

static size_t launch_aligned(size_t at, size_t size) {
  size_t to = size && size % ALIGNED == 0 ? ALIGNED /* a tensor map */
      : size >= 16                        ? 16
      : size > 4                          ? 8
      : size > 2                          ? 4
      : size > 1                          ? 2
                                          : 1;
  return (at + to - 1) / to * to;
}

CUresult launch_queue(struct CUctx_st *c, const struct launch *l, CUstream stream,
                      void **args) {
  const struct autotune_emulate_kernel *k = l->kernel;
  if (settings_get()->idle)
    return CUDA_SUCCESS;
  CUresult e = launch_possible(l);
  if (e != CUDA_SUCCESS)
    return e;
  if (k->n_args > MAX_ARGS || (k->n_args && !args))
    return CUDA_ERROR_INVALID_VALUE;
  size_t begin = sizeof(struct launching) + k->n_args * sizeof(unsigned), size = 0;
  for (unsigned i = 0; i < k->n_args; i++)
    size = launch_aligned(size, k->sizes[i]) + k->sizes[i];
  if (size > ARGS_BYTES)
    return CUDA_ERROR_INVALID_VALUE;
  struct launching *o = operation_new(begin + size, launching_run);
  if (!o)
    return CUDA_ERROR_OUT_OF_MEMORY;
  o->kernel = *k;
  o->grid = l->grid;
  o->block = l->block;
  o->shared = l->shared;
  o->fault = launch_fault();
  o->args = (unsigned)begin;
  size = 0;
  for (unsigned i = 0; i < k->n_args; i++) {
    size = launch_aligned(size, k->sizes[i]);
    o->offsets[i] = (unsigned)size;
    memcpy((char *)o + begin + size, args[i], k->sizes[i]);
    size += k->sizes[i];
  }
  return queue_add(c, stream, &o->o);
}

int launch_occupancy(size_t shared, int threads) {
  if (threads <= 0 || threads > MAX_THREADS)
    return 0;
  int warps = (threads + WARP - 1) / WARP,
      blocks = limits_get()->threads_sm / (warps * WARP);
  int by_registers = REGISTERS_SM / (REGISTERS_THREAD * warps * WARP);
  int by_shared = (int)((size_t)limits_get()->shared_sm / (shared + 1024));
  if (by_registers < blocks)
    blocks = by_registers;
  if (by_shared < blocks)
    blocks = by_shared;
  return blocks < limits_get()->blocks_sm ? blocks : limits_get()->blocks_sm;
}
