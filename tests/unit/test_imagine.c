// SPDX-License-Identifier: Apache-2.0
// Variants on made-up data, in workers: one that is right for the call's own data alone
// is found, and data that the default does not take prove nothing against a right one.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compile/jit.h"
#include "run/cpu/sandbox.h"

// ---- a kernel: y[i] from s and x[i] ---------------------------------------------------

enum { N = 1000 };
typedef void kernel_fn(int n, double s, const double *x, double *y);

static void invoke(autotune_fn fn, void *const *args, void *ret) {
  kernel_fn *f = (kernel_fn *)fn;
  (void)ret;
  f(*(int *)args[0], *(double *)args[1], *(const double **)args[2], *(double **)args[3]);
}

static void describe(void *const *args, struct autotune_call *call) {
  size_t n = (size_t)*(int *)args[0];
  call->spans[0] = (struct autotune_span){ *(void **)args[2], n * sizeof(double) };
  call->spans[1] = (struct autotune_span){ *(void **)args[3], n * sizeof(double) };
}

static const struct autotune_section sections[] = {
  { "x[0:n]", AUTOTUNE_IN, AUTOTUNE_F64, sizeof(double) },
  { "y[0:n]", AUTOTUNE_OUT, AUTOTUNE_F64, sizeof(double) },
};
static const struct autotune_arg arguments[] = {
  { "n", sizeof(int), AUTOTUNE_ARG_INTEGER },
  { "s", sizeof(double), AUTOTUNE_ARG_REAL },
  { "x", sizeof(void *), AUTOTUNE_ARG_POINTER },
  { "y", sizeof(void *), AUTOTUNE_ARG_POINTER },
};

static const char *const keys[] = { "n / 2" };
static bool key_is_empty;

struct jit_code {
  autotune_fn entry;
};
static struct jit_code *fake_load(const void *object, size_t size,
                                  const struct autotune_symbol *symbols, size_t n,
                                  char **message) {
  (void)size, (void)symbols, (void)n, (void)message;
  struct jit_code *code = calloc(1, sizeof *code);
  memcpy(&code->entry, object, sizeof code->entry);
  return code;
}
static void *fake_symbol(struct jit_code *code, const char *name) {
  (void)name;
  return &code->entry;
}
static const struct jit_api fake_jit = { .abi = JIT_ABI,
                                         .load = fake_load,
                                         .symbol = fake_symbol };

// ---- the bench ------------------------------------------------------------------------

static double noise(int i) {
  return (i * 7919 % 1009 + 1) / 1010.0;
}
static double several(int i) {
  return 5 * noise(i);
}
static double nothing(int i) {
  return 0 * i;
}
static double equal(int i) {
  return 1.5 + 0 * i;
}
static double sorted(int i) {
  return i + 0.5;
}

// Checks VARIANT of ORIGINAL on all sets, where x[i] is VALUE(i).
static struct trial imagine(kernel_fn *original, kernel_fn *variant,
                            double (*value)(int i), double s, bool indices,
                            struct trial *reference) {
  const struct trial_plan once = {
    .limit = 0.5, .budget = 10, .min_samples = 1, .max_samples = 1, .verify = true
  };
  struct imagined what = { .plan = once,
                           .sets =
                               ~(1u << MADE_UP_DIGITS), // as for the kernel's own body
                           .wish = { .indices = indices } };
  struct autotune_kernel k = { .abi = AUTOTUNE_ABI,
                               .name = "k",
                               .original = (autotune_fn)original,
                               .invoke = invoke,
                               .describe = describe,
                               .n_args = 4,
                               .args = arguments,
                               .n_keys = !key_is_empty,
                               .keys = keys,
                               .n_sections = 2,
                               .sections = sections };
  char *message = NULL;
  int n = N;
  double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
  void *args[] = { &n, &s, &x, &y };
  struct trial trial;
  for (int i = 0; i < N; i++)
    x[i] = value(i), y[i] = -1;
  struct worker_pool *w = worker_start(&k, args, &fake_jit, &message);
  assert_non_null(w);
  assert_int_equal(worker_reference(w, &once, reference), 0);
  assert_int_equal(reference->status, STATUS_OK);
  free(reference->samples);
  assert_int_equal(worker_imagine(w, 1, &variant, sizeof variant, &what, &trial), 0);
  worker_stop(w);
  for (int i = 0; i < N; i++)
    assert_true(x[i] == value(i) && y[i] == -1);
  free(x);
  free(y);
  return trial;
}

