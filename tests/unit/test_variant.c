/* SPDX-License-Identifier: Apache-2.0 */
/* The text and the flags that a compiler gets for a point. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/variant.h"
#include "variant_fixture.h"

static void text_is_definitions_and_unit(void **state) {
  (void)state;
  struct autotune_kernel k = fixture_kernel();
  char *text = variant_text(&k, (choice[]){ 1, 0, 0, 1 });
  assert_string_equal(text, "#define FACTOR (1 + 2)\n#define AUTOTUNE_P0 1\n" UNIT_TEXT);
  free(text);
}

static void unit_is_that_of_the_compiler(void **state) {
  (void)state;
  struct autotune_kernel k = fixture_kernel();
  choice gcc[] = { 0, 0, 1, 0 };
  assert_string_equal(variant_compiler(&k, gcc), "gcc");
  assert_ptr_equal(variant_unit(&k, gcc), &fixture_units[1]);
  char *text = variant_text(&k, gcc);
  assert_non_null(strstr(text, "/* for gcc */"));
  free(text);
}

static void without_a_parameter_the_first_unit_counts(void **state) {
  (void)state;
  struct autotune_kernel k = fixture_kernel();
  k.n_params = 1;
  k.units = &fixture_units[1];
  k.n_units = 1;
  assert_string_equal(variant_compiler(&k, (choice[]){ 0 }), "gcc");
}

static void a_compiler_without_a_unit_has_no_text(void **state) {
  (void)state;
  struct autotune_kernel k = fixture_kernel();
  k.n_units = 1;
  choice gcc[] = { 0, 0, 1, 0 };
  assert_null(variant_unit(&k, gcc));
  assert_null(variant_text(&k, gcc));
  assert_null(variant_flags(&k, gcc));
}

/* Returns the flags as one string, separated by blanks. */
static char *flags_of(const struct autotune_kernel *k, const choice *point) {
  char **flags = variant_flags(k, point);
  assert_non_null(flags);
  static char text[1024];
  text[0] = 0;
  for (char **f = flags; *f; f++) {
    strcat(text, *f);
    if (f[1])
      strcat(text, " ");
  }
  free(flags);
  return text;
}

static void flags_are_base_build_and_own(void **state) {
  (void)state;
  struct autotune_kernel k = fixture_kernel();
  assert_string_equal(
      flags_of(&k, (choice[]){ 0, 0, 0, 0 }),
      "-O3 -fno-semantic-interposition -march=native -std=gnu17 -O2 -pthread -fPIC");
  assert_string_equal(
      flags_of(&k, (choice[]){ 0, 1, 0, 0 }),
      "-O3 -fno-semantic-interposition -march=native -std=gnu17 -O2 -pthread "
      "-O3 -ffast-math -fPIC");
}

static void strict_flags_come_last_and_no_chosen_ones(void **state) {
  (void)state;
  struct autotune_kernel k = fixture_kernel();
  char **flags = variant_strict_flags(&k, (choice[]){ 0, 1, 0, 0 });
  static const char *const expected[] = { "-O3",
                                          "-fno-semantic-interposition",
                                          "-march=native",
                                          "-std=gnu17",
                                          "-O2",
                                          "-pthread",
                                          "-O2",
                                          "-fno-fast-math",
                                          "-fno-unsafe-math-optimizations",
                                          "-ffp-contract=off",
                                          "-fPIC" };
  assert_non_null(flags);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    assert_string_equal(flags[i], expected[i]);
  assert_null(flags[sizeof expected / sizeof *expected]);
  free(flags);
}

static void an_architecture_of_the_build_stays(void **state) {
  (void)state;
  static const char *const build[] = {
    "-march=haswell", "-Og",     "-include",         "a.h",    "-fopenmp",
    "-flto=auto",     "--param", "l1-cache-size=32", "-mllvm", NULL
  };
  const struct autotune_unit unit = { "clang", UNIT_TEXT, build };
  struct autotune_kernel k = fixture_kernel();
  k.units = &unit;
  k.n_units = 1;
  k.openmp = 1;
  assert_string_equal(flags_of(&k, (choice[]){ 0, 0, 0, 0 }),
                      "-O3 -fno-semantic-interposition -march=haswell -fopenmp --param "
                      "l1-cache-size=32 -fopenmp -fPIC");
}

static void openmp_of_the_kernel_is_asked_for(void **state) {
  (void)state;
  const struct autotune_unit unit = { "clang", UNIT_TEXT, NULL };
  struct autotune_kernel k = fixture_kernel();
  k.units = &unit;
  k.n_units = 1;
  k.openmp = 1;
  assert_string_equal(flags_of(&k, (choice[]){ 0, 0, 0, 0 }),
                      "-O3 -fno-semantic-interposition -march=native -fopenmp -fPIC");
}

static void chosen_flags_may_switch_openmp_off(void **state) {
  (void)state;
  static const struct autotune_value values[] = { { "-fno-openmp", NULL, 0, 0 } };
  const struct autotune_param params[] = { { "flags", NULL, AUTOTUNE_FLAGS, -1, 1, 0,
                                             values } };
  const struct autotune_unit unit = { "clang", UNIT_TEXT, NULL };
  struct autotune_kernel k = fixture_kernel();
  k.units = &unit;
  k.n_units = 1;
  k.params = params;
  k.n_params = 1;
  k.openmp = 1;
  assert_string_equal(
      flags_of(&k, (choice[]){ 0 }),
      "-O3 -fno-semantic-interposition -march=native -fopenmp -fno-openmp -fPIC");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(text_is_definitions_and_unit),
    cmocka_unit_test(unit_is_that_of_the_compiler),
    cmocka_unit_test(without_a_parameter_the_first_unit_counts),
    cmocka_unit_test(a_compiler_without_a_unit_has_no_text),
    cmocka_unit_test(flags_are_base_build_and_own),
    cmocka_unit_test(strict_flags_come_last_and_no_chosen_ones),
    cmocka_unit_test(an_architecture_of_the_build_stays),
    cmocka_unit_test(openmp_of_the_kernel_is_asked_for),
    cmocka_unit_test(chosen_flags_may_switch_openmp_off),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
