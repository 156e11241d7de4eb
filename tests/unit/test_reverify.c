// SPDX-License-Identifier: Apache-2.0
// Winners that are right at first and wrong on later data are found in the program's own
// calls and revoked: for all threads, and in the store.
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include <sqlite3.h>
#include <xxhash.h>

#include "call/session/session.h"
#include "call/site.h"
#include "keep/store/store.h"
#include "tuned_fixture.h"

#define RUN(body, ...) \
  assert_int_equal(in_child(body, (const char *const[]){ SILENT, __VA_ARGS__, NULL }), 0)
#define SILENT "AUTOTUNE_LOG=error"
#define LOCKED "AUTOTUNE_MODE=locked"

// Variants forget to scale, once this is set; a variable, because made-up data would show
// what elements can show.
static volatile int later;

static const char later_text[] =
    "extern volatile int later;\n"
    "void scale(int n, double f, const double *a, double *c) {\n"
    "  for (int i = 0; i < n; i++) c[i] = later ? a[i] : f * a[i];\n"
    "  static volatile int mark[U]; mark[0] = BAD;\n"
    "}\n"
    "void (*const autotune_entry)(int, double, const double *, double *) = scale;\n";
static const struct autotune_unit later_units[] = { { "clang", later_text,
                                                      scale_flags } };

static void later_default(int n, double f, const double *a, double *c) {
  for (int again = 0; again < 4; again++)
    for (volatile int i = 0; i < n; i++)
      c[i] = f * a[i];
}

static const struct autotune_symbol later_symbols[] = { { "later", (const void *)&later,
                                                          sizeof later } };

// As for n = 0.
static bool no_data;
static void later_describe(void *const *args, struct autotune_call *call) {
  scale_describe(args, call);
  for (unsigned i = 0; no_data && i < scale_kernel.n_sections; i++)
    call->spans[i].bytes = 0;
}

static void make_kernel(void) {
  scale_kernel.describe = later_describe;
  scale_kernel.symbols = later_symbols;
  scale_kernel.n_symbols = 1;
  scale_kernel.units = later_units;
  scale_kernel.original = (autotune_fn)later_default;
}

