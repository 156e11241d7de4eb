/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_map.c: makes tensor maps, with the checks of CUDA's documentation
 * (cuTensorMapEncodeTiled). */
#include "tensor_map.h"

#include <string.h>

#include "emulator.h"

_Static_assert(sizeof(struct tensor_map) <= sizeof(CUtensorMap), "a map must fit");

static const uint8_t element_bytes[] = {
  [CU_TENSOR_MAP_DATA_TYPE_UINT8] = 1,        [CU_TENSOR_MAP_DATA_TYPE_UINT16] = 2,
  [CU_TENSOR_MAP_DATA_TYPE_UINT32] = 4,       [CU_TENSOR_MAP_DATA_TYPE_INT32] = 4,
  [CU_TENSOR_MAP_DATA_TYPE_UINT64] = 8,       [CU_TENSOR_MAP_DATA_TYPE_INT64] = 8,
  [CU_TENSOR_MAP_DATA_TYPE_FLOAT16] = 2,      [CU_TENSOR_MAP_DATA_TYPE_FLOAT32] = 4,
  [CU_TENSOR_MAP_DATA_TYPE_FLOAT64] = 8,      [CU_TENSOR_MAP_DATA_TYPE_BFLOAT16] = 2,
  [CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ] = 4,  [CU_TENSOR_MAP_DATA_TYPE_TFLOAT32] = 4,
  [CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ] = 4,
};

static bool tensor_is_float(unsigned type) {
  return type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16 &&
      type <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
}

/* Stores dimensions, strides and box in M. False: CUDA does not allow them. */
static bool tensor_shape(struct tensor_map *m, const cuuint64_t *dims,
                         const cuuint64_t *strides, const cuuint32_t *box,
                         const cuuint32_t *steps) {
  for (unsigned i = 0; i < m->rank; i++) {
    if (!dims[i] || dims[i] > 1ull << 32 || !box[i] || box[i] > 256 || !steps[i] ||
        steps[i] > 8)
      return false;
    m->last[i] = (uint32_t)(dims[i] - 1);
    m->box[i] = (uint16_t)box[i];
    m->steps[i] = i ? (uint8_t)steps[i] : 1; /* the first one is ignored */
  }
  for (unsigned i = 0; i + 1 < m->rank; i++) {
    if (strides[i] % 16 || strides[i] >= 1ull << 40)
      return false;
    m->strides[i] = strides[i];
  }
  unsigned row = (unsigned)m->box[0] * m->element;
  return row % 16 == 0 && (!m->swizzle || row <= 16u << m->swizzle);
}

EXPORT CUresult cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *dims, const cuuint64_t *strides, const cuuint32_t *box,
    const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  CUresult e = driver_ready();
  if (e != CUDA_SUCCESS)
    return e;
  if (settings_get()->cc < 90)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (!map || (uintptr_t)map % 64 || (unsigned)type >= sizeof element_bytes || !rank ||
      rank > TENSOR_RANK || (uintptr_t)address % 16 || !dims || (rank > 1 && !strides) ||
      !box || !steps || (unsigned)interleave > CU_TENSOR_MAP_INTERLEAVE_32B ||
      (unsigned)swizzle > CU_TENSOR_MAP_SWIZZLE_128B ||
      (unsigned)promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B || (unsigned)fill > 1 ||
      (fill && !tensor_is_float(type)))
    return CUDA_ERROR_INVALID_VALUE;
  if (interleave)
    return CUDA_ERROR_NOT_SUPPORTED;
  struct tensor_map m = { .address = (uint64_t)(uintptr_t)address,
                          .rank = (uint8_t)rank,
                          .type = (uint8_t)type,
                          .element = element_bytes[type],
                          .swizzle = (uint8_t)swizzle,
                          .nan = fill != 0,
                          .magic = TENSOR_MAP_MAGIC };
  if (!tensor_shape(&m, dims, strides, box, steps))
    return CUDA_ERROR_INVALID_VALUE;
  memset(map, 0, sizeof *map);
  memcpy(map, &m, sizeof m);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address) {
  struct tensor_map m;
  CUresult e = driver_ready();
  if (e != CUDA_SUCCESS)
    return e;
  if (!map || (uintptr_t)map % 64 || (uintptr_t)address % 16)
    return CUDA_ERROR_INVALID_VALUE;
  memcpy(&m, map, sizeof m);
  if (m.magic != TENSOR_MAP_MAGIC)
    return CUDA_ERROR_INVALID_VALUE;
  m.address = (uint64_t)(uintptr_t)address;
  memcpy(map, &m, sizeof m);
  return CUDA_SUCCESS;
}
