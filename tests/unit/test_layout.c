// SPDX-License-Identifier: Apache-2.0
// test_layout.c: walks over the numbers of a section, and their names.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/kernel.h"
#include "model/layout.h"

struct point {
  char kind;
  struct {
    double re, im;
  } z[2][3];
  float w;
  double position[3];
};
#define AT(member) offsetof(struct point, member)
static const struct autotune_repeat repeats[] = {
  { 2, sizeof(double) * 6 }, { 3, sizeof(double) * 2 }, { 3, sizeof(double) }, { 0, 8 }
};
static const struct autotune_leaf leaves[] = {
  { ".kind", AUTOTUNE_BYTES, AT(kind), 1, 0, 0, NULL },
  { ".z[][].im", AUTOTUNE_F64, AT(z[0][0].im), 8, 0, 2, NULL },
  { ".w", AUTOTUNE_F32, AT(w), 4, 0, 0, NULL },
  { ".position[]", AUTOTUNE_F64, AT(position), 8, 2, 1, NULL },
  { ".none[]", AUTOTUNE_F64, AT(w), 8, 3, 1, NULL },
};
static const struct autotune_layout layout = { sizeof(struct point), 5, leaves, 4,
                                               repeats };

// Tests that a walk visits each number of a leaf once, in runs as long as they can be.
static void test_walk(void **state) {
  static const struct {
    unsigned leaf;
    size_t elements, runs, numbers;
  } cases[] = {
    { 0, 4, 1, 4 }, { 1, 4, 4, 24 }, { 2, 4, 1, 4 }, { 3, 4, 4, 12 },
    { 3, 1, 1, 3 }, { 4, 4, 0, 0 },  { 1, 0, 0, 0 }, { 1, 1, 1, 6 },
  };
  (void)state;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    size_t bytes = cases[c].elements * sizeof(struct point), numbers = 0, runs = 0;
    char *seen = calloc(1, bytes + 1);
    struct layout_walk w = layout_walk(&layout, cases[c].leaf, bytes + 3);
    for (struct layout_run r; layout_next(&w, &r); runs++)
      for (size_t i = 0; i < r.count; i++, numbers++) {
        assert_true(r.offset + i * r.stride + leaves[cases[c].leaf].size <= bytes);
        assert_int_equal(seen[r.offset + i * r.stride]++, 0);
      }
    assert_int_equal(numbers, cases[c].numbers);
    assert_int_equal(runs, cases[c].runs);
    assert_int_equal(layout_count(&layout, cases[c].leaf, bytes + 3), cases[c].numbers);
    free(seen);
  }
}

static void test_plain_walk(void **state) {
  struct layout_plain plain;
  struct layout_run r;
  (void)state;
  const struct autotune_layout *t = layout_plain(AUTOTUNE_F32, 4, &plain);
  struct layout_walk w = layout_walk(t, 0, 42);
  assert_true(layout_next(&w, &r));
  assert_int_equal(r.offset, 0);
  assert_int_equal(r.count, 10);
  assert_int_equal(r.stride, 4);
  assert_false(layout_next(&w, &r));
}

static void test_names(void **state) {
  static const struct autotune_repeat parts[] = { { 5, 16 }, { 2, 8 } };
  static const struct autotune_leaf number = { "[]", AUTOTUNE_F64, 0, 8, 0, 2, NULL };
  static const struct autotune_layout numbers = { 80, 1, &number, 2, parts };
  static const struct {
    const struct autotune_layout *t;
    unsigned leaf;
    const char *section;
    size_t at;
    const char *name;
  } cases[] = {
    { &layout, 2, "t->p[0:n]", 3 * sizeof(struct point) + AT(w), "t->p[3].w" },
    { &layout, 1, "p[ 10 : n ]", 2 * sizeof(struct point) + AT(z[1][2].im),
      "p[12].z[1][2].im" },
    { &layout, 3, "p[7]", AT(position[2]), "p[7].position[2]" },
    { &layout, 2, "*p", AT(w), "(*p).w" },
    { &layout, 2, "p", sizeof(struct point) + AT(w), "p.w" },
    { &layout, 2, "p[i:n]", 3 * sizeof(struct point) + AT(w), "p[i:n], .w of element 3" },
    { &layout, 2, "p[0:n][0:m]", AT(w), "p[0:n][0:m], .w of element 0" },
    { &layout, 2, "p[a[0]:n]", AT(w), "p[a[0]:n], .w of element 0" },
    { &numbers, 0, "c[0:n]", 80 + 24, "c[1][1] (imaginary part)" },
    { &numbers, 0, "c", 16, "c[1] (real part)" },
  };
  struct layout_plain plain;
  char text[64];
  (void)state;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    layout_name(cases[c].t, cases[c].leaf, cases[c].section, cases[c].at, text,
                sizeof text);
    assert_string_equal(text, cases[c].name);
  }
  const struct autotune_layout *t = layout_plain(AUTOTUNE_F64, 8, &plain);
  layout_name(t, 0, "A[lo:n]", 24, text, sizeof text);
  assert_string_equal(text, "A[lo:n], element 3");
  layout_name(&layout, 1, "p[0:n]", AT(z[0][0].im), text, 8); // is cut short
  assert_int_equal(strlen(text), 7);
}

