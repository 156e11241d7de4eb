// SPDX-License-Identifier: Apache-2.0
// Tables of tuned keys, and which parts of the key make no difference for a new one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/agree.h"

enum { ROWS = 40 };

// One tuned key: n, pos; its winner; the other variants that are as fast, the variants
// that were not tried ("": none). Variants are letters, "-" is the default.
struct tuned {
  long long key[2];
  char winner;
  const char *same, *untried;
};

static enum opinion judge(const void *data, unsigned row, unsigned winner) {
  const struct tuned *t = data;
  const char *same = t[row].same, *untried = t[row].untried;
  return same && strchr(same, t[winner].winner)      ? OPINION_SAME
      : untried && strchr(untried, t[winner].winner) ? OPINION_NONE
                                                     : OPINION_WORSE;
}

static struct agreement found;
static unsigned checked[256]; // for each winner
static uint64_t changing;     // parts that are known to change from call to call
static uint64_t extent;       // of the calls of all keys
static struct agree_row rows[ROWS];

// Returns the agreed winner for the key (N, POS); 0: none.
static char agreed(const struct tuned *t, unsigned n, long long first, long long second) {
  long long key[] = { first, second };
  for (unsigned i = 0; i < n; i++)
    rows[i] =
        (struct agree_row){ .key = t[i].key,
                            .winner = t[i].winner == '-' ? 0 : (uint64_t)t[i].winner,
                            .checked = checked[(unsigned char)t[i].winner],
                            .extent = extent };
  return agree_find(key, 2, extent, rows, n, changing, judge, t, &found)
      ? t[found.row].winner
      : 0;
}

#define AGREED(t, n, pos) agreed(t, sizeof t / sizeof *(t), n, pos)

static void test_counter(void **state) {
  (void)state;
  const struct tuned t[] = { { { 8, 1 }, 'a', NULL, NULL },
                             { { 8, 2 }, 'a', NULL, NULL },
                             { { 8, 3 }, 'a', NULL, NULL },
                             { { 8, 4 }, 'a', NULL, NULL } };
  assert_int_equal(agreed(t, 3, 8, 4), 0); // three are too few
  assert_int_equal(AGREED(t, 8, 5), 'a');
  assert_int_equal(found.parts, 2);
  assert_int_equal(found.n, 4);
  assert_int_equal(AGREED(t, 9, 5), 0); // no key with n = 9 was tuned
  // As far beyond the values as they are apart: 1 to 4 is 1.3 on the scale.
  assert_int_equal(AGREED(t, 8, 11), 'a');
  assert_int_equal(AGREED(t, 8, 12), 0);
  assert_int_equal(AGREED(t, 8, 100), 0);
  assert_int_equal(AGREED(t, 8, -5), 0);
}

// Each further tuning doubles the range on the scale of factors.
static void test_few_tunings(void **state) {
  (void)state;
  static struct tuned t[ROWS];
  unsigned n = 0;
  for (long long i = 0; i < 200000; i++)
    if (!agreed(t, n, 8, i)) {
      assert_true(n < ROWS);
      t[n++] = (struct tuned){ { 8, i }, 'a', NULL, NULL };
      assert_false(i < 64 && n > 5);
    }
  assert_true(n <= 8);
}

static void test_close_values(void **state) {
  (void)state;
  const struct tuned t[] = { { { 100, 7 }, 'a', NULL, NULL },
                             { { 101, 7 }, 'a', NULL, NULL },
                             { { 102, 7 }, 'a', NULL, NULL },
                             { { 103, 7 }, 'a', NULL, NULL } };
  assert_int_equal(AGREED(t, 200, 7), 'a');
  assert_int_equal(found.parts, 1);
  assert_int_equal(AGREED(t, 208, 7), 0); // more than twice the largest
  assert_int_equal(AGREED(t, 50, 7), 'a');
  assert_int_equal(AGREED(t, 48, 7), 0);
}

