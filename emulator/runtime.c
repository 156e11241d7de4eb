/* SPDX-License-Identifier: Apache-2.0 */
/* runtime.c: the runtime API on devices and memory, by the driver's functions.
 * Errors are kept for cudaGetLastError. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator.h"
#include "runtime.h"

_Thread_local int runtime_device;
static _Thread_local cudaError_t last_error;

cudaError_t runtime_error(CUresult e) {
  cudaError_t mine = (cudaError_t)e;
  if (e != CUDA_SUCCESS && e != CUDA_ERROR_NOT_READY)
    last_error = mine;
  return mine;
}

static CUresult runtime_driver(void) {
  return driver_ready() == CUDA_SUCCESS ? CUDA_SUCCESS : driver_initialise();
}

CUresult runtime_ready(struct CUctx_st **c) {
  CUresult e = runtime_driver();
  CUcontext primary;
  if (e != CUDA_SUCCESS)
    return e;
  if (context_current(c) == CUDA_ERROR_INVALID_CONTEXT) {
    struct CUctx_st *mine = context_of(runtime_device);
    if (!mine->retained &&
        (e = cuDevicePrimaryCtxRetain(&primary, runtime_device)) != CUDA_SUCCESS)
      return e;
    context_use(mine);
  }
  return context_current(c);
}

/* ---- errors ---------------------------------------------------------------------- */

EXPORT cudaError_t cudaPeekAtLastError(void) {
  struct CUctx_st *c;
  if (driver_ready() == CUDA_SUCCESS) {
    CUresult e = context_current(&c);
    if (e != CUDA_SUCCESS && e != CUDA_ERROR_INVALID_CONTEXT)
      return (cudaError_t)e; /* such an error stays */
  }
  return last_error;
}

EXPORT cudaError_t cudaGetLastError(void) {
  cudaError_t e = cudaPeekAtLastError();
  last_error = cudaSuccess;
  return e;
}

/* Returns the name and text of E, of the driver or of the runtime only. */
static const struct error_words *words_of(cudaError_t e) {
  static const struct error_words own[] = {
    { cudaErrorInvalidConfiguration, NULL, "cudaErrorInvalidConfiguration",
      "invalid configuration argument" },
    { cudaErrorInvalidSymbol, NULL, "cudaErrorInvalidSymbol", "invalid device symbol" },
    { cudaErrorInvalidMemcpyDirection, NULL, "cudaErrorInvalidMemcpyDirection",
      "invalid copy direction for memcpy" },
    { cudaErrorInvalidDeviceFunction, NULL, "cudaErrorInvalidDeviceFunction",
      "invalid device function" },
  };
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (own[i].number == (int)e)
      return &own[i];
  return error_words((int)e);
}

EXPORT const char *cudaGetErrorName(cudaError_t e) {
  const struct error_words *w = words_of(e);
  return w ? w->runtime : "unrecognized error code";
}

EXPORT const char *cudaGetErrorString(cudaError_t e) {
  const struct error_words *w = words_of(e);
  return w ? w->words : "unrecognized error code";
}

/* ---- devices --------------------------------------------------------------------- */

EXPORT cudaError_t cudaDriverGetVersion(int *version) {
  return runtime_error(cuDriverGetVersion(version));
}
EXPORT cudaError_t cudaRuntimeGetVersion(int *version) {
  return runtime_error(cuDriverGetVersion(version));
}

EXPORT cudaError_t cudaGetDeviceCount(int *n) {
  CUresult e = runtime_driver();
  if (e != CUDA_SUCCESS && n)
    *n = 0;
  return runtime_error(e == CUDA_SUCCESS ? cuDeviceGetCount(n) : e);
}

EXPORT cudaError_t cudaSetDevice(int device) {
  struct CUctx_st *c;
  if (!context_of(device))
    return runtime_error(CUDA_ERROR_INVALID_DEVICE);
  runtime_device = device;
  context_use(context_of(device));
  return runtime_error(runtime_ready(&c));
}

EXPORT cudaError_t cudaGetDevice(int *device) {
  struct CUctx_st *c;
  CUdevice current;
  CUresult e = runtime_ready(&c);
  if (driver_ready() != CUDA_SUCCESS) /* works for a lost device too */
    return runtime_error(e);
  *device = cuCtxGetDevice(&current) == CUDA_SUCCESS ? current : runtime_device;
  return cudaSuccess;
}

