/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_pipeline.h: asynchronous copies to shared memory. They take place when the kernel
 * waits for them, so that a kernel that reads too early reads the previous contents. */
#ifndef AUTOTUNE_EMULATE_CUDA_PIPELINE_H
#define AUTOTUNE_EMULATE_CUDA_PIPELINE_H

#pragma GCC system_header

#include "autotune_emulate/kernel.h"

static inline void __pipeline_memcpy_async(void *to, const void *from,
                                           unsigned long bytes, unsigned long zero = 0) {
  unsigned long at = (unsigned long)to | (unsigned long)from;
  if ((bytes != 4 && bytes != 8 && bytes != 16) || zero > bytes || at % bytes != 0)
    autotune_emulate_trap(); /* no such instruction */
  autotune_emulate_copy(to, from, (unsigned)(bytes - zero), (unsigned)zero);
}
static inline void __pipeline_commit() {
  autotune_emulate_commit();
}
static inline void __pipeline_wait_prior(unsigned n) {
  autotune_emulate_wait(n);
}

#endif
