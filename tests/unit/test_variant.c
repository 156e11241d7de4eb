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

/* ---- bodies from outside ---- */

#define ENTRY                                     \
  "\n#line 1 \"<autotune>\"\n"                    \
  "extern __typeof__(f) *const autotune_entry;\n" \
  "__typeof__(f) *const autotune_entry = f;\n"

/* Returns the text of a unit of TEXT and the entry with BODY, without its parameters'
 * definitions; NULL: it takes none. */
static char *with_body(const char *text, const char *const *flags, const char *body) {
  struct autotune_kernel k = fixture_kernel();
  const struct autotune_unit unit = { "clang", text, flags };
  k.units = &unit;
  k.n_units = 1;
  k.n_params = 0;
  choice none[] = { 0 };
  return variant_takes_bodies(&k, none) ? variant_text_with(&k, none, body) : NULL;
}

static void a_body_replaces_the_last_function(void **state) {
  (void)state;
  static const char before[] =
      "struct s { int a; };\n#define BRACE {\n#define MORE \\\n  }\n"
      "static int g(void) { return '{' + '\\''; }\n/* } */ // {\n"
      "const char *text = \"}\\\"\";\nstatic\n\n#line 3 \"k.c\"\nvoid f(int n)\n";
  char unit[1024], expected[1024];
  snprintf(unit, sizeof unit, "%s{\n  if (n) { g(); }\n}\n%s", before, ENTRY);
  snprintf(expected, sizeof expected, "%s\n#line 1 \"<body>\"\n{ }\n\n%s", before, ENTRY);
  char *text = with_body(unit, NULL, "{ }");
  assert_non_null(text);
  assert_string_equal(text, expected);
  free(text);
}

static void some_units_take_no_body(void **state) {
  (void)state;
  static const char *const cxx[] = { "-xc++", NULL };
  assert_null(with_body("void f(void)\n{\n}\n" ENTRY, cxx, "{ }"));
  assert_null(with_body(UNIT_TEXT, NULL, "{ }"));
  assert_null(with_body("void f(void)\n{\n#if A\n{\n#else\n{\n#endif\n}\n}\n" ENTRY, NULL,
                        "{ }"));
  assert_null(with_body("void f(void)\n{\n}\n" ENTRY
                        "__typeof__(f) *const autotune_entry = g;\n",
                        NULL, "{ }"));
}

static void a_body_is_a_plain_block(void **state) {
  (void)state;
  static const char *const right[] = { "{}", " {\n#pragma omp simd\nfor (;;) { } }\n",
                                       "{ char c = '}', *s = \"asm } #\"; /* } asm */ }",
                                       "{ int asmx, x_asm; }" };
  static const char *const wrong[] = { "",
                                       "x = 1;",
                                       "{",
                                       "{ } int x;",
                                       "{ } {",
                                       "{ } { }",
                                       "int x; { }",
                                       "{ } } {",
                                       "{ asm(\"nop\"); }",
                                       "{ __asm__ volatile(\"nop\"); }",
                                       "{ as\\\nm(\"nop\"); }",
                                       "{\n#include \"x\"\n}",
                                       "{\n  #define X\n}",
                                       "{\n%:define X\n}",
                                       "{ char *s = \"?"
                                       "?/\"\" asm(\"; }" };
  for (size_t i = 0; i < sizeof right / sizeof *right; i++)
    assert_null(variant_body_wrong(right[i]));
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_non_null(variant_body_wrong(wrong[i]));
}

static void values_name_the_body(void **state) {
  (void)state;
  struct autotune_kernel k = fixture_kernel();
  k.n_params = 1;
  char *plain = variant_values(&k, (choice[]){ 1 }, 0),
       *with = variant_values(&k, (choice[]){ 1 }, 0xabc);
  assert_string_equal(plain, "FACTOR=3\n");
  assert_string_equal(with, "(body)=0000000000000abc\nFACTOR=3\n");
  assert_null(variant_without_body(plain));
  assert_string_equal(variant_without_body(with), plain);
  free(plain);
  free(with);
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
    cmocka_unit_test(a_body_replaces_the_last_function),
    cmocka_unit_test(some_units_take_no_body),
    cmocka_unit_test(a_body_is_a_plain_block),
    cmocka_unit_test(values_name_the_body),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
