// SPDX-License-Identifier: Apache-2.0
// Tests the models of searches: points as rows of numbers, the models, and their
// expectations.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tune/learn/learn.h"

#define V(n) { #n, #n, n, n }
static const struct autotune_value gate[] = { { "no", "0", 0, 0 }, { "yes", "1", 1, 1 } };
static const struct autotune_value sizes[] = { V(8),  V(12), V(16), V(24),
                                               V(32), V(48), V(64), V(96) };
static const struct autotune_value words[] = { { "a", "a", 0, 0 },
                                               { "b", "b", 0, 0 },
                                               { "c", "c", 0, 0 } };
enum { GATE, TILE, WIDTH, WORD, N };
static const struct autotune_param params[N] = {
  { "gate", "G", AUTOTUNE_CHOICE, -1, 2, 1, gate },
  { "tile", "T", AUTOTUNE_INT, GATE, 8, 0, sizes },
  { "width", "W", AUTOTUNE_INT, -1, 8, 0, sizes },
  { "word", "O", AUTOTUNE_WORD, -1, 3, 0, words },
};
static const struct autotune_kernel kernel = { .name = "k",
                                               .params = params,
                                               .n_params = N };
static const struct autotune_machine machine;

static struct space made(void) {
  struct space s;
  space_init(&s, &kernel, NULL, &machine);
  return s;
}

// Returns the number in the first column of that kind about parameter A (and B).
static float number(const struct columns *c, const float *row, unsigned kind, unsigned a,
                    unsigned b) {
  for (unsigned i = 0; i < c->n; i++)
    if (c->list[i].kind == kind && c->list[i].a == a && c->list[i].b == b)
      return row[i];
  fail();
  return 0;
}

static void test_columns(void **state) {
  (void)state;
  struct space s = made();
  struct columns c;
  float row[MAX_COLUMNS];
  struct features code = { { 7 } };
  const choice with[N] = { 1, 1, 4, 2 }, without[N] = { 0, 0, 1, 0 };
  columns_init(&c, &s);
  columns_row(&c, with, &code, row, c.n);
  assert_true(number(&c, row, COLUMN_VALUE, TILE, 0) == 12);
  assert_true(number(&c, row, COLUMN_POWER, TILE, 0) == 2);
  assert_true(number(&c, row, COLUMN_POWER, WIDTH, 0) == 5);
  assert_true(number(&c, row, COLUMN_PRODUCT, WIDTH, TILE) == 12 * 32);
  assert_true(number(&c, row, COLUMN_IS, WORD, 2) == 1);
  assert_true(number(&c, row, COLUMN_IS, WORD, 1) == 0);
  assert_true(number(&c, row, COLUMN_CODE, 0, 0) == 7);
  columns_row(&c, without, NULL, row, c.n);
  assert_true(isnan(number(&c, row, COLUMN_VALUE, TILE, 0)));
  assert_true(isnan(number(&c, row, COLUMN_PRODUCT, WIDTH, TILE)));
  assert_true(isnan(number(&c, row, COLUMN_CODE, 0, 0)));
  assert_true(number(&c, row, COLUMN_POWER, WIDTH, 0) == 2);
}

// ---- models -------------------------------------------------------------------------

// A valley over the first of two numbers, and better throughout where the second is
// missing.
static float valley(const float *row) {
  return fabsf(row[0] - 20) / 10 + (isnan(row[1]) ? 0 : 1);
}

static void check_model(const struct learner *l) {
  enum { ROWS = 160 };
  static const struct autotune_param pair[] = {
    { "x", "X", AUTOTUNE_INT, -1, 8, 0, sizes },
    { "y", "Y", AUTOTUNE_INT, -1, 8, 0, sizes }
  };
  static const struct autotune_kernel two = { .name = "two",
                                              .params = pair,
                                              .n_params = 2 };
  struct space s;
  struct columns columns;
  float rows[ROWS * 2], targets[ROWS], mean[ROWS], spread[ROWS];
  uint64_t rng = 3;
  space_init(&s, &two, NULL, &machine);
  columns_init(&columns, &s);
  void *model = l->new(&columns, 2, 1);
  assert_non_null(model);
  for (unsigned i = 0; i < ROWS; i++) {
    rows[2 * i] = (float)(60 * rng_unit(&rng));
    rows[2 * i + 1] = i % 2 ? NAN : (float)rng_below(&rng, 5);
    targets[i] = valley(rows + 2 * i);
  }
  assert_true(l->fit(model, rows, targets, ROWS));
  assert_true(l->predict(model, rows, ROWS, mean, spread));
  double wrong = 0, off = 0;
  for (unsigned i = 0; i < ROWS; i++) {
    wrong += fabs(mean[i] - targets[i]);
    off += fabs(2 - targets[i]);
    assert_true(spread[i] >= 0);
  }
  assert_true(wrong < off / 3);
  const float ask[] = { 20, NAN, 20, 3, 55, NAN };
  assert_true(l->predict(model, ask, 3, mean, spread));
  assert_true(mean[0] < mean[1] && mean[0] < mean[2]);
  assert_true(l->fit(model, rows, targets, 1)); // a single row; all the same
  assert_true(l->predict(model, ask, 3, mean, spread));
  assert_true(isfinite(mean[0]) && isfinite(spread[0]));
  l->free(model);
}

