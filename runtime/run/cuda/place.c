// SPDX-License-Identifier: Apache-2.0
// place.c: where an address points. Memory that a program maps itself (cuMemMap, such as
// PyTorch's expandable segments) consists of pieces: the driver tells the range of one of
// them, while kernels write across them.
#include "gpu.h"

// CUpointer_attribute and CUmemorytype, by their documented numbers.
enum {
  POINTER_MEMORY_TYPE = 2,
  POINTER_IS_MANAGED = 8,
  POINTER_ORDINAL = 9,
  POINTER_IPC_CAPABLE = 10, // of memory that the driver has allocated and mapped
  POINTER_RANGE_START = 11, // of reserved addresses, mapped or not
  POINTER_RANGE_SIZE = 12,
  POINTER_POOL = 17,
  MEMORY_HOST = 1
};

// Returns an attribute of P; OTHERWISE if the driver does not know it. The driver writes
// one to eight bytes.
static unsigned long long place_ask(const struct gpu_api *api, int attribute,
                                    gpu_pointer p, unsigned long long otherwise) {
  unsigned long long value = 0;
  return api->pointer_attribute(&value, attribute, p) == 0 ? value : otherwise;
}

// True if P is in memory that the program has mapped; START and END are those of the
// addresses that it has reserved.
static bool place_is_mapped(const struct gpu_api *api, gpu_pointer p, gpu_pointer *start,
                            gpu_pointer *end) {
  *start = place_ask(api, POINTER_RANGE_START, p, 0);
  *end = *start + place_ask(api, POINTER_RANGE_SIZE, p, 0);
  return (place_ask(api, POINTER_IPC_CAPABLE, p, 1) & 0xff) == 0 &&
      place_ask(api, POINTER_POOL, p, 0) == 0 && *start != 0 && *start <= p && p < *end;
}

static bool place_is_on(const struct gpu_api *api, int device, gpu_pointer p) {
  return (int)place_ask(api, POINTER_ORDINAL, p, (unsigned)device) == device;
}

// Sets PIECE to what is mapped at P. False: nothing is.
static bool place_piece(const struct gpu_api *api, gpu_pointer p,
                        struct gpu_allocation *piece) {
  return api->range(&piece->base, &piece->bytes, p) == 0 && piece->base <= p &&
      p - piece->base < piece->bytes;
}

// Adds the pieces next to OUT, in which P is. False: one is on another device.
static bool place_join(const struct gpu_api *api, int device, gpu_pointer p,
                       struct gpu_allocation *out) {
  gpu_pointer start, end;
  struct gpu_allocation piece;
  if (!place_is_mapped(api, p, &start, &end))
    return true;
  while (out->base + out->bytes < end &&
         place_piece(api, out->base + out->bytes, &piece)) {
    if (!place_is_on(api, device, piece.base))
      return false;
    out->bytes = piece.base + piece.bytes - out->base;
  }
  while (out->base > start && place_piece(api, out->base - 1, &piece)) {
    if (!place_is_on(api, device, piece.base))
      return false;
    out->bytes += out->base - piece.base;
    out->base = piece.base;
  }
  return true;
}

enum place gpu_place_of(const struct gpu_api *api, int device, gpu_pointer p,
                        struct gpu_allocation *out) {
  unsigned long long type = 0; // larger than what the driver writes
  if (p == 0 || api->pointer_attribute(&type, POINTER_MEMORY_TYPE, p) != 0)
    return PLACE_UNKNOWN;
  bool is_managed = (place_ask(api, POINTER_IS_MANAGED, p, 0) & 0xff) != 0;
  if ((unsigned)type == MEMORY_HOST && !is_managed)
    return PLACE_HOST;
  if (!is_managed && !place_is_on(api, device, p))
    return PLACE_ELSEWHERE;
  if (!place_piece(api, p, out))
    return PLACE_BOUNDLESS;
  return place_join(api, device, p, out) ? PLACE_HERE : PLACE_ELSEWHERE;
}

size_t gpu_bytes_at(const void *address) {
  const struct gpu_api *api = gpu_api_get(NULL);
  struct gpu_allocation a;
  return api && address && place_piece(api, (gpu_pointer)(uintptr_t)address, &a) ? a.bytes
                                                                                 : 0;
}
