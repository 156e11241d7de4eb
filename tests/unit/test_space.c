// SPDX-License-Identifier: Apache-2.0
// Spaces, searches and statistics: pure functions, small examples.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "tune/search/search.h"
#include "model/space.h"

#define V(n) { #n, #n, n, n }
static const struct autotune_value yes_no[] = { { "yes", "1", 1, 1 },
                                                { "no", "0", 0, 0 } };
static const struct autotune_value sizes[] = { V(8), V(16), V(32) },
                                   small[] = { V(1), V(2) };

// tile? (TI matters only with it), unroll.
static const struct autotune_param params[] = {
  { "tile", "AUTOTUNE_P0", AUTOTUNE_CHOICE, -1, 2, 1, yes_no },
  { "TI", "TI", AUTOTUNE_INT, 0, 3, 2, sizes },
  { "U", "U", AUTOTUNE_INT, -1, 2, 2, small },
};

static int at_most_sixteen(const struct autotune_value *const *v, void *const *args,
                           const struct autotune_machine *m) {
  (void)args, (void)m;
  return v[0]->i == 0 || v[1]->i * v[2]->i <= 16;
}

static struct autotune_kernel kernel = { .name = "k", .n_params = 3, .params = params };
static const struct autotune_machine machine;

static struct space space_with(int (*constraint)(const struct autotune_value *const *,
                                                 void *const *,
                                                 const struct autotune_machine *)) {
  struct space s;
  static const unsigned all[] = { 0, 1, 2 };
  static struct autotune_condition condition;
  condition =
      (struct autotune_condition){ .holds = constraint, .n_params = 3, .params = all };
  kernel.conditions = &condition;
  kernel.n_conditions = constraint != NULL;
  space_init(&s, &kernel, NULL, &machine);
  return s;
}

static void test_order(void **state) {
  (void)state;
  static const char *const expected[] = {
    "tile=yes TI=8 U=1",  "tile=yes TI=8 U=2",  "tile=yes TI=16 U=1",
    "tile=yes TI=16 U=2", "tile=yes TI=32 U=1", "tile=yes TI=32 U=2",
    "tile=no U=1",        "tile=no U=2",
  };
  struct space s = space_with(NULL);
  choice point[MAX_PARAMS];
  unsigned n = 0;
  for (bool more = space_first(&s, point); more; more = space_next(&s, point), n++) {
    char *text = space_describe(&s, point);
    assert_in_range(n, 0, 7);
    assert_string_equal(text, expected[n]);
    assert_true(space_allows(&s, point));
    free(text);
  }
  assert_int_equal(n, 8);
  assert_int_equal(s.size, 12); // of the product
}

static void test_constraint(void **state) {
  (void)state;
  struct space s = space_with(at_most_sixteen);
  assert_int_equal(space_count(&s, 100), 5);
  assert_int_equal(space_count(&s, 3), 3);
  uint64_t steps = 100, none = 0;
  assert_true(space_any(&s, &steps));
  assert_in_range(steps, 1, 99);
  assert_true(space_any(&s, &none)); // which is not known
  const choice forbidden[] = { 0, 1, 1 }, gated[] = { 1, 1, 0 }, beyond[] = { 0, 3, 0 };
  assert_false(space_allows(&s, forbidden));
  assert_false(space_allows(&s, gated));
  assert_false(space_allows(&s, beyond));
}

static void test_original(void **state) {
  (void)state;
  struct space s = space_with(NULL);
  choice point[MAX_PARAMS];
  assert_true(space_original(&s, point));
  char *text = space_describe(&s, point), *values = space_values(&kernel, point);
  assert_string_equal(text, "tile=no U=1"); // TI does not matter, U has no original value
  assert_string_equal(values, "TI=8\nU=1\ntile=no\n");
  free(text);
  free(values);
}

static int nothing(const struct autotune_value *const *v, void *const *args,
                   const struct autotune_machine *m) {
  (void)v, (void)args, (void)m;
  return 0;
}

static void test_empty(void **state) {
  (void)state;
  struct space s = space_with(nothing);
  choice point[MAX_PARAMS];
  uint64_t rng = 1, steps = 1000;
  assert_int_equal(space_count(&s, 10), 0);
  assert_false(space_any(&s, &steps));
  assert_false(space_first(&s, point));
  assert_false(space_sample(&s, &rng, point));
}

// ---- a space that cannot be listed: 10 parameters of 8 values -----------------------

static const struct autotune_value eight[] = { V(0), V(1), V(2), V(3),
                                               V(4), V(5), V(6), V(7) };
static struct autotune_param many[10];

static int all_equal(const struct autotune_value *const *v, void *const *args,
                     const struct autotune_machine *m) {
  (void)args, (void)m;
  for (int i = 1; i < 6; i++) // 8^5 of 8^10 points: one in 32 768
    if (v[i]->i != v[0]->i)
      return 0;
  return 1;
}

