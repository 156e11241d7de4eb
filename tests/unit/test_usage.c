// SPDX-License-Identifier: Apache-2.0
// test_usage.c: finds where names are declared and changed, and which variables each
// iteration of a loop may have for itself.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "front/lang/language.h"
#include "front/analysis/analysis.h"

static TSNode nodes[16]; // the `for` loops of the function, in source order
static unsigned n_nodes;

static void find_loops(TSNode n) {
  if (node_is(n, "for_statement"))
    nodes[n_nodes++] = n;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    find_loops(ts_node_named_child(n, i));
}

// Returns the usage in the function TEXT.
static struct usage read_usage(const char *text) {
  static struct function f;
  struct source *s = source_of("f.c", text, strlen(text));
  source_parse(s, &language_c);
  f = (struct function){ .node = ts_node_named_child(ts_tree_root_node(s->tree), 0) };
  n_nodes = 0;
  find_loops(f.node);
  return usage_of(s, &f, f.node);
}

static const char *names_text(const struct slice *names, unsigned n) {
  struct text t = { 0 };
  text_add(&t, "", 0);
  for (unsigned i = 0; i < n; i++)
    text_printf(&t, "%s%.*s", i ? " " : "", (int)names[i].size, names[i].data);
  return t.data;
}

#define EACH(i, rest) "for (" i " = 0; " i " < n; " i "++) " rest

// Tests which variables of loops an iteration of the loop at place NEST may have for
// itself.
static void test_counters(void **state) {
  static const struct {
    const char *body;
    unsigned nest;
    const char *expected;
  } cases[] = {
    { EACH("i", EACH("j", "x[j] = i;")), 0, "j" },
    { EACH("i", EACH("j", EACH("k", "x[k] = i;"))), 0, "j k" },
    { EACH("int i", "x[i] = 0;"), 0, "" },
    // what is left in it is read after the nest, or in the next iteration of a loop
    // around it
    { EACH("i", EACH("j", "x[j] = i;")) "x[0] = j;", 0, "" },
    { EACH("i", EACH("j", "x[j] = i;")) "if (n > 1) j = 0; x[0] = j;", 0, "" },
    { EACH("k", "{ x[k] = j; " EACH("i", EACH("j", "x[j] = i;")) "}"), 1, "" },
    { "while (n-- > 0) { x[0] = j; " EACH("i", EACH("j", "x[j] = i;")) "}", 0, "" },
    { EACH("i", EACH("j", "x[j] = i;")) "x[0] = sizeof j;", 0, "" },
    // it is not read: another value comes first
    { EACH("i", EACH("j", "x[j] = i;")) "j = 3; x[0] = j;", 0, "j" },
    { EACH("i", EACH("j", "x[j] = i;")) EACH("j", "x[j] = 2;"), 0, "j" },
    { EACH("k", "{ " EACH("i", EACH("j", "x[j] = i;")) "j = k; x[0] = j; }"), 1, "j" },
    // unless a jump leaves that out
    { EACH("k",
           "{ " EACH("i", EACH("j", "x[j] = i;")) "if (x[k]) break; j = k; } x[0] = j;"),
      1, "" },
    { EACH("k",
           "{ " EACH("i", EACH("j", "x[j] = i;"))
               EACH("int m", "if (x[m]) break;") "j = k; } x[0] = j;"),
      1, "j" },
    // in the body: read after its loop, or before it
    { EACH("i", "{ " EACH("j", "if (x[j] > 0) break;") " x[i] = j; }"), 0, "j" },
    { EACH("i", "{ x[i] = j; " EACH("j", "x[j] = 1;") " }"), 0, "" },
    { EACH("i", "{ if (x[i] > 0) " EACH("j", "x[j] = 1;") " x[i] = j; }"), 0, "" },
    { EACH("i", "{ if (x[i] > 0) " EACH("j", "x[j] = 1;") " }"), 0, "j" },
    { EACH("i", "{ int *p = &j; " EACH("j", "x[j] = *p;") " }"), 0, "" },
    // in statements that run now and then
    { EACH("i", "while (x[i] > 9) " EACH("j", "x[j] -= 1;")), 0, "j" },
    { EACH("i", "do { " EACH("j", "x[j] -= 1;") " } while (x[i] > j);"), 0, "j" },
    { EACH("i",
           "switch (i) { case 0: " EACH("j", "x[j] = 1;") " break; case 1: x[j] = 0; }"),
      0, "" },
    { EACH("i",
           "switch (i) { case 0: " EACH("j", "x[j] = 1;") " break; default: x[i] = 0; }"),
      0, "j" },
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *text =
        arena_printf("void f(int n, double *x) { int i, j, k; %s }", cases[i].body);
    struct usage u = read_usage(text);
    TSNode nest = nodes[cases[i].nest];
    struct body body = { node_field(nest, "body"), node_field(nest, "body") };
    unsigned n;
    struct slice *names = live_counters(&u, nest, body, &n);
    const char *got = names_text(names, n);
    if (strcmp(got, cases[i].expected) != 0)
      print_error("%s\n", text);
    assert_string_equal(got, cases[i].expected);
  }
}

