/* SPDX-License-Identifier: Apache-2.0 */
/* rounds.h: a test with random rounds. By itself it does a few; the scripts of tests/long
 * ask for more:
 *
 *   AUTOTUNE_TEST_ROUNDS=N   how many
 *   AUTOTUNE_TEST_SEED=N     where the random numbers begin
 *   AUTOTUNE_TEST_SECONDS=N  ends after this time, wherever it is then
 *   AUTOTUNE_TEST_ONLY=NAME  runs only this test of the program */
#ifndef ROUNDS_H
#define ROUNDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"

static inline uint64_t rounds_number(const char *variable, uint64_t otherwise) {
  const char *text = getenv(variable);
  return text ? strtoull(text, NULL, 0) : otherwise;
}

/* For main: lets the program run for SECONDS, or for as long as it was asked to and a
 * minute more, rather than hang. */
static inline void rounds_limit(unsigned seconds) {
  if (getenv("AUTOTUNE_TEST_ONLY"))
    cmocka_set_test_filter(getenv("AUTOTUNE_TEST_ONLY"));
  unsigned asked = (unsigned)rounds_number("AUTOTUNE_TEST_SECONDS", 0);
  alarm(asked ? asked + 60 : seconds);
}

struct rounds {
  uint64_t rng; /* the state of its random numbers */
  unsigned n, done;
  double until; /* by sys_now; 0: no limit */
  uint64_t seed;
};
/* Begins N rounds with SEED, unless the environment asks for others. */
static inline struct rounds rounds_begin(unsigned n, uint64_t seed) {
  double seconds = (double)rounds_number("AUTOTUNE_TEST_SECONDS", 0);
  struct rounds r = { .n = (unsigned)rounds_number("AUTOTUNE_TEST_ROUNDS", n),
                      .seed = rounds_number("AUTOTUNE_TEST_SEED", seed),
                      .until = seconds > 0 ? sys_now() + seconds : 0 };
  r.rng = r.seed;
  return r;
}

/* True if there is another round. */
static inline bool rounds_next(struct rounds *r) {
  if (r->done == r->n || (r->until && sys_now() >= r->until))
    return false;
  r->done++;
  return true;
}

/* Prints how many of WHAT there were ("kills"). */
static inline void rounds_end(const struct rounds *r, const char *what) {
  print_message("%u of %u %s, seed %llu\n", r->done, r->n, what,
                (unsigned long long)r->seed);
}

#endif
