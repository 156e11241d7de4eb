/* SPDX-License-Identifier: Apache-2.0 */
/* shortage.h: whether the kernel killed a process because memory was short, and which
 * limit was reached: that of the control group (cgroup, versions 1 and 2) or the
 * machine's memory. Allocates nothing. One thread at a time. */
#ifndef AUTOTUNE_SHORTAGE_H
#define AUTOTUNE_SHORTAGE_H

#include <stddef.h>

/* Remembers how many processes were killed so far, and returns that. A fork remembers the
 * same. It reads some ten files. */
unsigned long long shortage_begin(void);
/* Remembers what another process returned. */
void shortage_since(unsigned long long kills);
/* Returns TEXT: ": out of memory (memory.max of the cgroup: 512 MiB)" if processes were
 * killed since shortage_begin or since the last call that found some, else "". SIZE is at
 * least 80. */
const char *shortage_text(char *text, size_t size);
/* Makes this process, and those that it forks, be killed before others. SCORE: up to
 * 1000, the first. A process may always raise its own. */
void shortage_die_first(int score);
/* Reads /proc and /sys below ROOT, for tests. NULL: the real ones. */
void shortage_set_root(const char *root);

#endif