EXPORT cudaError_t cudaSetDeviceFlags(unsigned flags) {
  (void)flags;
  return cudaSuccess;
}
EXPORT cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
  (void)config;
  return cudaSuccess;
}
EXPORT cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
  (void)config;
  return cudaSuccess;
}
EXPORT cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  if (!can || !context_of(device) || !context_of(peer))
    return runtime_error(CUDA_ERROR_INVALID_DEVICE);
  *can = device != peer;
  return cudaSuccess;
}

EXPORT cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute,
                                          int device) {
  CUresult e = runtime_driver();
  if (e == CUDA_SUCCESS)
    e = cuDeviceGetAttribute(value, (CUdevice_attribute)attribute, device);
  return runtime_error(e);
}

static int runtime_attribute(enum cudaDeviceAttr which, int device) {
  int value = 0;
  cuDeviceGetAttribute(&value, (CUdevice_attribute)which, device);
  return value;
}

/* The fields of struct cudaDeviceProp that are attributes of the device. */
static const struct {
  size_t at;
  enum cudaDeviceAttr from;
  bool wide;
} fields[] = {
#define INT(field, from) \
  { offsetof(struct cudaDeviceProp, field), cudaDevAttr##from, false }
#define SIZE(field, from) \
  { offsetof(struct cudaDeviceProp, field), cudaDevAttr##from, true }
  SIZE(sharedMemPerBlock, MaxSharedMemoryPerBlock),
  INT(regsPerBlock, MaxRegistersPerBlock),
  INT(warpSize, WarpSize),
  SIZE(memPitch, MaxPitch),
  INT(maxThreadsPerBlock, MaxThreadsPerBlock),
  INT(maxThreadsDim[0], MaxBlockDimX),
  INT(maxThreadsDim[1], MaxBlockDimY),
  INT(maxThreadsDim[2], MaxBlockDimZ),
  INT(maxGridSize[0], MaxGridDimX),
  INT(maxGridSize[1], MaxGridDimY),
  INT(maxGridSize[2], MaxGridDimZ),
  SIZE(totalConstMem, TotalConstantMemory),
  INT(major, ComputeCapabilityMajor),
  INT(minor, ComputeCapabilityMinor),
  INT(multiProcessorCount, MultiProcessorCount),
  INT(canMapHostMemory, CanMapHostMemory),
  INT(asyncEngineCount, AsyncEngineCount),
  INT(unifiedAddressing, UnifiedAddressing),
  INT(memoryBusWidth, GlobalMemoryBusWidth),
  INT(l2CacheSize, L2CacheSize),
  INT(pciDeviceID, PciDeviceId),
  INT(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor),
  SIZE(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor),
  INT(regsPerMultiprocessor, MaxRegistersPerMultiprocessor),
  INT(managedMemory, ManagedMemory),
  INT(concurrentManagedAccess, ConcurrentManagedAccess),
  SIZE(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin),
  SIZE(reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock),
  INT(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor)
#undef INT
#undef SIZE
};

EXPORT cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device) {
  CUresult e = runtime_driver();
  if (e == CUDA_SUCCESS && !context_of(device))
    e = CUDA_ERROR_INVALID_DEVICE;
  if (e != CUDA_SUCCESS)
    return runtime_error(e);
  memset(p, 0, sizeof *p);
  cuDeviceGetName(p->name, sizeof p->name, device);
  cuDeviceGetUuid(&p->uuid, device);
  p->totalGlobalMem = settings_get()->memory;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    int value = runtime_attribute(fields[i].from, device);
    if (fields[i].wide)
      *(size_t *)((char *)p + fields[i].at) = (size_t)value;
    else
      *(int *)((char *)p + fields[i].at) = value;
  }
  return cudaSuccess;
}

/* Returns the driver's function NAME, of its second version if there is one. */
static void *runtime_driver_function(const char *name) {
  char second[80];
  Dl_info info;
  void *self, *found = NULL;
  if (!dladdr((void *)(uintptr_t)&cuInit, &info) ||
      !(self = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD)))
    return NULL;
  if (snprintf(second, sizeof second, "%s_v2", name) < (int)sizeof second)
    found = dlsym(self, second);
  if (!found)
    found = dlsym(self, name);
  dlclose(self);
  return found;
}

