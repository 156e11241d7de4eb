// SPDX-License-Identifier: Apache-2.0
// Final races on a machine whose noise and clock the test simulates: within the noise the
// default stays, however few runs there is time for, and a variant that is clearly faster
// wins. Mode online: which variants are sent to the program.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "store_fixture.h"
#include "tune/tune.h"

enum { MOST = 32, RACES = 200 };

// The times of runs: the default's, and each variant's by its ticket - 1.
static struct {
  double seconds[MOST + 1], noise, now;
  uint64_t rng;
} machine;

static double run_once(uint64_t ticket) {
  double sum = 0;
  for (int i = 0; i < 12; i++)
    sum += rng_unit(&machine.rng);
  double t = machine.seconds[ticket] * exp(machine.noise * (sum - 6));
  sys_set_clock(machine.now += t);
  return t;
}

static int try(struct executor *e, uint64_t ticket, const void *object, size_t size,
               const struct trial_plan *plan, struct trial *out) {
  (void)e, (void)object, (void)size;
  *out = (struct trial){ .status = STATUS_OK,
                         .slowdown = 1,
                         .n_samples = plan->max_samples };
  out->samples = malloc(out->n_samples * sizeof *out->samples);
  for (unsigned i = 0; i < out->n_samples; i++)
    out->samples[i] = run_once(ticket);
  return 0;
}

static double no_cost(const struct executor *e) {
  (void)e;
  return 0;
}

static const struct target target = { .name = "test", .try = try, .cost = no_cost };

static void report(void *data, const struct progress_report *p) {
  (void)data, (void)p;
}

static const struct tune_host host = { .progress = report };

static const struct identity by_time = { .objective = OBJECTIVE_TIME };

static struct estimate estimate_of(uint64_t ticket, unsigned n) {
  double samples[8];
  for (unsigned i = 0; i < n; i++)
    samples[i] = run_once(ticket);
  return stats_median(samples, n);
}

// Races N variants after a search that took half of BUDGET seconds. While the default was
// timed for the first time, SAMPLES times, the machine was SLOWER. With one sample nobody
// waits for the tuning. Returns the winner, or NONE.
static int run_race_after(uint64_t seed, unsigned n, double budget, unsigned samples,
                          double slower) {
  static const struct autotune_kernel kernel = { .name = "k" };
  static struct candidate all[MOST];
  const struct plan plan = { .kind = PLAN_SEARCH, .background = samples == 1 };
  struct tuning t = { .kernel = &kernel,
                      .id = &by_time,
                      .plan = &plan,
                      .target = &target,
                      .workers = (struct executor *)all,
                      .candidates = all,
                      .n = n,
                      .best = NONE,
                      .budget = budget,
                      .host = &host,
                      .pool = pool_new(&kernel, 0) };
  machine.rng = seed;
  sys_set_clock(machine.now = 1);
  machine.seconds[0] *= slower;
  t.original = estimate_of(0, samples);
  machine.seconds[0] /= slower;
  for (unsigned i = 0; i < n; i++) {
    all[i] = (struct candidate){ .done = true,
                                 .status = STATUS_OK,
                                 .e = estimate_of(i + 1, samples),
                                 .object = { .data = all },
                                 .code = i + 1 };
    if (t.best == NONE || all[i].e.median < all[t.best].e.median)
      t.best = (int)i;
  }
  double begun = machine.now;
  t.began = begun - budget / 2;
  t.deadline = begun + budget / 2;
  int winner = race(&t);
  // Half of the budget is left. The last comparison may take as much beyond it, but three
  // pairs of runs at most if the program waits.
  double more = plan.background ? budget / 2 : fmin(budget / 2, 6 * machine.seconds[0]);
  assert_true(machine.now - begun <= budget / 2 + more + 3 * machine.seconds[0]);
  pool_free(t.pool);
  sys_set_clock(-1);
  return winner;
}

static int run_race(uint64_t seed, unsigned n, double budget) {
  return run_race_after(seed, n, budget, 3, 1);
}

