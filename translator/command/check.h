/* SPDX-License-Identifier: Apache-2.0 */
/* check.h: what `autotune check` does with the diagnostics of files, grouped by file. */
#ifndef AUTOTUNE_CHECK_H
#define AUTOTUNE_CHECK_H

#include "front/front.h"

/* ---- fix.c ----------------------------------------------------------------------- */

/* Applies the fixes of the N diagnostics ALL to those of the files NAMES
 * (NULL-terminated) that they are of, and prints each change. Of two that overlap, the
 * first is made. False: a file could not be changed, which was said on standard error. */
bool fix_apply(const struct diagnostic *all, unsigned n, const char *const *names);

/* ---- sarif.c --------------------------------------------------------------------- */

/* Prints the N diagnostics ALL as a log of SARIF 2.1.0. False: not all was written. */
bool sarif_print(const struct diagnostic *all, unsigned n, FILE *out);

#endif