static void test_elements(void **state) {
  static const char bits[4] = { 3 };
  static const struct {
    struct autotune_leaf leaf;
    enum autotune_element as;
  } cases[] = {
    { { .element = AUTOTUNE_F64, .size = 8 }, AUTOTUNE_F64 },
    { { .element = AUTOTUNE_F64, .size = 4 }, AUTOTUNE_BYTES },
    { { .element = AUTOTUNE_F80, .size = sizeof(long double) }, AUTOTUNE_F80 },
    { { .element = AUTOTUNE_SIGNED, .size = 2 }, AUTOTUNE_SIGNED },
    { { .element = AUTOTUNE_UNSIGNED, .size = 16 }, AUTOTUNE_UNSIGNED },
    { { .element = AUTOTUNE_SIGNED, .size = 3 }, AUTOTUNE_BYTES },
    { { .element = AUTOTUNE_BYTES, .size = 4, .mask = bits }, AUTOTUNE_BYTES },
    { { .element = 99, .size = 8 }, AUTOTUNE_BYTES },
  };
  (void)state;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    assert_int_equal(layout_element(&cases[c].leaf), cases[c].as);
  assert_true(layout_is_real(AUTOTUNE_BF16));
  assert_false(layout_is_real(AUTOTUNE_SIGNED));
  assert_false(layout_is_real(AUTOTUNE_BYTES));
}

static void test_validity(void **state) {
  struct autotune_leaf l = leaves[1];
  struct autotune_repeat r[2] = { repeats[0], repeats[1] };
  struct autotune_layout t = { sizeof(struct point), 1, &l, 2, r };
  (void)state;
  assert_true(layout_is_valid(&layout));
  assert_true(layout_is_valid(&t));
  r[0].count = 9;
  assert_false(layout_is_valid(&t));
  r[0] = (struct autotune_repeat){ SIZE_MAX, SIZE_MAX };
  assert_false(layout_is_valid(&t));
  r[0] = repeats[0];
  l.offset = SIZE_MAX - 2;
  assert_false(layout_is_valid(&t));
  l = leaves[1];
  l.size = 0;
  assert_false(layout_is_valid(&t));
  l = leaves[1];
  l.repeat = 1;
  assert_false(layout_is_valid(&t));
  l = leaves[1];
  l.n_repeats = AUTOTUNE_MOST_REPEATS + 1;
  t.n_repeats = 40;
  assert_false(layout_is_valid(&t));
}

// Tests that a file translated by an older version, whose table ends before `layouts`,
// has none.
static void test_older(void **state) {
  static const struct autotune_section section = { "x[0:n]", AUTOTUNE_OUT, AUTOTUNE_F64,
                                                   8 };
  static const struct autotune_layout *const layouts[] = { &layout, NULL };
  struct autotune_kernel k = { .name = "k",
                               .n_sections = 1,
                               .sections = &section,
                               .ret_size = 4,
                               .layouts = layouts,
                               .ret_layout = &layout,
                               .when_hot = 1 };
  struct layout_plain plain;
  (void)state;
  assert_null(kernel_layouts(&k));
  assert_null(kernel_ret_layout(&k));
  assert_int_equal(layout_of_section(&k, 0, &plain)->size, 8);
  assert_int_equal(layout_of_result(&k, &plain)->size, 4);
  assert_false(kernel_when_hot(&k));
  assert_null(kernel_copy(&k).layouts);
  assert_string_equal(kernel_copy(&k).name, "k");
  k.size = sizeof k;
  assert_ptr_equal(layout_of_section(&k, 0, &plain), &layout);
  assert_ptr_equal(layout_of_result(&k, &plain), &layout);
  assert_ptr_equal(kernel_copy(&k).layouts, layouts);
  assert_true(kernel_when_hot(&k));
  k.size = offsetof(struct autotune_kernel, when_hot);
  assert_false(kernel_when_hot(&k));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_walk),     cmocka_unit_test(test_plain_walk),
    cmocka_unit_test(test_names),    cmocka_unit_test(test_elements),
    cmocka_unit_test(test_validity), cmocka_unit_test(test_older),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
