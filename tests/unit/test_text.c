// SPDX-License-Identifier: Apache-2.0
// text.c, lex.c, source.c: arena, slices, growing text, tokens, lines.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/front.h"

static void arena_is_zeroed_and_aligned(void **state) {
  (void)state;
  for (size_t size = 1; size < 200000; size = size * 3 + 1) {
    char *p = arena_alloc(size);
    assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
    for (size_t i = 0; i < size; i++)
      assert_int_equal(p[i], 0);
    memset(p, 0xff, size); // must not be visible in the next allocation
  }
}

static void arrays_grow_without_loss(void **state) {
  (void)state;
  unsigned *list = NULL, n = 0;
  for (unsigned i = 0; i < 10000; i++)
    *GROW(list, n) = i * 7;
  assert_int_equal(n, 10000);
  for (unsigned i = 0; i < n; i++)
    assert_int_equal(list[i], i * 7);
}

static void text_grows_without_loss(void **state) {
  (void)state;
  struct text t = { 0 };
  for (int i = 0; i < 5000; i++)
    text_printf(&t, "%d,", i % 10);
  assert_int_equal(t.size, 10000);
  assert_int_equal(strlen(t.data), 10000);
  for (int i = 0; i < 5000; i++)
    assert_int_equal(t.data[2 * i], '0' + i % 10);
}

static void literals_can_be_read_back(void **state) {
  (void)state;
  static const struct {
    const char *in;
    size_t size;
    const char *out;
  } cases[] = {
    { "", 0, "\"\"" },
    { "a\"b\\c", 5, "\"a\\\"b\\\\c\"" },
    { "one\ntwo\n", 8, "\"one\\n\"\n\"two\\n\"" },
    { "?"
      "?=",
      3, "\"\\?\\?=\"" },                  // no trigraph
    { "\0001\377", 3, "\"\\0001\\377\"" }, // the digit is no part of the octal escape
    { "\t\r", 2, "\"\\011\\015\"" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct text t = { 0 };
    text_literal(&t, cases[i].in, cases[i].size);
    assert_string_equal(t.data, cases[i].out);
  }
}

static void trims_blanks_and_continuations(void **state) {
  (void)state;
  static const struct {
    const char *in, *out;
  } cases[] = {
    { "  a b ", "a b" }, { "\\\n a \\\r\n", "a" }, { "", "" },
    { " \\\n ", "" },    { "a\\b", "a\\b" },       { "\\", "\\" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_true(slice_is(slice_trim(slice_of(cases[i].in)), cases[i].out));
}

static void splits_outside_of_brackets(void **state) {
  (void)state;
  unsigned n;
  struct slice *parts = slice_split(slice_of(" a[1,2], f(b, {c, d}) ,\"x,y\", ',' "), &n);
  assert_int_equal(n, 4);
  assert_true(slice_is(parts[0], "a[1,2]"));
  assert_true(slice_is(parts[1], "f(b, {c, d})"));
  assert_true(slice_is(parts[2], "\"x,y\""));
  assert_true(slice_is(parts[3], "','"));
  slice_split(slice_of("  "), &n);
  assert_int_equal(n, 0);
  parts = slice_split(slice_of("a,,"), &n);
  assert_int_equal(n, 3);
  assert_int_equal(parts[1].size + parts[2].size, 0);
}

static void suggests_what_is_near(void **state) {
  (void)state;
  static const char *const words[] = { "param", "parallel", "in", "out", "inout", NULL };
  static const struct {
    const char *word, *near;
  } cases[] = {
    { "pram", "param" },  { "parm", "param" }, { "paralell", "parallel" },
    { "inuot", "inout" }, { "oout", "out" },   { "banana", NULL },
    { "x", NULL },        { "", NULL },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *near = nearest(slice_of(cases[i].word), words);
    if (cases[i].near)
      assert_string_equal(near, cases[i].near);
    else
      assert_null(near);
  }
}

static void tokens(void **state) {
  (void)state;
  static const char text[] = "a1 1..4 0x1p-3 1e+5 \"s\\\"//\" 'c' /* x */ -> // y \\\n "
                             "z\n# 1'000 .5 <<= \"open\n$";
  static const char *const expected[] = { "a1",     "1",    "..",          "4",
                                          "0x1p-3", "1e+5", "\"s\\\"//\"", "'c'",
                                          "->",     "#",    "1'000",       ".5",
                                          "<<",     "=",    "\"open",      "$" };
  struct lexer l = lexer_of(slice_of(text));
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    struct token t = lex(&l);
    assert_true(slice_is(t.text, expected[i]));
    assert_int_equal(t.first, i == 0 || *expected[i] == '#' || *expected[i] == '$');
  }
  assert_int_equal(lex(&l).kind, TOKEN_END);
  assert_int_equal(lex(&l).kind, TOKEN_END);
}

static void blanking_keeps_offsets(void **state) {
  (void)state;
  static const char text[] = "a /* b\n */ \\\r\n \"x /* \\\n y\" // c";
  char *blank = lex_blank(text, sizeof text - 1);
  assert_string_equal(blank, "a              \"x /*    y\"     ");
  assert_int_equal(strlen(blank), sizeof text - 1);
}

static void lines_and_columns(void **state) {
  (void)state;
  static const char text[] = "a\nbc\n\n#line 40 \"other.c\"\nd";
  struct source *s = source_of("this.c", text, sizeof text - 1);
  unsigned column;
  const char *path;
  assert_int_equal(source_line(s, 0, &column), 1);
  assert_int_equal(source_line(s, 3, &column), 2);
  assert_int_equal(column, 2);
  assert_int_equal(source_line(s, sizeof text - 1, &column), 5);
  assert_int_equal(source_where(s, 3, &path, NULL), 2);
  assert_string_equal(path, "this.c");
  assert_int_equal(source_where(s, sizeof text - 2, &path, NULL), 40);
  assert_string_equal(path, "other.c");
}

static void mentions(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool yes;
  } cases[] = {
    { "#pragma autotune kernel", true },
    { "  # pragma\tautotune", true },
    { "#pragma \\\n autotune", true },
    { "#pragma \\\r\n autotune", true },
    { "_Pragma(\"autotune kernel\")", true },
    { "#pragma /* \n */ autotune", true },
    { "#pragma omp\nint autotune;", false },
    { "#pragma autotuned", true }, // misspelled: warned of
    { "#pragma Autotune", true },
    { "int autotuned;", false },
    { "#include <autotune.h>\n#pragma once", false },
    { "autotune\n#pragma", false },
    { "", false },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(source_mentions_autotune(cases[i].text, strlen(cases[i].text)),
                     cases[i].yes);
}

static int release(void **state) {
  (void)state;
  arena_reset();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(arena_is_zeroed_and_aligned),
    cmocka_unit_test(arrays_grow_without_loss),
    cmocka_unit_test(text_grows_without_loss),
    cmocka_unit_test(literals_can_be_read_back),
    cmocka_unit_test(trims_blanks_and_continuations),
    cmocka_unit_test(splits_outside_of_brackets),
    cmocka_unit_test(suggests_what_is_near),
    cmocka_unit_test(tokens),
    cmocka_unit_test(blanking_keeps_offsets),
    cmocka_unit_test(lines_and_columns),
    cmocka_unit_test(mentions),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}
