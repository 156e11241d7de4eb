/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_map.h: what a CUtensorMap holds here. */
#ifndef AUTOTUNE_EMULATOR_TENSOR_MAP_H
#define AUTOTUNE_EMULATOR_TENSOR_MAP_H

#include <stdint.h>

enum { TENSOR_MAP_MAGIC = 0x544d4150, TENSOR_RANK = 5 };

struct tensor_map {
  uint64_t address; /* of the tensor's first element; first in CUDA's maps as well */
  uint64_t strides[TENSOR_RANK - 1]; /* bytes from element to element of dimensions 1 … */
  uint32_t last[TENSOR_RANK];        /* elements of each dimension, less 1 */
  uint16_t box[TENSOR_RANK];         /* elements from the box's first to its last */
  uint8_t steps[TENSOR_RANK];        /* a copy takes each STEPS-th element of the box */
  uint8_t rank, type, element;       /* ELEMENT: bytes */
  uint8_t swizzle;                   /* log2 of the 16-byte units of a row: 0 … 3 */
  uint8_t nan;                       /* elements outside the tensor are NaN, not 0 */
  uint32_t magic;
};

#endif
