/* SPDX-License-Identifier: Apache-2.0 */
/* below.h: made-up numbers for programs that write nests (splitmix64: G. L. Steele et al.,
 * "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014). */
#ifndef BELOW_H
#define BELOW_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state; /* the seed at first */

/* Returns a number from 0 to N - 1. */
static unsigned below(unsigned n) {
  uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return (unsigned)((z ^ (z >> 31)) % n);
}

/* Writes a function made up from SEED, with KERNEL before it and DIRECTIVE before its
 * loops: lines, or "". */
typedef void write_nest(const char *name, const char *kernel, const char *directive,
                        uint64_t seed);

/* The program PROGRAM [WORD] SEED: writes the plain function `plain` if WORD is that;
 * otherwise the kernel `nest`, with KERNEL and DIRECTIVE. */
static int below_main(int argc, char **argv, write_nest *write, const char *kernel,
                      const char *directive) {
  uint64_t seed = strtoull(argv[argc - 1], NULL, 10);
  if (argc > 2 && strcmp(argv[1], "plain") == 0)
    write("plain", "", "", seed);
  else
    write("nest", kernel, directive, seed);
  return 0;
}

#endif
