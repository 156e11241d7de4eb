/* SPDX-License-Identifier: Apache-2.0 */
/* thrust.h: Thrust's device system on the emulated device: its C++ system, with the
 * device's memory, so that kernels, copies and tunings find it. Its algorithms run on the
 * host, in the call, so launches and copies of the program must be done when their calls
 * return. */
#ifndef AUTOTUNE_EMULATE_THRUST_H
#define AUTOTUNE_EMULATE_THRUST_H

#pragma GCC system_header

#include <stdlib.h>

#include <iostream> /* programs rely on it */

#include "../cuda_runtime.h"

namespace autotune_emulate {
inline const bool waits_for_each = (autotune_emulate_wait_each(), true);

/* Memory of the device; in a kernel, of the process. NULL: there is none left. */
static inline void *thrust_allocate(size_t bytes) {
  void *p = nullptr;
  if (autotune_emulate_in_kernel())
    return ::malloc(bytes);
  return cudaMalloc(&p, bytes ? bytes : 1) == cudaSuccess ? p : nullptr;
}
static inline void thrust_free(void *p) {
  if (autotune_emulate_in_kernel())
    ::free(p);
  else
    cudaFree(p);
}
} // namespace autotune_emulate

#endif