// ---- variants for the program's own calls -------------------------------------------

static unsigned variants_sent;

static bool send_variant(void *data, unsigned arm, int fd) {
  (void)data, (void)arm;
  variants_sent += fd >= 0;
  return true;
}

static int no_imagine(struct executor *e, uint64_t ticket, const void *object,
                      size_t size, const struct imagined *what, struct trial *out) {
  (void)e, (void)ticket, (void)object, (void)size, (void)what, (void)out;
  fail();
  return -1;
}

static bool link_nothing(const void *object, size_t size, const char *path, char **why) {
  (void)object, (void)size, (void)path, (void)why;
  return true;
}

// Others were wrong on made-up data, and no time is left to compare the fastest there.
// The second one was compared before.
static void test_the_next_one_is_sent(void **state) {
  static const struct target online = {
    .name = "test", .cost = no_cost, .imagine = no_imagine, .link = link_nothing
  };
  static const struct autotune_kernel kernel = { .name = "k" };
  static struct shared_memory shared;
  const struct tune_host to_program = { .shared = &shared,
                                        .progress = report,
                                        .variant = send_variant };
  const struct plan plan = { .kind = PLAN_ONLINE };
  static struct candidate all[2];
  struct tuning t = { .kernel = &kernel,
                      .id = &by_time,
                      .plan = &plan,
                      .target = &online,
                      .workers = (struct executor *)all,
                      .candidates = all,
                      .n = 2,
                      .best = 0,
                      .budget = 1,
                      .imagined_wrong = 1,
                      .imagined_seconds = 100,
                      .original = { 1, 1, 1, 3 },
                      .host = &to_program };
  (void)state;
  for (unsigned i = 0; i < 2; i++)
    all[i] = (struct candidate){ .done = true,
                                 .status = STATUS_OK,
                                 .e = { 0.5 + 0.01 * i, 0.5, 0.6, 3 },
                                 .object = { .data = all },
                                 .imagined = i == 1,
                                 .code = i + 1 };
  assert_true(online_new(&t));
  for (int step = 0; step < 3; step++)
    online_step(&t);
  assert_int_equal(variants_sent, 1);
  assert_true(all[1].offered);
  free(t.online);
}

// ---- races --------------------------------------------------------------------------

// Returns the fraction of races in which one of N that are as fast as the default is
// taken for faster.
static double mistakes(unsigned n, double seconds, double noise, double budget) {
  unsigned wins = 0;
  machine.noise = noise;
  for (unsigned i = 0; i <= n; i++)
    machine.seconds[i] = seconds;
  for (uint64_t seed = 1; seed <= RACES; seed++)
    wins += run_race(seed * 7919, n, budget) != NONE;
  return (double)wins / RACES;
}

static void test_default_stays(void **state) {
  (void)state;
  static const double lengths[] = { 2, 0.4, 0.05, 0.001 }, noises[] = { 0.01, 0.03 };
  for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
    for (size_t n = 0; n < sizeof noises / sizeof *noises; n++) {
      assert_true(mistakes(4, lengths[l], noises[n], 10) <= 0.02);
      assert_true(mistakes(24, lengths[l], noises[n], 10) <= 0.02);
    }
  assert_true(mistakes(24, 0.001, 0.1, 10) <= 0.02);
}

// The default was timed once, while the program used the processors as well. All variants
// are slower, and were timed when it had ended.
static void test_a_busy_beginning_does_not_count(void **state) {
  (void)state;
  unsigned wins = 0;
  machine.noise = 0.05;
  for (unsigned i = 0; i <= 4; i++)
    machine.seconds[i] = i ? 0.36 : 0.3;
  for (uint64_t seed = 1; seed <= RACES; seed++)
    wins += run_race_after(seed * 7919, 4, 8, 1, 2) != NONE;
  assert_true(wins <= 0.02 * RACES);
}

