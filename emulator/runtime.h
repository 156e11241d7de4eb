/* SPDX-License-Identifier: Apache-2.0 */
/* base.h: what the two files of the runtime API share. */
#ifndef AUTOTUNE_EMULATOR_RUNTIME_H
#define AUTOTUNE_EMULATOR_RUNTIME_H

#include "cuda_runtime_api.h"

#include "emulator.h"

/* Keeps E for cudaGetLastError, and is it. */
cudaError_t runtime_error(CUresult e);
/* The driver and the thread's context, which the first call of the runtime makes. */
CUresult runtime_ready(struct CUctx_st **c);

#endif
