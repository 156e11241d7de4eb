// SPDX-License-Identifier: Apache-2.0
// Tests which changes make a result useless, and which do not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "model/space.h"
#include "keep/store/store.h"

static const struct autotune_value step[] = { { "2", "2", 2, 2 },
                                              { "4", "4", 4, 4 },
                                              { "8", "8", 8, 8 } };
static const struct autotune_value yes_no[] = { { "no", "0", 0, 0 },
                                                { "yes", "1", 1, 1 } };
static const struct autotune_value orders[] = { { "(1,2)", "(1,2)", 0, 0 },
                                                { "(2,1)", "(2,1)", 0, 0 } };

// Three sets without a name, named as the translator does, on lines LINE and LINE + 1.
struct made {
  struct autotune_param params[3];
  struct autotune_unit unit;
  struct autotune_kernel kernel;
  char names[3][32];
};

static void make(struct made *m, unsigned line, unsigned n_steps, const char *text) {
  snprintf(m->names[0], 32, "tile@%u.1", line);
  snprintf(m->names[1], 32, "unroll@%u.1", line + 1);
  snprintf(m->names[2], 32, "interchange@%u.1", line + 100);
  m->params[0] = (struct autotune_param){ m->names[0], "AUTOTUNE_P0", AUTOTUNE_INT,
                                          -1,          n_steps,       0,
                                          step };
  m->params[1] =
      (struct autotune_param){ m->names[1], "AUTOTUNE_P1", AUTOTUNE_CHOICE, -1, 2,
                               0,           yes_no };
  m->params[2] =
      (struct autotune_param){ m->names[2], "AUTOTUNE_P2", AUTOTUNE_TUPLE, -1, 2,
                               0,           orders };
  m->unit = (struct autotune_unit){ "clang", text, NULL };
  m->kernel = (struct autotune_kernel){
    .name = "f", .n_params = 3, .params = m->params, .n_units = 1, .units = &m->unit
  };
}

static const char text[] =
    "void f(void)\n#line 7 \"a.c\"\n{\n"
    "#if AUTOTUNE_P1 == 0 && AUTOTUNE_APPLY(AUTOTUNE_ORDER2, AUTOTUNE_P2) == 34\nplain(1, 2);\n"
    "#elif AUTOTUNE_P1 == 1 && AUTOTUNE_APPLY(AUTOTUNE_ORDER2, AUTOTUNE_P2) == 34\n"
    "#ifdef __clang__\nunrolled(1, 2);\n#endif\n"
    "#elif AUTOTUNE_P1 == 1 && AUTOTUNE_APPLY(AUTOTUNE_ORDER2, AUTOTUNE_P2) == 65\nunrolled(2, 1);\n"
    "#endif\n}\n";