static void agrees(kernel_fn *original, kernel_fn *variant, double (*value)(int i),
                   unsigned sets) {
  struct trial reference, t = imagine(original, variant, value, 1, false, &reference);
  if (t.status != STATUS_OK)
    fail_msg("%s", t.message);
  assert_int_equal(t.made_up, sets);
}

static void differs(kernel_fn *original, kernel_fn *variant, double (*value)(int i),
                    double s, const char *where) {
  struct trial reference, t = imagine(original, variant, value, s, false, &reference);
  assert_int_equal(t.status, STATUS_WRONG);
  if (!strstr(t.message, where))
    fail_msg("%s", t.message);
}

// ---- variants
// ---------------------------------------------------------------------------

static void cube(int n, double s, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = s * x[i] - x[i] * x[i] * x[i];
}
static void cube_backwards(int n, double s, const double *x, double *y) {
  for (int i = n; i-- > 0;)
    y[i] = x[i] * (s - x[i] * x[i]);
}
static void cube_forgotten(int n, double s, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = s * x[i];
}
static void cube_of_one(int n, double s, const double *x, double *y) {
  cube(n, s ? 1 : 0, x, y);
}
static void cube_of_magnitude(int n, double s, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = s * x[i] - fabs(x[i]) * x[i] * x[i];
}
static void softplus(int n, double s, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = x[i] > 40 ? s * x[i] : s * log1p(exp(x[i]));
}
static void softplus_plain(int n, double s, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = s * log1p(exp(x[i]));
}
static void clamp(int n, double s, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = x[i] >= s ? s : x[i] >= -s ? x[i] : -s;
}
static void clamp_no_nan(int n, double s, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = x[i] < -s ? -s : x[i] > s ? s : x[i];
}

// A step of a solver: it changes its data by less than the tolerance.
static void step(int n, double s, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = x[i] + 1e-12 * s * (x[(i + 1) % n] - x[i]);
}
static void step_fused(int n, double s, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = fma(1e-12 * s, x[(i + 1) % n] - x[i], x[i]);
}
static void step_in_blocks(int n, double s, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = i % 16 == 15 ? x[i] : x[i] + 1e-12 * s * (x[(i + 1) % n] - x[i]);
}

// Right in the first call of a process alone.
static void cube_once(int n, double s, const double *x, double *y) {
  static int calls;
  cube(n, s, x, y);
  y[n / 2] += calls++;
}

static void test_right_variants_agree(void **state) {
  (void)state;
  agrees(cube, cube_backwards, noise, 4);   // other values (of s), mixed, larger, signs
  agrees(cube, cube_backwards, nothing, 4); // other sets change what was filled in
  agrees(softplus, softplus, noise, 4);
  agrees(clamp, clamp, noise, 5);
  agrees(step, step_fused, noise, 4);
}

static void test_wrong_variants_are_found(void **state) {
  (void)state;
  differs(cube, cube_forgotten, nothing, 1, "other values");
  differs(cube, cube_of_one, noise, 1, "other values");
  differs(cube, cube_of_magnitude, noise, 1, "other signs");
  differs(softplus, softplus_plain, several, 1, "larger values");
  differs(clamp, clamp_no_nan, noise, 1, "a NaN");
  differs(step, step_in_blocks, noise, 1, "mixed sizes");
}

// Its times are given to nobody, so they must not be pointed to either.
static void test_a_variant_that_is_wrong_later(void **state) {
  (void)state;
  struct trial reference, t = imagine(cube, cube_once, noise, 1, false, &reference);
  assert_int_equal(t.status, STATUS_WRONG);
  assert_null(t.samples);
  assert_int_equal(t.n_samples, 0);
}

// ---- data that the default does not take
// ------------------------------------------------

