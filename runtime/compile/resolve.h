/* SPDX-License-Identifier: Apache-2.0 */
/* resolve.h: what an object of a variant may refer to. Compiled into libautotune.so (for
 * winners) and into libautotune-jit.so (for trials), so that both bind alike. */
#ifndef AUTOTUNE_RESOLVE_H
#define AUTOTUNE_RESOLVE_H

#include <stddef.h>

#include "autotune_abi.h"

/* The site's own symbol NAME; NULL: it has none of that name. */
const void *resolve_site(const struct autotune_symbol *symbols, size_t n,
                         const char *name);

/* NAME as the process knows it, else as libm, libmvec (vector math that compilers make of
 * loops), libgcc_s and libatomic (their helpers) do. NULL: nobody has it. */
void *resolve_process(const char *name);

#endif
