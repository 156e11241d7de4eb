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
int why_print(const struct why_options *o, FILE *out);

#endif