// Small sizes want another variant: the part matters, but not among the large ones.
static void test_part_that_matters(void **state) {
  (void)state;
  const struct tuned t[] = {
    { { 2, 7 }, 'b', NULL, NULL },   { { 4, 7 }, 'b', NULL, NULL },
    { { 64, 7 }, 'a', NULL, NULL },  { { 128, 7 }, 'a', NULL, NULL },
    { { 256, 7 }, 'a', NULL, NULL }, { { 512, 7 }, 'a', NULL, NULL },
  };
  assert_int_equal(AGREED(t, 300, 7), 'a');
  assert_int_equal(found.n, 4);
  assert_false(found.clean);
  assert_int_equal(AGREED(t, 3, 7), 0);
  assert_int_equal(AGREED(t, 16, 7), 0);
  assert_int_equal(AGREED(t, 70, 7), 'a');
  const struct tuned mixed[] = {
    { { 1, 1 }, 'a', NULL, NULL }, { { 1, 2 }, 'b', NULL, NULL },
    { { 1, 3 }, 'a', NULL, NULL }, { { 1, 4 }, 'b', NULL, NULL },
    { { 1, 5 }, 'a', NULL, NULL }, { { 1, 6 }, 'b', NULL, NULL },
  };
  for (int i = 0; i < 20; i++)
    assert_int_equal(AGREED(mixed, 1, i), 0);
}

// The winners differ by noise: one of them is as fast everywhere.
static void test_noise(void **state) {
  (void)state;
  const struct tuned t[] = { { { 1, 1 }, 'a', "b", NULL },
                             { { 1, 2 }, 'b', "a", NULL },
                             { { 1, 3 }, 'c', "a", NULL },
                             { { 1, 4 }, 'b', "a", NULL } };
  assert_int_equal(AGREED(t, 1, 5), 'a');
  assert_true(found.clean);
  const struct tuned few[] = { { { 1, 1 }, 'a', "b", NULL },
                               { { 1, 2 }, 'b', NULL, "a" }, // nobody knows
                               { { 1, 3 }, 'c', "a", "b" },
                               { { 1, 4 }, 'b', NULL, "a" } };
  assert_int_equal(AGREED(few, 1, 5), 0);
}

static void test_default(void **state) {
  (void)state;
  const struct tuned t[] = { { { 1, 1 }, '-', NULL, NULL },
                             { { 1, 2 }, '-', "a", NULL },
                             { { 1, 3 }, '-', "a", NULL },
                             { { 1, 4 }, 'a', "-", NULL } };
  assert_int_equal(AGREED(t, 1, 5), '-');
}

// A size and what follows from it change together; no two keys differ in one part.
static void test_together(void **state) {
  (void)state;
  const struct tuned t[] = { { { 1000, 4 }, 'a', NULL, NULL },
                             { { 2000, 8 }, 'a', NULL, NULL },
                             { { 3000, 12 }, 'a', NULL, NULL },
                             { { 4000, 16 }, 'a', NULL, NULL } };
  assert_int_equal(AGREED(t, 5000, 20), 'a');
  assert_int_equal(found.parts, 3);
  assert_int_equal(AGREED(t, 5000, 200), 0);
}

static void test_cover(void **state) {
  (void)state;
  const struct tuned t[] = { { { 8, 1 }, 'a', NULL, NULL },
                             { { 8, 2 }, 'a', NULL, NULL },
                             { { 8, 3 }, 'a', NULL, NULL },
                             { { 8, 4 }, 'a', NULL, NULL } };
  const long long like[] = { 8, 5 }, in[] = { 8, 9 }, out[] = { 8, 12 },
                  other[] = { 9, 5 };
  assert_int_equal(AGREED(t, 8, 5), 'a');
  assert_true(agree_covers(&found, like, in, 2));
  assert_false(agree_covers(&found, like, out, 2));
  assert_false(agree_covers(&found, like, other, 2));
}

// Points of a grid: no part has four values while the others are equal.
static void test_grid(void **state) {
  (void)state;
  struct tuned t[] = {
    { { 0, 0 }, '-', NULL, NULL }, { { 0, 9 }, '-', NULL, NULL },
    { { 1, 0 }, '-', NULL, NULL }, { { 1, 9 }, '-', NULL, NULL },
    { { 2, 0 }, '-', NULL, NULL }, { { 2, 9 }, '-', NULL, NULL },
    { { 2, 5 }, '-', NULL, NULL }, { { 0, 5 }, '-', NULL, NULL },
  };
  assert_int_equal(agreed(t, 7, 1, 5), 0);
  assert_int_equal(AGREED(t, 1, 5), '-');
  assert_int_equal(found.parts, 3);
  assert_int_equal(AGREED(t, 30, 5), 0);
  t[3].winner = 'a';
  assert_int_equal(AGREED(t, 1, 5), 0);
}

