// SPDX-License-Identifier: Apache-2.0
// Tunings that end with their program before they have tried a variant.
#include <sqlite3.h>

#include "call/ration.h"
#include "call/vain.h"
#include "tuned_fixture.h"

#define RUN(body)                                                                \
  assert_int_equal(in_child(body,                                                \
                            (const char *const[]){ "AUTOTUNE_LOG=error",         \
                                                   "AUTOTUNE_AFTER=1s", NULL }), \
                   0)

enum { PATIENCE = 120 }; // seconds

static pid_t program; // the kernel as written takes long in other processes

static void slow_elsewhere(int n, double f, const double *x, double *y) {
  if (getpid() != program)
    nap(3);
  scale_default(n, f, x, y);
}

static void when_hot(void) {
  scale_kernel.size = sizeof scale_kernel;
  scale_kernel.when_hot = 1;
}

static double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct vain noted(void) {
  struct earlier known = { .vain = { .n = 0 } };
  earlier_find(&scale_kernel, &known);
  return known.vain;
}

// ---- what is noted ------------------------------------------------------------------

// The two parts of what is known of a kernel do not disturb each other.
static void notes_both(void) {
  const struct earlier run = { .usage = { .calls = 3 }, .elapsed = 2, .cpu = 1 };
  const struct vain vain = { .what = 5, .time = 7, .run = 2, .n = 3, .pools = 1 };
  struct earlier found = { .elapsed = 0 };
  earlier_begun(&scale_kernel, &vain);
  EXPECT(!earlier_find(&scale_kernel, &found) && found.vain.n == 3);
  earlier_note(&scale_kernel, &run);
  EXPECT(earlier_find(&scale_kernel, &found) && found.usage.calls == 3);
  EXPECT(memcmp(&found.vain, &vain, sizeof vain) == 0);
  earlier_further(&scale_kernel);
  EXPECT(earlier_find(&scale_kernel, &found) && found.elapsed == 2);
  EXPECT(found.vain.n == 0 && found.vain.pools == 1);
  earlier_begun(&scale_kernel, &vain);
  earlier_note(&scale_kernel, NULL);
  EXPECT(!earlier_find(&scale_kernel, &found) && found.vain.n == 3);
}

static void test_noted(void **state) {
  (void)state;
  RUN(notes_both);
}

// ---- in the next runs ---------------------------------------------------------------

static void ends_in_vain(void) {
  const struct vain before = noted();
  when_hot();
  program = getpid();
  scale_kernel.original = (autotune_fn)slow_elsewhere;
  for (double end = seconds_now() + PATIENCE; !background_goes() && seconds_now() < end;)
    EXPECT(scale_is_right(SCALE_N));
  EXPECT(background_goes());
  EXPECT(noted().n == before.n + 1 && noted().time >= ration_next(&before));
  exit(0);
}

// The next tuning has to wait, and the run begins as if nothing had to be tuned.
static void waits(void) {
  when_hot();
  sys_set_clock(1); // the time of this run does not count
  EXPECT(scale_is_right(SCALE_N) && !background_goes());
  struct node n = { .site = scale_site.state };
  EXPECT(vain_waits(n.site) && vain_pools(n.site));
  vain_tell(&n);
  EXPECT(strstr(atomic_load(&n.why)->text, "default for now: tuned 3 times in vain"));
}

static void does_not_wait_if_changed(void) {
  static const struct autotune_unit units[] = { { "clang", "void scale(void) {}\n",
                                                  scale_flags } };
  when_hot();
  scale_kernel.units = units;
  struct site s = { .kernel = &scale_kernel };
  hot_recall(&s);
  EXPECT(!vain_waits(&s) && !vain_pools(&s));
}

// The user's mode holds: its tuning is waited for.
static void does_not_wait_to_be_tuned(void) {
  when_hot();
  struct site s = { .kernel = &scale_kernel };
  setenv("AUTOTUNE_MODE", "tune", 1);
  hot_recall(&s);
  EXPECT(vain_pools(&s) && !vain_waits(&s));
}

static void tries_variants(void) {
  when_hot();
  for (double end = seconds_now() + PATIENCE; noted().n > 0 && seconds_now() < end;)
    EXPECT(scale_is_right(SCALE_N));
  EXPECT(noted().n == 0 && noted().pools == 1);
}

static void does_not_wait(void) {
  when_hot();
  struct site s = { .kernel = &scale_kernel };
  hot_recall(&s);
  EXPECT(!vain_waits(&s) && vain_pools(&s));
}

static int one_text(void *data, int n, char **columns, char **names) {
  (void)n, (void)names;
  snprintf(data, 256, "%s", columns[0] ? columns[0] : "");
  return 0;
}

// Reads why the last run that began a tuning did not tune the kernel.
static void read_why(char text[256]) {
  char path[64];
  sqlite3 *db = NULL;
  *text = '\0';
  snprintf(path, sizeof path, "%s/results.db", fixture_folder);
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  sqlite3_busy_timeout(db, 10000);
  assert_int_equal(sqlite3_exec(db, "SELECT why FROM asked", one_text, text, NULL),
                   SQLITE_OK);
  sqlite3_close(db);
}

static void test_in_vain(void **state) {
  char why[256];
  (void)state;
  for (unsigned n = 1; n <= 3; n++) {
    RUN(ends_in_vain);
    RUN(does_not_wait_if_changed);
  }
  read_why(why);
  assert_non_null(strstr(why,
                         "default for now: tuned 3 times in vain: the program ended "
                         "before a variant was tried"));
  RUN(waits);
  RUN(does_not_wait_to_be_tuned);
  RUN(tries_variants);
  RUN(does_not_wait);
}

// ---- what runs save -----------------------------------------------------------------

static const struct earlier run = { { .calls = 100, .seconds = 5e-3, .share = 0.9 },
                                    .elapsed = 0.7,
                                    .cpu = 1.4 };

static void begin_run(struct site *s, double before) {
  when_hot();
  s->kernel = &scale_kernel;
  sys_set_clock(1); // the time of this run does not count
  hot_begin();
  earlier_note(&scale_kernel, &run);
  ledger_add(&(struct ledger){ .time = before, .lost = 0.01 });
  hot_recall(s);
  allowance_spend(s, 5e-3, 1);
}

// No run of 0.7 s pays for the beginning of a tuning.
static void has_too_little(void) {
  struct site s = { .kernel = NULL };
  begin_run(&s, 0.7);
  EXPECT(allowance_left(&s) < allowance_start(&s));
  vain_begun(&s);
  vain_begun(&s);
  EXPECT(noted().n == 2 && allowance_left(&s) < allowance_start(&s));
}

static void has_enough(void) {
  struct site s = { .kernel = NULL };
  begin_run(&s, 50);
  struct node n = { .site = &s };
  EXPECT(!vain_waits(&s) && allowance_begins(&n));
  EXPECT(allowance_left(&s) >= allowance_start(&s));
  allowance_cost(&s, 0.7);
  EXPECT(allowance_left(&s) < allowance_start(&s));
}

// Nothing is lent to kernels whose tunings need not save.
static void needs_nothing(void) {
  struct site s = { .kernel = NULL };
  begin_run(&s, 50);
  EXPECT(!vain_pools(&s) && allowance_left(&s) < allowance_start(&s));
}

static void test_savings(void **state) {
  (void)state;
  RUN(has_too_little);
  RUN(has_enough);
}

static void test_no_savings(void **state) {
  (void)state;
  RUN(needs_nothing);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, drop_folder)

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_noted), TEST(test_in_vain),
                                      TEST(test_savings), TEST(test_no_savings) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
