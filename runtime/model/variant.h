/* SPDX-License-Identifier: Apache-2.0 */
/* variant.h: the text and the flags that a compiler makes a variant from. */
#ifndef AUTOTUNE_VARIANT_H
#define AUTOTUNE_VARIANT_H

#include "base/base.h"

/* TEXT and FLAGS of POINT; each is one block that the caller frees. NULL: there is no
 * unit for its compiler, or no memory. FLAGS end with NULL. */
char *variant_text(const struct autotune_kernel *k, const choice *point);
char **variant_flags(const struct autotune_kernel *k, const choice *point);
/* The unit that POINT's compiler compiles; NULL: there is none. */
const struct autotune_unit *variant_unit(const struct autotune_kernel *k,
                                         const choice *point);
/* As spelled in compiler(…). */
const char *variant_compiler(const struct autotune_kernel *k, const choice *point);

#endif
