// SPDX-License-Identifier: Apache-2.0
// tensor_map.h: makes tensor maps for hopper.h on the host. The driver's function is looked up
// by the runtime, so that nothing has to be linked.
#ifndef TENSOR_MAP_H
#define TENSOR_MAP_H

#include <cuda.h>
#include <cuda_runtime.h>

#include "hopper.h"

#if CUDA_VERSION >= 12000
// Returns the driver's function; NULL: it has none.
static inline decltype(&cuTensorMapEncodeTiled) tensor_map_encoder()
{
  void *encode = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault,
                                   &found);
#else
  cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &encode, cudaEnableDefault, &found);
#endif
  return found == cudaDriverEntryPointSuccess ? (decltype(&cuTensorMapEncodeTiled))encode :
                                                nullptr;
}
#endif

// Describes ROWS x COLUMNS halves at P, which is on the device, and boxes of BOX_ROWS x 64 of
// them, with 128-byte swizzle in shared memory. P: aligned to 16 bytes. COLUMNS: a multiple of
// 8. BOX_ROWS: at most 256. Returns an invalid map, all zeros, where this is not so and where
// devices have no tensor maps. Thread-safe.
static inline tensor_map tensor_map_of(const void *p, long rows, long columns, int box_rows)
{
  tensor_map map = {};
#if CUDA_VERSION >= 12000
  static const auto encode = tensor_map_encoder();
  cuuint64_t size[] = { (cuuint64_t)columns, (cuuint64_t)rows };
  cuuint64_t pitch[] = { (cuuint64_t)columns * 2 };
  cuuint32_t box[] = { 64, (cuuint32_t)box_rows }, step[] = { 1, 1 };
  if (encode &&
      encode((CUtensorMap *)&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, (void *)p, size, pitch,
             box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    map = tensor_map();
#endif
  return map;
}

// True if MAP describes a tensor.
static inline bool tensor_map_valid(const tensor_map &map)
{
  for (unsigned long long word : map.opaque)
    if (word)
      return true;
  return false;
}

#endif
