// SPDX-License-Identifier: Apache-2.0
// The measured tolerance: a table of small cases, and kernels whose answers cancel, each
// in five versions that are all right.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rounding_kernels.h"
#include "run/verify.h"
#include "verify_fixture.h"

static const struct autotune_kernel kernel = { .name = "k" };

// ---- the rule -----------------------------------------------------------------------

enum { FEW = 4 };
#define STEP 0x1p-51 /* of doubles */

struct rule_case {
  const char *what;
  double data; // the largest scale of the inputs
  double reference[FEW], nudged[FEW], written[FEW], got[FEW];
  bool right;
};
// In `nudged`, an element as large as X moves by about X * STEP.
static const struct rule_case rules[] = {
  { "the same", 1, { 1, 2, 3, 4 }, { 1, 2, 3, 4 }, { 1, 2, 3, 4 }, { 1, 2, 3, 4 }, true },
  { "nothing moved: rtol times the scale",
    1,
    { 1, 1e-9, 3, 4 },
    { 1, 1e-9, 3, 4 },
    { 1, 1e-9, 3, 4 },
    { 1, 2e-9, 3, 4 },
    true },
  { "nothing moved: more than that",
    1,
    { 1, 1e-9, 3, 4 },
    { 1, 1e-9, 3, 4 },
    { 1, 1e-9, 3, 4 },
    { 1, 9e-9, 3, 4 },
    false },
  { "a small number that is as exact as it is small",
    1e9,
    { 1e9, 0.5, 2e9, 3e9 },
    { 1e9 + 1e9 * STEP, 0.5 + 0.5 * STEP, 2e9, 3e9 + 3e9 * STEP },
    { 1e9, 0.5, 2e9, 3e9 },
    { 1e9, 0.5 + 1e-8, 2e9, 3e9 },
    false },
  { "the same, within rtol",
    1e9,
    { 1e9, 0.5, 2e9, 3e9 },
    { 1e9 + 1e9 * STEP, 0.5 + 0.5 * STEP, 2e9, 3e9 + 3e9 * STEP },
    { 1e9, 0.5, 2e9, 3e9 },
    { 1e9, 0.5 + 4e-10, 2e9, 3e9 },
    true },
  { "what is left of numbers around 1 that cancelled",
    1,
    { 1e-16, 3e-17, -2e-16, 1e-17 },
    { -2e-16, 8e-17, 1e-16, 4e-17 },
    { 1e-16, 3e-17, -2e-16, 1e-17 },
    { 4e-16, -9e-17, 0, 7e-17 },
    true },
  { "the same, but off by more than they may be",
    1,
    { 1e-16, 3e-17, -2e-16, 1e-17 },
    { -2e-16, 8e-17, 1e-16, 4e-17 },
    { 1e-16, 3e-17, -2e-16, 1e-17 },
    { 4e-16, -9e-17, 1e-6, 7e-17 },
    false },
  { "a nudge crosses a step: that element may be on either side",
    4,
    { 1, 2, 3, 4 },
    { 1, 2, 3.5, 4 },
    { 1, 2, 3, 4 },
    { 1, 2, 3.5, 4 },
    true },
  { "the same, but not anywhere",
    4,
    { 1, 2, 3, 4 },
    { 1, 2, 3.5, 4 },
    { 1, 2, 3, 4 },
    { 1, 2, 300, 4 },
    false },
  { "the same, but no number",
    4,
    { 1, 2, 3, 4 },
    { 1, 2, 3.5, 4 },
    { 1, 2, 3, 4 },
    { 1, 2, NAN, 4 },
    false },
  { "the same, and other elements as usual",
    4,
    { 1, 2, 3, 4 },
    { 1, 2, 3.5, 4 },
    { 1, 2, 3, 4 },
    { 1, 2.0001, 3, 4 },
    false },
  { "another compiler is off by 1e-8",
    4,
    { 1, 2, 3, 4 },
    { 1, 2, 3, 4 },
    { 1, 2, 3 + 1e-8, 4 },
    { 1, 2, 3 - 5e-8, 4 },
    true },
  { "the same, and the variant by much more",
    4,
    { 1, 2, 3, 4 },
    { 1, 2, 3, 4 },
    { 1, 2, 3 + 1e-8, 4 },
    { 1, 2, 3 - 5e-7, 4 },
    false },
  { "another compiler's result is nonsense",
    4,
    { 1, 2, 3, 4 },
    { 1, 2, 3, 4 },
    { 1, NAN, 17, -INFINITY },
    { 1.001, 2, 3, 4 },
    false },
  { "an exact zero among numbers that cancelled",
    1,
    { 0, 3e-17, -2e-16, 1e-17 },
    { 0, 8e-17, 1e-16, 4e-17 },
    { 0, 3e-17, -2e-16, 1e-17 },
    { 5e-17, 3e-17, -2e-16, 1e-17 },
    true },
};

