// SPDX-License-Identifier: Apache-2.0
// test_outputs.c: sections of structs are compared leaf by leaf.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/outputs.h"

// A density near 1, pressures near 1e5, a count, padding, bits.
struct cell {
  char kind;
  double density;
  float pressure[3];
  short count;
  unsigned flags : 3, high : 5;
  union {
    int i;
    float f;
  } any;
  void *next;
};
static const struct cell count_mask = { .high = 31 };
static const struct autotune_repeat three = { 3, sizeof(float) };
#define AT(member) offsetof(struct cell, member)
static const struct autotune_leaf leaves[] = {
  { ".kind", AUTOTUNE_BYTES, AT(kind), 1, 0, 0, NULL },
  { ".density", AUTOTUNE_F64, AT(density), 8, 0, 0, NULL },
  { ".pressure[]", AUTOTUNE_F32, AT(pressure), 4, 0, 1, NULL },
  { ".count", AUTOTUNE_SIGNED, AT(count), 2, 0, 0, NULL },
  { ".high", AUTOTUNE_BYTES, 0, sizeof(struct cell), 0, 0, &count_mask },
  { ".any", AUTOTUNE_BYTES, AT(any), 4, 0, 0, NULL },
  { ".next", AUTOTUNE_POINTER, AT(next), 8, 0, 0, NULL },
};
static const struct autotune_layout cell_layout = { sizeof(struct cell), 7, leaves, 1,
                                                    &three };
static const struct autotune_leaf parts = { "", AUTOTUNE_F64, 0, 8, 0, 1, NULL };
static const struct autotune_repeat two = { 2, sizeof(double) };
static const struct autotune_layout complex_layout = { 16, 1, &parts, 1, &two };

static const struct autotune_section sections[] = {
  { "g->cells[0:n]", AUTOTUNE_INOUT, AUTOTUNE_BYTES, sizeof(struct cell) },
  { "n[0:m]", AUTOTUNE_OUT, AUTOTUNE_UNSIGNED, 4 },
  { "z[0:m]", AUTOTUNE_OUT, AUTOTUNE_F64, 8 },
};
static const struct autotune_layout *const layouts[] = { &cell_layout, NULL,
                                                         &complex_layout };
static struct autotune_kernel kernel = { .name = "k",
                                         .n_sections = 3,
                                         .sections = sections,
                                         .ret_size = sizeof(struct cell),
                                         .size = sizeof kernel,
                                         .layouts = layouts,
                                         .ret_layout = &cell_layout };

enum { N = 2000 };
static struct cell reference[N], got[N];

static void fill(void) {
  memset(reference, 0x11, sizeof reference);
  for (int i = 0; i < N; i++) {
    reference[i].kind = (char)(i % 7);
    reference[i].density = 1 + i / 1e4;
    for (int d = 0; d < 3; d++)
      reference[i].pressure[d] = 1e5f + (float)(i + d);
    reference[i].count = (short)-i;
    reference[i].flags = 2;
    reference[i].high = (unsigned)i % 32;
    reference[i].any.i = i;
  }
  memcpy(got, reference, sizeof got);
}

static struct tolerance tolerance_of(const struct output *o, const void *want,
                                     size_t bytes) {
  struct verify_counts *c = calloc(1, sizeof *c);
  assert_non_null(c);
  output_count(o, want, bytes, c);
  struct tolerance t = verify_allowed(&kernel, o->element);
  t = verify_needs_scale(t) ? verify_scaled(t, verify_scale(c, false)) : t;
  free(c);
  return t;
}

// Compares all leaves of section S. Returns "" where they agree.
static const char *compare(unsigned s, const char *name, const void *want,
                           const void *have, size_t bytes) {
  static char message[200];
  struct outputs o;
  message[0] = '\0';
  assert_true(outputs_new(&o, &kernel));
  for (unsigned i = 0; i < o.n && !*message; i++)
    if (o.list[i].section == s) {
      struct tolerance t = tolerance_of(&o.list[i], want, bytes);
      output_compare(&o.list[i], t, name, want, have, bytes, NULL, message,
                     sizeof message);
    }
  outputs_free(&o);
  return message;
}

static const char *compare_cells(void) {
  return compare(0, "g->cells[0:n]", reference, got, sizeof got);
}

static void test_right(void **state) {
  (void)state;
  fill();
  assert_string_equal(compare_cells(), "");
  for (int i = 0; i < N; i++) { // rounding, padding, bits that are not compared
    got[i].density *= 1 + 1e-12;
    got[i].pressure[2] *= 1 + 1e-6f;
    got[i].flags = 5;
    memset((char *)&got[i] + 1, i, AT(density) - 1);
  }
  assert_string_equal(compare_cells(), "");
}

