/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which variants are sure to lose: rules need evidence from this tuning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tune/tune.h"

enum { PARAMS = 5, MOST = 32, RULE_SPILLS = 0, RULE_TILE = 1, RULE_SEARCH = 2 };

static struct tuned {
  struct candidate all[MOST];
  choice points[MOST][PARAMS];
  unsigned n;
  struct pruning pruning;
  struct estimate best;
} tuned;

static int begin(void **state) {
  (void)state;
  tuned = (struct tuned){ .best = { 1, 0.99, 1.01, 9 } };
  return 0;
}

/* Adds a variant of one point that has SPILLS and a tile of L2's size times 2^TILE. */
static struct candidate *add(const choice *point, float spills, float tile) {
  struct candidate *c = &tuned.all[tuned.n];
  memcpy(tuned.points[tuned.n], point, sizeof tuned.points[0]);
  *c = (struct candidate){ .point = tuned.points[tuned.n],
                           .status = STATUS_PENDING,
                           .condemned = NONE,
                           .sibling = { NONE, NONE, NONE } };
  features_clear(&c->features);
  c->features.values[FEATURE_MAIN_SPILLS] = spills;
  c->features.values[FEATURE_TILE_L2] = tile;
  tuned.n++;
  return c;
}

static struct candidate *run(struct candidate *c, double seconds) {
  c->done = true;
  c->status = STATUS_OK;
  c->e = (struct estimate){ seconds, 0.99 * seconds, 1.01 * seconds, 9 };
  prune_relate(tuned.all, tuned.n, PARAMS, (unsigned)(c - tuned.all));
  prune_learn(&tuned.pruning, tuned.all, c, tuned.best);
  return c;
}

static int loser(struct candidate *c) {
  prune_relate(tuned.all, tuned.n, PARAMS, (unsigned)(c - tuned.all));
  return prune_loser(&tuned.pruning, tuned.all, tuned.n, c, tuned.best);
}

/* Adds N pairs: one without spills that takes a second, one with spills that takes
 * SLOWER. No two pairs are siblings. */
static void pairs(choice n, double slower) {
  for (choice i = 0; i < n; i++) {
    run(add((choice[PARAMS]){ 10 * i, 10 * i, 10 * i, 0 }, 0, -1), 1);
    run(add((choice[PARAMS]){ 10 * i, 10 * i, 10 * i, 1 }, 5, -1), slower);
  }
}

/* Adds another pair, whose second variant is not run yet. */
static struct candidate *next(float spills, float tile) {
  run(add((choice[PARAMS]){ 7, 7, 7, 0 }, 0, -1), 1);
  return add((choice[PARAMS]){ 7, 7, 8, 1 }, spills, tile);
}

static void a_rule_speaks_after_three(void **state) {
  (void)state;
  pairs(2, 1.5);
  assert_int_equal(loser(next(3, -1)), NONE);
  tuned.n -= 2;
  pairs(3, 1.5);
  assert_int_equal(loser(next(3, -1)), RULE_SPILLS);
  assert_string_equal(prune_why(RULE_SPILLS), "spills in its main loop");
}

static void what_has_no_flaw_is_run(void **state) {
  (void)state;
  pairs(5, 1.5);
  assert_int_equal(loser(next(0, -1)), NONE);
  assert_int_equal(loser(next(__builtin_nanf(""), -1)), NONE);
}

static void what_has_no_sibling_is_run(void **state) {
  (void)state;
  pairs(5, 1.5);
  assert_int_equal(loser(add((choice[PARAMS]){ 1, 2, 3, 4 }, 5, -1)), NONE);
  next(0, -1); /* {7, 7, 7, 0}: differs in three */
  assert_int_equal(loser(add((choice[PARAMS]){ 7, 8, 8, 1 }, 5, -1)), NONE);
}

static void one_counterexample_silences(void **state) {
  (void)state;
  pairs(5, 1.5);
  run(add((choice[PARAMS]){ 3, 90, 90, 0 }, 0, -1), 1);
  run(add((choice[PARAMS]){ 3, 90, 90, 1 }, 2, -1), 0.9);
  assert_int_equal(loser(next(3, -1)), NONE);
}

/* A difference within the noise is no evidence. */
static void noise_proves_nothing(void **state) {
  (void)state;
  pairs(5, 1.01);
  assert_int_equal(loser(next(3, -1)), NONE);
}

