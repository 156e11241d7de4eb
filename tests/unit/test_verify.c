// SPDX-License-Identifier: Apache-2.0
// Comparison of outputs: formats, tolerances, NaN and infinity.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/covered.h"
#include "run/verify.h"
#include "verify_fixture.h"

static struct autotune_kernel kernel = { .name = "k" };

// True if GOT passes for REFERENCE under the kernel's verify clause.
static bool passes(enum autotune_element e, const void *reference, const void *got,
                   size_t bytes, char message[160]) {
  struct tolerance t = verify_tolerance(&kernel, e, reference, bytes);
  message[0] = '\0';
  return fixture_compare(e, t, reference, got, bytes, message, 160);
}

static void declare(enum autotune_verify verify, double rtol, double atol) {
  kernel.verify = verify;
  kernel.rtol = rtol;
  kernel.atol = atol;
}

static void test_doubles(void **state) {
  (void)state;
  char message[160];
  double r[4] = { 1, -2, 3, 1e-20 }, g[4] = { 1, nextafter(-2, 0), 3, 2e-20 };
  declare(AUTOTUNE_VERIFY_DEFAULT, 0, 0);
  assert_true(passes(AUTOTUNE_F64, r, g, sizeof r,
                     message)); // an ulp, which is nothing next to 3
  g[2] = 3.003;
  assert_false(passes(AUTOTUNE_F64, r, g, sizeof r, message));
  assert_string_equal(message, "element 2 is 3.003 instead of 3");
  declare(AUTOTUNE_VERIFY_TOLERANCE, 0, 0.01);
  assert_true(passes(AUTOTUNE_F64, r, g, sizeof r, message));
  declare(AUTOTUNE_VERIFY_TOLERANCE, 1e-5, 0);
  assert_false(passes(AUTOTUNE_F64, r, g, sizeof r, message));
  g[2] = 3, g[3] = 1e-6; // no atol: small values next to 3 may be off by a fraction of it
  declare(AUTOTUNE_VERIFY_TOLERANCE, 1e-5, -1);
  assert_true(passes(AUTOTUNE_F64, r, g, sizeof r, message));
  g[3] = 1e-4;
  assert_false(passes(AUTOTUNE_F64, r, g, sizeof r, message));
  declare(AUTOTUNE_VERIFY_OFF, 0, 0);
  assert_true(passes(AUTOTUNE_F64, r, g, sizeof r, message));
  declare(AUTOTUNE_VERIFY_EXACT, 0, 0);
  g[3] = 2e-20;
  assert_false(passes(AUTOTUNE_F64, r, g, sizeof r, message));
}

static void test_no_numbers(void **state) {
  (void)state;
  char message[160];
  const double r[3] = { NAN, INFINITY, 1 };
  double g[3] = { -NAN, INFINITY, 1 };
  declare(AUTOTUNE_VERIFY_TOLERANCE, 1, 1);
  assert_true(passes(AUTOTUNE_F64, r, g, sizeof r, message));
  g[1] = -INFINITY;
  assert_false(passes(AUTOTUNE_F64, r, g, sizeof r, message));
  g[1] = INFINITY;
  g[2] = NAN;
  assert_false(passes(AUTOTUNE_F64, r, g, sizeof r, message));
  g[0] = 1;
  g[2] = 1;
  assert_false(passes(AUTOTUNE_F64, r, g, sizeof r, message));
}

// One and two in each format, and the next number above two.
static void test_formats(void **state) {
  (void)state;
  char message[160];
  const uint16_t f16[2] = { 0x3c00, 0x4000 }, f16_off[2] = { 0x3c00, 0x4001 };
  const uint16_t bf16[2] = { 0x3f80, 0x4000 }, bf16_off[2] = { 0x3f80, 0x4001 };
  const float f32[2] = { 1, 2 }, f32_off[2] = { 1, 2 + 2 * FLT_EPSILON };
  const long double f80[2] = { 1, 2 }, f80_off[2] = { 1, 2 + 2 * LDBL_EPSILON };
  declare(AUTOTUNE_VERIFY_DEFAULT, 0, 0);
  assert_true(passes(AUTOTUNE_F16, f16, f16_off, 4, message));
  assert_true(passes(AUTOTUNE_BF16, bf16, bf16_off, 4, message));
  assert_true(passes(AUTOTUNE_F32, f32, f32_off, 8, message));
  assert_true(passes(AUTOTUNE_F80, f80, f80_off, sizeof f80, message));
  declare(AUTOTUNE_VERIFY_EXACT, 0, 0);
  assert_false(passes(AUTOTUNE_F16, f16, f16_off, 4, message));
  assert_string_equal(message, "element 1 is 2.00195312 instead of 2");
  assert_false(passes(AUTOTUNE_BF16, bf16, bf16_off, 4, message));
  assert_string_equal(message, "element 1 is 2.015625 instead of 2");
  assert_false(passes(AUTOTUNE_F80, f80, f80_off, sizeof f80, message));
}

