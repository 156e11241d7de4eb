/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_library.h: CUDA's libraries, which are opened at run time: the driver (run/cuda)
 * and NVRTC. A program built by `autotune cc --emulate` brings both in one. */
#ifndef AUTOTUNE_CUDA_LIBRARY_H
#define AUTOTUNE_CUDA_LIBRARY_H

#include "base/base.h"

/* A handle of libautotune-emulate.so, if the program is linked to it (it exports
 * `autotune_emulated`), or AUTOTUNE_EMULATOR names it, as in a helper; else NULL. */
void *cuda_emulator(void);
/* The file of that emulator, for AUTOTUNE_EMULATOR in a helper; NULL: there is none. */
const char *cuda_emulator_path(void);

struct cuda_function {
  const char *name;
  size_t at; /* its member's offset in a table of functions */
};
/* Fills TABLE with N functions of LIBRARY. Returns the name of the first that is missing;
 * NULL: all are there. */
const char *cuda_functions(void *library, const struct cuda_function *functions, size_t n,
                           void *table);

#endif