// What changes from call to call needs two that agree, and holds within a factor of 16.
static void test_what_changes_needs_less(void **state) {
  (void)state;
  const struct tuned t[] = { { { 8, 100 }, 'a', NULL, NULL },
                             { { 8, 200 }, 'a', NULL, NULL },
                             { { 9, 200 }, 'a', NULL, NULL } };
  changing = 2;
  assert_int_equal(agreed(t, 1, 8, 300), 0); // one is too few
  assert_int_equal(agreed(t, 2, 8, 300), 'a');
  assert_int_equal(found.parts, 2);
  assert_int_equal(agreed(t, 2, 8, 3000), 'a');
  assert_int_equal(agreed(t, 2, 8, 7), 'a');
  assert_int_equal(agreed(t, 2, 8, 4), 0);
  assert_int_equal(agreed(t, 2, 8, 4000), 0);
  assert_int_equal(agreed(t, 3, 10, 300), 0); // the other part does not change
  changing = 3;
  assert_int_equal(agreed(t, 3, 10, 300), 'a');
  changing = 0;
  assert_int_equal(agreed(t, 3, 8, 300), 0);
}

// Of winners that are as good, the one is taken that was compared for most keys. The
// default needs no comparison.
static void test_checked(void **state) {
  (void)state;
  struct tuned t[] = { { { 8, 100 }, 'a', "b", NULL },
                       { { 8, 200 }, 'b', "a", NULL },
                       { { 8, 400 }, 'b', "a", NULL } };
  changing = 2;
  assert_int_equal(AGREED(t, 8, 300), 'b');
  checked['a'] = 2;
  assert_int_equal(AGREED(t, 8, 300), 'a');
  checked['b'] = 3;
  assert_int_equal(AGREED(t, 8, 300), 'b');
  t[1].same = NULL; // A is worse for one of them: then its comparisons do not count
  checked['a'] = 4;
  assert_int_equal(AGREED(t, 8, 300), 'b');
  t[0] = (struct tuned){ { 8, 100 }, '-', "b", NULL };
  t[1] = (struct tuned){ { 8, 200 }, '-', "b", NULL };
  t[2].same = "-";
  assert_int_equal(AGREED(t, 8, 300), '-');
  memset(checked, 0, sizeof checked);
  changing = 0;
}

// What changes while calls touch the same memory: counters, here those of a bitonic sort
// of 2 to the power of 30 numbers.
static void test_counters(void **state) {
  (void)state;
  static struct tuned t[ROWS];
  unsigned n = 0;
  for (int known = 0; known < 2; known++) {
    n = 0;
    extent = (uint64_t)known;
    for (int step = 0; step < 30; step++)
      for (int stage = step; stage >= 0 && n < ROWS; stage--)
        if (!agreed(t, n, 2LL << stage, 1LL << (step - stage)))
          t[n++] =
              (struct tuned){ { 2LL << stage, 1LL << (step - stage) }, 'a', NULL, NULL };
    assert_true(known ? n <= 5 : n > 8);
  }
  assert_true(found.counters);
  for (unsigned i = 0; i < 3; i++)
    t[i] = (struct tuned){ { 8 + i, 8 - i }, 'a', NULL, NULL };
  assert_int_equal(agreed(t, 2, 9, 9), 0); // two are too few
  assert_int_equal(agreed(t, 3, 9, 9), 'a');
  assert_true(found.counters && found.parts == 3);
  extent = 0;
  for (unsigned i = 0; i < 3; i++)
    rows[i].extent = i; // each call has touched other memory: these are sizes
  assert_false(agree_find((long long[]){ 9, 9 }, 2, 7, rows, 3, 0, judge, t, &found));
  t[1].winner = '-'; // by noise, perhaps
  t[3] = (struct tuned){ { 11, 5 }, 'a', NULL, NULL };
  extent = 1;
  assert_int_equal(agreed(t, 3, 9, 9), 0);
  assert_int_equal(agreed(t, 4, 9, 9), 'a');
  t[1].winner = 'b';
  assert_int_equal(agreed(t, 4, 9, 9), 0);
  extent = 0;
}