static void test_special_halves(void **state) {
  (void)state;
  char message[160];
  const uint16_t r[4] = { 0x7c00, 0x7e00, 0x0001, 0x8000 }; // inf, nan, the least, -0
  uint16_t g[4] = { 0x7c00, 0x7e01, 0x0001, 0x0000 };
  declare(AUTOTUNE_VERIFY_TOLERANCE, 0, 0);
  assert_true(passes(AUTOTUNE_F16, r, g, sizeof r, message));
  g[2] = 0x0002;
  assert_false(passes(AUTOTUNE_F16, r, g, sizeof r, message));
}

static void test_bytes(void **state) {
  (void)state;
  char message[160];
  const int r[3] = { 1, 2, 3 }, g[3] = { 1, 2, 4 };
  declare(AUTOTUNE_VERIFY_TOLERANCE, 1, 1); // integers are compared exactly all the same
  assert_false(passes(AUTOTUNE_BYTES, r, g, sizeof r, message));
  assert_string_equal(message, "byte 8 is 0x04 instead of 0x03");
  assert_true(passes(AUTOTUNE_BYTES, r, g, 8, message));
  assert_true(passes(AUTOTUNE_BYTES, r, g, 0, message));
}

static void test_padding(void **state) { // an extended double leaves bytes unused
  (void)state;
  char message[160];
  long double r = 1, g = 1;
  if (LDBL_MANT_DIG != 64)
    skip();
  ((unsigned char *)&g)[12] = 0x77;
  declare(AUTOTUNE_VERIFY_EXACT, 0, 0);
  assert_true(passes(AUTOTUNE_F80, &r, &g, sizeof r, message));
}

static void test_odd_end(void **state) { // a section that ends within an element
  (void)state;
  char message[160];
  float r[2] = { 1, 2 }, g[2] = { 1, 2 };
  ((unsigned char *)g)[5] ^= 1;
  declare(AUTOTUNE_VERIFY_DEFAULT, 0, 0);
  assert_true(passes(AUTOTUNE_F32, r, g, 5, message));
  assert_false(passes(AUTOTUNE_F32, r, g, 6, message));
}

// ---- what "verified" covers ----------------------------------------------------------

static void covers(const struct coverage *c, const char *expected) {
  char text[512];
  covered_text(c, text, sizeof text);
  assert_string_equal(text, expected);
}

static void test_covered(void **state) {
  (void)state;
  static const struct autotune_section all[10] = {
    { "a[0:n]", AUTOTUNE_IN, AUTOTUNE_F64, 8 },
    { "b[0:n]", AUTOTUNE_OUT, AUTOTUNE_F32, 4 },
    { "c[0]", AUTOTUNE_INOUT, AUTOTUNE_F64, 8 },
    { "d[0:n]", AUTOTUNE_OUT, AUTOTUNE_BYTES, 1 },
    { "w[0:n]", AUTOTUNE_SCRATCH, AUTOTUNE_F64, 8 },
    { "empty[0:k]", AUTOTUNE_OUT, AUTOTUNE_F64, 8 },
    { "e", AUTOTUNE_OUT, AUTOTUNE_BYTES, 1 },
    { "f", AUTOTUNE_OUT, AUTOTUNE_BYTES, 1 },
    { "g", AUTOTUNE_OUT, AUTOTUNE_F64, 8 },
    { "h", AUTOTUNE_OUT, AUTOTUNE_F64, 8 },
  };
  struct autotune_kernel k = { .sections = all, .n_sections = 10, .ret_size = 8 };
  struct coverage c = { .kernel = &k,
                        .bytes = { 80, 40, 8, 1, 800, 0, 20000, 3 << 20 },
                        .rest = "memory besides sections",
                        .watched = true,
                        .looked = 5 << 19,
                        .state = true,
                        .left_out = "the heap, of variants that may allocate" };
  covers(&c,
         "compared: a[0:n] (unchanged), b[0:n] (10 floats), c[0] (1 double), "
         "d[0:n] (1 byte), e (19.5 KiB), f (3.0 MiB), 2 more sections, the value "
         "returned, memory besides sections (2.5 MiB looked at), the state of thread "
         "and process; not compared: scratch(w[0:n]), the heap, of variants that may "
         "allocate");
  k.n_sections = 2;
  k.ret_size = 0;
  c.watched = c.state = false;
  covers(&c,
         "compared: a[0:n] (unchanged), b[0:n] (10 floats); not compared: memory "
         "besides sections");
  k.verify = AUTOTUNE_VERIFY_OFF;
  covers(&c, "compared: nothing, because of verify(off)");
  k.verify = AUTOTUNE_VERIFY_DEFAULT;
  char text[30];
  covered_text(&c, text, sizeof text);
  assert_string_equal(text, "compared: a[0:n] (unchanged),");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_covered),        cmocka_unit_test(test_doubles),
    cmocka_unit_test(test_no_numbers),     cmocka_unit_test(test_formats),
    cmocka_unit_test(test_special_halves), cmocka_unit_test(test_bytes),
    cmocka_unit_test(test_padding),        cmocka_unit_test(test_odd_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