static bool rule_passes(const struct rule_case *c, char message[160]) {
  static double atols[VERIFY_SIZES];
  struct verify_noise *n = calloc(1, sizeof *n);
  struct tolerance t =
      verify_tolerance(&kernel, AUTOTUNE_F64, c->reference, sizeof c->reference);
  double data = fmax(c->data, t.atol / t.rtol);
  unsigned char bits[1] = { 0 };
  n->step = STEP;
  n->undetermined = bits;
  struct layout_plain plain;
  const struct output o = { .layout = layout_plain(AUTOTUNE_F64, 8, &plain),
                            .element = AUTOTUNE_F64 };
  const double *others[] = { c->nudged, c->written };
  for (int i = 0; i < 2; i++) {
    n->limit = fmax(n->limit,
                    output_limit(&o, c->reference, others[i], sizeof c->nudged, t.rtol,
                                 t.atol / t.rtol, data));
    output_move(&o, c->reference, others[i], sizeof c->nudged, n,
                i ? &n->written : &n->nudged);
  }
  verify_settle(n, t.rtol, t.atol / t.rtol, data, atols);
  t.atols = atols;
  t.undetermined = bits;
  t.furthest = 16 * n->furthest;
  free(n);
  return fixture_compare(AUTOTUNE_F64, t, c->reference, c->got, sizeof c->got, message,
                         160);
}

static void test_rule(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    char message[160] = "";
    if (rule_passes(&rules[i], message) != rules[i].right)
      fail_msg("%s: %s", rules[i].what, rules[i].right ? message : "it passed");
  }
}

// True if an answer passes in which element 5 is off by OFF and element 2 by TIE, after
// runs in which element 2 moved by 1e-6 in as many as TIES, and all others a little.
static bool tie_passes(unsigned ties, double off, double tie) {
  enum { N = 8, RUNS = 4 };
  const double expected[N] = { 1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7 };
  static double atols[VERIFY_SIZES];
  unsigned char bits[1] = { 0 };
  char message[160];
  struct verify_noise *n = calloc(1, sizeof *n);
  n->step = STEP;
  n->limit = verify_limit(1e-9, 1);
  n->undetermined = bits;
  for (unsigned run = 0; run < RUNS; run++) {
    double moved[N];
    for (unsigned i = 0; i < N; i++)
      moved[i] = expected[i] - STEP * (1 + (i + run) % 3);
    moved[2] += run < ties ? 1e-6 : 0;
    verify_move(AUTOTUNE_F64, expected, moved, sizeof moved, 0, n, &n->nudged);
  }
  verify_exclude(n, 1e-9, 1);
  verify_settle(n, 1e-9, 1, 1, atols);
  const double furthest = VERIFY_WILD * n->furthest;
  const struct tolerance t = { false, false, 1e-9, 0, atols, bits, furthest };
  double answer[N] = { 1, 1.1, 1.2 + tie, 1.3, 1.4, 1.5 + off, 1.6, 1.7 };
  free(n);
  return fixture_compare(AUTOTUNE_F64, t, expected, answer, sizeof answer, message,
                         sizeof message);
}

static void test_tie(void **state) {
  (void)state;
  assert_true(tie_passes(4, 0, 1e-6));
  assert_true(tie_passes(2, 1e-9, -1e-6));
  assert_false(tie_passes(2, 1e-7, 0));
  assert_false(tie_passes(4, 0, 1e-4));
  assert_true(tie_passes(1, 1e-7, 0)); // it may be another element in the next run
}

static double scale_of(const double *data, size_t n, bool zeros) {
  struct verify_counts *c = calloc(1, sizeof *c);
  verify_count(AUTOTUNE_F64, data, n * sizeof *data, c);
  double scale = verify_scale(c, zeros);
  free(c);
  return scale;
}

