/* SPDX-License-Identifier: Apache-2.0 */
/* constants.h: integers of the key whose values are constants in a variant. Such code is
 * right for this key only, so it says for which values it was compiled. */
#ifndef AUTOTUNE_CONSTANTS_H
#define AUTOTUNE_CONSTANTS_H

#include "kernel.h"
#include "key.h"

/* The parts of a key are bits, the first one is 1. */

/* Returns the parts that K's units can take as constants (translator/front/loops/
 * constants.c). Reads the text. */
uint64_t constants_of(const struct autotune_kernel *k);
/* Returns the lines that come before a unit for which PARTS of KEY are constants: their
 * macros, and autotune_constants, which the object exports. Malloc'ed; NULL: no memory,
 * or there are no parts. */
char *constants_lines(const struct autotune_kernel *k, const long long *key,
                      uint64_t parts);
/* Writes "n = 512, m = 3" to TEXT, of SIZE bytes. */
const char *constants_say(const struct autotune_kernel *k, const long long *key,
                          uint64_t parts, char *text, size_t size);
/* True if TEXT, as constants_say has it (NULL: none), names one of PARTS. */
bool constants_name_any(const struct autotune_kernel *k, const char *text,
                        uint64_t parts);
/* True if code with STATED, its autotune_constants (NULL: it has none), may run for KEY.
 * Sets *PARTS to those that are constants in it. Otherwise *MESSAGE (malloc'ed) says why
 * not. */
bool constants_fit(const struct autotune_kernel *k, const long long *stated,
                   const long long *key, uint64_t *parts, char **message);

#endif
