/* SPDX-License-Identifier: Apache-2.0 */
/* cold.h: page faults that a call has in the program: of memory that nothing has touched
 * before it, and of memory that a fork shares. */
#ifndef AUTOTUNE_COLD_H
#define AUTOTUNE_COLD_H

#include "model/memory.h"

/* Returns the seconds of the page faults that the program's call takes: of its sections'
 * pages that nothing has touched yet. */
double cold_seconds(const struct memories *m);
/* Measures the seconds of a page fault: less than 1 us on most machines, 15 to 50 us on
 * some virtual ones. */
double cold_fault(void);
/* Copies the pages that the call of K may write and that another process shares since a
 * fork: 64 MiB of them at most, for 0.05 s at most. Writing them then takes no page
 * fault. Pages that nothing has touched are left out. */
void cold_own_pages(const struct autotune_kernel *k, void *const *args);

#endif