static void test_trees(void **state) {
  (void)state;
  check_model(&learner_trees);
}

static void test_gauss(void **state) {
  (void)state;
  check_model(&learner_gauss);
}

// ---- lessons ------------------------------------------------------------------------

// The tile's size and its presence decide the time; width 96 fails.
static struct observation told_of(const choice *p) {
  if (p[WIDTH] == 7)
    return (struct observation){ .status = STATUS_CRASH };
  double off = p[GATE] ? fabs((double)p[TILE] - 4) : 8;
  return (struct observation){ .status = STATUS_OK, .cost = 1e-3 * (1 + off) };
}

static struct lessons *taught(const struct space *s, const struct learner *l,
                              unsigned n) {
  struct lessons *lessons = lessons_new(s, 1, l);
  choice point[N];
  uint64_t rng = 11;
  struct seen seen = { 0 };
  assert_non_null(lessons);
  for (unsigned i = 0; i < n; i++) {
    assert_true(seen_other(&seen, s, &rng, point));
    struct observation observation = told_of(point);
    lessons_add(lessons, point, NULL); // in flight
    lessons_add(lessons, point, &observation);
  }
  seen_free(&seen);
  assert_int_equal(lessons_count(lessons), n);
  return lessons;
}

static void check_lessons(const struct learner *l) {
  struct space s = made();
  struct lessons *lessons = taught(&s, l, 80);
  const choice good[N] = { 1, 4, 2, 1 }, bad[N] = { 1, 0, 2, 1 },
               failing[N] = { 1, 4, 7, 1 };
  choice points[3 * N];
  double scores[3];
  memcpy(points, good, sizeof good);
  memcpy(points + N, bad, sizeof bad);
  memcpy(points + 2 * N, failing, sizeof failing);
  assert_true(lessons_score(lessons, points, 3, scores));
  assert_true(scores[0] > scores[1]);
  assert_true(scores[0] > scores[2]);
  assert_true(lessons_right(lessons) < 80);
  struct observation best = told_of(lessons_best(lessons, 0)),
                     next = told_of(lessons_best(lessons, 1));
  assert_true(best.cost <= next.cost);
  assert_true(lessons_distance(lessons, lessons_best(lessons, 0)) == 0);
  double fast = lessons_expect(lessons, good, NULL),
         slow = lessons_expect(lessons, bad, NULL);
  assert_true(fast > 0 && fast <= 1.01 * told_of(good).cost);
  assert_true(slow > fast && slow <= 1.01 * told_of(bad).cost);
  lessons_free(lessons);
}

static void test_lessons(void **state) {
  (void)state;
  check_lessons(&learner_trees);
  check_lessons(&learner_gauss);
}

static void test_nothing_known(void **state) {
  (void)state;
  struct space s = made();
  struct lessons *lessons = taught(&s, &learner_trees, 2);
  const choice point[N] = { 1, 4, 2, 1 };
  double score;
  assert_false(lessons_score(lessons, point, 1, &score));
  assert_true(lessons_expect(lessons, point, NULL) == 0);
  lessons_free(lessons);
}

// A model that predicts 1 with a spread of 0.5, and keeps what it was fitted to.
static float fitted[MAX_LESSONS];
static unsigned n_fitted;

static void *flat_new(const struct columns *c, unsigned width, uint64_t seed) {
  (void)c, (void)width, (void)seed;
  return fitted;
}

static bool flat_fit(void *model, const float *rows, const float *targets, unsigned n) {
  (void)rows;
  memcpy(model, targets, n * sizeof *targets);
  n_fitted = n;
  return true;
}

static bool flat_predict(void *model, const float *rows, unsigned n, float *mean,
                         float *spread) {
  (void)model, (void)rows;
  for (unsigned i = 0; i < n; i++)
    mean[i] = 1, spread[i] = 0.5f;
  return true;
}

static void flat_free(void *model) {
  (void)model;
}

// A point that is being tried counts as the predicted time plus the spread.
static void test_believed(void **state) {
  (void)state;
  static const struct learner flat = { flat_new, flat_fit, flat_predict, flat_free };
  struct space s = made();
  struct lessons *l = lessons_new(&s, 1, &flat);
  const choice trying[N] = { 1, 4, 2, 1 };
  double score;
  for (unsigned i = 0; i < 3; i++) {
    const choice point[N] = { 1, (choice)i, 2, 1 };
    struct observation observation = told_of(point);
    lessons_add(l, point, &observation);
  }
  assert_true(lessons_score(l, trying, 1, &score));
  assert_int_equal(n_fitted, 3);
  lessons_add(l, trying, NULL);
  assert_true(lessons_score(l, trying, 1, &score));
  assert_int_equal(n_fitted, 4);
  assert_true(fitted[3] == 1.5f);
  lessons_free(l);
}

