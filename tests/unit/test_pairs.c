// SPDX-License-Identifier: Apache-2.0
// Tests when the default runs in place of a winner whose calls have other work each time.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "call/pairs.h"

struct program {
  double shrinks; // the work of a call, as a part of the work of the call before
  double gain;    // of the winner
  double noise;   // of each call, as a part of it
  double late;    // so many seconds, in one of 16 calls of the winner
  uint64_t random;
};

// Runs CALLS calls. Returns the part of them that ran the default.
static double run(struct pairs *r, struct program *p, unsigned calls) {
  unsigned originals = 0;
  double work = 1e-3;
  for (unsigned i = 0; i < calls; i++, work *= p->shrinks) {
    bool original, timed = pairs_next(r, &original);
    double seconds = work * (1 + p->noise * rng_unit(&p->random)) /
        (original ? 1 : p->gain);
    if (!original && rng_below(&p->random, 16) == 0)
      seconds += p->late;
    originals += original;
    if (timed)
      pairs_add(r, seconds);
  }
  return (double)originals / calls;
}

static void test_a_good_winner_runs(void **state) {
  (void)state;
  for (unsigned seed = 0; seed < 20; seed++) {
    struct pairs r = pairs_new(seed);
    struct program p = { .shrinks = 0.999, .gain = 1.5, .noise = 0.1, .random = seed };
    assert_true(run(&r, &p, 2000) < 0.05);
    assert_false(r.loses);
  }
}

static void test_a_slow_winner_does_not(void **state) {
  (void)state;
  for (unsigned seed = 0; seed < 20; seed++) {
    struct pairs r = pairs_new(seed);
    struct program p = { .shrinks = 1, .gain = 0.8, .noise = 0.1, .random = seed };
    assert_true(run(&r, &p, 2000) > 0.97);
    assert_true(r.loses);
    p.gain = 1.5; // the processors are free again
    assert_true(run(&r, &p, 20000) < 0.5);
    assert_false(r.loses);
  }
}

// Its usual call is faster, but some wait for a processor.
static void test_long_calls_count(void **state) {
  (void)state;
  double originals = 0;
  for (unsigned seed = 0; seed < 20; seed++) {
    struct pairs r = pairs_new(seed);
    struct program p = { .shrinks = 1, .gain = 1.5, .late = 16e-3, .random = seed };
    originals += run(&r, &p, 4000) / 20;
  }
  assert_true(originals > 0.6);
}

// A call that does not come back, because of longjmp, ends its pair after a while: the
// other half has nothing to be compared with.
static void test_calls_without_a_time(void **state) {
  (void)state;
  struct pairs r = pairs_new(1);
  bool original;
  unsigned timed = 0;
  for (unsigned i = 0; i < 10 * (PAIRS_PATIENCE + 1); i++)
    timed += pairs_next(&r, &original);
  assert_int_equal(timed, 10);
  assert_int_equal(r.n, 0);
  assert_false(pairs_add(&(struct pairs){ .every = 2 }, 1));
}

// A call that was given up, because it took too long, is no half of a later pair.
static void test_a_late_call(void **state) {
  (void)state;
  struct pairs r = pairs_new(1);
  struct program p = { .shrinks = 1, .gain = 1.5, .random = 1 };
  bool original;
  run(&r, &p, 4 * PAIRS_LEAST);
  assert_true(r.decided && r.every > 1);
  for (unsigned i = 0; !pairs_next(&r, &original); i++)
    assert_true(i < 1000);
  unsigned n = r.n;
  for (unsigned i = 0; i <= PAIRS_PATIENCE; i++)
    assert_false(pairs_next(&r, &original));
  assert_false(pairs_add(&r, 1e6));
  assert_int_equal(r.n, n);
  run(&r, &p, 4000);
  assert_true(r.n > n && !r.loses && r.ratio > 1.4);
}

// Threads call at the same time: three calls begin while one that is timed goes on. These
// run what is better so far, and the pairs come to an end.
static void test_calls_at_the_same_time(void **state) {
  (void)state;
  struct pairs r = pairs_new(3);
  unsigned timed = 0, untimed = 0, winners = 0;
  for (unsigned i = 0; i < 400; i++) {
    bool original, other;
    bool is = pairs_next(&r, &original), loses = r.loses;
    for (unsigned j = 0; is && j < 3; j++, untimed++) {
      assert_false(pairs_next(&r, &other));
      assert_int_equal(other, loses);
    }
    timed += is;
    winners += is && !original;
    if (is)
      pairs_add(&r, original ? 3 : 2);
  }
  assert_true(r.decided && !r.loses);
  assert_true(timed >= 2 * PAIRS_LEAST && untimed == 3 * timed);
  assert_true(2 * winners >= timed - 1 && 2 * winners <= timed + 1);
}

// Each order has as many pairs: a winner that does nothing for calls that become shorter
// is not better than the default.
static void test_order(void **state) {
  (void)state;
  for (unsigned seed = 0; seed < 20; seed++) {
    struct pairs r = pairs_new(seed);
    struct program p = { .shrinks = 0.95, .gain = 1, .random = seed };
    run(&r, &p, 2 * PAIRS_LEAST + 2);
    assert_true(r.decided);
    assert_true(fabs(r.ratio - 1) < 0.06);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_good_winner_runs),
    cmocka_unit_test(test_a_slow_winner_does_not),
    cmocka_unit_test(test_long_calls_count),
    cmocka_unit_test(test_calls_without_a_time),
    cmocka_unit_test(test_a_late_call),
    cmocka_unit_test(test_calls_at_the_same_time),
    cmocka_unit_test(test_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
