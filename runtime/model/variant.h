/* SPDX-License-Identifier: Apache-2.0 */
/* variant.h: the text and the flags from which a compiler makes a variant. */
#ifndef AUTOTUNE_VARIANT_H
#define AUTOTUNE_VARIANT_H

#include "base/base.h"

/* True if the kernel as written has a text: K has a replay, or its unit says as much as
 * the program's compiler saw, once the parameters have their values of the default. */
bool variant_has_written(const struct autotune_kernel *k);
/* True if variants of K can end their outermost loops early: where the text defines
 * AUTOTUNE_PARTS as N, they do about an Nth of the work. It then also has to define
 * AUTOTUNE_PART_THREADS, the number of threads. */
bool variant_has_parts(const struct autotune_kernel *k);
/* These return the text and the flags for POINT; NULL is the kernel as written, which is
 * made by the first unit's compiler. Each is one block
 * that the caller frees. NULL: there is no unit for the point's compiler, or no memory.
 * Flags end with NULL. */
char *variant_text(const struct autotune_kernel *k, const choice *point);
char **variant_flags(const struct autotune_kernel *k, const choice *point);
/* Returns flags with which a compiler rounds each operation as the text says: of those of
 * the variants, without the chosen ones and without any that lets it reorder or fuse
 * operations. */
char **variant_strict_flags(const struct autotune_kernel *k, const choice *point);
/* Returns the unit that POINT's compiler compiles; NULL: there is no such unit. */
const struct autotune_unit *variant_unit(const struct autotune_kernel *k,
                                         const choice *point);
/* Returns the compiler of POINT as spelled in compiler(…). */
const char *variant_compiler(const struct autotune_kernel *k, const choice *point);

/* ---- body.c: bodies from outside ------------------------------------------------- */

enum { VARIANT_LONGEST_BODY = 60000 }; /* bytes */
/* True if a body can take the place of the kernel's in the unit of POINT. */
bool variant_takes_bodies(const struct autotune_kernel *k, const choice *point);
/* Returns what is wrong with BODY, for people; NULL: nothing that its text shows. */
const char *variant_body_wrong(const char *body);
/* Returns the text for POINT as variant_text does, with BODY in the place of the kernel's
 * (NULL: with the kernel's). */
char *variant_text_with(const struct autotune_kernel *k, const choice *point,
                        const char *body);
/* True if the unit of POINT declares or calls FUNCTION. */
bool variant_calls(const struct autotune_kernel *k, const choice *point,
                   const char *function);
uint64_t variant_body_hash(const char *body); /* never 0 */
/* Returns the values of POINT as space_values does. BODY not 0: of a variant with the
 * body of that hash, which comes first: "(body)=0123456789abcdef\nMR=6\n". So these are
 * no values of a point. */
char *variant_values(const struct autotune_kernel *k, const choice *point, uint64_t body);
/* Returns the values of the point within VALUES of a variant with a body from outside;
 * NULL: it has none. */
const char *variant_without_body(const char *values);

#endif