static void what_timed_out_was_slower(void **state) {
  (void)state;
  pairs(3, 1.5);
  for (unsigned i = 1; i < tuned.n; i += 2) {
    tuned.all[i].status = STATUS_TIMEOUT;
    tuned.all[i].e.n = 0;
  }
  assert_int_equal(loser(next(3, -1)), RULE_SPILLS);
}

static void tiles_beyond_the_cache_lose_without_being_compiled(void **state) {
  (void)state;
  for (choice i = 0; i < 3; i++) {
    run(add((choice[PARAMS]){ 10 * i, 10 * i, 10 * i, 0 }, 0, -1), 1);
    run(add((choice[PARAMS]){ 10 * i, 10 * i, 10 * i, 1 }, 0, 3), 2);
  }
  struct candidate *c = next(__builtin_nanf(""), 3);
  assert_int_equal(loser(c), RULE_TILE);
  c->features.values[FEATURE_TILE_L2] = 0.5; /* a little too large */
  assert_int_equal(loser(c), NONE);
}

static void the_searchs_own_expectation_must_have_been_right(void **state) {
  (void)state;
  assert_true(prune_hopeless(1.6, tuned.best));
  assert_false(prune_hopeless(1.4, tuned.best));
  assert_false(prune_hopeless(0, tuned.best));
  assert_false(prune_hopeless(9, (struct estimate){ 0 }));
  for (choice i = 0; i < 3; i++) {
    struct candidate *c = add((choice[PARAMS]){ i, 9 * i, 9 * i, 9 * i }, 0, -1);
    c->hopeless = true;
    assert_int_equal(loser(c), NONE);
    run(c, 1.7);
  }
  struct candidate *c = add((choice[PARAMS]){ 90, 91, 92, 93 }, 0, -1);
  c->hopeless = true;
  assert_int_equal(loser(c), RULE_SEARCH);
  tuned.all[1].e = tuned.best; /* one was as good as the best */
  assert_int_equal(loser(c), NONE);
}

/* The time that searches are told for a dropped variant is never near the best, nor below
 * the sibling's. */
static void the_guess_is_no_lure(void **state) {
  (void)state;
  pairs(3, 1.5);
  struct candidate *c = next(3, -1);
  assert_int_equal(loser(c), RULE_SPILLS);
  assert_true(prune_drops(&tuned.pruning, c, RULE_SPILLS));
  assert_true(prune_guess(tuned.all, c, tuned.best) == 1.5);
  assert_true(prune_guess(tuned.all, c, (struct estimate){ 0.1, 0.1, 0.1, 9 }) == 1);
}

static void every_tenth_is_run_and_may_silence_the_rule(void **state) {
  (void)state;
  pairs(3, 1.5);
  struct candidate *c = next(3, -1);
  unsigned dropped = 0;
  for (int i = 0; i < 30; i++) {
    assert_int_equal(loser(c), RULE_SPILLS);
    dropped += prune_drops(&tuned.pruning, c, RULE_SPILLS);
  }
  assert_int_equal(dropped, 27);
  assert_int_equal(c->condemned, RULE_SPILLS);
  run(c, 1.4);
  assert_false(tuned.pruning.silent[RULE_SPILLS]);
  run(c, 0.8);
  assert_true(tuned.pruning.silent[RULE_SPILLS]);
  tuned.n -= 1; /* even if that variant is forgotten */
  assert_int_equal(loser(add((choice[PARAMS]){ 7, 7, 9, 1 }, 3, -1)), NONE);
  assert_false(prune_drops(&tuned.pruning, c, NONE));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(a_rule_speaks_after_three, begin),
    cmocka_unit_test_setup(what_has_no_flaw_is_run, begin),
    cmocka_unit_test_setup(what_has_no_sibling_is_run, begin),
    cmocka_unit_test_setup(one_counterexample_silences, begin),
    cmocka_unit_test_setup(noise_proves_nothing, begin),
    cmocka_unit_test_setup(what_timed_out_was_slower, begin),
    cmocka_unit_test_setup(tiles_beyond_the_cache_lose_without_being_compiled, begin),
    cmocka_unit_test_setup(the_searchs_own_expectation_must_have_been_right, begin),
    cmocka_unit_test_setup(the_guess_is_no_lure, begin),
    cmocka_unit_test_setup(every_tenth_is_run_and_may_silence_the_rule, begin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
