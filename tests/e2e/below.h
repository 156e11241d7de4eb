/* SPDX-License-Identifier: Apache-2.0 */
/* below.h: made-up numbers for programs that write nests (splitmix64: G. L. Steele et al.,
 * "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014). */
#ifndef BELOW_H
#define BELOW_H

#include <stdint.h>

static uint64_t state; /* the seed at first */

/* Returns a number from 0 to N - 1. */
static unsigned below(unsigned n) {
  uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return (unsigned)((z ^ (z >> 31)) % n);
}

#endif
