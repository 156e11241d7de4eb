// SPDX-License-Identifier: Apache-2.0
// Tests when a new winner stays, by pairs of calls that are counted over all runs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "model/own_calls.h"

// Compares calls of the default, which take 1 to 1 + NOISE, with those of a winner with
// GAIN, one of 16 of which takes LATE longer. Returns what is decided, and the pairs.
static enum own_calls_say compare(double gain, double noise, double late, uint64_t seed,
                                  struct own_calls *own) {
  enum own_calls_say says = OWN_CALLS_MORE;
  *own = (struct own_calls){ 0 };
  while (says == OWN_CALLS_MORE && own->pairs < 1000) {
    double original = 1 + noise * rng_unit(&seed);
    double winner = (1 + noise * rng_unit(&seed)) / gain;
    if (rng_below(&seed, 16) == 0)
      winner += late;
    own_calls_add(own, winner, original);
    says = own_calls_judge(own);
  }
  assert_in_range(own->pairs, 4, 32);
  return says;
}

// Returns of 1000 winners how many are no faster.
static unsigned losers(double gain, double noise, double late) {
  struct own_calls own;
  unsigned n = 0;
  for (unsigned seed = 0; seed < 1000; seed++)
    n += compare(gain, noise, late, seed, &own) == OWN_CALLS_SLOWER;
  return n;
}

static void test_clear_cases(void **state) {
  (void)state;
  struct own_calls own;
  assert_int_equal(compare(2.2, 0.1, 0, 1, &own), OWN_CALLS_FASTER);
  assert_int_equal(own.pairs, 4);
  assert_int_equal(compare(0.7, 0.1, 0, 1, &own), OWN_CALLS_SLOWER);
  assert_int_equal(own.pairs, 8);
  assert_int_equal(losers(1.2, 0.1, 0), 0);
  assert_true(losers(0.9, 0.1, 0) > 990);
  assert_int_equal(compare(1.3, 0.05, 0, 1, &own), OWN_CALLS_FASTER);
  assert_int_equal(own.pairs, 16);
  assert_int_equal(compare(1.07, 0.01, 0, 1, &own), OWN_CALLS_FASTER);
  assert_int_equal(own.pairs, 32);
}

static void test_noise(void **state) {
  (void)state;
  assert_true(losers(1.3, 1, 0) < 100);
  assert_true(losers(0.7, 1, 0) > 900);
  unsigned equal = losers(1, 0.02, 0); // when in doubt, the default
  assert_in_range(equal, 500, 1000);
}

// One call of the winner in 16 takes a thousand times as long, because of something else.
static void test_an_interrupted_call(void **state) {
  (void)state;
  struct own_calls own = { 0 };
  for (int i = 0; i < 32; i++)
    own_calls_add(&own, i == 5 ? 1000 : 1, 2);
  char text[96];
  assert_int_equal(own_calls_judge(&own), OWN_CALLS_FASTER);
  assert_string_equal(
      own_calls_text(&own, text, sizeof text),
      "2 x as fast as the default in 32 pairs of the program's own calls");
  // Where it happens often it counts.
  assert_true(losers(1.5, 0.1, 1000) > 50);
}

// What several runs have shown counts together.
static void test_runs(void **state) {
  (void)state;
  struct own_calls all = { 0 };
  for (int run = 0; run < 2; run++) {
    struct own_calls own = { 0 };
    own_calls_add(&own, 1, 3 + run);
    own_calls_add(&own, 2 + run, 3);
    assert_int_equal(own_calls_judge(&own), OWN_CALLS_MORE);
    own_calls_join(&all, &own);
  }
  const struct own_calls sums = { 4, 0, 13, 7, 4, 3 };
  assert_memory_equal(&all, &sums, sizeof sums);
  assert_int_equal(own_calls_judge(&all), OWN_CALLS_FASTER);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_clear_cases),
    cmocka_unit_test(test_noise),
    cmocka_unit_test(test_an_interrupted_call),
    cmocka_unit_test(test_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