static void test_scale(void **state) {
  (void)state;
  const double plain[] = { 3, -4, 3, 4, NAN, INFINITY, -INFINITY },
               masked[] = { 3, -1e9, -1e9, -4, -1e9, 3, 4 },
               endless[] = { DBL_MAX, DBL_MAX, 1, DBL_MAX },
               peak[] = { 1e9, 1e9, 1e-9, 2e-9 }, small[] = { 3e-300, 4e-300 },
               largest[] = { DBL_MAX, 1, 1 }, same[] = { 1e9, 1e9, 1e9 },
               flags[] = { 1e9, 0, 1e9, 1e9 };
  assert_float_equal(scale_of(plain, 7, false), sqrt(12.5), 1e-6);
  assert_float_equal(scale_of(masked, 7, false), sqrt(12.5), 1e-6);
  assert_float_equal(scale_of(endless, 4, false), 1, 1e-6);
  assert_float_equal((scale_of(peak, 4, false) / 1e9), sqrt(0.5),
                     1e-6); // two are no sentinel
  assert_float_equal((scale_of(small, 2, false) * 1e300), sqrt(12.5), 1e-6);
  assert_float_equal((scale_of(largest, 3, false) / DBL_MAX), sqrt(1. / 3), 1e-6);
  assert_float_equal(scale_of(same, 3, false), 1e9, 1e-3);
  assert_float_equal(scale_of(same, 3, true), 1e9, 1e-3); // larger than no other number
  assert_true(scale_of(flags, 4, true) == 0);             // zeros are others
  assert_true(scale_of(NULL, 0, false) == 0);
}

static void test_nudge(void **state) {
  (void)state;
  double d[] = { 1, -3, 0, 1e9, 0.1, -0.1, 0.1, NAN, INFINITY, 1e30, 5e-324 }, was[11];
  memcpy(was, d, sizeof d);
  assert_int_equal(
      verify_nudge(AUTOTUNE_F64, d, sizeof d, (struct nudge){ .digits = 53, .seed = 1 }),
      4);
  assert_true(d[4] < 0.1 && d[4] >= 0.1 - 0.1 * 0x1p-50 && d[4] == d[6]);
  assert_true(d[9] < 1e30 && d[9] >= 1e30 - 1e30 * 0x1p-50);
  memcpy(d + 4, was + 4, 3 * sizeof *d);
  d[9] = was[9];
  assert_memory_equal(d, was, sizeof d); // integers, zero, no numbers, the least number
  assert_int_equal(
      verify_nudge(AUTOTUNE_F64, d, sizeof d, (struct nudge){ .digits = 24, .seed = 1 }),
      4);
  assert_true(d[4] < 0.1 - 0.1 * 0x1p-25 && d[4] >= 0.1 - 0.1 * 0x1p-21);
  float f = 0.3f;
  assert_int_equal(
      verify_nudge(AUTOTUNE_F32, &f, 4, (struct nudge){ .digits = 24, .seed = 1 }), 1);
  assert_true(f < 0.3f && f > 0.3f - 1e-6f);
  uint16_t half[2] = { 0x3555, 0xb555 }; // a third
  assert_int_equal(
      verify_nudge(AUTOTUNE_F16, half, 4, (struct nudge){ .digits = 11, .seed = 1 }), 2);
  assert_true(half[0] < 0x3555 && half[0] >= 0x3552 && half[1] == (half[0] | 0x8000));
  long double l = 0.3L;
  assert_int_equal(
      verify_nudge(AUTOTUNE_F80, &l, sizeof l, (struct nudge){ .digits = 53, .seed = 1 }),
      1);
  assert_true(l < 0.3L && l > 0.3L - 1e-15L);
  double apart[4] = { 0.1, 0.1, -0.1, 0.1 };
  const struct nudge by = { .digits = 53, .seed = 1, .apart = true, .first = 7 };
  assert_int_equal(verify_nudge(AUTOTUNE_F64, apart, sizeof apart, by), 4);
  assert_true(apart[0] != apart[1] || apart[0] != apart[3]);
  assert_true(apart[0] < 0.1 && apart[0] >= 0.1 - 0.1 * 0x1p-50);
  int bytes[2] = { 7, 8 };
  assert_int_equal(verify_nudge(AUTOTUNE_BYTES, bytes, sizeof bytes,
                                (struct nudge){ .digits = 24, .seed = 1 }),
                   0);
}

// ---- kernels ------------------------------------------------------------------------

