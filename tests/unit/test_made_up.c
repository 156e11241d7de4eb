// SPDX-License-Identifier: Apache-2.0
// Made-up data: the same each time, within the range that is promised, and equal numbers
// stay equal.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/made_up.h"

enum { N = 500 };
static double x[N], again[N];
static float f[N];

static struct numbers fill(double (*value)(int i)) {
  for (int i = 0; i < N; i++)
    x[i] = value(i);
  return made_up_look(AUTOTUNE_F64, x, sizeof x);
}

static double zero(int i) {
  return 0 * i;
}
static double equal(int i) {
  return -2.5 + 0 * i;
}
static double rising(int i) {
  return i / 3 * 0.5;
}
static double mixed(int i) {
  return (i * 37 % 101 - 50) / 8.0;
}
static double positive(int i) {
  return 1 + i * 37 % 101 / 128.0;
}

static void test_looks(void **state) {
  (void)state;
  struct numbers n = fill(zero);
  assert_true(n.n == N && n.zero && n.equal && n.whole && n.finite && !n.sorted);
  n = fill(equal);
  assert_true(!n.zero && n.equal && !n.whole && n.first == -2.5);
  n = fill(rising);
  assert_true(n.sorted && !n.equal && !n.whole);
  n = fill(mixed);
  assert_true(!n.sorted && !n.equal);
  x[3] = NAN;
  assert_false(made_up_look(AUTOTUNE_F64, x, sizeof x).finite);
  assert_int_equal(made_up_look(AUTOTUNE_BYTES, x, sizeof x).n, 0);
  assert_int_equal(made_up_look(AUTOTUNE_F16, x, sizeof x).n, 0);
  assert_int_equal(made_up_look(AUTOTUNE_F32, f, sizeof f).n, N);
}

// Bytes may be indices, and numbers that become integers, too.
static void test_what_may_be_an_index_stays(void **state) {
  (void)state;
  struct numbers bytes = made_up_look(AUTOTUNE_BYTES, x, sizeof x), n;
  for (int set = 0; set < MADE_UPS; set++)
    assert_false(made_up_changes((enum made_up)set, &bytes, false));
  n = fill(mixed);
  for (int set = 0; set < MADE_UPS; set++)
    assert_false(made_up_changes((enum made_up)set, &n, true));
  n = fill(zero);
  assert_true(made_up_changes(MADE_UP_FILLED, &n, true));
  made_up_write(MADE_UP_FILLED, AUTOTUNE_F64, &n, 1, x);
  for (int i = 0; i < N; i++)
    assert_true(x[i] != 0 && lrint(x[i]) == 0);
  assert_true(made_up_scalar(3, true) == 3);
}

static void test_filled_stays_in_range(void **state) {
  (void)state;
  struct numbers n = fill(equal);
  assert_true(made_up_changes(MADE_UP_FILLED, &n, false));
  made_up_write(MADE_UP_FILLED, AUTOTUNE_F64, &n, 1, x);
  for (int i = 0; i < N; i++)
    assert_true(x[i] >= -2.5 && x[i] <= -1.25 && (i == 0 || x[i] != x[i - 1]));
  n = fill(mixed);
  assert_false(made_up_changes(MADE_UP_FILLED, &n, false));
  assert_true(made_up_scalar(0, false) != 0 && fabs(made_up_scalar(-4, false)) < 4);
}

static void test_larger_keeps_order(void **state) {
  (void)state;
  struct numbers n = fill(rising);
  made_up_write(MADE_UP_LARGE, AUTOTUNE_F64, &n, 1, x);
  for (int i = 0; i < N; i++)
    assert_true(x[i] == 256 * rising(i));
}

