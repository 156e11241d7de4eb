// SPDX-License-Identifier: Apache-2.0
// What tunings and checks may take from a program, over all of its runs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "call/ration.h"

static void test_what_can_be_afforded(void **state) {
  (void)state;
  struct ration r = { .known = true, .before = { .time = 10, .checks = 0.15 } };
  assert_false(ration_checks(&r, 0.1)); // others have used it up
  assert_true(ration_affords(&r, 0.1));
  assert_false(ration_affords(&r, 0.2)); // all that there is would not do
  r.before.time = 100;
  assert_true(ration_affords(&r, 0.2));
}

// Runs of SECONDS each, in which each tuning takes COST. Returns the number of tunings,
// and sets *MOST to the most of one run.
static unsigned tunings(unsigned runs, double seconds, double cost, unsigned *most) {
  struct ration r = { .known = false };
  unsigned all = 0;
  *most = 0;
  for (unsigned run = 0; run < runs; run++) {
    unsigned n = 0;
    r.now = (struct ledger){ 0 };
    for (r.now.time = 0; r.now.time < seconds; r.now.time += 0.01)
      if (ration_tunes(&r, cost)) {
        r.now.lost += cost;
        n++;
      }
    *most = n > *most ? n : *most;
    all += n;
    r.known = r.known || all > 0;
    r.before.time += r.now.time;
    r.before.lost += r.now.lost;
  }
  return all;
}

static void test_the_first_one_begins_at_once(void **state) {
  (void)state;
  const struct ration r = { .known = false };
  assert_true(ration_tunes(&r, 100));
  const struct ration known = { .known = true };
  assert_false(ration_tunes(&known, 0.001));
}

// A run of a second that has copied much memory is not followed by another one at once.
static void test_runs_after_that_pay_first(void **state) {
  (void)state;
  unsigned most;
  assert_int_equal(tunings(2, 1, 0.15, &most), 1);
  assert_int_equal(tunings(6, 1, 0.15, &most), 1);
  unsigned all = tunings(1000, 1, 0.15, &most);
  assert_true(all > 75 && all < 115); // 1.5 % of 1000 s, each 0.15 s
  assert_int_equal(most, 1);
}

static void test_a_long_run_takes_five_percent(void **state) {
  (void)state;
  unsigned most, all = tunings(1, 1000, 0.2, &most);
  assert_true(all >= 249 && all <= 251);
}

// What a long run has taken does not keep a later one from tuning for ever.
static void test_a_debt_has_a_bound(void **state) {
  (void)state;
  struct ration r = { .known = true, .before = { 10000, 500, 0 }, .now = { 50, 0, 0 } };
  assert_true(ration_tunes(&r, 0.1));
  r.now.time = 30;
  assert_false(ration_tunes(&r, 0.1));
}

// What a tuning has found before it was interrupted pays for its end, once for all runs.
static void test_what_was_found_pays(void **state) {
  (void)state;
  struct ration r = { .known = true, .before = { 2.5, 0.2, 0 }, .now = { 2.5, 0, 0 } };
  assert_false(ration_tunes(&r, 0.1));
  r.found = 0.5;
  assert_true(ration_tunes(&r, 0.1));
  r.now.lost = 0.2; // a run may take a tenth
  assert_false(ration_tunes(&r, 0.1));
  r.now.lost = 0;
  r.before.lost = 0.6; // and it was interrupted again and again
  assert_false(ration_tunes(&r, 0.1));
  r = (struct ration){
    .known = true, .before = { 100, 10, 0 }, .now = { 2, 0, 0 }, .found = 5
  };
  assert_false(ration_tunes(&r, 0.15)); // in a long run, too
  r.before.lost = 5;
  assert_true(ration_tunes(&r, 0.15));
}

// What checks used of processors that the program left idle counts only for checks.
static void test_what_was_lost_counts_for_tunings(void **state) {
  (void)state;
  struct ration r = { .known = true, .before = { .time = 100, .lost = 1, .checks = 5 } };
  assert_true(ration_tunes(&r, 0.4));
  assert_false(ration_checks(&r, 0.01));
  r.before.lost = 1.3;
  assert_false(ration_tunes(&r, 0.4));
  assert_true(ration_tunes(&r, 0.1));
  r.now.lost = 0.1;
  assert_false(ration_tunes(&r, 0.15));
}

