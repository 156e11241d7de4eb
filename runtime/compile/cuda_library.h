/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_library.h: opens CUDA's libraries at run time: the driver (run/cuda) and NVRTC. A
 * program built by `autotune cc --emulate` has both in one library, the emulator. */
#ifndef AUTOTUNE_CUDA_LIBRARY_H
#define AUTOTUNE_CUDA_LIBRARY_H

#include "base/base.h"

/* Returns a handle of libautotune-emulate.so if the program is linked to it (it exports
 * `autotune_emulated`) or, as in a helper, AUTOTUNE_EMULATOR names it; else NULL. */
void *cuda_emulator(void);
/* Returns the path of that emulator, for AUTOTUNE_EMULATOR in a helper; NULL: there is no
 * emulator. */
const char *cuda_emulator_path(void);

struct cuda_function {
  const char *name;
  size_t at; /* offset of its member in a table of functions */
};
/* Fills TABLE with N functions of LIBRARY. Returns the name of the first missing one;
 * NULL: all were found. */
const char *cuda_functions(void *library, const struct cuda_function *functions, size_t n,
                           void *table);

#endif