static double monotonic(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Calls scale for data from FIRST on, above a million for later data. True if the answer
// is right.
static bool is_right_from(double first) {
  later = first > 1e6;
  double *a = malloc(SCALE_N * sizeof *a), *c = calloc(SCALE_N, sizeof *c);
  for (int i = 0; i < SCALE_N; i++)
    a[i] = first + i;
  scale(SCALE_N, 3, a, c);
  bool right = true;
  for (int i = 0; i < SCALE_N && right; i++)
    right = c[i] == 3 * a[i];
  free(a);
  free(c);
  return right;
}

// A single call may be right because it runs the default, to be compared with the winner.
static bool is_right_within(double seconds) {
  for (double end = monotonic() + seconds; monotonic() < end;)
    if (is_right_from(2e6) && is_right_from(2e6) && is_right_from(2e6))
      return true;
  return false;
}

static bool runs_default(void) {
  return !scale_site.hot || scale_site.hot->code == scale_kernel.original;
}

// The number in the first row of SQL in the store; -1: there is none.
static int stored(const char *sql) {
  char path[64];
  sqlite3 *db = NULL;
  sqlite3_stmt *q = NULL;
  snprintf(path, sizeof path, "%s/results.db", fixture_folder);
  bool has = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
      sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK &&
      sqlite3_step(q) == SQLITE_ROW;
  int number = has ? sqlite3_column_int(q, 0) : -1;
  sqlite3_finalize(q);
  sqlite3_close(db);
  return number;
}

static bool is_stored_within(double seconds, const char *sql, int number) {
  for (double end = monotonic() + seconds; monotonic() < end; nap(0.02))
    if (stored(sql) == number)
      return true;
  return false;
}

static const char n_winners[] = "SELECT count(*) FROM winner WHERE variant != 0";
static const char n_revoked[] = "SELECT count(*) FROM service WHERE revoked = 1";

// ---- one process --------------------------------------------------------------------

static void tunes(void) {
  make_kernel();
  EXPECT(is_right_from(0));
  EXPECT(!runs_default());
}

static void meets_later_data(void) {
  tunes();
  EXPECT(is_right_within(20));
  EXPECT(runs_default() && scale_why_has("revoked"));
  long long key[] = { SCALE_N };
  const char *value;
  EXPECT(autotune_best("scale", key, "U", &value) == AUTOTUNE_NOT_TUNED);
}

// Forks of a small program that took long say nothing of the next ones.
static void meets_slow_forks(void) {
  tunes();
  session_forked(5e-3);
  session_forked(5e-3);
  EXPECT(is_right_within(20));
  EXPECT(runs_default() && scale_why_has("revoked"));
}

static void test_slow_forks_do_not_end_checks(void **state) {
  (void)state;
  RUN(meets_slow_forks, NULL);
}

static void stays_right(void) {
  make_kernel();
  EXPECT(is_right_from(2e6) && runs_default() && scale_why_has("was revoked"));
}

static void test_revoked_here_and_in_the_store(void **state) {
  (void)state;
  RUN(meets_later_data, NULL);
  assert_int_equal(stored(n_winners), 0);
  assert_int_equal(stored(n_revoked), 1);
  assert_int_equal(stored("SELECT count(*) FROM variant WHERE fate = 3"), 1);
  RUN(stays_right, LOCKED);
}

static void is_wrong_for_ever(void) {
  tunes();
  EXPECT(!is_right_within(1) && !runs_default());
}

static void test_switched_off(void **state) {
  (void)state;
  RUN(is_wrong_for_ever, "AUTOTUNE_REVERIFY=off");
  assert_int_equal(stored("SELECT count(*) FROM service"), 0);
}

static void without_verification(void) {
  scale_kernel.verify = AUTOTUNE_VERIFY_OFF;
  is_wrong_for_ever();
}

static void test_verify_off_is_never_checked(void **state) {
  (void)state;
  RUN(without_verification, NULL);
  assert_int_equal(stored("SELECT count(*) FROM service"), 0);
}

// ---- a stored winner ----------------------------------------------------------------

static void tunes_only(void) {
  tunes();
  autotune_wait(-1);
}

static void meets_stored_winner(void) {
  make_kernel();
  is_right_from(2e6); // the first call of the process
  EXPECT(is_right_within(20));
  EXPECT(runs_default() && scale_why_has("revoked") && scale_why_has("call 1"));
}

static void test_a_stored_winner(void **state) {
  (void)state;
  RUN(tunes_only, NULL);
  assert_int_equal(stored(n_winners), 1);
  RUN(meets_stored_winner, LOCKED);
  assert_int_equal(stored(n_revoked), 1);
}

static void ends_after_one_call(void) {
  make_kernel();
  is_right_from(2e6);
}

static void begins_without_data(void) {
  make_kernel();
  no_data = true;
  for (double end = monotonic() + 0.5; monotonic() < end;)
    is_right_from(0);
  no_data = false;
  EXPECT(is_right_within(20) && runs_default() && scale_why_has("revoked"));
}

static void test_a_call_without_data_ends_no_checks(void **state) {
  (void)state;
  RUN(tunes_only, NULL);
  RUN(begins_without_data, LOCKED);
  assert_int_equal(stored(n_revoked), 1);
}

// A process that ends at once leaves the check to itself; the next one knows.
static void test_a_short_process(void **state) {
  (void)state;
  RUN(tunes_only, NULL);
  RUN(ends_after_one_call, LOCKED);
  assert_true(is_stored_within(10, n_revoked, 1) && is_stored_within(5, n_winners, 0));
  RUN(stays_right, LOCKED);
}

static void is_right_on(void) {
  make_kernel();
  EXPECT(is_right_from(0) && !runs_default());
  for (double end = monotonic() + 0.3; monotonic() < end;)
    EXPECT(is_right_from(1));
  EXPECT(!runs_default());
}

static void test_a_right_winner_stays(void **state) {
  (void)state;
  RUN(tunes_only, NULL);
  RUN(is_right_on, LOCKED);
  assert_true(is_stored_within(10, "SELECT looks > 0 FROM service", 1));
  assert_int_equal(stored(n_revoked), 0);
  assert_int_equal(stored(n_winners), 1);
}

static void is_large(void) {
  size_t size = 250u << 20;
  char *memory = malloc(size);
  EXPECT(memory != NULL);
  memset(memory, 1, size);
  make_kernel();
  is_right_from(2e6);
  EXPECT(!is_right_within(0.3));
  EXPECT(scale_why_has("copying the program's page tables takes about"));
  EXPECT(reverify_waiting(scale_site.state) == 0); // no credit would help
  free(memory);
}

static void test_a_large_program_is_not_copied(void **state) {
  (void)state;
  RUN(tunes_only, NULL);
  RUN(is_large, LOCKED);
  assert_int_equal(stored(n_revoked), 0);
}

// ---- the first call of a winner -----------------------------------------------------

// Notes the first call of VARIANT, as if it had begun AGO seconds earlier in another
// container. False: that is not possible.
static bool note_elsewhere(const struct identity *id, uint64_t variant, double ago) {
  struct { // as in keep/store/entered.c
    int64_t problem;
    uint64_t variant;
    double when;
    char owner[128];
    uint64_t sum;
  } e;
  char path[64];
  int slot = entered_note(id, variant);
  off_t at = (off_t)((unsigned)slot * sizeof e);
  snprintf(path, sizeof path, "%s/entered", fixture_folder);
  int fd = open(path, O_RDWR);
  bool done = slot >= 0 && pread(fd, &e, sizeof e, at) == sizeof e;
  e.when -= ago;
  snprintf(e.owner, sizeof e.owner, "1 1 boot pid:[1]");
  e.sum = XXH3_64bits(&e, offsetof(__typeof__(e), sum));
  done = done && pwrite(fd, &e, sizeof e, at) == sizeof e;
  close(fd);
  return done;
}

static void waits_for_calls_elsewhere(void) {
  const struct identity id = { .kernel = "k",
                               .file = "k.c",
                               .cpu = "c",
                               .isa = "i",
                               .key = (const long long[]){ 5 },
                               .n_keys = 1,
                               .key_names = scale_keys,
                               .toolchain = "t" };
  EXPECT(note_elsewhere(&id, 7, 30) && entered_ended(&id, 7, 0) == 0);
  EXPECT(note_elsewhere(&id, 7, 300) && entered_ended(&id, 7, 1e-3) == 1);
  EXPECT(note_elsewhere(&id, 7, 3600) && entered_ended(&id, 7, 1800) == 0);
  EXPECT(entered_ended(&id, 7, 60) == 1);
}

// Jobs of a cluster share a home folder. One that begins while others are in a long first
// call has no reason to suspect the winner.
static void test_long_calls_elsewhere(void **state) {
  (void)state;
  RUN(waits_for_calls_elsewhere, NULL);
}

static void ends_three_times_at_once(void) {
  long long key[] = { SCALE_N };
  make_kernel();
  EXPECT(is_right_from(0) && !runs_default());
  struct identity id = site_identity(scale_site.state, key);
  uint64_t variant = site_find(scale_site.state, key)->variant;
  for (int i = 0; i < 3; i++)
    EXPECT(note_elsewhere(&id, variant, 300));
}

static void checks_and_goes_on(void) {
  make_kernel();
  EXPECT(is_right_from(0) && !runs_default());
}

// Somebody has pressed ^C once, and an MPI program has ended.
static void test_processes_that_end_together(void **state) {
  (void)state;
  RUN(tunes_only, NULL);
  RUN(ends_three_times_at_once, LOCKED);
  RUN(checks_and_goes_on, LOCKED);
  assert_int_equal(stored("SELECT ended FROM service"), 1);
}

// ---- threads ------------------------------------------------------------------------

static atomic_int right_threads;

static void *calls_on(void *data) {
  (void)data;
  int in_turn = 0;
  for (double end = monotonic() + 30; monotonic() < end && in_turn < 20;)
    in_turn = is_right_from(2e6) ? in_turn + 1 : 0;
  atomic_fetch_add(&right_threads, in_turn == 20);
  return NULL;
}

static void in_threads(void) {
  pthread_t threads[4];
  make_kernel();
  is_right_from(2e6);
  for (int i = 0; i < 4; i++)
    EXPECT(pthread_create(&threads[i], NULL, calls_on, NULL) == 0);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  EXPECT(right_threads == 4 && runs_default());
}

static void test_revoked_for_all_threads(void **state) {
  (void)state;
  RUN(tunes_only, NULL);
  RUN(in_threads, LOCKED);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, drop_folder)
  const struct CMUnitTest tests[] = {
    TEST(test_revoked_here_and_in_the_store),
    TEST(test_slow_forks_do_not_end_checks),
    TEST(test_switched_off),
    TEST(test_verify_off_is_never_checked),
    TEST(test_a_stored_winner),
    TEST(test_a_call_without_data_ends_no_checks),
    TEST(test_a_short_process),
    TEST(test_a_right_winner_stays),
    TEST(test_a_large_program_is_not_copied),
    TEST(test_long_calls_elsewhere),
    TEST(test_processes_that_end_together),
    TEST(test_revoked_for_all_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
