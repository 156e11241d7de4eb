/* SPDX-License-Identifier: Apache-2.0 */
/* assembly.h: the main loop of a function as text, for `autotune report --asm`.
 *
 * The first line says what the rest is: how the loop was found, or why nothing can be
 * shown; then nothing follows. Each further line is the number of a source line, or
 * nothing, a tab, and an instruction or a label. */
#ifndef AUTOTUNE_ASSEMBLY_H
#define AUTOTUNE_ASSEMBLY_H

#include "base/base.h"

/* Returns the main loop of an object that a compiler made; malloc'ed; NULL: no memory.
 * FILE: of the kernel, the only one whose lines are told. */
char *assembly_of_object(const void *object, size_t size, const char *file);
/* The same for FUNCTION of this process, from the file that it was loaded from. */
char *assembly_of_function(autotune_fn function, const char *file);
/* True if TEXT has instructions. */
bool assembly_has_code(const char *text);
/* True if TEXT has numbers of source lines. */
bool assembly_has_lines(const char *text);

#endif
