/* SPDX-License-Identifier: Apache-2.0 */
/* identity.h: what of a kernel makes a result worth nothing when it changes. */
#ifndef AUTOTUNE_IDENTITY_H
#define AUTOTUNE_IDENTITY_H

#include "base/base.h"

/* ---- identity.c: what makes a result worth nothing when it changes --------------- */

/* Hash of what all variants have in common: name, signature, flags of the build, and the
 * text with every directive in force and the first of each list. Lines and paths do not
 * count where nothing prints them. */
uint64_t identity_unit(const struct autotune_kernel *k);
/* Hash of what is offered: parameters, candidates, constraint. */
uint64_t identity_space(const struct autotune_kernel *k);
/* Hash of VALUES ("MR=6\nNR=64\n") with sets without a name called by their order. */
uint64_t identity_values(const char *values);
/* Hash of the text that POINT leaves of its unit, its compiler and flags; not of the
 * values. */
uint64_t identity_text(const struct autotune_kernel *k, const choice *point);
/* Hash of all that makes a variant: struct record. COMPILER with its version. */
uint64_t identity_variant(const struct autotune_kernel *k, const choice *point,
                          const char *values, const char *compiler);
/* The point of VALUES. False: it has another list of parameters, or a value is no
 * candidate. */
bool identity_point(const struct autotune_kernel *k, const char *values, choice *point);
/* "clang 22.1.8": the in-process compiler. */
const char *identity_toolchain(void);
/* What is offered, as text: a line "name, kind, when, original, values…" for each
 * parameter, separated by tabs; a line "name,name… TAB expression" for each factor of the
 * constraint. malloc'ed. */
char *identity_params(const struct autotune_kernel *k);
char *identity_conditions(const struct autotune_kernel *k);

/* ---- shape.c --------------------------------------------------------------------- */

/* A hash of TEXT's tokens in which it does not matter what names of its own are, but
 * where they stand. */
uint64_t shape_of(const char *text);

#endif
