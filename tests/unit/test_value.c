// SPDX-License-Identifier: Apache-2.0
// Values of parameters and keys of calls as text.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "model/key.h"
#include "model/value.h"

// ---- values -------------------------------------------------------------------------

static void test_values_one_by_one(void **state) {
  const char *at = "MR=6\nnonsense\nflags=\nX=a=b";
  static const char *const want[][2] = { { "MR", "6" }, { "flags", "" }, { "X", "a=b" } };
  struct named_value s;
  (void)state;
  for (int i = 0; i < 3; i++) {
    assert_true(value_next(&at, &s));
    assert_int_equal(s.name_size, strlen(want[i][0]));
    assert_memory_equal(s.name, want[i][0], s.name_size);
    assert_true(value_is(&s, want[i][1]));
  }
  assert_false(value_next(&at, &s));
  assert_true(value_find("MR=6\nM=7\n", "M", 1, &s) && value_is(&s, "7"));
  char *text = value_text(&s, "none");
  assert_string_equal(text, "M=7");
  free(text);
  assert_false(value_find("MR=6\nM=7\n", "R", 1, &s));
}

// True if "tile@12.2" matters: "tile@12.1" is not "no".
static bool matters(const char *values, const char *name) {
  struct named_value s;
  assert_true(value_find(values, name, strlen(name), &s));
  return value_matters(values, &s);
}

static void test_what_a_directive_leaves_out(void **state) {
  const char *values = "MR=6\nfuse@1.1=yes\ntile@12.1=no\ntile@12.2=8\ntile@120.1=4\n";
  (void)state;
  assert_true(matters(values, "MR"));
  assert_true(matters(values, "tile@12.1")); // this member is itself the condition
  assert_false(matters(values, "tile@12.2"));
  assert_true(matters(values, "tile@120.1"));
  assert_true(matters(values, "fuse@1.1"));
  // All directives; those of an alternative stay.
  values = "MR=6\ndirectives=no\ntile@12.1=8\n";
  assert_true(matters(values, "MR") && matters(values, "directives"));
  assert_false(matters(values, "tile@12.1"));
  assert_true(matters("algorithm=a\ndirectives=no\ntile@12.1=8\n", "tile@12.1"));
}

static void test_names_whose_line_moved(void **state) {
  struct place p, q;
  (void)state;
  assert_true(place_read("tile@12.3", 9, &p));
  assert_true(p.line == 12 && p.number == 3 && p.stem == 5 && p.rest == 7);
  assert_false(place_read("tile", 4, &q));
  assert_false(place_read("tile@x", 6, &q));
  assert_true(place_read("tile@3.10", 9, &q));
  assert_true(place_before(&q, &p) && !place_before(&p, &q));
  assert_true(place_same("tile@12.1", 9, "tile@345.1", 10));
  assert_false(place_same("tile@12.1", 9, "tile@12.2", 9));
  assert_false(place_same("tile@12.1", 9, "fuse@12.1", 9));
  assert_true(place_same("MR", 2, "MR", 2));
}

// ---- keys ---------------------------------------------------------------------------

static void test_keys_both_ways(void **state) {
  static const long long key[] = { 512, -3 };
  static const char *const list[] = { "n", "a + m" };
  const char *names;
  long long back[2];
  char *numbers = key_print(key, list, 2, &names);
  (void)state;
  assert_string_equal(numbers, "512,-3");
  assert_string_equal(names, "n\na + m");
  assert_int_equal(key_read(numbers, back, 2), 2);
  assert_memory_equal(back, key, sizeof key);
  char *text = key_describe(numbers, names);
  assert_string_equal(text, "n = 512, a + m = -3");
  free(text);
  free(numbers);
  assert_int_equal(key_read("", back, 2), 0);
  assert_int_equal(key_read("1,2,3", back, 2), 3);
  static const char *const bad[] = { "1,", ",1", "x", "1 2", "1,,2" };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(key_read(bad[i], back, 2), UINT_MAX);
}

static void test_what_says_a_key(void **state) {
  static const char *const yes[] = { "512,3", "n=512,m=3", "m=3,n=512", "n = 512, m=3" };
  static const char *const no[] = {
    "512", "3,512", "n=512", "k=512,m=3", "512,3,1", "n="
  };
  (void)state;
  for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
    assert_true(key_matches("512,3", "n\nm", yes[i]));
  for (size_t i = 0; i < sizeof no / sizeof *no; i++)
    assert_false(key_matches("512,3", "n\nm", no[i]));
  assert_true(key_matches_part("512,3", "n\nm", "m=3"));
  assert_true(key_matches_part("512,3", "n\nm", "512"));
  assert_true(key_matches_part("512,3", "n\nm", NULL));
  assert_false(key_matches_part("512,3", "n\nm", "m=4"));
  assert_false(key_matches_part("512,3", "n\nm", "k=3"));
  assert_false(key_matches_part("512,3", "n\nm", "512,3,1"));
  assert_true(key_matches("512,3", "n\nm", NULL));
  assert_true(key_matches("", "", ""));
}

static void test_order_of_keys(void **state) {
  (void)state;
  assert_true(key_compare("64,3", "512,3") < 0);
  assert_true(key_compare("512,10", "512,9") > 0);
  assert_true(key_compare("512", "512,9") < 0);
  assert_true(key_compare("512,9", "512") > 0);
  assert_int_equal(key_compare("512,3", "512,3"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_values_one_by_one),
    cmocka_unit_test(test_what_a_directive_leaves_out),
    cmocka_unit_test(test_names_whose_line_moved),
    cmocka_unit_test(test_keys_both_ways),
    cmocka_unit_test(test_what_says_a_key),
    cmocka_unit_test(test_order_of_keys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
