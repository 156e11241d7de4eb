/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_runtime.h: CUDA C++ for a compiler for the CPU. Anything that is missing here is
 * not emulated. */
#ifndef AUTOTUNE_EMULATE_CUDA_RUNTIME_H
#define AUTOTUNE_EMULATE_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__ /* programs test by this whether the header was included */

#pragma GCC system_header

#ifdef __cplusplus
/* These headers use __noinline__ and similar words themselves, so they come before CUDA's
 * definitions. */
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <math.h>
#include <stdlib.h>
#endif

#include "cuda_runtime_api.h"

#ifdef __cplusplus
#include "autotune_emulate/call.h"
#include "autotune_emulate/kernel.h"
#include "autotune_emulate/launch.h"

/* A failed assert ends the launch in a kernel, and the program on the host. */
#ifndef NDEBUG
#undef assert
#define assert(e) \
  ((e) ? (void)0 : autotune_emulate_failed(#e, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif

static inline cudaError_t cudaEventCreate(cudaEvent_t *e, unsigned flags) {
  return cudaEventCreateWithFlags(e, flags);
}
template <class T> static inline cudaError_t cudaMalloc(T **p, size_t bytes) {
  return ::cudaMalloc((void **)p, bytes);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaStream_t s) {
  return ::cudaMallocAsync((void **)p, bytes, s);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **p, size_t bytes,
                                            unsigned flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged((void **)p, bytes, flags);
}
template <class T>
static inline cudaError_t cudaMallocHost(T **p, size_t bytes,
                                         unsigned flags = cudaHostAllocDefault) {
  return ::cudaHostAlloc((void **)p, bytes, flags);
}
template <class T>
static inline cudaError_t cudaHostAlloc(T **p, size_t bytes, unsigned flags) {
  return ::cudaHostAlloc((void **)p, bytes, flags);
}

template <class T>
static inline cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t bytes,
                                          size_t rows) {
  return ::cudaMallocPitch((void **)p, pitch, bytes, rows);
}
template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host,
                                                   unsigned flags) {
  return ::cudaHostGetDevicePointer((void **)device, host, flags);
}

template <class T>
static inline cudaError_t cudaGetSymbolAddress(void **p, const T &symbol) {
  cudaError_t e = autotune_emulate_symbol(&symbol, sizeof symbol);
  if (e == cudaSuccess)
    *p = (void *)&symbol;
  return e;
}
template <class T>
static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol) {
  *bytes = sizeof symbol;
  return cudaSuccess;
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from,
                                                  size_t bytes, size_t offset,
                                                  cudaMemcpyKind, cudaStream_t s = 0) {
  return offset > sizeof symbol
      ? cudaErrorInvalidValue
      : autotune_emulate_symbol_copy((char *)&symbol + offset, from, bytes,
                                     sizeof symbol - offset, s, 0);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from,
                                             size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind = cudaMemcpyHostToDevice) {
  return offset > sizeof symbol
      ? cudaErrorInvalidValue
      : autotune_emulate_symbol_copy((char *)&symbol + offset, from, bytes,
                                     sizeof symbol - offset, 0, 1);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol,
                                                    size_t bytes, size_t offset,
                                                    cudaMemcpyKind, cudaStream_t s = 0) {
  return offset > sizeof symbol
      ? cudaErrorInvalidValue
      : autotune_emulate_symbol_copy(to, (const char *)&symbol + offset, bytes,
                                     sizeof symbol - offset, s, 0);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes,
                                               size_t offset = 0,
                                               cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  return offset > sizeof symbol
      ? cudaErrorInvalidValue
      : autotune_emulate_symbol_copy(to, (const char *)&symbol + offset, bytes,
                                     sizeof symbol - offset, 0, 1);
}

/* CUDA 13's forms of functions that took a device's number. */
static inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes,
                                               cudaMemLocation, unsigned,
                                               cudaStream_t s = 0) {
  return ::cudaMemPrefetchAsync(p, bytes, 0, s);
}
static inline cudaError_t cudaMemAdvise(const void *p, size_t bytes,
                                        cudaMemoryAdvise advice, cudaMemLocation) {
  return ::cudaMemAdvise(p, bytes, advice, 0);
}
template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T **p, size_t bytes, cudaMemPool_t pool,
                                                  cudaStream_t s) {
  return ::cudaMallocFromPoolAsync((void **)p, bytes, pool, s);
}

/* Functions that take a kernel by its own type. */
template <class... P>
static inline cudaError_t cudaLaunchKernel(void (*fn)(P...), dim3 grid, dim3 block,
                                           void **args, size_t shared = 0,
                                           cudaStream_t s = 0) {
  return ::cudaLaunchKernel(autotune_emulate::known(fn), grid, block, args, shared, s);
}
template <class... P>
static inline cudaError_t cudaFuncSetAttribute(void (*fn)(P...), cudaFuncAttribute a,
                                               int value) {
  return ::cudaFuncSetAttribute(autotune_emulate::known(fn), a, value);
}
template <class... P>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, void (*fn)(P...)) {
  return ::cudaFuncGetAttributes(a, autotune_emulate::known(fn));
}
template <class... P>
static inline cudaError_t cudaFuncSetCacheConfig(void (*fn)(P...), cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig(autotune_emulate::known(fn), config);
}
template <class... P>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                                        void (*fn)(P...),
                                                                        int threads,
                                                                        size_t shared) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      blocks, autotune_emulate::known(fn), threads, shared);
}
template <class... P>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block,
                                                             void (*fn)(P...),
                                                             size_t shared = 0,
                                                             int limit = 0) {
  int most = 0, blocks = 0, sms = 0, limited = limit > 0 && limit < 1024 ? limit : 1024;
  cudaError_t e = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  *block = 32;
  for (int threads = 32; threads <= limited && e == cudaSuccess; threads += 32) {
    e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fn, threads, shared);
    if (blocks * threads >= most) {
      most = blocks * threads;
      *block = threads;
      *grid = blocks * sms;
    }
  }
  return e;
}
#endif

#endif