// Tests `t` in the first loop.
static void test_private(void **state) {
  static const struct {
    const char *body;
    bool may;
  } cases[] = {
    { "double t; " EACH("int i", "{ t = x[i]; x[i] = 2 * t; }"), true },
    { "double t = 0; " EACH("int i", "{ x[i] = t; t = i; }"), false },
    { "static double t; " EACH("int i", "{ t = x[i]; x[i] = 2 * t; }"), false },
    { "double t; " EACH("int i", "{ t = x[i]; x[i] = 2 * t; }") "x[0] = t;", false },
    { "double t; " EACH("int i",
                        "{ t = x[i]; x[i] = 2 * t; }") "{ double t = 1; x[0] = t; }",
      false },
    { "double t; " EACH("int i", "{ t = x[i]; x[i] = 2 * t; }") "t = 1; x[0] = t;",
      true },
    { "double t; again: " EACH("int i",
                               "{ t = x[i]; x[i] = 2 * t; }") "if (n) goto again;",
      false },
    { "double t; " EACH("int i", "{ if (x[i] < 0) continue; t = x[i]; x[i] = 2 * t; }"),
      true },
    { "double t; " EACH("int i", "{ { if (x[i] < 0) t = 1; else t = 2; } x[i] = t; }"),
      true },
    { "double t; " EACH("int i", "{ if (x[i] < 0) t = 1; x[i] = t; }"), false },
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *text = arena_printf("void f(int n, double *x) { %s }", cases[i].body);
    struct usage u = read_usage(text);
    bool may = live_may_be_private(&u, nodes[0], slice_of("t"));
    if (may != cases[i].may)
      print_error("%s\n", text);
    assert_int_equal(may, cases[i].may);
  }
}

static void test_changes(void **state) {
  struct usage u = read_usage("void f(int n, struct p s, double *x) {\n"
                              "  int m = n, a[4];\n"
                              "  for (m = 0; m < n; m++) {\n"
                              "    (s.y) = 1; s.rows[m].z += 2; a[m] = 0; x[m]++;\n"
                              "    g(&n); *x = s.p->q; (*x)--;\n"
                              "  }\n}\n");
  static const struct {
    const char *name;
    int part, how;
  } expected[] = {
    { "m", PART_WHOLE, BY_ASSIGNMENT },   { "m", PART_WHOLE, BY_ASSIGNMENT },
    { "s", PART_MEMBER, BY_ASSIGNMENT },  { "s", PART_ELEMENT, BY_ASSIGNMENT },
    { "a", PART_ELEMENT, BY_ASSIGNMENT }, { "x", PART_ELEMENT, BY_ASSIGNMENT },
    { "n", PART_WHOLE, BY_ADDRESS },      { "x", PART_WHOLE, BY_POINTER },
    { "x", PART_WHOLE, BY_POINTER },
  };
  (void)state;
  assert_int_equal(u.n_changes, sizeof expected / sizeof *expected);
  for (unsigned i = 0; i < u.n_changes; i++) {
    assert_true(slice_is(u.changes[i].name, expected[i].name));
    assert_int_equal(u.changes[i].part, expected[i].part);
    assert_int_equal(u.changes[i].how, expected[i].how);
    assert_int_equal(u.changes[i].counter, i == 0);
  }
  TSNode first;
  assert_int_equal(u.n_declared, 5);
  assert_int_equal(usage_declarators(&u, u.f->node, slice_of("m"), &first), 1);
  assert_true(node_is(first, "init_declarator"));
  assert_true(slice_is(usage_type(&u, u.f->node, slice_of("a")), "int"));
  assert_true(usage_is_pointer(&u, slice_of("x")));
  assert_true(usage_is_pointer(&u, slice_of("a")));
  assert_false(usage_is_pointer(&u, slice_of("m")));
  assert_false(usage_declares(&u, nodes[0], slice_of("m")));
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_changes),
                                      cmocka_unit_test(test_counters),
                                      cmocka_unit_test(test_private) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
