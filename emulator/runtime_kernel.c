/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_kernel.c: the runtime API on variables of the device and on kernels. */
#include <dlfcn.h>

#include "runtime.h"

/* ---- variables ------------------------------------------------------------------- */

EXPORT cudaError_t autotune_emulate_symbol(const void *symbol, size_t bytes) {
  struct CUctx_st *c;
  CUresult e = runtime_ready(&c);
  if (e == CUDA_SUCCESS)
    memory_symbol(symbol, bytes, c->device);
  return runtime_error(e);
}

EXPORT cudaError_t autotune_emulate_symbol_copy(void *to, const void *from, size_t bytes,
                                                size_t room, cudaStream_t s, int wait) {
  struct copy copy = { to, from, bytes, 1, bytes, bytes };
  THROUGH(bytes > room ? CUDA_ERROR_INVALID_VALUE : copy_queue(c_, &copy, s, wait));
}

/* The address of a symbol is known only after the program has asked for it by name. */
static bool symbol_find(const void *symbol, struct allocation *a) {
  return memory_find((uintptr_t)symbol, a) && a->kind == MEMORY_SYMBOL;
}

EXPORT cudaError_t cudaGetSymbolAddress(void **p, const void *symbol) {
  struct allocation a;
  if (!symbol_find(symbol, &a))
    return runtime_error((CUresult)cudaErrorInvalidSymbol);
  *p = (void *)symbol;
  return cudaSuccess;
}
EXPORT cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol) {
  struct allocation a;
  if (!symbol_find(symbol, &a))
    return runtime_error((CUresult)cudaErrorInvalidSymbol);
  *bytes = a.bytes;
  return cudaSuccess;
}

/* ---- kernels --------------------------------------------------------------------- */

static cudaError_t launch_any(const struct autotune_emulate_kernel *k, size_t limit,
                              dim3 grid, dim3 block, size_t shared, cudaStream_t s,
                              void **args) {
  struct CUctx_st *c;
  struct launch l = { .kernel = k,
                      .grid = { grid.x, grid.y, grid.z },
                      .block = { block.x, block.y, block.z },
                      .shared = shared,
                      .shared_limit = limit };
  CUresult e = runtime_ready(&c);
  if (e == CUDA_SUCCESS)
    e = launch_queue(c, &l, s, args);
  if (e == CUDA_ERROR_INVALID_VALUE &&
      shared <= limit) /* the runtime has an error of its own for this */
    e = (CUresult)cudaErrorInvalidConfiguration;
  return runtime_error(e);
}

EXPORT cudaError_t cudaLaunchKernel(const void *fn, dim3 grid, dim3 block, void **args,
                                    size_t shared, cudaStream_t s) {
  struct registered *r = kernel_find(fn);
  if (!r)
    return runtime_error((CUresult)cudaErrorInvalidDeviceFunction);
  return launch_any(&r->kernel, r->shared_limit, grid, block, shared, s, args);
}

EXPORT void autotune_emulate_launch(const struct autotune_emulate_kernel *kernel,
                                    dim3 grid, dim3 block, size_t shared, cudaStream_t s,
                                    void **args) {
  struct registered *r = kernel_find(kernel->fn);
  launch_any(kernel, r ? r->shared_limit : SHARED_STATIC, grid, block, shared, s, args);
}

EXPORT cudaError_t cudaFuncSetAttribute(const void *fn, enum cudaFuncAttribute attribute_,
                                        int value) {
  struct registered *r = kernel_find(fn);
  if (!r)
    return runtime_error((CUresult)cudaErrorInvalidDeviceFunction);
  if (attribute_ == cudaFuncAttributePreferredSharedMemoryCarveout)
    return cudaSuccess;
  if (attribute_ != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
      value > limits_get()->shared_block)
    return runtime_error(CUDA_ERROR_INVALID_VALUE);
  r->shared_limit = (size_t)value;
  return cudaSuccess;
}

EXPORT cudaError_t cudaFuncSetCacheConfig(const void *fn, enum cudaFuncCache config) {
  (void)config;
  return kernel_find(fn) ? cudaSuccess
                         : runtime_error((CUresult)cudaErrorInvalidDeviceFunction);
}

/* The version of code that was compiled for no architecture. CUB chooses the block of a
 * launch by the kernel's version, and its compiled kernels have the sizes of the oldest
 * architecture. So the oldest version is given. */
enum { VERSION_NONE = 50 };

/* True if FN is in the program or in one of its libraries. It may be a kernel that is not
 * registered yet: CUB casts addresses of kernels to `void *`, and asks about them before
 * the first launch. */
static bool kernel_possible(const void *fn) {
  Dl_info info;
  return fn && dladdr(fn, &info) != 0;
}

EXPORT cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *fn) {
  struct registered *r = kernel_find(fn);
  if (!r && !kernel_possible(fn))
    return runtime_error((CUresult)cudaErrorInvalidDeviceFunction);
  *a = (struct cudaFuncAttributes){ .maxThreadsPerBlock = MAX_THREADS,
                                    .numRegs = REGISTERS_THREAD,
                                    .ptxVersion = r ? settings_get()->cc : VERSION_NONE,
                                    .binaryVersion = settings_get()->cc,
                                    .maxDynamicSharedSizeBytes = r ? (int)r->shared_limit
                                                                   : SHARED_STATIC,
                                    .preferredShmemCarveout = -1 };
  return cudaSuccess;
}

EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                                 const void *fn,
                                                                 int threads,
                                                                 size_t shared) {
  if (!kernel_find(fn) && !kernel_possible(fn))
    return runtime_error((CUresult)cudaErrorInvalidDeviceFunction);
  *blocks = launch_occupancy(shared, threads);
  return cudaSuccess;
}
