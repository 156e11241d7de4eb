/* SPDX-License-Identifier: Apache-2.0 */
/* allocate.c: the driver's functions that allocate and describe memory. */
#include <string.h>

#include "emulator.h"

/* Sets *C to the current context. Returns the error that forbids an allocation, or 0. */
static CUresult allocation_usable(struct CUctx_st **c, const void *out) {
  CUresult e = context_current(c);
  if (e == CUDA_SUCCESS && !out)
    e = CUDA_ERROR_INVALID_VALUE;
  return e == CUDA_SUCCESS ? capture_forbids() : e;
}

/* Frees P, of KIND. NULL is valid, except as the memory of an IPC handle. */
static CUresult allocation_free(uintptr_t p, enum memory_kind kind) {
  struct CUctx_st *c;
  CUresult e = allocation_usable(&c, &p);
  if (e != CUDA_SUCCESS || (!p && kind != MEMORY_OPENED))
    return e;
  queue_wait(c, NULL);
  return memory_free(p, kind);
}

EXPORT CUresult cuMemGetInfo(size_t *available, size_t *total) {
  struct CUctx_st *c;
  CUresult e = context_current(&c);
  if (e != CUDA_SUCCESS)
    return e;
  *total = settings_get()->memory;
  *available = *total - memory_used(c->device);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemAlloc(CUdeviceptr *p, size_t bytes) {
  struct CUctx_st *c;
  uintptr_t base;
  CUresult e = allocation_usable(&c, p);
  if (e == CUDA_SUCCESS &&
      (e = memory_new(c->device, bytes, MEMORY_DEVICE, &base)) == CUDA_SUCCESS)
    *p = base;
  return e;
}

EXPORT CUresult cuMemFree(CUdeviceptr p) {
  return allocation_free((uintptr_t)p, MEMORY_DEVICE);
}

EXPORT CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr p) {
  struct CUctx_st *c;
  struct allocation a;
  CUresult e = context_current(&c);
  if (e != CUDA_SUCCESS)
    return e;
  if (!memory_find((uintptr_t)p, &a) || is_host(a.kind))
    return CUDA_ERROR_NOT_FOUND;
  if (base)
    *base = a.base;
  if (bytes)
    *bytes = a.bytes;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute,
                                      CUdeviceptr p) {
  struct allocation a;
  CUresult e = driver_ready();
  if (e != CUDA_SUCCESS)
    return e;
  if (!data || !memory_find((uintptr_t)p, &a))
    return CUDA_ERROR_INVALID_VALUE;
  bool host = is_host(a.kind);
  switch ((int)attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    *(CUcontext *)data = context_of(a.device);
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *(unsigned *)data = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    *(CUdeviceptr *)data = p;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    if (!host && a.kind != MEMORY_MANAGED)
      return CUDA_ERROR_INVALID_VALUE;
    *(void **)data = (void *)p;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_IS_MANAGED: /* one byte, although the driver's documentation
                                           says bool */
    *(unsigned char *)data = a.kind == MEMORY_MANAGED;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    *(int *)data = a.device;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    *(unsigned char *)data = a.kind == MEMORY_DEVICE;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    *(CUdeviceptr *)data = a.base;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    *(size_t *)data = a.bytes;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuMemHostAlloc(void **p, size_t bytes, unsigned flags) {
  struct CUctx_st *c;
  uintptr_t base;
  CUresult e = allocation_usable(&c, p);
  if (e == CUDA_SUCCESS && flags > 7)
    e = CUDA_ERROR_INVALID_VALUE;
  if (e == CUDA_SUCCESS &&
      (e = memory_new(c->device, bytes, MEMORY_HOST, &base)) == CUDA_SUCCESS)
    *p = (void *)base;
  return e;
}

EXPORT CUresult cuMemFreeHost(void *p) {
  return allocation_free((uintptr_t)p, MEMORY_HOST);
}

EXPORT CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr p) {
  struct CUctx_st *c;
  CUresult e = context_current(&c);
  if (e == CUDA_SUCCESS && fault_due(FAULT_IPC))
    e = CUDA_ERROR_NOT_SUPPORTED;
  if (e == CUDA_SUCCESS && !handle)
    e = CUDA_ERROR_INVALID_VALUE;
  return e == CUDA_SUCCESS ? memory_export((uintptr_t)p, handle) : e;
}

EXPORT CUresult cuIpcOpenMemHandle(CUdeviceptr *p, CUipcMemHandle handle,
                                   unsigned flags) {
  struct CUctx_st *c;
  uintptr_t base;
  CUresult e = allocation_usable(&c, p);
  if (e == CUDA_SUCCESS && fault_due(FAULT_IPC))
    e = CUDA_ERROR_NOT_SUPPORTED;
  if (e == CUDA_SUCCESS && flags > CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
    e = CUDA_ERROR_INVALID_VALUE;
  if (e == CUDA_SUCCESS && (e = memory_import(&handle, c->device, &base)) == CUDA_SUCCESS)
    *p = base;
  return e;
}

EXPORT CUresult cuIpcCloseMemHandle(CUdeviceptr p) {
  return allocation_free((uintptr_t)p, MEMORY_OPENED);
}
