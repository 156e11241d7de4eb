/* SPDX-License-Identifier: Apache-2.0 */
/* export.h: `autotune export`, results in formats of others, and `autotune why`, which
 * says what a program would run now. Exit statuses as in db.h. */
#ifndef AUTOTUNE_EXPORT_H
#define AUTOTUNE_EXPORT_H

#include "tools/db/db.h"

/* ---- export.c -------------------------------------------------------------------- */

struct export_options {
  const char *folder, *kernel, *key, *output; /* each may be NULL */
  bool t1;                                    /* else T4 */
};
int export_run(const struct export_options *o, FILE *out);

/* ---- why.c ----------------------------------------------------------------------- */

/* Who asks: this machine and compiler, or, in tests, others. */
struct why_options {
  const char *folder, *kernel, *key; /* the kernel's name is needed */
  const char *cpu, *isa, *toolchain;
  unsigned threads;
};
int why_print(const struct why_options *o, FILE *out);

#endif
