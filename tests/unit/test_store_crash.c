// SPDX-License-Identifier: Apache-2.0
// RELIABILITY D1 and D3: writers that are killed, many writers at once, and one that
// stops while it holds the lock.
#include "model/space.h"
#include "rounds.h"
#include "store_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>

enum { KILLS = 200, WRITERS = 16, RECORDS = 200 };

static unsigned count_files(const char *folder, const char *pattern) {
  char *command = sys_printf("ls %s | grep -c '%s'", folder, pattern);
  FILE *f = popen(command, "r");
  unsigned n = 0;
  assert_int_equal(fscanf(f, "%u", &n), 1);
  pclose(f);
  free(command);
  return n;
}

static void expect_whole(struct store *s) {
  sqlite3_stmt *q = NULL;
  assert_int_equal(sqlite3_prepare_v2(s->db, "PRAGMA integrity_check", -1, &q, NULL),
                   SQLITE_OK);
  assert_int_equal(sqlite3_step(q), SQLITE_ROW);
  assert_string_equal((const char *)sqlite3_column_text(q, 0), "ok");
  sqlite3_finalize(q);
}

static void expect_record(struct store *s, uint64_t variant) {
  struct identity id = fixture_identity();
  enum status status = STATUS_PENDING;
  struct estimate e = { 0 };
  assert_true(is_known(s, &id, variant, &status, &e, NULL));
  assert_int_equal(status, STATUS_OK);
  assert_true(e.median == (double)variant);
}

// A variant's only sample is its number, with a text that fills pages.
static int write_record(struct store *s, uint64_t variant) {
  static char values[3000];
  struct identity id = fixture_identity();
  double sample = (double)variant;
  struct record r = fixture_record(variant, &sample, 1);
  memset(values, 'v', 200 + variant * 37 % 2500);
  r.values = values;
  store_begin(s, &id, &r); // if it fails, the row is written with later ones
  return store_finish(s, &id, &r);
}

// ---- D1 -----------------------------------------------------------------------------

// Writes records from FIRST on until it is killed, and reports the written ones through
// FD.
static void write_for_ever(const char *folder, uint64_t first, int fd) {
  struct identity id = fixture_identity();
  struct summary m = fixture_summary();
  char *message = NULL;
  struct store *s = store_open_in(folder, true, &message);
  for (uint64_t v = first; s; v++) {
    if (write_record(s, v) == 0 && write(fd, &v, sizeof v) != sizeof v)
      break;
    if (v % 16 == 0)
      store_summary(s, &id, &m);
  }
  _exit(1);
}

// Kills a writer after a while. ACKNOWLEDGED receives the numbers of the records that it
// had written.
static unsigned kill_a_writer(const char *folder, uint64_t first, long nanoseconds,
                              uint64_t *acknowledged, unsigned most) {
  int fds[2];
  assert_int_equal(pipe(fds), 0);
  pid_t pid = fork();
  if (pid == 0) {
    close(fds[0]);
    write_for_ever(folder, first, fds[1]);
  }
  close(fds[1]);
  nanosleep(&(struct timespec){ .tv_nsec = nanoseconds }, NULL);
  kill(pid, SIGKILL);
  unsigned n = 0;
  for (uint64_t v; read(fds[0], &v, sizeof v) == sizeof v;)
    if (n < most)
      acknowledged[n++] = v;
  waitpid(pid, NULL, 0);
  close(fds[0]);
  return n;
}

static void test_killed_writers_lose_nothing(void **state) {
  static uint64_t acknowledged[4096];
  struct rounds r = rounds_begin(KILLS, 4711);
  unsigned total = 0;
  long slow = 1;
  while (rounds_next(&r)) {
    unsigned i = r.done - 1;
    char *folder = *state;
    char *path = sys_printf("%s/results.db", folder);
    if (i % 20 == 0)
      unlink(path); // so that creation is interrupted, too
    free(path);
    if (total < i && slow < 16) // that writers come to write at all
      slow *= 2;
    long nanoseconds = 200000 +
        slow * (long)(rng_next(&r.rng) % (i % 4 ? 12000000 : 2500000));
    unsigned n = kill_a_writer(folder, 1 + i * 10000ull, nanoseconds, acknowledged, 4096);
    struct store *s = open_store(folder);
    expect_whole(s);
    for (unsigned k = 0; k < n; k++)
      expect_record(s, acknowledged[k]);
    store_close(s);
    total += n;
  }
  rounds_end(&r, "killed writers");
  print_message("%u records were acknowledged\n", total);
  assert_true(total > r.done);
  assert_int_equal(count_files(*state, "bad"), 0);
}

// ---- D3 -----------------------------------------------------------------------------

