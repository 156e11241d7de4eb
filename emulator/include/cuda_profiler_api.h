/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_profiler_api.h: functions without effect, because there is no profiler. */
#ifndef AUTOTUNE_EMULATE_CUDA_PROFILER_API_H
#define AUTOTUNE_EMULATE_CUDA_PROFILER_API_H

#pragma GCC system_header

#include "cuda_runtime_api.h"

static inline cudaError_t cudaProfilerStart(void) {
  return cudaSuccess;
}
static inline cudaError_t cudaProfilerStop(void) {
  return cudaSuccess;
}

#endif
