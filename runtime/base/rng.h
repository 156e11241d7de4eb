/* SPDX-License-Identifier: Apache-2.0 */
/* rng.h: random numbers: splitmix64 (Steele, Lea, Flood, OOPSLA 2014). The state may have
 * any value. */
#ifndef AUTOTUNE_RNG_H
#define AUTOTUNE_RNG_H

#include <stdint.h>

static inline uint64_t rng_next(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Returns 0 to N - 1. */
static inline uint32_t rng_below(uint64_t *state, uint32_t n) {
  return (uint32_t)(((rng_next(state) >> 32) * n) >> 32);
}

/* Returns a number of [0, 1). */
static inline double rng_unit(uint64_t *state) {
  return (double)(rng_next(state) >> 11) * 0x1p-53;
}

#endif
