/* SPDX-License-Identifier: Apache-2.0 */
/* copy.c: copies and fills memory of the device and of the host. Both are the same memory
 * here; only the checks differ: device memory must lie in one allocation. */
#include <string.h>

#include "emulator.h"

struct copying {
  struct operation o;
  struct copy copy;
};
struct setting {
  struct operation o;
  unsigned char *p, value;
  size_t bytes, rows, pitch;
};

static CUresult copying_run(struct operation *o) {
  const struct copy *c = &((struct copying *)o)->copy;
  if (c->rows == 1)
    memmove(c->to, c->from, c->bytes);
  else
    for (size_t i = 0; i < c->rows; i++)
      memcpy((char *)c->to + i * c->to_pitch, (const char *)c->from + i * c->from_pitch,
             c->bytes);
  return CUDA_SUCCESS;
}

static CUresult setting_run(struct operation *o) {
  const struct setting *s = (struct setting *)o;
  for (size_t i = 0; i < s->rows; i++)
    memset(s->p + i * s->pitch, s->value, s->bytes);
  return CUDA_SUCCESS;
}

/* True if P is in memory of the host that the program may change once the call has
 * returned. */
static bool copy_pageable(const void *p) {
  struct allocation a;
  return !memory_find((uintptr_t)p, &a);
}

CUresult copy_queue(struct CUctx_st *c, const struct copy *copy, CUstream stream,
                    bool wait) {
  if (wait) {
    CUresult e = capture_forbids();
    if (e != CUDA_SUCCESS)
      return e;
  }
  if (fault_due(FAULT_COPY))
    return CUDA_ERROR_INVALID_VALUE;
  if (!copy->bytes || !copy->rows)
    return CUDA_SUCCESS;
  struct copying *o = operation_new(sizeof *o, copying_run);
  if (!o)
    return CUDA_ERROR_OUT_OF_MEMORY;
  o->copy = *copy;
  stream = stream_of(c, stream);
  CUresult e = queue_add(c, stream, &o->o);
  if (e == CUDA_SUCCESS && stream->capture == CU_STREAM_CAPTURE_STATUS_NONE &&
      (wait || copy_pageable(copy->to) || copy_pageable(copy->from)))
    e = queue_wait(c, stream);
  return e;
}

CUresult set_queue(struct CUctx_st *c, uintptr_t p, unsigned char value, size_t bytes,
                   size_t rows, size_t pitch, CUstream stream, bool wait) {
  if (fault_due(FAULT_COPY))
    return CUDA_ERROR_INVALID_VALUE;
  if (!bytes || !rows)
    return CUDA_SUCCESS;
  if (!memory_on_device(p, (rows - 1) * pitch + bytes))
    return CUDA_ERROR_INVALID_VALUE;
  struct setting *o = operation_new(sizeof *o, setting_run);
  if (!o)
    return CUDA_ERROR_OUT_OF_MEMORY;
  o->p = (unsigned char *)p;
  o->value = value;
  o->bytes = bytes;
  o->rows = rows;
  o->pitch = pitch;
  stream = stream_of(c, stream);
  CUresult e = queue_add(c, stream, &o->o);
  return e == CUDA_SUCCESS && wait ? queue_wait(c, stream) : e;
}

/* ---- the driver's functions ------------------------------------------------------ */

enum { TO_DEVICE = 1, FROM_DEVICE = 2 };

static CUresult copy_line(void *to, const void *from, size_t bytes, unsigned device,
                          CUstream s, bool wait) {
  struct CUctx_st *c;
  CUresult e = context_current(&c);
  if (e != CUDA_SUCCESS)
    return e;
  if (bytes &&
      (((device & TO_DEVICE) && !memory_on_device((uintptr_t)to, bytes)) ||
       ((device & FROM_DEVICE) && !memory_on_device((uintptr_t)from, bytes))))
    return CUDA_ERROR_INVALID_VALUE;
  struct copy copy = { .to = to, .from = from, .bytes = bytes, .rows = 1 };
  return copy_queue(c, &copy, s, wait);
}

EXPORT CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy_line((void *)to, (void *)from, bytes, TO_DEVICE | FROM_DEVICE, NULL, true);
}
EXPORT CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  return copy_line(to, (void *)from, bytes, FROM_DEVICE, NULL, true);
}
EXPORT CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  return copy_line((void *)to, from, bytes, TO_DEVICE, NULL, true);
}
EXPORT CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                  CUstream s) {
  return copy_line((void *)to, (void *)from, bytes, TO_DEVICE | FROM_DEVICE, s, false);
}
EXPORT CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream s) {
  return copy_line(to, (void *)from, bytes, FROM_DEVICE, s, false);
}
EXPORT CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes,
                                  CUstream s) {
  return copy_line((void *)to, from, bytes, TO_DEVICE, s, false);
}

static CUresult copy_fill(CUdeviceptr p, unsigned char value, size_t bytes, CUstream s,
                          bool wait) {
  struct CUctx_st *c;
  CUresult e = context_current(&c);
  return e == CUDA_SUCCESS ? set_queue(c, (uintptr_t)p, value, bytes, 1, 0, s, wait) : e;
}
EXPORT CUresult cuMemsetD8(CUdeviceptr p, unsigned char value, size_t bytes) {
  return copy_fill(p, value, bytes, NULL, false);
}
EXPORT CUresult cuMemsetD8Async(CUdeviceptr p, unsigned char value, size_t bytes,
                                CUstream s) {
  return copy_fill(p, value, bytes, s, false);
}