EXPORT cudaError_t cudaGetDriverEntryPoint(const char *name, void **function,
                                           unsigned long long flags,
                                           enum cudaDriverEntryPointQueryResult *result) {
  CUresult e = runtime_driver();
  if (e == CUDA_SUCCESS &&
      (!name || !function || flags > cudaEnablePerThreadDefaultStream))
    e = CUDA_ERROR_INVALID_VALUE;
  if (e != CUDA_SUCCESS)
    return runtime_error(e);
  *function = runtime_driver_function(name);
  if (result)
    *result = *function ? cudaDriverEntryPointSuccess
                        : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

EXPORT cudaError_t cudaGetDriverEntryPointByVersion(
    const char *name, void **function, unsigned version, unsigned long long flags,
    enum cudaDriverEntryPointQueryResult *result) {
  (void)version;
  return cudaGetDriverEntryPoint(name, function, flags, result);
}

EXPORT cudaError_t cudaDeviceSynchronize(void) {
  THROUGH(cuCtxSynchronize());
}

/* Frees the device's memory. A lost device stays lost. */
EXPORT cudaError_t cudaDeviceReset(void) {
  struct CUctx_st *c;
  CUresult e = runtime_ready(&c);
  last_error = cudaSuccess;
  if (e != CUDA_SUCCESS)
    return runtime_error(e);
  queue_wait(c, NULL);
  memory_reset(c->device);
  return cudaSuccess;
}

/* ---- memory ---------------------------------------------------------------------- */

static cudaError_t runtime_allocate(void **p, size_t bytes, enum memory_kind kind) {
  struct CUctx_st *c;
  uintptr_t base = 0;
  CUresult e = runtime_ready(&c);
  if (e == CUDA_SUCCESS && !p)
    e = CUDA_ERROR_INVALID_VALUE;
  if (e == CUDA_SUCCESS)
    e = capture_forbids();
  if (e == CUDA_SUCCESS && bytes)
    e = memory_new(c->device, bytes, kind, &base);
  if (e == CUDA_SUCCESS)
    *p = (void *)base;
  return runtime_error(e);
}

EXPORT cudaError_t cudaMalloc(void **p, size_t bytes) {
  return runtime_allocate(p, bytes, MEMORY_DEVICE);
}
EXPORT cudaError_t cudaMallocManaged(void **p, size_t bytes, unsigned flags) {
  if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
    return runtime_error(CUDA_ERROR_INVALID_VALUE);
  return runtime_allocate(p, bytes, MEMORY_MANAGED);
}
EXPORT cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t bytes, size_t rows) {
  *pitch = (bytes + 511) / 512 * 512;
  return runtime_allocate(p, *pitch * rows, MEMORY_DEVICE);
}
EXPORT cudaError_t cudaMallocHost(void **p, size_t bytes) {
  return runtime_allocate(p, bytes, MEMORY_HOST);
}
EXPORT cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned flags) {
  return flags > 7 ? runtime_error(CUDA_ERROR_INVALID_VALUE)
                   : runtime_allocate(p, bytes, MEMORY_HOST);
}
EXPORT cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t s) {
  (void)s;
  return runtime_allocate(p, bytes, MEMORY_DEVICE);
}
EXPORT cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
  struct allocation a;
  if (flags || !memory_find((uintptr_t)host, &a))
    return runtime_error(CUDA_ERROR_INVALID_VALUE);
  *device = host;
  return cudaSuccess;
}

EXPORT cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags) {
  (void)flags;
  THROUGH(memory_register((uintptr_t)p, bytes, c_->device));
}

static cudaError_t give_back(void *p, enum memory_kind kind) {
  struct CUctx_st *c;
  CUresult e = runtime_ready(&c);
  if (e == CUDA_SUCCESS)
    e = capture_forbids();
  if (e == CUDA_SUCCESS && p) {
    queue_wait(c, NULL);
    e = memory_free((uintptr_t)p, kind);
  }
  return runtime_error(e);
}
EXPORT cudaError_t cudaFree(void *p) {
  return give_back(p, MEMORY_DEVICE);
}
EXPORT cudaError_t cudaFreeHost(void *p) {
  return give_back(p, MEMORY_HOST);
}
EXPORT cudaError_t cudaHostUnregister(void *p) {
  return give_back(p, MEMORY_REGISTERED);
}
EXPORT cudaError_t cudaFreeAsync(void *p, cudaStream_t s) {
  (void)s;
  return give_back(p, MEMORY_DEVICE);
}