static struct space large_space(bool constrained) {
  static struct autotune_kernel k = { .name = "large", .n_params = 10, .params = many };
  struct space s;
  for (int i = 0; i < 10; i++)
    many[i] = (struct autotune_param){ "p", NULL, AUTOTUNE_INT, -1, 8, 8, eight };
  static const unsigned looks[] = { 0, 1, 2, 3, 4, 5 };
  static const struct autotune_condition condition = { .holds = all_equal,
                                                       .n_params = 6,
                                                       .params = looks };
  k.conditions = &condition;
  k.n_conditions = constrained;
  space_init(&s, &k, NULL, &machine);
  return s;
}

static void test_large(void **state) {
  (void)state;
  choice point[MAX_PARAMS];
  uint64_t rng = 4711;
  struct space s = large_space(true);
  assert_int_equal(s.size, 1u << 30);
  for (int i = 0; i < 5; i++) {
    assert_true(space_sample(&s, &rng, point));
    assert_true(space_allows(&s, point));
  }
}

// ---- searches -----------------------------------------------------------------------

static unsigned run(const char *name, const struct space *s, uint64_t seed,
                    unsigned limit, uint64_t *hashes) {
  const struct strategy_class *class = strategy_find(name);
  struct strategy *st = class->new(s, seed, limit);
  choice point[MAX_PARAMS];
  unsigned n = 0;
  for (; n < limit && class->ask(st, point); n++) {
    assert_true(space_allows(s, point));
    hashes[n] = space_hash(s, point);
    for (unsigned i = 0; i < n; i++)
      assert_true(hashes[i] != hashes[n]); // none twice
    class->tell(st, point, &(struct observation){ .status = STATUS_OK, .cost = 1 });
  }
  class->free(st);
  return n;
}

static void test_searches_cover(void **state) {
  (void)state;
  for (const struct strategy_class *const *c = strategy_list(); *c; c++) {
    uint64_t first[100], second[100], other[100];
    struct space s = space_with(at_most_sixteen);
    choice original[MAX_PARAMS];
    assert_int_equal(run((*c)->name, &s, 1, 100, first), 5);
    assert_int_equal(run((*c)->name, &s, 1, 100, second), 5);
    assert_memory_equal(first, second, 5 * sizeof *first); // the seed decides
    assert_true(space_original(&s, original));
    assert_true(first[0] == space_hash(&s, original));
    s = large_space(false);
    assert_int_equal(run((*c)->name, &s, 1, 100, first), 100);
    assert_int_equal(run((*c)->name, &s, 1, 100, second), 100);
    assert_int_equal(run((*c)->name, &s, 2, 100, other), 100);
    assert_memory_equal(first, second, sizeof first);
    if (strcmp((*c)->name, "random") == 0)
      assert_memory_not_equal(first, other, sizeof first);
  }
}

static void test_choice_of_search(void **state) {
  (void)state;
  struct space s = space_with(NULL), large = large_space(false);
  assert_string_equal(strategy_choose(&s, 8)->name, "exhaustive");
  assert_string_equal(strategy_choose(&s, 7)->name, "auto");
  assert_string_equal(strategy_choose(&large, 200)->name, "auto");
  assert_null(strategy_find("annealing"));
}

// ---- statistics ---------------------------------------------------------------------

static struct estimate of(unsigned n, const double *values) {
  double copy[64];
  memcpy(copy, values, n * sizeof *values);
  return stats_median(copy, n);
}

static void test_median(void **state) {
  (void)state;
  double counted[30];
  for (int i = 0; i < 30; i++)
    counted[i] = 30 - i; // unsorted
  struct estimate e = of(1, counted);
  assert_true(e.median == 30 && e.low == 30 && e.high == 30);
  e = of(4, counted); // too few for 95 %: their range
  assert_true(e.median == 28.5 && e.low == 27 && e.high == 30);
  e = of(10, counted); // ranks 2 and 9 of 10, as in tables
  assert_true(e.median == 25.5 && e.low == 22 && e.high == 29);
  e = of(30, counted); // ranks 10 and 21
  assert_true(e.median == 15.5 && e.low == 10 && e.high == 21 && e.n == 30);
  e = of(0, counted);
  assert_true(e.n == 0 && e.median == 0);
}

static void test_comparisons(void **state) {
  (void)state;
  struct estimate a = { 10, 9.95, 10.05, 9 }, b = { 10.5, 10.1, 11, 9 },
                  c = { 10.1, 10, 11, 9 };
  assert_true(stats_precise(a, 0.02));
  assert_false(stats_precise(b, 0.02));
  assert_true(stats_above(b, a));
  assert_false(stats_above(c, a)); // the intervals meet
  assert_false(stats_above(a, b));
  assert_false(stats_above(a, (struct estimate){ 0 }));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_order),
    cmocka_unit_test(test_constraint),
    cmocka_unit_test(test_original),
    cmocka_unit_test(test_empty),
    cmocka_unit_test(test_large),
    cmocka_unit_test(test_searches_cover),
    cmocka_unit_test(test_choice_of_search),
    cmocka_unit_test(test_median),
    cmocka_unit_test(test_comparisons),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