// Returns the fraction of races that are won by the one of six that is GAIN times as fast
// as the others and the default.
static double found(double seconds, double gain) {
  unsigned wins = 0;
  machine.noise = 0.02;
  for (unsigned i = 0; i <= 6; i++)
    machine.seconds[i] = i == 4 ? seconds / gain : seconds;
  for (uint64_t seed = 1; seed <= RACES; seed++)
    wins += run_race(seed * 7919, 6, 10) == 3;
  return (double)wins / RACES;
}

static void test_faster_wins(void **state) {
  (void)state;
  assert_true(found(2, 1.2) >= 0.95); // there is time for one or two runs of each
  assert_true(found(0.4, 1.2) >= 0.95);
  assert_true(found(0.05, 1.05) >= 0.9);
  assert_true(found(0.001, 1.05) >= 0.95);
}

// Where single runs differ by a half, the intervals of few runs overlap.
static void test_a_race_in_the_background_goes_on_in_noise(void **state) {
  (void)state;
  unsigned wins = 0, wrong = 0;
  machine.noise = 0.17;
  for (unsigned i = 0; i <= 6; i++)
    machine.seconds[i] = i == 4 ? 0.18 : 0.25;
  for (uint64_t seed = 1; seed <= RACES; seed++)
    wins += run_race_after(seed * 7919, 6, 10, 1, 1) == 3;
  assert_true(wins >= 0.7 * RACES);
  machine.seconds[4] = 0.25;
  for (uint64_t seed = 1; seed <= RACES; seed++)
    wrong += run_race_after(seed * 7919, 6, 10, 1, 1) != NONE;
  assert_true(wrong <= 0.02 * RACES);
}

// A variant that is known to be faster but cannot be compiled leaves the race undecided.
static void test_without_code_nothing_is_said(void **state) {
  (void)state;
  static const struct autotune_kernel kernel = { .name = "k" };
  const struct plan plan = { .kind = PLAN_SEARCH };
  choice point[1] = { 0 };
  struct candidate known = {
    .done = true, .status = STATUS_OK, .e = { 1, 1, 1, 6 }, .point = point
  };
  struct tuning t = { .kernel = &kernel,
                      .id = &by_time,
                      .plan = &plan,
                      .target = &target,
                      .workers = (struct executor *)&known,
                      .candidates = &known,
                      .n = 1,
                      .original = { 2, 2, 2, 6 },
                      .budget = 1,
                      .host = &host,
                      .pool = pool_new(&kernel, 0) };
  assert_int_equal(race(&t), NONE);
  assert_true(t.unraced);
  known.e = (struct estimate){ 3, 3, 3, 6 }; // none is worth it: the race says so
  assert_int_equal(race(&t), NONE);
  assert_false(t.unraced);
  pool_free(t.pool);
}

// ---- what is kept -------------------------------------------------------------------

// The search timed one at a moment that was twice as fast as that of the race. The
// samples of the race are kept, and the winner costs least also by record_cost.
static void test_samples_of_the_race_are_kept(void **state) {
  (void)state;
  static const struct autotune_kernel kernel = { .name = "k" };
  static struct candidate all[3];
  static char no_values[1];
  const struct plan plan = { .kind = PLAN_SEARCH };
  struct identity id = fixture_identity();
  char *folder = make_folder();
  struct tuning t = { .kernel = &kernel,
                      .id = &id,
                      .plan = &plan,
                      .target = &target,
                      .workers = (struct executor *)all,
                      .candidates = all,
                      .n = 3,
                      .best = 1,
                      .budget = 10,
                      .host = &host,
                      .store = open_store(folder),
                      .pool = pool_new(&kernel, 0) };
  static const double seconds[] = { 0.02, 0.0105, 0.01, 0.011 };
  memcpy(machine.seconds, seconds, sizeof seconds);
  machine.rng = 5;
  machine.noise = 0.001;
  sys_set_clock(machine.now = 1);
  t.original = estimate_of(0, 3);
  for (unsigned i = 0; i < 3; i++) {
    struct estimate e = stats_scaled(estimate_of(i + 1, 3), 0.5);
    all[i] = (struct candidate){ .variant = i + 1,
                                 .values = no_values,
                                 .compiler = "",
                                 .done = true,
                                 .status = STATUS_OK,
                                 .e = e,
                                 .compile_seconds = 0.5,
                                 .object = { .data = all },
                                 .code = i + 1 };
  }
  t.began = machine.now;
  t.deadline = machine.now + 5;
  assert_int_equal(race(&t), 1);
  pool_free(t.pool);
  sys_set_clock(-1);
  struct listing l;
  assert_int_equal(store_list(t.store, NULL, &l), 0);
  assert_int_equal(l.items[0].n_records, 3);
  double costs[4] = { 0 };
  for (unsigned i = 0; i < 3; i++) {
    const struct record *r = &l.items[0].records[i];
    assert_true(r->compile_seconds == 0.5 && r->slowdown > 1.9 && r->slowdown < 2.1);
    assert_true(fabs(r->samples[0] / seconds[r->variant] - 1) < 0.02);
    costs[r->variant] = record_cost(r).median;
  }
  assert_true(costs[2] < costs[1] && costs[1] < costs[3] && costs[3] < 0.0058);
  store_list_free(&l);
  store_close(t.store);
  remove_folder(folder);
  free(folder);
}

