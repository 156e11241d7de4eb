// SPDX-License-Identifier: Apache-2.0
// Tunings that were cut short, and what the next process does with their results: no
// harmless variant is condemned, nothing that is known is tried again, and no tuning
// counts as finished before it is.
#include <time.h>

#include <sqlite3.h>

#include "base/base.h"
#include "tuned_fixture.h"

#define RUN(body, ...) \
  assert_int_equal(in_child(body, (const char *const[]){ __VA_ARGS__, NULL }), 0)
#define SILENT "AUTOTUNE_LOG=error"

// Returns the number of variants in the store that ended their process.
static int quarantined(void) {
  char path[64];
  sqlite3 *db = NULL;
  sqlite3_stmt *q = NULL;
  snprintf(path, sizeof path, "%s/results.db", fixture_folder);
  int n = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
          sqlite3_prepare_v2(db, "SELECT count(*) FROM variant WHERE fate = ?1", -1, &q,
                             NULL) ||
          sqlite3_bind_int(q, 1, STATUS_PENDING) || sqlite3_step(q) != SQLITE_ROW
      ? -1
      : sqlite3_column_int(q, 0);
  sqlite3_finalize(q);
  sqlite3_close(db);
  return n;
}

static void bad_variants(void) {
  scale_params[1].n_values = 6;
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("tuned: "));
}

static void killed(void) { // with the tuner, which cannot write a message
  pid_t pid = fork();
  if (pid == 0) {
    scale_params[1].n_values = 6;
    scale_is_right(SCALE_N);
    _exit(0);
  }
  for (int i = 0; i < 3000 && quarantined() < 1; i++)
    nap(0.01);
  pid_t tuner = tuner_of(pid); // it has a process group of its own
  kill(pid, SIGKILL);
  EXPECT(tuner > 0 && kill(-tuner, SIGKILL) == 0);
  EXPECT(waitpid(pid, NULL, 0) == pid);
}

// A variant that was being run is suspect, one that was only being compiled is not.
static void test_killed(void **state) {
  (void)state;
  for (int i = 0; i < 5; i++) {
    remove_folder();
    make_folder(NULL);
    RUN(killed, SILENT, "AUTOTUNE_BUDGET=20s");
    assert_in_range(quarantined(), 0, 1);
  }
  RUN(bad_variants, SILENT,
      "AUTOTUNE_BUDGET=20s"); // and the next process works
}

static void only_slow(void) { // each variant takes all of the budget
  static const struct autotune_value slow[] = { { "4", "4", 4, 4 }, { "2", "2", 2, 2 } };
  scale_params[1].values = slow;
  scale_params[1].n_values = 2;
  EXPECT(scale_is_right(SCALE_N));
}

static void few_tried(void) {
  only_slow();
  EXPECT(scale_why_has("the next run of the program tries more"));
}

static void all_tried(void) {
  only_slow();
  EXPECT(scale_why_has("none of 6 variants was right"));
}

static void nothing_better(void) {
  only_slow();
  EXPECT(scale_why_has("an earlier run found nothing better (6 variants)"));
}

static void tries_one(void) {
  char *why = NULL;
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(autotune_why("scale", NULL, &why) == AUTOTUNE_OK && !strstr(why, " 0 variants"));
  free(why);
}

static void tries_one_openmp(void) {
  scale_kernel.openmp = 1;
  tries_one();
}

// One variant is tried, however little time there is.
static void test_tries_one(void **state) {
  (void)state;
  RUN(tries_one, SILENT, "AUTOTUNE_BUDGET=0.001s");
  remove_folder();
  make_folder(NULL);
  RUN(tries_one_openmp, SILENT, "AUTOTUNE_BUDGET=0.001s");
}

static void slow_default(int n, double f, const double *a, double *c) {
  nap(1.4);
  scale_default(n, f, a, c);
}

static void default_takes_all(void) {
  scale_kernel.original = (autotune_fn)slow_default;
  scale_params[1].values = &scale_bad[6];
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(!scale_why_has("the only variant tried was not right"));
}

// A variant that is faster than the default is not ended, although the budget is spent.
static void test_slow_default(void **state) {
  (void)state;
  RUN(default_takes_all, SILENT, "AUTOTUNE_BUDGET=0.3s");
}

static void test_goes_on(void **state) {
  (void)state;
  RUN(few_tried, SILENT, "AUTOTUNE_BUDGET=0.5s");
  RUN(all_tried, SILENT, "AUTOTUNE_BUDGET=20s");
  RUN(nothing_better, SILENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, drop_folder)

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_killed), TEST(test_tries_one),
                                      TEST(test_slow_default), TEST(test_goes_on) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
