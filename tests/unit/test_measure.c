// SPDX-License-Identifier: Apache-2.0
// Tests how variants are timed, on a simulated machine: when sampling ends, what is run
// in batches, and that a slow moment changes nothing.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "run/measure.h"

static struct {
  double now, variant, rival; // seconds; of one run
  double slowdown;            // of everything
  double price;               // cost of a second
  unsigned runs[2];           // number of the run that fails; 0: none fails
  unsigned batch;             // the largest
  unsigned fails;             // the number of the run that fails; 0: none
} machine;

static double machine_clock(void) {
  return machine.now;
}

static bool machine_run(void *data, enum measure_what which, unsigned batch,
                        struct sample *out) {
  (void)data;
  out->seconds = (which == MEASURE_RIVAL ? machine.rival : machine.variant) *
      machine.slowdown;
  out->cost = machine.price * out->seconds;
  machine.now += batch * out->seconds;
  machine.runs[which]++;
  machine.batch = batch > machine.batch ? batch : machine.batch;
  return machine.runs[0] + machine.runs[1] != machine.fails;
}

static const struct trial_plan thorough = { .limit = 1,
                                            .budget = 10,
                                            .min_samples = 5,
                                            .max_samples = 40,
                                            .precision = 0.02,
                                            .rival_sample = { 1e-3, 1e-3 } };
static double samples[MEASURE_MAX];

static struct sample first_run = { .seconds = -1 }; // as `measure` gets it

static struct measured measure_with(const struct trial_plan *p, double variant,
                                    struct measure m) {
  struct measured out = { .samples = samples };
  machine.variant = variant;
  machine.rival = 1e-3;
  machine.slowdown = machine.slowdown > 0 ? machine.slowdown : 1;
  machine.price = machine.price > 0 ? machine.price : 1;
  machine.runs[0] = machine.runs[1] = machine.batch = 0;
  m.plan = p;
  m.shortest = 5e-9;
  m.capacity = 64;
  m.run = machine_run;
  m.clock = machine_clock;
  assert_int_equal(measure(&m, first_run, &out), machine.fails == 0);
  return out;
}

static void test_ends_when_precise(void **state) {
  (void)state;
  struct measured out =
      measure_with(&thorough, 1e-3, (struct measure){ .batches = true });
  assert_int_equal(out.n, 5); // all alike
  assert_int_equal(machine.batch, 1);
  assert_int_equal(machine.runs[1], 0);
  assert_true(out.slowdown == 1 && samples[4] == 1e-3);
}

static void test_short_kernels_in_batches(void **state) {
  (void)state;
  measure_with(&thorough, 1e-6, (struct measure){ .batches = true });
  assert_in_range(machine.batch, 45, 50); // about 50 us
  measure_with(&thorough, 1e-6, (struct measure){ .batches = false });
  assert_int_equal(machine.batch, 1); // its memory is put back before each run
}

// Everything takes three times as long: the rival shows that.
static void test_slow_moment(void **state) {
  struct trial_plan p = thorough;
  (void)state;
  p.stop_above = 1.5e-3;
  machine.slowdown = 3;
  struct measured out = measure_with(&p, 1e-3, (struct measure){ .rival = true });
  assert_int_equal(out.n, 5);
  assert_true(fabs(out.slowdown - 3) < 1e-9);
  out = measure_with(&p, 1e-3, (struct measure){ .rival = false });
  assert_int_equal(out.n, 3); // without a rival the variant looks slow
  machine.slowdown = 1;
}

// A variant that is far slower than the best is given up after two runs; one that is
// somewhat slower, once threads have found their cores.
static void test_slow_variants_are_given_up(void **state) {
  struct trial_plan p = thorough;
  (void)state;
  p.stop_above = 1e-3;
  assert_int_equal(measure_with(&p, 3e-3, (struct measure){ .settling = 1 }).n, 2);
  assert_int_equal(measure_with(&p, 1.5e-3, (struct measure){ .settling = 0 }).n, 3);
  assert_int_equal(measure_with(&p, 1.5e-3, (struct measure){ .settling = 5e-3 }).n, 3);
  assert_int_equal(measure_with(&p, 1.5e-3, (struct measure){ .settling = 1 }).n, 5);
}