EXPORT cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
  THROUGH(cuMemGetInfo(available, total));
}

EXPORT cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out,
                                            const void *p) {
  struct CUctx_st *c;
  struct allocation a;
  CUresult e = runtime_ready(&c);
  if (e != CUDA_SUCCESS)
    return runtime_error(e);
  *out = (struct cudaPointerAttributes){ .type = cudaMemoryTypeUnregistered,
                                         .device = -2,
                                         .hostPointer = (void *)p };
  if (!memory_find((uintptr_t)p, &a))
    return cudaSuccess;
  out->type = is_host(a.kind)    ? cudaMemoryTypeHost
      : a.kind == MEMORY_MANAGED ? cudaMemoryTypeManaged
                                 : cudaMemoryTypeDevice;
  out->device = a.device;
  out->devicePointer = (void *)p;
  out->hostPointer = out->type == cudaMemoryTypeDevice ? NULL : (void *)p;
  return cudaSuccess;
}

/* Returns an error unless both sides of the copy are where KIND says. */
static CUresult kind_fits(const struct copy *c, enum cudaMemcpyKind kind) {
  struct allocation a;
  size_t to = c->rows ? (c->rows - 1) * c->to_pitch + c->bytes : 0;
  size_t from = c->rows ? (c->rows - 1) * c->from_pitch + c->bytes : 0;
  bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if ((unsigned)kind > cudaMemcpyDefault)
    return (CUresult)cudaErrorInvalidMemcpyDirection;
  if (to_device || memory_find((uintptr_t)c->to, &a))
    if (!memory_on_device((uintptr_t)c->to, to))
      return CUDA_ERROR_INVALID_VALUE;
  if (from_device || memory_find((uintptr_t)c->from, &a))
    if (!memory_on_device((uintptr_t)c->from, from))
      return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

static cudaError_t copy_any(struct copy copy, enum cudaMemcpyKind kind, cudaStream_t s,
                            bool wait) {
  struct CUctx_st *c;
  if (copy.bytes > copy.to_pitch || copy.bytes > copy.from_pitch)
    return runtime_error(CUDA_ERROR_INVALID_VALUE);
  CUresult e = runtime_ready(&c);
  if (e == CUDA_SUCCESS && copy.bytes && copy.rows)
    e = kind_fits(&copy, kind);
  return runtime_error(e == CUDA_SUCCESS ? copy_queue(c, &copy, s, wait) : e);
}

EXPORT cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind) {
  return copy_any((struct copy){ to, from, bytes, 1, bytes, bytes }, kind, NULL, true);
}
EXPORT cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                   enum cudaMemcpyKind kind, cudaStream_t s) {
  return copy_any((struct copy){ to, from, bytes, 1, bytes, bytes }, kind, s, false);
}
EXPORT cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from,
                                size_t from_pitch, size_t bytes, size_t rows,
                                enum cudaMemcpyKind kind) {
  return copy_any((struct copy){ to, from, bytes, rows, to_pitch, from_pitch }, kind,
                  NULL, true);
}
EXPORT cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                     size_t from_pitch, size_t bytes, size_t rows,
                                     enum cudaMemcpyKind kind, cudaStream_t s) {
  return copy_any((struct copy){ to, from, bytes, rows, to_pitch, from_pitch }, kind, s,
                  false);
}

static cudaError_t set_any(void *p, int value, size_t bytes, size_t rows, size_t pitch,
                           cudaStream_t s) {
  THROUGH(
      set_queue(c_, (uintptr_t)p, (unsigned char)value, bytes, rows, pitch, s, false));
}
EXPORT cudaError_t cudaMemset(void *p, int value, size_t bytes) {
  return set_any(p, value, bytes, 1, 0, NULL);
}
EXPORT cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t s) {
  return set_any(p, value, bytes, 1, 0, s);
}
EXPORT cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t bytes,
                                size_t rows) {
  return set_any(p, value, bytes, rows, pitch, NULL);
}
EXPORT cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, int device,
                                        cudaStream_t s) {
  (void)device, (void)s;
  return runtime_error(memory_on_device((uintptr_t)p, bytes) ? CUDA_SUCCESS
                                                             : CUDA_ERROR_INVALID_VALUE);
}