// Returns the text with the first FROM replaced by TO; the caller frees it.
static char *changed(const char *from, const char *to) {
  const char *at = strstr(text, from);
  char *copy = malloc(sizeof text + strlen(to));
  assert_non_null(at);
  sprintf(copy, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  return copy;
}

static void test_lines_and_paths_do_not_count(void **state) {
  struct made a, b;
  (void)state;
  char *moved = changed("7 \"a.c\"", "9 \"../x/a.c\"");
  make(&a, 7, 3, text);
  make(&b, 98, 3, moved); // 98, 99, 198: sorted otherwise as text
  assert_int_equal(identity_unit(&a.kernel), identity_unit(&b.kernel));
  assert_int_equal(identity_space(&a.kernel), identity_space(&b.kernel));
  choice point[] = { 1, 1, 1 };
  char *va = space_values(&a.kernel, point), *vb = space_values(&b.kernel, point);
  assert_string_not_equal(va, vb);
  assert_int_equal(identity_values(va), identity_values(vb));
  assert_int_equal(identity_text(&a.kernel, point), identity_text(&b.kernel, point));
  choice found[3] = { 0 };
  assert_true(identity_point(&b.kernel, va, found));
  assert_memory_equal(found, point, sizeof point);
  free(va);
  free(vb);
  free(moved);
}

static void test_lines_count_where_they_are_printed(void **state) {
  struct made a, b;
  (void)state;
  char *asserts = changed("plain", "fail(__LINE__); plain"), *moved = strdup(asserts);
  *strstr(moved, "7 \"a.c\"") = '9';
  make(&a, 7, 3, asserts);
  make(&b, 7, 3, moved);
  assert_int_not_equal(identity_unit(&a.kernel), identity_unit(&b.kernel));
  free(asserts);
  free(moved);
}

// The contract is what is compared and how; facts that are only shown are not part of it.
static void test_the_contract_is_what_is_checked(void **state) {
  static const struct autotune_section own = { "y[0:n]", AUTOTUNE_OUT, AUTOTUNE_F64, 8 };
  struct made m;
  struct autotune_section s = own;
  (void)state;
  make(&m, 7, 3, text);
  struct autotune_kernel *k = &m.kernel;
  k->n_sections = 1;
  k->sections = &s;
  uint64_t first = identity_contract(k), now;
  assert_true(first != 0 && identity_contract(k) == first);
#define CHANGES(statement)                         \
  do {                                             \
    const struct autotune_kernel before = *k;      \
    statement;                                     \
    now = identity_contract(k);                    \
    *k = before;                                   \
    s = own;                                       \
    assert_int_not_equal(now, first);              \
    assert_int_equal(identity_contract(k), first); \
  } while (0)
  CHANGES(k->verify = AUTOTUNE_VERIFY_OFF);
  CHANGES(k->verify = AUTOTUNE_VERIFY_EXACT);
  CHANGES((k->verify = AUTOTUNE_VERIFY_TOLERANCE, k->rtol = 1e-3));
  CHANGES((k->verify = AUTOTUNE_VERIFY_TOLERANCE, k->atol = 1));
  CHANGES(k->compiler = "gcc");
  CHANGES(k->inferred = 1);
  CHANGES(k->n_sections = 0);
  CHANGES(k->ret_size = 8);
  CHANGES(k->ret_element = AUTOTUNE_F64);
  CHANGES(s.name = "y[0:1]");
  CHANGES(s.access = AUTOTUNE_INOUT);
  CHANGES(s.element = AUTOTUNE_F32);
  CHANGES(s.element_size = 4);
#undef CHANGES
  k->search = "random";
  k->budget_seconds = 3;
  k->mode = "locked";
  k->rtol = 1e-3; // has no meaning without AUTOTUNE_VERIFY_TOLERANCE
  assert_int_equal(identity_contract(k), first);
}

static void test_a_longer_list_keeps_the_unit(void **state) {
  struct made a, b;
  (void)state;
  make(&a, 7, 2, text);
  make(&b, 7, 3, text);
  assert_int_equal(identity_unit(&a.kernel), identity_unit(&b.kernel));
  assert_int_not_equal(identity_space(&a.kernel), identity_space(&b.kernel));
}

static void test_each_variant_has_its_own_text(void **state) {
  struct made a, b;
  (void)state;
  char *edited = changed("unrolled(2, 1)", "unrolled(2, 1, 0)");
  make(&a, 7, 3, text);
  make(&b, 7, 3, edited);
  choice first[] = { 0, 1, 0 }, second[] = { 0, 1, 1 }, other[] = { 2, 1, 1 };
  assert_int_equal(identity_unit(&a.kernel), identity_unit(&b.kernel));
  assert_int_equal(identity_text(&a.kernel, first), identity_text(&b.kernel, first));
  assert_int_not_equal(identity_text(&a.kernel, second),
                       identity_text(&b.kernel, second));
  assert_int_equal(identity_text(&a.kernel, second), identity_text(&a.kernel, other));
  assert_int_not_equal(identity_text(&a.kernel, first), identity_text(&a.kernel, second));
  free(edited);
}

static void test_a_changed_body_is_another_unit(void **state) {
  struct made a, b;
  (void)state;
  char *edited = changed("unrolled(1, 2)", "unrolled(1, 3)");
  make(&a, 7, 3, text);
  make(&b, 7, 3, edited);
  assert_int_not_equal(identity_unit(&a.kernel), identity_unit(&b.kernel));
  free(edited);
}

static void test_points_of_values(void **state) {
  struct made a;
  choice point[3];
  (void)state;
  make(&a, 7, 2, text);
  assert_true(identity_point(
      &a.kernel, "interchange@9.1=(2,1)\ntile@2.1=4\nunroll@4.1=no\n", point));
  assert_int_equal(point[0], 1);
  assert_int_equal(point[2], 1);
  static const char *const strangers[] = {
    "",
    "tile@2.1=4\n",
    "interchange@9.1=(2,1)\ntile@2.1=8\nunroll@4.1=no\n",
    "=\n=\n=\n",
    "interchange@9.1=(2,1)\ntile@2.1=4\nunroll@4.1=no\nMR=4\n",
    "interchange@9.1\ntile\n\n",
    "tile@99999999999999999999.1=4\nunroll@4.1=no\ninterchange@5.1=(1,2)\n",
  };
  for (unsigned i = 0; i < sizeof strangers / sizeof *strangers; i++)
    assert_false(identity_point(&a.kernel, strangers[i], point));
}

static void test_the_space_as_text(void **state) {
  struct made a;
  static const unsigned looks[] = { 0, 2 };
  struct autotune_condition condition = { .n_params = 2,
                                          .params = looks,
                                          .text = "tile <\n n" };
  (void)state;
  make(&a, 7, 2, text);
  a.kernel.conditions = &condition;
  a.kernel.n_conditions = 1;
  char *params = identity_params(&a.kernel), *conditions = identity_conditions(&a.kernel);
  assert_string_equal(params,
                      "tile@7.1\tint\t-1\t0\t2\t4\nunroll@8.1\tchoice\t-1\t0\tno\tyes\n"
                      "interchange@107.1\ttuple\t-1\t0\t(1,2)\t(2,1)\n");
  assert_string_equal(conditions, "tile@7.1,interchange@107.1\ttile <  n\n");
  uint64_t before = identity_space(&a.kernel);
  condition.text = "tile > n";
  assert_int_not_equal(identity_space(&a.kernel), before);
  free(params);
  free(conditions);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_lines_and_paths_do_not_count),
    cmocka_unit_test(test_lines_count_where_they_are_printed),
    cmocka_unit_test(test_the_contract_is_what_is_checked),
    cmocka_unit_test(test_a_longer_list_keeps_the_unit),
    cmocka_unit_test(test_each_variant_has_its_own_text),
    cmocka_unit_test(test_a_changed_body_is_another_unit),
    cmocka_unit_test(test_points_of_values),
    cmocka_unit_test(test_the_space_as_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
