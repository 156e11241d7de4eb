/* SPDX-License-Identifier: Apache-2.0 */
/* reschedule_nest.h: what the functions that reschedule_nests.c and reschedule_lines.c
 * write have in common. */
#ifndef RESCHEDULE_NEST_H
#define RESCHEDULE_NEST_H

#include <stdio.h>

#include "below.h"

#define NEST_KERNEL                                                                      \
  "#pragma autotune kernel key(n) inout(a[0:n + 8], b[0:n + 8], c[0:n + 8])\n"

/* Writes its head: square arrays A and B of n + 8 rows, and as many elements C. */
static void write_head(const char *name, const char *kernel, const char *directive,
                       const char *variables) {
  printf("%svoid %s(int n, unsigned (*restrict a)[n + 8], unsigned (*restrict b)[n + 8], "
         "unsigned *restrict c)\n{\n%s\n%s",
         kernel, name, variables, directive);
}

#endif
