/* SPDX-License-Identifier: Apache-2.0 */
/* reschedule_nest.h: what the functions that reschedule_nests.c and reschedule_lines.c
 * write have in common. */
#ifndef RESCHEDULE_NEST_H
#define RESCHEDULE_NEST_H

#include <stdio.h>

#include "below.h"

#define NEST_KERNEL                                                                      \
  "#pragma autotune kernel key(n) inout(a[0:n + 8], b[0:n + 8], c[0:n + 8])\n"
#define FLAT_KERNEL                                                                      \
  "#pragma autotune kernel key(n) inout(a[0:(n + 8) * (n + 8)], "                        \
  "b[0:(n + 8) * (n + 8)], c[0:n + 8])\n"

/* Writes its head: square arrays A and B of n + 8 rows, and as many elements C. FLAT: A
 * and B are arrays of one dimension with as many elements. BEFORE: declarations and
 * statements before the loops. */
static void write_head(const char *name, const char *kernel, const char *directive,
                       const char *before, int flat) {
  const char *square = flat ? "unsigned *restrict %s, "
                            : "unsigned (*restrict %s)[n + 8], ";
  printf("%svoid %s(int n, ", kernel, name);
  printf(square, "a");
  printf(square, "b");
  printf("unsigned *restrict c)\n{\n%s\n%s", before, directive);
}

#endif