static void test_signs_of_equal_numbers_are_equal(void **state) {
  (void)state;
  struct numbers n = fill(positive);
  unsigned negative = 0;
  made_up_write(MADE_UP_SIGNS, AUTOTUNE_F64, &n, 1, x);
  for (int i = 0; i < N; i++) {
    negative += x[i] < 0;
    assert_true(fabs(x[i]) == positive(i));
    assert_true(i < 101 || x[i] == x[i - 101]);
  }
  assert_true(negative > N / 4 && negative < 3 * N / 4);
}

// Down to 2^-24 of what they were.
static void test_mixed_sizes(void **state) {
  (void)state;
  struct numbers n = fill(positive);
  unsigned small = 0;
  assert_true(made_up_changes(MADE_UP_MIXED, &n, false));
  assert_false(made_up_changes(MADE_UP_MIXED, &n, true));
  made_up_write(MADE_UP_MIXED, AUTOTUNE_F64, &n, 1, x);
  for (int i = 0; i < N; i++) {
    double factor = positive(i) / x[i];
    small += factor >= 0x1p12;
    assert_true(factor >= 1 && factor <= 0x1p24 && log2(factor) == trunc(log2(factor)));
    assert_true(i < 101 || x[i] == x[i - 101]);
  }
  assert_true(small > N / 4 && small < 3 * N / 4);
}

// All digits are used, and each number is nearly what it was.
static void test_more_digits(void **state) {
  (void)state;
  struct numbers n = fill(positive);
  unsigned short_ones = 0;
  assert_true(made_up_changes(MADE_UP_DIGITS, &n, false));
  assert_false(made_up_changes(MADE_UP_DIGITS, &n, true));
  made_up_write(MADE_UP_DIGITS, AUTOTUNE_F64, &n, 1, x);
  for (int i = 0; i < N; i++) {
    short_ones += x[i] == (double)(float)x[i];
    assert_true(x[i] >= positive(i) && x[i] <= positive(i) * (1 + 0x1p-20));
    assert_true(i < 101 || x[i] == x[i - 101]);
  }
  assert_true(short_ones < N / 50);
}

static void test_special(void **state) {
  (void)state;
  unsigned nans = 0, infinities = 0;
  struct numbers n = fill(mixed);
  made_up_write(MADE_UP_SPECIAL, AUTOTUNE_F64, &n, 7, x);
  for (int i = 0; i < N; i++) {
    nans += isnan(x[i]) != 0;
    infinities += isinf(x[i]) != 0;
    assert_true(!isfinite(x[i]) || x[i] == mixed(i));
  }
  assert_true(nans == 1 && infinities == 1);
}

static void test_repeats(void **state) {
  (void)state;
  for (int set = MADE_UP_FILLED; set < MADE_UPS; set++) {
    struct numbers n = fill(set == MADE_UP_FILLED ? zero : mixed);
    made_up_write((enum made_up)set, AUTOTUNE_F64, &n, 3, x);
    memcpy(again, x, sizeof x);
    n = fill(set == MADE_UP_FILLED ? zero : mixed);
    made_up_write((enum made_up)set, AUTOTUNE_F64, &n, 3, x);
    assert_memory_equal(x, again, sizeof x);
  }
}

static void test_floats(void **state) {
  (void)state;
  for (int i = 0; i < N; i++)
    f[i] = (float)mixed(i);
  struct numbers n = made_up_look(AUTOTUNE_F32, f, sizeof f);
  made_up_write(MADE_UP_LARGE, AUTOTUNE_F32, &n, 1, f);
  for (int i = 0; i < N; i++)
    assert_true(f[i] == 256 * (float)mixed(i));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_looks),
    cmocka_unit_test(test_what_may_be_an_index_stays),
    cmocka_unit_test(test_filled_stays_in_range),
    cmocka_unit_test(test_larger_keeps_order),
    cmocka_unit_test(test_signs_of_equal_numbers_are_equal),
    cmocka_unit_test(test_mixed_sizes),
    cmocka_unit_test(test_more_digits),
    cmocka_unit_test(test_special),
    cmocka_unit_test(test_repeats),
    cmocka_unit_test(test_floats),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
