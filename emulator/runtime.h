/* SPDX-License-Identifier: Apache-2.0 */
/* runtime.h: shared by the two files of the runtime API. */
#ifndef AUTOTUNE_EMULATOR_RUNTIME_H
#define AUTOTUNE_EMULATOR_RUNTIME_H

#include "cuda_runtime_api.h"

#include "emulator.h"

/* Returns E, and keeps it for cudaGetLastError. */
cudaError_t runtime_error(CUresult e);
/* Initialises the driver and the thread's context if needed, and sets *C to the context.
 * Returns 0, or the error that makes it unusable. */
CUresult runtime_ready(struct CUctx_st **c);

/* Returns, as a runtime function does, the result of CALL, which may use context c_. */
#define THROUGH(call)                                       \
  do {                                                      \
    struct CUctx_st *c_;                                    \
    CUresult e_ = runtime_ready(&c_);                       \
    return runtime_error(e_ == CUDA_SUCCESS ? (call) : e_); \
  } while (0)

#endif
