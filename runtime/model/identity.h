/* SPDX-License-Identifier: Apache-2.0 */
/* identity.h: hashes of the parts of a kernel that a result depends on. A result is not
 * used when one of them has changed. The functions only read the kernel's tables, and any
 * thread may call them. */
#ifndef AUTOTUNE_IDENTITY_H
#define AUTOTUNE_IDENTITY_H

#include "base/base.h"

/* ---- identity.c ------------------------------------------------------------------ */

/* Returns the hash of what all variants have in common: name, signature, flags of the
 * build, and the text with every directive in force and the first candidate of each list.
 * Lines and paths count only where the text prints them. */
uint64_t identity_unit(const struct autotune_kernel *k);
/* Returns the hash of what the kernel offers: parameters, candidates, constraint. */
uint64_t identity_space(const struct autotune_kernel *k);
/* Returns the hash of what is compared when a variant of K is checked, and with what: the
 * sections, the tolerance and the compiler of the default variant. Never 0. */
uint64_t identity_contract(const struct autotune_kernel *k);
/* Returns the hash of VALUES ("MR=6\nNR=64\n"), with sets without a name called by their
 * order. */
uint64_t identity_values(const char *values);
/* Returns the hash of the text that POINT leaves of its unit, and of its compiler and
 * flags; not of the values. */
uint64_t identity_text(const struct autotune_kernel *k, const choice *point);
/* Returns the hash of all that makes a variant, as in struct record. COMPILER includes
 * its version. */
uint64_t identity_variant(const struct autotune_kernel *k, const choice *point,
                          const char *values, const char *compiler);
/* Sets POINT to the point with VALUES. False: they are of another list of parameters, or
 * a value is no candidate. */
bool identity_point(const struct autotune_kernel *k, const char *values, choice *point);
/* Returns the name and version of the in-process compiler, "clang 22.1.8". */
const char *identity_toolchain(void);
/* Returns the name of KIND: "int", "choice". */
const char *identity_kind(enum autotune_kind kind);
/* These return what the kernel offers as text, malloc'ed; NULL: no memory. For each
 * parameter a line "name, kind, when, original, values…", separated by tabs; for each
 * factor of the constraint a line "name,name… TAB expression". */
char *identity_params(const struct autotune_kernel *k);
char *identity_conditions(const struct autotune_kernel *k);

/* ---- shape.c --------------------------------------------------------------------- */

/* Returns a hash of TEXT's tokens. It does not depend on the spelling of its own names,
 * only on the places where each one stands. */
uint64_t shape_of(const char *text);

#endif