// Tests that each field has its own scale, and that messages name what differs.
static void test_wrong(void **state) {
  (void)state;
#define WRONG(change, expected)                     \
  do {                                              \
    fill();                                         \
    change;                                         \
    assert_string_equal(compare_cells(), expected); \
  } while (0)
  WRONG(got[17].density = 1.5, "g->cells[17].density is 1.5 instead of 1.0017");
  WRONG(got[1999].density = 1.2,
        "g->cells[1999].density is 1.2 instead of 1.1999"); // little next to a pressure
  WRONG(got[700].pressure[2] = 0, "g->cells[700].pressure[2] is 0 instead of 100702");
  WRONG(got[3].count = 4, "g->cells[3].count is 4 instead of -3");
  WRONG(got[33].high = 30, "g->cells[33].high is 30 instead of 1");
  WRONG(got[5].kind = 9, "g->cells[5].kind is 0x09 instead of 0x05");
  WRONG(got[260].any.i = 5, "g->cells[260].any: byte 0 is 0x05 instead of 0x04");
  WRONG(got[1].next = NULL,
        "g->cells[1].next is 0x0000000000000000 instead of 0x1111111111111111");
}

static void test_complex_and_plain(void **state) {
  (void)state;
  const double z[4] = { 1, 1e-20, 2, 3 };
  double other[4] = { 1, 3e-20, 2, 3 };
  const unsigned n[3] = { 1, 2, 4000000000u };
  unsigned m[3] = { 1, 2, 4000000000u };
  // The rounding of one part of a complex number depends on both.
  assert_string_equal(compare(2, "z[0:m]", z, other, sizeof z), "");
  other[3] = 2;
  assert_string_equal(compare(2, "z[0:m]", z, other, sizeof z),
                      "z[1] (imaginary part) is 2 instead of 3");
  assert_string_equal(compare(1, "n[0:m]", n, m, sizeof n), "");
  m[2]--;
  assert_string_equal(compare(1, "n[0:m]", n, m, sizeof n),
                      "n[0:m]: element 2 is 3999999999 instead of 4000000000");
  fill();
  got[0].density = 2;
  assert_string_equal(compare(3, "the value returned", reference, got, sizeof *got),
                      "the value returned.density is 2 instead of 1");
}

// Tests the numbers of a leaf that do not stand one after the other.
static void test_gathering(void **state) {
  (void)state;
  struct outputs o;
  static struct verify_counts counts;
  static struct verify_noise noise = { .limit = INFINITY };
  fill();
  assert_true(outputs_new(&o, &kernel));
  assert_int_equal(o.n, 7 + 1 + 1 + 7);
  const struct output *density = &o.list[1], *pressure = &o.list[2];
  output_count(density, reference, sizeof reference, &counts);
  assert_int_equal(counts.n[verify_size(1)], N);
  memset(&counts, 0, sizeof counts);
  output_count(pressure, reference, sizeof reference, &counts);
  assert_int_equal(counts.n[verify_size(1e5)], 3 * N);
  assert_true(output_nudge(density, got, sizeof got, (struct nudge){ 53, 1, false, 0 }) >
              N / 2);
  for (int i = 1; i < N; i++) {
    assert_true(got[i].density == reference[i].density - 0 ||
                got[i].density < reference[i].density);
    assert_memory_equal(got[i].pressure, reference[i].pressure, sizeof got[i].pressure);
  }
  output_move(density, reference, got, sizeof got, &noise, &noise.nudged);
  assert_true(noise.nudged.n[verify_size(1)] > N / 2);
  memset(&noise.nudged, 0, sizeof noise.nudged);
  output_move(pressure, reference, got, sizeof got, &noise, &noise.nudged);
  assert_int_equal(noise.nudged.n[verify_size(1e5)], 0);
  output_count(&o.list[4], reference, sizeof reference, &counts); // no numbers
  outputs_free(&o);
}

static void test_scales_needed(void **state) {
  (void)state;
  struct autotune_kernel k = kernel;
  assert_true(outputs_need_scale(&k));
  k.n_sections = 0;
  assert_true(outputs_need_scale(&k)); // of the value returned
  k.ret_size = 0;
  assert_false(outputs_need_scale(&k));
  k.n_sections = 1;
  assert_true(outputs_need_scale(&k));
  k.verify = AUTOTUNE_VERIFY_EXACT;
  assert_false(outputs_need_scale(&k));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_right),         cmocka_unit_test(test_wrong),
    cmocka_unit_test(test_gathering),     cmocka_unit_test(test_complex_and_plain),
    cmocka_unit_test(test_scales_needed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