static double *shared_waits(void) {
  void *p = mmap(NULL, WRITERS * RECORDS * sizeof(double), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(p != MAP_FAILED);
  return p;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print_waits(double *waits, unsigned n) {
  qsort(waits, n, sizeof *waits, compare_doubles);
  print_message("waits: median %.1f ms, p99 %.1f ms, longest %.1f ms\n",
                1e3 * waits[n / 2], 1e3 * waits[n * 99 / 100], 1e3 * waits[n - 1]);
}

static void write_records(const char *folder, unsigned writer, double *waits) {
  char *message = NULL;
  struct store *s = store_open_in(folder, true, &message);
  for (unsigned i = 0; s && i < RECORDS; i++) {
    double begun = sys_now();
    write_record(s, 1 + writer * 1000 + i);
    waits[writer * RECORDS + i] = sys_now() - begun;
  }
  bool opened = s;
  store_close(s);
  _exit(opened ? 0 : 1);
}

static void expect_exit_0(pid_t pid) {
  int status = -1;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
}

static void test_sixteen_at_once_lose_nothing(void **state) {
  pid_t pids[WRITERS];
  double *waits = shared_waits();
  for (unsigned w = 0; w < WRITERS; w++)
    if ((pids[w] = fork()) == 0)
      write_records(*state, w, waits);
  for (unsigned w = 0; w < WRITERS; w++)
    expect_exit_0(pids[w]);
  struct store *s = open_store(*state);
  expect_whole(s);
  for (unsigned w = 0; w < WRITERS; w++)
    for (unsigned i = 0; i < RECORDS; i++)
      expect_record(s, 1 + w * 1000 + i);
  store_close(s);
  assert_int_equal(count_files(*state, "bad"), 0);
  print_waits(waits, WRITERS * RECORDS);
  munmap(waits, WRITERS * RECORDS * sizeof *waits);
}

static pid_t stop_with_the_lock(const char *folder) {
  pid_t pid = fork();
  if (pid == 0) {
    char *message = NULL;
    struct store *s = store_open_in(folder, true, &message);
    if (!s || store_run(s->db, "BEGIN EXCLUSIVE") != SQLITE_OK)
      _exit(1);
    raise(SIGSTOP);
    _exit(0);
  }
  int status;
  assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
  assert_true(WIFSTOPPED(status));
  return pid;
}

// The other processes neither hang nor fail: they go on, and their results are not saved.
static void test_a_stopped_process_stops_nobody(void **state) {
  struct identity id = fixture_identity();
  struct store *s = open_store(*state);
  assert_int_equal(write_record(s, 1), 0);
  pid_t stopped = stop_with_the_lock(*state);
  double begun = sys_now();
  for (unsigned i = 2; i < 202; i++)
    assert_int_equal(write_record(s, i), -1);
  print_message(
      "200 records behind a stopped process: %.0f ms, the longest wait %.0f ms\n",
      1e3 * (sys_now() - begun), 1e3 * s->slowest);
  struct summary out;
  char *why = NULL, *message = NULL;
  assert_false(store_winner(s, &id, &out, &why));
  free(why);
  assert_null(
      store_open_in(*state, true, &message)); // a second one works without a store
  assert_non_null(message);
  free(message);
  store_close(s);
  kill(stopped, SIGKILL);
  waitpid(stopped, NULL, 0);
  s = open_store(*state);
  expect_whole(s);
  expect_record(s, 1);
  assert_int_equal(write_record(s, 2), 0);
  store_close(s);
}

// On a busy machine a process may hold the lock for some time between two instructions.
static pid_t hold_the_lock(const char *folder, long nanoseconds) {
  int fds[2];
  char begun;
  assert_int_equal(pipe(fds), 0);
  pid_t pid = fork();
  if (pid == 0) {
    char *message = NULL;
    struct store *s = store_open_in(folder, true, &message);
    if (!s || store_run(s->db, "BEGIN EXCLUSIVE") != SQLITE_OK ||
        write(fds[1], "b", 1) != 1)
      _exit(1);
    nanosleep(&(struct timespec){ .tv_nsec = nanoseconds }, NULL);
    _exit(0);
  }
  close(fds[1]);
  assert_int_equal(read(fds[0], &begun, 1), 1);
  close(fds[0]);
  return pid;
}

static void test_a_slow_process_costs_no_result(void **state) {
  struct store *s = open_store(*state);
  pid_t holder = hold_the_lock(*state, 800000000);
  assert_int_equal(write_record(s, 1), -1);
  store_close(s); // waits longer than any call would
  expect_exit_0(holder);
  holder = hold_the_lock(*state, 500000000);
  s = open_store(*state); // so does this
  expect_exit_0(holder);
  expect_record(s, 1);
  store_close(s);
}

static void test_a_continued_process_finds_its_lock(void **state) {
  struct store *s = open_store(*state);
  pid_t stopped = stop_with_the_lock(*state);
  for (unsigned i = 1; i <= 20; i++)
    assert_int_equal(write_record(s, i), -1);
  kill(stopped, SIGCONT);
  expect_exit_0(stopped);
  store_close(s); // waiting rows are written
  s = open_store(*state);
  for (unsigned i = 1; i <= 20; i++)
    expect_record(s, i);
  store_close(s);
}

// A program that ends does not wait for a lock: 3 s by store_close, before.
static void test_a_program_that_ends_does_not_wait(void **state) {
  struct store *s = store_open_briefly_in(*state);
  assert_non_null(s);
  assert_int_equal(write_record(s, 1), 0);
  pid_t stopped = stop_with_the_lock(*state);
  double begun = sys_now();
  assert_int_equal(write_record(s, 2), -1);
  store_close(s);
  assert_true(sys_now() - begun < 1);
  assert_null(store_open_briefly_in(*state));
  kill(stopped, SIGKILL);
  waitpid(stopped, NULL, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_killed_writers_lose_nothing),
    TEST(test_sixteen_at_once_lose_nothing),
    TEST(test_a_stopped_process_stops_nobody),
    TEST(test_a_slow_process_costs_no_result),
    TEST(test_a_continued_process_finds_its_lock),
    TEST(test_a_program_that_ends_does_not_wait),
  };
  rounds_limit(300);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
