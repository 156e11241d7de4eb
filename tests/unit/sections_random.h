/* SPDX-License-Identifier: Apache-2.0 */
/* sections_random.h: kernels without sections made up from a seed, for
 * test_sections.c. */
#ifndef SECTIONS_RANDOM_H
#define SECTIONS_RANDOM_H

#include "front/front.h"

/* Writes a kernel called NAME twice: as people write it to PLAIN; to RECORDED with each
 * access to an array of the caller's or the file's as at(ARRAY, INDEX, …), and a function
 * `call_NAME(int n, int m, int k)`. */
void random_sections(struct text *plain, struct text *recorded, const char *name,
                     uint64_t seed);
/* Declarations that both need. */
extern const char sections_prologue[];

#endif