// The times of a near key count until GUIDED points in succession were no better.
static void test_guided(void **state) {
  (void)state;
  static const struct learner flat = { flat_new, flat_fit, flat_predict, flat_free };
  struct space s = made();
  struct lessons *l = lessons_new(&s, 1, &flat);
  const choice near[N] = { 1, 4, 2, 1 };
  double score;
  for (unsigned i = 0; i < 3; i++)
    lessons_transfer(l, (const choice[N]){ 1, (choice)i, 2, 1 }, 1 + i);
  const unsigned last = 4 + GUIDED; // the fourth is the best
  for (unsigned i = 1; i <= last; i++) {
    const choice point[N] = { 1, (choice)(i % 8), (choice)(i / 8), 1 };
    struct observation observation = { .status = STATUS_OK, .cost = i == 4 ? 1 : 2 };
    lessons_add(l, point, &observation);
    assert_true(lessons_score(l, near, 1, &score));
    assert_int_equal(n_fitted, i < last ? 3 + i : last);
    assert_int_equal(lessons_alone_since(l), i < last ? 0 : last);
  }
  lessons_free(l);
}

// Returns the point that is expected to be the best among those whose width is at least
// FROM and that are not expected to fail.
static unsigned best_tile(struct lessons *l, unsigned from) {
  choice points[8 * N];
  double scores[8];
  unsigned best = 0;
  for (unsigned tile = 0; tile < 8; tile++)
    memcpy(points + tile * N, (const choice[N]){ 1, (choice)tile, (choice)from, 1 },
           N * sizeof *points);
  assert_true(lessons_score(l, points, 8, scores));
  for (unsigned tile = 1; tile < 8; tile++)
    best = scores[tile] > scores[best] ? tile : best;
  return best;
}

// Times of a near key, on another scale, show where to search; own times count more.
static void check_related(const struct learner *learner) {
  struct space s = made();
  struct lessons *l = lessons_new(&s, 1, learner);
  uint64_t rng = 5;
  for (unsigned i = 0; i < 60; i++) {
    choice point[N] = { 1, (choice)rng_below(&rng, 8), (choice)rng_below(&rng, 6),
                        (choice)rng_below(&rng, 3) };
    lessons_transfer(l, point, 30 * told_of(point).cost);
  }
  assert_int_equal(lessons_transferred(l), 60);
  const choice poor[N] = { 1, 0, 1, 1 }, fair[N] = { 1, 6, 2, 2 };
  struct observation first = told_of(poor), second = told_of(fair);
  lessons_add(l, poor, &first);
  lessons_add(l, fair, &second);
  assert_int_equal(best_tile(l, 4), 4);
  lessons_transfer(l, poor, 1); // too late
  assert_int_equal(lessons_transferred(l), 60);
  for (unsigned i = 0; i < 64; i++) { // here the best is at the other end
    choice point[N] = { 1, (choice)(i % 8), (choice)(i / 8 % 4), (choice)(i % 3) };
    struct observation observation = { .status = STATUS_OK,
                                       .cost = 1e-3 * (8 - point[TILE]) };
    lessons_add(l, point, &observation);
  }
  assert_int_equal(best_tile(l, 3), 7);
  lessons_free(l);
}

static void test_related(void **state) {
  (void)state;
  check_related(&learner_trees);
  check_related(&learner_gauss);
}

// More points than there is room for: the worst are dropped.
static void test_many(void **state) {
  (void)state;
  struct space s = made();
  struct lessons *lessons = lessons_new(&s, 1, &learner_trees);
  choice point[N] = { 1, 0, 0, 0 };
  for (unsigned i = 0; i < MAX_LESSONS + 40; i++) {
    point[1] = i % 8, point[2] = i / 8 % 8,
    point[3] = i / 64; // outside of the space: all different
    struct observation observation = { .status = STATUS_OK,
                                       .cost = 1.0 + (i * 7919 % 1000) };
    lessons_add(lessons, point, &observation);
  }
  for (unsigned i = 1; i < MAX_LESSONS; i++)
    assert_non_null(lessons_best(lessons, i));
  assert_null(lessons_best(lessons, MAX_LESSONS));
  lessons_free(lessons);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_columns),       cmocka_unit_test(test_trees),
    cmocka_unit_test(test_gauss),         cmocka_unit_test(test_lessons),
    cmocka_unit_test(test_nothing_known), cmocka_unit_test(test_many),
    cmocka_unit_test(test_related),       cmocka_unit_test(test_believed),
    cmocka_unit_test(test_guided),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