struct versions {
  enum autotune_element element;
  size_t size; // of an element
  const struct rounding_kernel *written, *others[4];
};
static const struct versions all[] = {
  { AUTOTUNE_F32,
    sizeof(float),
    kernels_f_written,
    { kernels_f_blocks, kernels_f_lanes, kernels_f_fast, kernels_f_fast_blocks } },
  { AUTOTUNE_F64,
    sizeof(double),
    kernels_d_written,
    { kernels_d_blocks, kernels_d_lanes, kernels_d_fast, kernels_d_fast_blocks } },
};
enum { BYTES = ROUNDING_SIZE * sizeof(double), DATA = 3 };
static double most_undetermined; // fraction of the elements
static double input[ROUNDING_SIZE], changed[ROUNDING_SIZE], wanted[ROUNDING_SIZE],
    got[ROUNDING_SIZE], limits[VERIFY_SIZES];

static void put_input(const struct versions *v, int data, unsigned seed) {
  srand(seed);
  for (size_t i = 0; i < ROUNDING_SIZE; i++) {
    double x = (double)rand() / RAND_MAX;
    double value = data == 0 ? x : data == 1 ? 2 * x - 1 : (x - 0.5) * exp2(rand() % 20);
    if (v->element == AUTOTUNE_F32)
      ((float *)input)[i] = (float)value;
    else
      input[i] = value;
  }
}

static double scale_in(const struct versions *v, const void *data) {
  struct verify_counts *c = calloc(1, sizeof *c);
  verify_count(v->element, data, ROUNDING_SIZE * v->size, c);
  double scale = verify_scale(c, true);
  free(c);
  return scale;
}

// Runs the kernel as written, nudges it, and returns the tolerance.
static struct tolerance learn(const struct versions *v,
                              void (*written)(const void *in, void *out)) {
  size_t bytes = ROUNDING_SIZE * v->size;
  struct verify_noise *n = calloc(1, sizeof *n);
  unsigned digits = verify_digits(v->element);
  static unsigned char bits[ROUNDING_SIZE / 8];
  struct layout_plain plain;
  const struct output o = { .layout = layout_plain(v->element, v->size, &plain),
                            .element = v->element };
  memset(bits, 0, sizeof bits);
  memset(wanted, 0, BYTES);
  written(input, wanted);
  struct tolerance t = verify_tolerance(&kernel, v->element, wanted, bytes);
  double scale = t.atol / t.rtol, data = fmax(scale, scale_in(v, input));
  n->undetermined = bits;
  for (unsigned seed = 0; seed < 8; seed++) { // as for a quick call
    memcpy(changed, input, BYTES);
    memset(got, 0, BYTES);
    const struct nudge by = { .digits = digits, .seed = seed, .apart = seed % 2 == 1 };
    n->apart = by.apart;
    assert_true(verify_nudge(v->element, changed, bytes, by) > 0);
    written(changed, got);
    n->limit = fmax(n->limit, output_limit(&o, wanted, got, bytes, t.rtol, scale, data));
    output_move(&o, wanted, got, bytes, n, &n->nudged);
  }
  n->step = verify_step(digits);
  verify_exclude(n, t.rtol, data);
  verify_settle(n, t.rtol, scale, data, limits);
  t.atols = limits;
  t.undetermined = bits;
  t.furthest = 16 * n->furthest;
  most_undetermined = fmax(most_undetermined, (double)n->n_undetermined / ROUNDING_SIZE);
  free(n);
  return t;
}

// True if the answer of version O of kernel K passes.
static bool answer_passes(const struct versions *v, const struct rounding_kernel *o,
                          struct tolerance t, char message[160]) {
  memset(got, 0, BYTES);
  o->run(input, got);
  return fixture_compare(v->element, t, wanted, got, ROUNDING_SIZE * v->size, message,
                         160);
}

static void test_no_false_alarms(void **state) {
  (void)state;
  char message[160];
  unsigned alarms = 0, n = 0;
  for (size_t i = 0; i < 2; i++)
    for (size_t k = 0; all[i].written[k].name; k++)
      for (int data = 0; data < DATA; data++)
        for (unsigned seed = 1; seed <= 3; seed++) {
          put_input(&all[i], data, seed);
          struct tolerance t = learn(&all[i], all[i].written[k].run);
          for (int o = 0; o < 4; o++, n++)
            if (!answer_passes(&all[i], &all[i].others[o][k], t, message)) {
              print_message("%s of %zu bytes, version %d, data %d, seed %u: %s\n",
                            all[i].written[k].name, all[i].size, o, data, seed, message);
              alarms++;
            }
        }
  print_message("%u false alarms in %u comparisons, at most %.2g %% undetermined\n",
                alarms, n, 100 * most_undetermined);
  assert_int_equal(alarms, 0);
  assert_true(most_undetermined < 0.3); // else a comparison means little
}

