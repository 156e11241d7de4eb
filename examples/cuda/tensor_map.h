// SPDX-License-Identifier: Apache-2.0
// tensor_map.h: makes tensor maps for hopper.h on the host. The driver's function is looked up
// by the runtime, so that nothing has to be linked.
#ifndef TENSOR_MAP_H
#define TENSOR_MAP_H

#include <cuda.h>
#include <cuda_runtime.h>

#include "hopper.h"

// Describes ROWS x COLUMNS halves at P, which is on the device, and boxes of BOX_ROWS x 64 of
// them, with 128-byte swizzle in shared memory. COLUMNS: a multiple of 8. BOX_ROWS: at most
// 256. Returns zeros where devices have no tensor maps.
static inline tensor_map tensor_map_of(const void *p, long rows, long columns, int box_rows)
{
  tensor_map map = {};
#if CUDA_VERSION >= 12000
  static decltype(&cuTensorMapEncodeTiled) encode;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSuccess;
  if (!encode) {
#if CUDART_VERSION >= 12050
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
                                     cudaEnableDefault, &found);
#else
    cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", (void **)&encode, cudaEnableDefault,
                            &found);
#endif
  }
  cuuint64_t size[] = { (cuuint64_t)columns, (cuuint64_t)rows };
  cuuint64_t pitch[] = { (cuuint64_t)columns * 2 };
  cuuint32_t box[] = { 64, (cuuint32_t)box_rows }, step[] = { 1, 1 };
  if (found == cudaDriverEntryPointSuccess && encode &&
      encode((CUtensorMap *)&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, (void *)p, size, pitch,
             box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    map = tensor_map();
#endif
  return map;
}

#endif
