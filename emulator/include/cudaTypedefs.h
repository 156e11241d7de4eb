/* SPDX-License-Identifier: Apache-2.0 */
/* cudaTypedefs.h: types of driver functions for cudaGetDriverEntryPoint. */
#ifndef AUTOTUNE_EMULATE_CUDA_TYPEDEFS_H
#define AUTOTUNE_EMULATE_CUDA_TYPEDEFS_H

#pragma GCC system_header

#include "cuda.h"

typedef CUresult (*PFN_cuTensorMapEncodeTiled_v12000)(
    CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
    const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
    CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
typedef CUresult (*PFN_cuTensorMapReplaceAddress_v12000)(CUtensorMap *, void *);
#define PFN_cuTensorMapEncodeTiled PFN_cuTensorMapEncodeTiled_v12000
#define PFN_cuTensorMapReplaceAddress PFN_cuTensorMapReplaceAddress_v12000

#endif