// ---- tunings in vain ------------------------------------------------------------------

// RUNS of SECONDS each, in which each tuning begins at the first call and ends with the
// run, unless RUNS of them have saved ENOUGH. Returns how many begin; *FIRST: the run in
// which the first one begins that has enough; 0: none does.
static unsigned begun(unsigned runs, double seconds, double enough, unsigned *first) {
  struct ration r = { .known = false };
  struct vain v = { .n = 0 };
  unsigned all = 0;
  *first = 0;
  for (unsigned run = 1; run <= runs && !*first; run++) {
    if (r.before.time >= ration_next(&v)) {
      v = (struct vain){ .time = r.before.time, .run = seconds, .n = v.n + 1 };
      r.before.lost += 0.001; // a fork, and copies of pages
      all++;
      *first = ration_saved(&r) >= enough ? run : 0;
    }
    r.before.time += seconds;
  }
  return all;
}

static void test_vain_tunings_begin_less_often(void **state) {
  (void)state;
  unsigned first;
  assert_int_equal(begun(20, 0.75, 10, &first), 5); // in runs 1, 2, 4, 8 and 16
  assert_int_equal(begun(1000, 0.75, 10, &first), 10);
  assert_int_equal(first, 0);
  const struct vain none = { .time = 5, .run = 1 },
                    many = { .time = 5, .run = 1, .n = 1000 };
  assert_float_equal(ration_next(&none), 0, 1e-9);
  assert_true(ration_next(&many) < 1e5);
}

// Runs of 0.75 s that leave a processor idle allow 0.41 s each. With 0.15 s more, one of
// them pays for the beginning of a tuning.
static void test_runs_save_for_a_tuning(void **state) {
  (void)state;
  unsigned first;
  assert_int_equal(begun(1000, 0.75, 0.15, &first), 5);
  assert_int_equal(first, 16);
  begun(1000, 0.75, 0.5, &first); // where no processor is idle
  assert_int_equal(first, 64);
  const struct ration debt = { .known = true, .before = { .time = 10, .lost = 1 } },
                      rich = { .known = true, .before = { .time = 1e6 } };
  assert_float_equal(ration_saved(&debt), -0.85, 1e-9);
  assert_float_equal(ration_saved(&rich), 1, 1e-9);
}

// Eighteen winners, each of which wants five checks of 7 ms, in runs of 0.7 s.
static void test_checks_of_many_winners(void **state) {
  (void)state;
  struct ration r = { .known = false };
  unsigned left = 90, run = 0;
  for (; run < 1000 && left > 0; run++) {
    r.now = (struct ledger){ 0 };
    for (r.now.time = 0; r.now.time < 0.7 && left > 0; r.now.time += 0.01)
      while (left > 0 && ration_checks(&r, 0.007)) {
        r.now.checks += 0.007;
        left--;
      }
    assert_true(run > 0 || left < 90); // the first run begins with them
    assert_true(r.now.checks <= 0.02 * 0.7 + 1e-9);
    r.before.time += r.now.time;
    r.before.checks += r.now.checks;
  }
  assert_int_equal(left, 0);
  assert_true(run < 100); // 90 checks are 1 % of 63 s, of which 5 are for nothing
}

// However short the runs are, and however much a check costs, some run will pay for it.
static void test_short_runs_pay_together(void **state) {
  (void)state;
  struct ration r = { .known = true };
  r.now.time = 0.1;
  assert_false(ration_checks(&r, 0.12));
  r.before.time = 7;
  assert_true(ration_checks(&r, 0.12));
  r.before.checks = 0.12;
  assert_false(ration_checks(&r, 0.12));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_can_be_afforded),
    cmocka_unit_test(test_the_first_one_begins_at_once),
    cmocka_unit_test(test_runs_after_that_pay_first),
    cmocka_unit_test(test_a_long_run_takes_five_percent),
    cmocka_unit_test(test_a_debt_has_a_bound),
    cmocka_unit_test(test_what_was_found_pays),
    cmocka_unit_test(test_what_was_lost_counts_for_tunings),
    cmocka_unit_test(test_vain_tunings_begin_less_often),
    cmocka_unit_test(test_runs_save_for_a_tuning),
    cmocka_unit_test(test_checks_of_many_winners),
    cmocka_unit_test(test_short_runs_pay_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
