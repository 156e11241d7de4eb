// SPDX-License-Identifier: Apache-2.0
// Properties of every search of the table: none asks for a point twice, for one that is
// not allowed, or for one that it was told of; all end when the space is exhausted, also
// with several points in flight; the seed decides; a space in which everything fails does
// no harm. Searches that learn find fast points sooner than chance.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tune/search/search.h"

enum { N = 6, MOST = 4096 };
static struct autotune_value numbers[16];
static struct autotune_param params[N];
static const unsigned all[N] = { 0, 1, 2, 3, 4, 5 };
static const struct autotune_machine machine;

static int some(const struct autotune_value *const *v, void *const *args,
                const struct autotune_machine *m) {
  (void)args, (void)m;
  return v[0]->i * v[1]->i <= 12 && v[1]->i % v[2]->i == 0;
}

static const struct autotune_condition condition = { .holds = some,
                                                     .n_params = 3,
                                                     .params = all };

// Makes a space with VALUES of each of six parameters; parameter 4 matters with parameter
// 3 (0: no).
static struct space made(unsigned values) {
  static struct autotune_kernel kernel;
  struct space s;
  for (unsigned i = 0; i < 16; i++)
    numbers[i] = (struct autotune_value){ "v", "v", i + 1, i + 1 };
  static struct autotune_value gate[] = { { "no", "0", 0, 0 }, { "yes", "1", 1, 1 } };
  for (unsigned i = 0; i < N; i++)
    params[i] = (struct autotune_param){ "p", "P", AUTOTUNE_INT, -1, values, 0, numbers };
  params[3] = (struct autotune_param){ "g", "G", AUTOTUNE_CHOICE, -1, 2, 1, gate };
  params[4].when = 3;
  kernel = (struct autotune_kernel){ .name = "k",
                                     .params = params,
                                     .n_params = N,
                                     .conditions = &condition,
                                     .n_conditions = 1 };
  space_init(&s, &kernel, NULL, &machine);
  return s;
}

// A valley with its bottom at the fourth value of each parameter.
static double seconds_of(const choice *point) {
  double sum = 1;
  for (int p = 0; p < N; p++)
    if (p != 3)
      sum += pow(fabs((double)point[p] - 3), 1.5);
  return 1e-3 * sum;
}

struct run {
  const struct space *space;
  unsigned flight, limit;
  bool fail_all, fail_high; // everything fails; fails if parameter 5 is in the upper half
  uint64_t hashes[MOST];
  unsigned n, failed;
  double best;
};

static struct observation told_of(struct run *r, const choice *point) {
  bool high = r->fail_high && point[5] >= 4;
  r->failed += r->fail_all || high;
  if (r->fail_all || high)
    return (struct observation){ .status = r->n % 2 ? STATUS_COMPILE : STATUS_CRASH };
  return (struct observation){ .status = STATUS_OK, .cost = seconds_of(point) };
}

static void asked(struct run *r, const choice *point) {
  uint64_t hash = space_hash(r->space, point);
  assert_true(space_allows(r->space, point));
  for (unsigned i = 0; i < r->n; i++)
    assert_true(r->hashes[i] != hash);
  assert_in_range(r->n, 0, MOST - 1);
  r->hashes[r->n++] = hash;
}

static void go(struct run *r, const struct strategy_class *class, struct strategy *st) {
  choice flying[8][MAX_PARAMS];
  unsigned first = 0, n = 0;
  r->best = INFINITY;
  for (bool more = true;;) {
    if (class->left)
      class->left(st, 1 - (double)r->n / r->limit);
    while (more && n < r->flight && r->n < r->limit &&
           (more = class->ask(st, flying[(first + n) % 8])))
      asked(r, flying[(first + n++) % 8]);
    if (n == 0)
      return;
    struct observation observation = told_of(r, flying[first]);
    if (observation.status == STATUS_OK)
      r->best = fmin(r->best, observation.cost);
    class->tell(st, flying[first], &observation);
    first = (first + 1) % 8;
    n--;
  }
}

static void run(struct run *r, const struct strategy_class *class, uint64_t seed) {
  struct strategy *st = class->new(r->space, seed, r->limit);
  assert_non_null(st);
  go(r, class, st);
  class->free(st);
}

#define EACH_SEARCH(c) \
  for (const struct strategy_class *const *c = strategy_list(); *c; c++)

static void test_ends(void **state) {
  (void)state;
  static struct run r;
  struct space s = made(3);
  unsigned points = (unsigned)space_count(&s, 100000);
  assert_in_range(points, 100, MOST);
  EACH_SEARCH(c) {
    r = (struct run){ .space = &s, .flight = 8, .limit = MOST };
    run(&r, *c, 3);
    assert_int_equal(r.n, points);
    assert_true(r.best < 1.1e-2);
  }
}

static void test_everything_fails(void **state) {
  (void)state;
  static struct run r;
  struct space s = made(3);
  unsigned points = (unsigned)space_count(&s, 100000);
  EACH_SEARCH(c) {
    r = (struct run){ .space = &s, .flight = 3, .limit = MOST, .fail_all = true };
    run(&r, *c, 5);
    assert_int_equal(r.n, points);
  }
}

