/* SPDX-License-Identifier: Apache-2.0 */
/* resolve.h: finds the symbols that a variant's object refers to. Compiled into
 * libautotune.so (for winners) and into libautotune-jit.so (for trials), so that both
 * bind the same symbols. */
#ifndef AUTOTUNE_RESOLVE_H
#define AUTOTUNE_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>

#include "autotune_abi.h"

/* Returns the address of the site's symbol NAME; NULL: the site has no such symbol. */
const void *resolve_site(const struct autotune_symbol *symbols, size_t n,
                         const char *name);

/* Returns the address of NAME in the process, else in libm, libmvec (vector math that
 * compilers generate for loops), libgcc_s or libatomic (helpers of compilers). NULL: not
 * found. */
void *resolve_process(const char *name);

/* True if NAME allocates no memory: a function of libm or of the compiler's own
 * libraries, or one that only copies, compares or sets memory. OPENMP: those of LLVM's
 * OpenMP runtime are no such functions; else they are, if they only allocate for the
 * runtime. */
bool resolve_is_harmless(const char *name, bool openmp);

#endif