static void root(int n, double s, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = s * sqrt(x[i]);
}
static void root_of_positive(int n, double s, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = x[i] < 0 ? -1 : s * sqrt(x[i]);
}
// Chaos: rounding grows by a factor of 4 in each of 60 steps, unless s is below 1.
static void chaos(int n, double s, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    double v = x[i] - floor(x[i]);
    for (int k = 0; k < 60 && fabs(x[i]) > 200; k++)
      v = 4 * v * (1 - v);
    y[i] = s * v;
  }
}
static void chaos_otherwise(int n, double s, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    double v = x[i] - floor(x[i]);
    for (int k = 0; k < 60 && fabs(x[i]) > 200; k++)
      v = 4 * v - 4 * v * v;
    y[i] = s * v;
  }
}
// Ends at once for small numbers; never for large ones, or crashes.
static void endless(int n, double s, const double *x, double *y) {
  for (volatile int i = 0; i < n; i++) {
    for (double v = fabs(x[i]); v > 100;)
      *(volatile double *)&v = v;
    y[i] = s * x[i];
  }
}
static void crashes(int n, double s, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    if (fabs(x[i]) > 100)
      abort();
    y[i] = s * x[i];
  }
}
static void times(int n, double s, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = fabs(x[i]) > 100 ? -1 : s * x[i];
}
static int entry;
static volatile double places[2];
static void writes_elsewhere(int n, double s, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    if (fabs(x[i]) > 100)
      places[entry & 1] = x[i];
    y[i] = s * x[i];
  }
}

// Changes besides sections are not looked for under sanitizers.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
static const bool looks = false;
#else
static const bool looks = true;
#endif

static void test_what_the_default_does_not_take(void **state) {
  (void)state;
  agrees(root, root_of_positive, noise, 3); // not: signs
  agrees(chaos, chaos_otherwise, noise, 3); // not: larger
  agrees(endless, times, noise, 3);         // not: larger
  agrees(crashes, times, noise, 3);         // not: larger
  if (looks)
    agrees(writes_elsewhere, times, noise, 3); // not: larger
}

// Searches need sorted data, and what becomes an index must stay in its range.
static void test_what_is_left_alone(void **state) {
  (void)state;
  struct trial reference, t;
  agrees(cube, cube_of_magnitude, sorted, 2); // no other signs
  t = imagine(cube, cube_forgotten, nothing, 1, true, &reference);
  assert_int_equal(t.status, STATUS_WRONG); // below 1, all indices are 0
  t = imagine(softplus, softplus_plain, several, 1, true, &reference);
  assert_int_equal(t.status, STATUS_OK);
}

// ---- sizes ----------------------------------------------------------------------------

static void pairs_of_roots(int n, double s, const double *x, double *y) {
  for (int i = 0; i < n / 2 * 2; i++)
    y[i] = s * sqrt(x[i]);
}

// What the key leaves open may be another number in the next call.
static void test_sizes_that_the_key_leaves_open(void **state) {
  (void)state;
  agrees(root, pairs_of_roots, noise, 3);
  key_is_empty = true;
  differs(root, pairs_of_roots, noise, 1, "a smaller size");
  agrees(root, root_of_positive, noise, 4);
  key_is_empty = false;
}

// ---- data that say little
// ---------------------------------------------------------------

static void test_weak_data_are_told(void **state) {
  (void)state;
  struct trial reference;
  imagine(cube, cube, nothing, 1, false, &reference);
  assert_string_equal(reference.weak, "the input x[0:n] holds only zeros");
  imagine(cube, cube, equal, 1, false, &reference);
  assert_string_equal(reference.weak, "the input x[0:n] holds only equal numbers");
  imagine(root, root, noise, 0, false, &reference);
  assert_string_equal(reference.weak, "the output y[0:n] holds only zeros");
  imagine(cube, cube, noise, 1, false, &reference);
  assert_string_equal(reference.weak, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_right_variants_agree),
    cmocka_unit_test(test_wrong_variants_are_found),
    cmocka_unit_test(test_a_variant_that_is_wrong_later),
    cmocka_unit_test(test_what_the_default_does_not_take),
    cmocka_unit_test(test_what_is_left_alone),
    cmocka_unit_test(test_sizes_that_the_key_leaves_open),
    cmocka_unit_test(test_weak_data_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