// An error of a thousandth in any one element is found, however small the element.
static void test_errors(void **state) {
  (void)state;
  static const char *const exact[] = { "softmax", "jacobi", "matmul_chain", "layer_norm",
                                       "sparse_differences" };
  const struct versions *v = &all[1];
  char message[160];
  for (size_t k = 0; v->written[k].name; k++) {
    bool checked = false;
    for (size_t e = 0; e < sizeof exact / sizeof *exact; e++)
      checked |= strcmp(exact[e], v->written[k].name) == 0;
    if (!checked)
      continue;
    put_input(v, 0, 1);
    struct tolerance t = learn(v, v->written[k].run);
    for (size_t i = 0; i < ROUNDING_N * ROUNDING_N; i += 17) {
      memcpy(got, wanted, BYTES);
      got[i] *= 1.001;
      if (got[i] != wanted[i] &&
          fixture_compare(v->element, t, wanted, got, BYTES, message, 160))
        fail_msg("%s: %g passes for %g", v->written[k].name, got[i], wanted[i]);
    }
  }
}

// What flows into and out of cells, as written: what goes in and what goes out of each
// pair of faces cancels, exactly if the flow is uniform.
static void flow_written(const void *in, void *out) {
  const double *x = in;
  for (size_t i = 0; i + 12 <= ROUNDING_SIZE; i++)
    for (size_t k = 0; k < 6; k++)
      ((double *)out)[i] += x[i + k] - x[i + k + 6];
}

// In another order: first all that goes in, then all that goes out.
static void flow_ordered(const void *in, void *out) {
  const double *x = in;
  for (size_t i = 0; i + 12 <= ROUNDING_SIZE; i++)
    for (size_t k = 0; k < 12; k++)
      ((double *)out)[i] += k < 6 ? x[i + k] : -x[i + k];
}

static void test_uniform(void **state) {
  (void)state;
  const struct versions *v = &all[1];
  char message[160] = "";
  for (size_t i = 0; i < ROUNDING_SIZE; i++)
    input[i] = 0.7;
  struct tolerance t = learn(v, flow_written);
  memset(got, 0, BYTES);
  flow_ordered(input, got);
  assert_true(wanted[0] == 0 && got[0] != 0);
  if (!fixture_compare(v->element, t, wanted, got, BYTES, message, 160))
    fail_msg("%s", message);
  got[17] = 1e-6;
  assert_false(fixture_compare(v->element, t, wanted, got, BYTES, message, 160));
}

// The same flow, next to cells in which something tiny moves, but nothing cancels.
enum { TINY = 64 };
static void eddies(const void *in, void *out) {
  for (size_t i = ROUNDING_SIZE - TINY; i < ROUNDING_SIZE; i++)
    ((double *)out)[i] = 1e-12 * ((const double *)in)[i] * (double)(i % 7);
}

static void eddies_written(const void *in, void *out) {
  const double *x = in;
  for (size_t i = 0; i + 12 <= ROUNDING_SIZE - TINY; i++)
    for (size_t k = 0; k < 6; k++)
      ((double *)out)[i] += x[i + k] - x[i + k + 6];
  eddies(in, out);
}

static void eddies_ordered(const void *in, void *out) {
  const double *x = in;
  for (size_t i = 0; i + 12 <= ROUNDING_SIZE - TINY; i++)
    for (size_t k = 0; k < 12; k++)
      ((double *)out)[i] += k < 6 ? x[i + k] : -x[i + k];
  eddies(in, out);
}

// Where equal numbers cancel, a run with nudges alike shows no rounding but that of the
// tiny numbers. It must not set the limit for the runs with nudges apart.
static void test_eddies(void **state) {
  (void)state;
  const struct versions *v = &all[1];
  char message[160] = "";
  for (size_t i = 0; i < ROUNDING_SIZE; i++)
    input[i] = 0.7;
  struct tolerance t = learn(v, eddies_written);
  memset(got, 0, BYTES);
  eddies_ordered(input, got);
  assert_true(wanted[0] == 0 && got[0] != 0);
  if (!fixture_compare(v->element, t, wanted, got, BYTES, message, 160))
    fail_msg("%s", message);
  got[17] = 1e-6;
  assert_false(fixture_compare(v->element, t, wanted, got, BYTES, message, 160));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_rule),
    cmocka_unit_test(test_tie),
    cmocka_unit_test(test_scale),
    cmocka_unit_test(test_nudge),
    cmocka_unit_test(test_no_false_alarms),
    cmocka_unit_test(test_errors),
    cmocka_unit_test(test_uniform),
    cmocka_unit_test(test_eddies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
