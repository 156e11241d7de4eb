/* SPDX-License-Identifier: Apache-2.0 */
/* compiler.h: read by each header of the toolkit's C++ libraries (CCCL: libcu++, Thrust,
 * CUB) before all else. They see a compiler for the CPU. Thrust's device is its C++
 * system, with memory of the emulated device. What they have as inline PTX is in headers
 * of the same names in emulator/include (cuda/ptx, cub). */
#ifndef AUTOTUNE_EMULATE_CCCL_COMPILER_H
#define AUTOTUNE_EMULATE_CCCL_COMPILER_H

#pragma GCC system_header

#include <cuda_runtime.h>

/* What the runtime's headers define as macros is a name of a function or of a parameter
 * here. */
#pragma push_macro("__CUDACC__")
#undef __CUDACC__
#undef asm
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#define CCCL_DISABLE_FP16_SUPPORT
#define CCCL_DISABLE_NVTX
#define NVTX_DISABLE
#include_next <cuda/std/__cccl/compiler.h>
#pragma pop_macro("__CUDACC__")

#endif