// Two are enough where nothing was better than the default; another one that disagrees
// ends that.
static void test_what_changes_keeps_the_default(void **state) {
  (void)state;
  const struct tuned t[] = { { { 8, 100 }, '-', NULL, NULL },
                             { { 8, 200 }, '-', NULL, NULL },
                             { { 8, 400 }, 'a', NULL, NULL } };
  changing = 2;
  assert_int_equal(agreed(t, 1, 8, 900), 0);
  assert_int_equal(agreed(t, 2, 8, 900), '-');
  assert_true(found.clean && found.n == 2);
  char text[192];
  agree_say(rows, &found, 2, (const char *[]){ "n", "pos" }, text, sizeof text);
  assert_string_equal(text,
                      "pos is not looked at: its values 100, 200 found nothing better "
                      "than the default");
  assert_int_equal(agreed(t, 3, 8, 900), 0);
  changing = 0;
}

// A tuning that kept the default, perhaps by noise, is outvoted by three; one that chose
// another variant is not. The key that kept it stays with it.
static void test_what_changes_outvotes_the_default(void **state) {
  (void)state;
  struct tuned t[] = {
    { { 8, 100 }, 'a', NULL, NULL }, { { 8, 200 }, '-', NULL, NULL },
    { { 8, 300 }, 'a', NULL, NULL }, { { 8, 400 }, 'a', NULL, NULL },
    { { 8, 500 }, '-', NULL, NULL },
  };
  const long long like[] = { 8, 210 };
  changing = 2;
  assert_int_equal(agreed(t, 3, 8, 210), 0);
  assert_int_equal(agreed(t, 4, 8, 210), 'a');
  assert_true(found.n == 3 && !found.clean && !found.nearest);
  assert_true(agree_spans(&found, like, (long long[]){ 8, 201 }, 2));
  assert_false(agree_spans(&found, like, (long long[]){ 8, 200 }, 2));
  assert_int_equal(agreed(t, 5, 8, 210), 0); // two of five
  t[1].winner = 'b';
  assert_int_equal(agreed(t, 4, 8, 210), 0);
  changing = 0;
}

// Where the winners differ, eight are tuned, and then the nearest one counts.
static void test_what_changes_takes_the_nearest(void **state) {
  (void)state;
  const struct tuned t[] = {
    { { 8, 10 }, 'a', NULL, NULL }, { { 8, 20 }, 'b', NULL, NULL },
    { { 8, 30 }, 'a', NULL, NULL }, { { 8, 40 }, 'c', NULL, NULL },
    { { 8, 50 }, 'a', NULL, NULL }, { { 8, 60 }, 'b', NULL, NULL },
    { { 8, 70 }, 'c', NULL, NULL }, { { 8, 80 }, 'd', NULL, NULL },
  };
  changing = 2;
  assert_int_equal(agreed(t, 7, 8, 41), 0);
  assert_int_equal(agreed(t, 8, 8, 41), 'c');
  assert_true(found.nearest && !found.clean);
  assert_int_equal(agreed(t, 8, 8, 1000), 'd');
  const long long like[] = { 8, 1000 };
  assert_false(agree_covers(&found, like, (long long[]){ 8, 1001 }, 2));
  assert_true(agree_spans(&found, like, (long long[]){ 8, 1001 }, 2));
  assert_true(agree_spans(&found, like, (long long[]){ 8, 80 }, 2));
  assert_false(agree_spans(&found, like, (long long[]){ 8, 70 }, 2)); // its own winner
  assert_false(agree_spans(&found, like, (long long[]){ 9, 1001 }, 2));
  assert_false(agree_spans(&found, like, (long long[]){ 8, 100000 }, 2));
  char text[192];
  agree_say(rows, &found, 2, (const char *[]){ "n", "pos" }, text, sizeof text);
  assert_string_equal(text,
                      "pos has too many values to tune each: of 8 tuned keys the "
                      "winner of the nearest is taken");
  changing = 0;
  assert_int_equal(agreed(t, 8, 8, 41), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_changes_needs_less),
    cmocka_unit_test(test_checked),
    cmocka_unit_test(test_what_changes_keeps_the_default),
    cmocka_unit_test(test_what_changes_outvotes_the_default),
    cmocka_unit_test(test_what_changes_takes_the_nearest),
    cmocka_unit_test(test_counter),
    cmocka_unit_test(test_counters),
    cmocka_unit_test(test_few_tunings),
    cmocka_unit_test(test_close_values),
    cmocka_unit_test(test_part_that_matters),
    cmocka_unit_test(test_noise),
    cmocka_unit_test(test_default),
    cmocka_unit_test(test_together),
    cmocka_unit_test(test_cover),
    cmocka_unit_test(test_grid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
