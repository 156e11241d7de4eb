/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_pool.c: the runtime API on pools of memory, advice where memory is to be, and
 * peers. All devices share one memory, so there is nothing to move, and a device has one
 * pool, which gives memory back at once. */
#include "runtime.h"

struct cudaMemPool_st {
  unsigned long long values[8]; /* of the attributes, as set */
};
static struct cudaMemPool_st pools[MAX_DEVICES];

static bool device_there(int device) {
  return device >= 0 && device < settings_get()->devices;
}

EXPORT cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  if (!pool || !device_there(device))
    return runtime_error(CUDA_ERROR_INVALID_VALUE);
  *pool = &pools[device];
  return cudaSuccess;
}
EXPORT cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}

/* Returns the place of an attribute's value. *WIDE: it is of 64 bits, otherwise of 32. */
static unsigned long long *pool_value(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                      bool *wide) {
  if (pool < pools || pool >= pools + MAX_DEVICES || attribute < 1 || attribute > 8)
    return NULL;
  *wide = attribute >= cudaMemPoolAttrReleaseThreshold;
  return &pool->values[attribute - 1];
}

EXPORT cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool,
                                           enum cudaMemPoolAttr attribute, void *value) {
  bool wide;
  unsigned long long *at = pool_value(pool, attribute, &wide);
  if (!at || !value)
    return runtime_error(CUDA_ERROR_INVALID_VALUE);
  *at = wide ? *(unsigned long long *)value : *(unsigned *)value;
  return cudaSuccess;
}
EXPORT cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool,
                                           enum cudaMemPoolAttr attribute, void *value) {
  bool wide;
  const unsigned long long *at = pool_value(pool, attribute, &wide);
  if (!at || !value)
    return runtime_error(CUDA_ERROR_INVALID_VALUE);
  if (wide)
    *(unsigned long long *)value = *at;
  else
    *(unsigned *)value = (unsigned)*at;
  return cudaSuccess;
}
EXPORT cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes) {
  (void)bytes;
  return pool ? cudaSuccess : runtime_error(CUDA_ERROR_INVALID_VALUE);
}
EXPORT cudaError_t cudaMallocFromPoolAsync(void **p, size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t s) {
  return pool ? cudaMallocAsync(p, bytes, s) : runtime_error(CUDA_ERROR_INVALID_VALUE);
}

EXPORT cudaError_t cudaMemAdvise(const void *p, size_t bytes,
                                 enum cudaMemoryAdvise advice, int device) {
  (void)advice, (void)device;
  return memory_on_device((uintptr_t)p, bytes) ? cudaSuccess
                                               : runtime_error(CUDA_ERROR_INVALID_VALUE);
}

EXPORT cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return !flags && device_there(peer) ? cudaSuccess
                                      : runtime_error(CUDA_ERROR_INVALID_DEVICE);
}
EXPORT cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return device_there(peer) ? cudaSuccess : runtime_error(CUDA_ERROR_INVALID_DEVICE);
}
EXPORT cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from,
                                  int from_device, size_t bytes) {
  (void)to_device, (void)from_device;
  return cudaMemcpy(to, from, bytes, cudaMemcpyDefault);
}
EXPORT cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from,
                                       int from_device, size_t bytes, cudaStream_t s) {
  (void)to_device, (void)from_device;
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, s);
}