static void tell(struct strategy *st, const choice *point, const struct observation *o) {
  (void)st, (void)point, (void)o;
}

// Another process has timed a variant while this one compiled it. In the race it gets new
// samples, and keeps the seconds that the other process took for it.
static void test_a_finalist_of_another_process_keeps_its_seconds(void **state) {
  (void)state;
  static const struct autotune_kernel kernel = { .name = "k" };
  static const struct strategy_class search = { .tell = tell };
  static char no_values[1];
  const struct plan plan = { .kind = PLAN_SEARCH };
  struct identity id = fixture_identity();
  char *folder = make_folder();
  struct candidate one = { .variant = 1,
                           .values = no_values,
                           .compiler = "",
                           .condemned = NONE,
                           .object = { .data = &one },
                           .code = 1 };
  struct tuning t = { .kernel = &kernel,
                      .id = &id,
                      .plan = &plan,
                      .target = &target,
                      .class = &search,
                      .workers = (struct executor *)&one,
                      .candidates = &one,
                      .n = 1,
                      .best = NONE,
                      .budget = 10,
                      .host = &host,
                      .store = open_store(folder),
                      .pool = pool_new(&kernel, 0) };
  fixture_add(t.store, &id, 1, no_values, STATUS_OK, "", 0.012);
  assert_int_equal(share_look(&t, &one), KNOWN_RESULT);
  assert_int_equal(t.best, 0);
  machine.seconds[0] = 0.02;
  machine.seconds[1] = 0.01;
  machine.rng = 5;
  machine.noise = 0.001;
  sys_set_clock(machine.now = 1);
  t.original = estimate_of(0, 3);
  t.began = machine.now;
  t.deadline = machine.now + 5;
  assert_int_equal(race(&t), 0);
  pool_free(t.pool);
  sys_set_clock(-1);
  struct listing l;
  assert_int_equal(store_list(t.store, NULL, &l), 0);
  assert_int_equal(l.items[0].n_records, 1);
  const struct record *r = &l.items[0].records[0];
  assert_true(r->samples[0] < 0.011); // of the race
  assert_true(r->compile_seconds == 0.25 && r->verify_seconds == 0.5 &&
              r->time_seconds == 1);
  store_list_free(&l);
  store_close(t.store);
  remove_folder(folder);
  free(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_default_stays),
    cmocka_unit_test(test_a_busy_beginning_does_not_count),
    cmocka_unit_test(test_faster_wins),
    cmocka_unit_test(test_a_race_in_the_background_goes_on_in_noise),
    cmocka_unit_test(test_without_code_nothing_is_said),
    cmocka_unit_test(test_the_next_one_is_sent),
    cmocka_unit_test(test_samples_of_the_race_are_kept),
    cmocka_unit_test(test_a_finalist_of_another_process_keeps_its_seconds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
