/* SPDX-License-Identifier: Apache-2.0 */
/* why.h: `autotune why`: reports what a program would run now. Exit statuses as in
 * db.h. */
#ifndef AUTOTUNE_WHY_H
#define AUTOTUNE_WHY_H

#include <stdio.h>

/* The kernel and key, and the machine and compiler: those of this process or, in tests,
 * others. */
struct why_options {
  const char *folder, *kernel, *key; /* `kernel` is required */
  const char *cpu, *isa, *toolchain;
  unsigned threads;
};
/* KERNEL may be a place, too. */
int why_print(const struct why_options *o, FILE *out);

/* ---- place.c --------------------------------------------------------------------- */

struct store;
/* Returns the names of the kernels that stood at PLACE when they were tuned: "main:29",
 * by the function, or "solve.c:29". A NULL is after them; free with place_free. NULL: no
 * memory, or the store cannot be read. */
char **place_kernels(struct store *s, const char *place);
void place_free(char **names);

#endif
