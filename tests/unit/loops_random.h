/* SPDX-License-Identifier: Apache-2.0 */
/* loops_random.h: nests and directives made up from a seed, for test_loops.c. */
#ifndef LOOPS_RANDOM_H
#define LOOPS_RANDOM_H

#include <stdint.h>
#include <stdio.h>

uint64_t random_next(uint64_t *state);
unsigned random_below(uint64_t *state, unsigned n);
/* Writes a kernel called NAME: `void NAME(int n, int m, long *restrict fin)`. */
void random_kernel(FILE *out, const char *name, uint64_t seed);

#endif