// The same seed asks for the same points, another seed for others.
static void test_seed(void **state) {
  (void)state;
  enum { ASKED = 50 };
  static struct run runs[3];
  static const uint64_t seeds[] = { 1, 1, 2 };
  struct space s = made(8);
  EACH_SEARCH(c) {
    for (int i = 0; i < 3; i++) {
      runs[i] = (struct run){ .space = &s, .flight = 4, .limit = ASKED };
      run(&runs[i], *c, seeds[i]);
      assert_int_equal(runs[i].n, ASKED);
    }
    assert_memory_equal(runs[0].hashes, runs[1].hashes, ASKED * sizeof *runs[0].hashes);
    assert_memory_not_equal(runs[0].hashes, runs[2].hashes,
                            ASKED * sizeof *runs[0].hashes);
  }
}

// A search that was told of points it did not ask for, as from an earlier tuning, does
// not ask for them.
static void test_told_unasked(void **state) {
  (void)state;
  static struct run r;
  struct space s = made(8);
  EACH_SEARCH(c) {
    struct strategy *st = (*c)->new(&s, 1, 100);
    choice point[MAX_PARAMS];
    uint64_t rng = 17;
    struct seen seen = { 0 };
    r = (struct run){ .space = &s, .flight = 2, .limit = 100 };
    for (unsigned i = 0; i < 40; i++) {
      assert_true(seen_other(&seen, &s, &rng, point));
      asked(&r, point);
      struct observation observation = told_of(&r, point);
      (*c)->tell(st, point, &observation);
    }
    go(&r, *c, st);
    assert_int_equal(r.n, 100);
    seen_free(&seen);
    (*c)->free(st);
  }
}

static double median_of(const struct strategy_class *class, struct run from,
                        unsigned *failed) {
  static struct run r;
  enum { RUNS = 3 };
  double found[RUNS];
  *failed = 0;
  for (unsigned i = 0; i < RUNS; i++) {
    r = from;
    run(&r, class, i + 1);
    found[i] = r.best;
    *failed += r.failed;
  }
  return stats_median(found, RUNS).median;
}

static void test_learns(void **state) {
  (void)state;
  struct space s = made(12);
  struct run r = { .space = &s, .flight = 2, .limit = 100, .fail_high = true };
  unsigned random_failed, failed;
  double by_chance = median_of(strategy_find("random"), r, &random_failed);
  static const char *const learning[] = { "local", "anneal", "genetic", "model", "auto" };
  for (unsigned i = 0; i < sizeof learning / sizeof *learning; i++) {
    assert_true(median_of(strategy_find(learning[i]), r, &failed) < by_chance);
    assert_true(failed < random_failed * 2 / 5); // two thirds of all fail
  }
}

// The expected improvement falls as the space becomes known, and no predicted time is
// well above the real one.
static void test_expected_improvement(void **state) {
  (void)state;
  struct space s = made(8);
  static const char *const hoping[] = { "model", "auto" };
  for (unsigned i = 0; i < 2; i++) {
    const struct strategy_class *c = strategy_find(hoping[i]);
    struct strategy *st = c->new(&s, 1, 200);
    double early = 0;
    unsigned said = 0, wrong = 0;
    choice point[MAX_PARAMS];
    assert_true(c->expected_improvement(st) < 0);
    for (unsigned n = 0; n < 120; n++) {
      assert_true(c->ask(st, point));
      struct observation observation = { .status = STATUS_OK, .cost = seconds_of(point) };
      double expected = c->expect(st, point, NULL);
      said += expected > 0;
      wrong += expected > observation.cost;
      c->tell(st, point, &observation);
      early = n == 20 ? c->expected_improvement(st) : early;
    }
    assert_true(c->expected_improvement(st) >= 0 &&
                c->expected_improvement(st) < early / 4);
    assert_true(said > 60 && wrong < said / 10);
    c->free(st);
  }
}

static void test_failures(void **state) {
  (void)state;
  struct space s = made(8);
  struct known k;
  choice point[N] = { 0 }, again[N] = { 0 };
  assert_true(known_init(&k, &s, 1));
  for (choice v = 0; v < 8; v++) {
    point[5] = v;
    struct observation observation = { .status = v >= 4 ? STATUS_WRONG : STATUS_OK,
                                       .cost = 1.0 + v };
    assert_true(isnan(known_cost(&k, point)));
    assert_true(known_tell(&k, point, &observation));
    assert_false(known_tell(&k, point, &observation));
    assert_true(v >= 4 ? isinf(known_cost(&k, point)) : known_cost(&k, point) == 1.0 + v);
  }
  again[2] = 0, again[0] = 1, again[5] = 7;
  assert_true(known_risk(&k, again) > 0.6);
  again[5] = 1;
  assert_true(known_risk(&k, again) < 0.4);
  assert_true(known_fresh(&k, again));
  assert_false(known_fresh(&k, again));
  assert_int_equal(k.best, 0);
  known_free(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ends),
    cmocka_unit_test(test_everything_fails),
    cmocka_unit_test(test_seed),
    cmocka_unit_test(test_told_unasked),
    cmocka_unit_test(test_learns),
    cmocka_unit_test(test_failures),
    cmocka_unit_test(test_expected_improvement),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