// A long first run may be the first sample. A rival's samples come in pairs, so not
// there.
static void test_first_run_counts(void **state) {
  (void)state;
  first_run = (struct sample){ 25e-3, 25e-3 };
  struct measured out =
      measure_with(&thorough, 20e-3, (struct measure){ .counts = true });
  assert_int_equal(out.n, machine.runs[0] + 1);
  assert_true(samples[0] == 25e-3 && samples[1] == 20e-3);
  out = measure_with(&thorough, 20e-3, (struct measure){ .counts = true, .rival = true });
  assert_int_equal(out.n, machine.runs[0]);
  assert_int_equal(out.n, machine.runs[1]);
  first_run.seconds = -1;
}

static void test_budget_and_failure(void **state) {
  struct trial_plan p = thorough;
  (void)state;
  p.budget = 2.5e-3;
  assert_int_equal(measure_with(&p, 1e-3, (struct measure){ .rival = false }).n, 2);
  machine.fails = 4; // after the warm-up
  assert_int_equal(measure_with(&thorough, 1e-3, (struct measure){ .rival = false }).n,
                   2);
  machine.fails = 0;
  struct sample first = { 1, 1 };
  assert_true(measure_settled(&p, first, false, 0)); // one run was more than the budget
  p.stop_above = 1e-4;
  first = (struct sample){ 1.1e-3, 1.1e-3 };
  assert_true(measure_settled(&p, first, true, 0));
  assert_false(measure_settled(&p, first, false, 0)); // perhaps it was only cold
}

// The first run of a kernel that writes much memory copies it page by page: no later run
// takes as long. Else a default that ran once would be ten times slower than a variant
// that ran twice.
static void test_a_run_that_gets_its_memory_is_no_sample(void **state) {
  const struct trial_plan p = { .budget = 0.25, .max_samples = 4 };
  (void)state;
  assert_false(measure_settled(&p, (struct sample){ 0.5, 0.5 }, false, 0.4));
  assert_false(measure_settled(&p, (struct sample){ 0.5, 0.5 }, true, 0.4));
  assert_true(measure_settled(&p, (struct sample){ 0.5, 0.5 }, false, 0.02));
  const struct trial_plan once = { .budget = 0.25, .max_samples = 1 };
  assert_true(measure_settled(&once, (struct sample){ 0.5, 0.5 }, false, 0.4));
}

// Samples are costs; the seconds decide how often and how long a variant runs.
static void test_costs_are_not_seconds(void **state) {
  struct trial_plan p = thorough;
  (void)state;
  machine.price = 1e6;
  p.rival_sample.cost = 1e3;
  p.stop_above = 1.1e3;
  struct measured out =
      measure_with(&p, 1e-6, (struct measure){ .batches = true, .rival = true });
  assert_in_range(machine.batch, 45, 50);
  assert_true(fabs(samples[0] - 1) < 1e-9 && fabs(out.run_seconds - 1e-6) < 1e-15);
  assert_true(fabs(out.slowdown - 1) < 1e-9);
  assert_int_equal(measure_with(&p, 3e-3, (struct measure){ .settling = 1 }).n, 2);
  assert_true(measure_settled(&p, (struct sample){ 3.4e3, 1.1e-3 }, true, 0));
  assert_false(measure_settled(&p, (struct sample){ 3.4e3, 0.9e-3 }, true, 0));
  assert_true(measure_settled(&p, (struct sample){ 1, 11 }, true, 0)); // of budget 10
  machine.price = 1;
}

// A process that a variant damaged may send anything.
static void test_damaged_costs_are_refused(void **state) {
  (void)state;
  const double good[2] = { 2, 4 }, bad[2] = { 2, -1 };
  struct trial t = { .status = STATUS_OK, .slowdown = 2 };
  assert_int_equal(measure_take(&t, good, 2, INFINITY), 0);
  assert_true(t.n_samples == 2 && t.samples[0] == 2 && t.samples[1] == 4);
  assert_true(t.status == STATUS_OK && t.run_seconds == 0);
  free(t.samples);
  assert_int_equal(measure_take(&t, bad, 2, 1), 0);
  assert_true(t.status == STATUS_CRASH && t.n_samples == 0 && !t.samples);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ends_when_precise),
    cmocka_unit_test(test_short_kernels_in_batches),
    cmocka_unit_test(test_slow_moment),
    cmocka_unit_test(test_slow_variants_are_given_up),
    cmocka_unit_test(test_first_run_counts),
    cmocka_unit_test(test_budget_and_failure),
    cmocka_unit_test(test_a_run_that_gets_its_memory_is_no_sample),
    cmocka_unit_test(test_costs_are_not_seconds),
    cmocka_unit_test(test_damaged_costs_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
