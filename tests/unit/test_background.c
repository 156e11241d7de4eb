// SPDX-License-Identifier: Apache-2.0
// Tuning in the background: no call waits for it, no wait() of the program's finds it, it
// ends with the program, and its results by then are kept.
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <time.h>

#include <sqlite3.h>

#include "tuned_fixture.h"

#define RUN(body, ...) \
  assert_int_equal(    \
      in_child(body, (const char *const[]){ MODE, SILENT, __VA_ARGS__, NULL }), 0)
#define MODE "AUTOTUNE_MODE=background"
#define SILENT "AUTOTUNE_LOG=error"

static bool is_childless(void) {
  return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD;
}

// True if no orphan is left. Orphans come to this process, and end soon.
static bool are_orphans_gone(void) {
  for (int i = 0; i < 200 && !is_childless(); i++)
    nap(0.05);
  return is_childless();
}

static bool is_tuned(void) {
  return scale_site.hot && scale_site.hot->code != scale_kernel.original;
}

// ---- one tuning ---------------------------------------------------------------------

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool sanitized = true; // detach.c forks there, which causes a SIGCHLD
#else
static const bool sanitized = false;
#endif
static atomic_int signals;

static void count_signal(int signal) {
  (void)signal;
  atomic_fetch_add(&signals, 1);
}

static void first_calls(void) {
  signal(SIGCHLD, count_signal);
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(!scale_site.hot && is_childless());
  long long key[] = { SCALE_N };
  char *why = NULL;
  EXPECT(autotune_why("scale", key, &why) == AUTOTUNE_OK &&
         strstr(why, "in the background"));
  free(why);
  EXPECT(autotune_wait(0) == AUTOTUNE_TIMEOUT);
  for (int i = 0; i < 50000 && !is_tuned(); i++)
    EXPECT(scale_is_right(SCALE_N));
  EXPECT(is_tuned() && scale_why_has("tuned: "));
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(is_childless() && (sanitized || signals == 0));
  EXPECT(autotune_wait(0) == AUTOTUNE_OK);
}

static void second_process(void) {
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(is_tuned() && scale_why_has("stored: "));
}

static void test_first_and_second(void **state) {
  (void)state;
  RUN(first_calls, NULL);
  RUN(second_process, NULL);
}

static void waits(void) {
  EXPECT(scale_is_right(SCALE_N) && !scale_site.hot);
  EXPECT(autotune_wait(-1) == AUTOTUNE_OK); // also installs the result
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(is_tuned() && scale_why_has("tuned: "));
}

static void test_wait(void **state) {
  (void)state;
  RUN(waits, NULL);
  RUN(waits, "AUTOTUNE_CACHE=off");
}

static void takes_turns(void) { // two keys
  for (int n = SCALE_N; n <= 2 * SCALE_N; n += SCALE_N)
    EXPECT(scale_is_right(n) && !scale_site.hot);
  long long key[] = { 2 * SCALE_N };
  char *why = NULL;
  EXPECT(autotune_why("scale", key, &why) == AUTOTUNE_OK &&
         strstr(why, "another kernel"));
  for (int i = 0; i < 2; i++) {
    EXPECT(autotune_wait(-1) == AUTOTUNE_OK);
    EXPECT(scale_is_right(2 * SCALE_N));
  }
  EXPECT(is_tuned() && scale_why_has("tuned: "));
  EXPECT(scale_is_right(SCALE_N) && is_tuned() && scale_why_has("tuned: "));
}

static void test_turns(void **state) {
  (void)state;
  RUN(takes_turns, NULL);
}

// A kernel that is never tuned borrows a winner. That needs a tuner, while another tuning
// goes on in the background.
static struct autotune_kernel other_kernel;
static struct autotune_site other_site = { .kernel = &other_kernel };

static bool other_is_right(int n) {
  double *a = calloc((size_t)n, sizeof *a), *c = calloc((size_t)n, sizeof *c), f = 3;
  struct autotune_call_state state = { .node = NULL };
  void *args[] = { &n, &f, &a, &c };
  long long key[] = { n };
  bool right = a && c;
  for (int i = 0; right && i < n; i++)
    a[i] = i;
  if (right)
    scale_invoke(autotune_begin(&other_site, key, args, &state), args, NULL);
  if (state.node)
    autotune_end(&state);
  for (int i = 0; right && i < n; i++)
    right = c[i] == 3.0 * i;
  free(a);
  free(c);
  return right;
}

static void borrows_meanwhile(void) {
  other_kernel = scale_kernel;
  other_kernel.name = "other";
  other_kernel.mode = "background";
  scale_kernel.mode = "offline";
  EXPECT(other_is_right(SCALE_N));
  EXPECT(scale_is_right(2 * SCALE_N) && !scale_site.hot); // it waits for its turn
  EXPECT(autotune_wait(-1) == AUTOTUNE_OK && other_is_right(SCALE_N));
  EXPECT(other_site.hot && other_site.hot->code != other_kernel.original);
  EXPECT(scale_is_right(2 * SCALE_N) && is_tuned() &&
         scale_why_has("borrowed from n = 20000"));
}

static void test_borrows_meanwhile(void **state) {
  (void)state;
  assert_int_equal(in_child(waits, (const char *const[]){ MODE, SILENT, NULL }), 0);
  assert_int_equal(in_child(borrows_meanwhile, (const char *const[]){ SILENT, NULL }), 0);
}

static atomic_int wrong_answers;

static void *calls(void *data) {
  while (!is_tuned())
    if (!scale_is_right(SCALE_N))
      atomic_fetch_add(&wrong_answers, 1);
  return data;
}

static void many_threads(void) {
  pthread_t threads[16];
  for (int i = 0; i < 16; i++)
    EXPECT(pthread_create(&threads[i], NULL, calls, NULL) == 0);
  for (int i = 0; i < 16; i++)
    pthread_join(threads[i], NULL);
  EXPECT(wrong_answers == 0 && scale_why_has("tuned: "));
}

static void *calls_once(void *data) {
  EXPECT(scale_is_right(SCALE_N));
  return data;
}

// The thread that began the tuning ended long before it.
static void short_thread(void) {
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, calls_once, NULL) == 0);
  pthread_join(thread, NULL);
  EXPECT(autotune_wait(-1) == AUTOTUNE_OK && scale_is_right(SCALE_N) &&
         scale_why_has("tuned: "));
}

static void test_threads(void **state) {
  (void)state;
  RUN(short_thread, NULL);
  drop_folder(NULL);
  make_folder(NULL);
#ifdef __SANITIZE_ADDRESS__ // its own locks are not safe over the fork of a program with
                            // threads
  skip();
#endif
  RUN(many_threads, "AUTOTUNE_BUDGET=20s");
}

// ---- processes that hang or die ------------------------------------------------------

// If a call waited for a compiler, the alarm of in_child would end it.
static void compiler_hangs(void) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t pid = fork();
  if (pid == 0) {
    for (int i = 0; i < 200; i++)
      EXPECT(scale_is_right(SCALE_N) && !scale_site.hot);
    nap(0.5); // by now it is compiling
    for (int i = 0; i < 200; i++)
      EXPECT(scale_is_right(SCALE_N) && !scale_site.hot);
    EXPECT(autotune_wait(0.1) == AUTOTUNE_TIMEOUT);
    exit(3);
  }
  int status;
  EXPECT(waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
         WEXITSTATUS(status) == 3);
  EXPECT(are_orphans_gone());
}

static void test_compiler_hangs(void **state) {
  (void)state;
  RUN(compiler_hangs, "AUTOTUNE_BUDGET=60s", "AUTOTUNE_JIT=" JIT_HANGS);
}

static void tuner_dies_of(int signal, const char *words) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  scale_params[1].n_values = 6;
  EXPECT(scale_is_right(SCALE_N));
  pid_t pid = await_child();
  nap(0.2);
  EXPECT(pid > 0 && kill(pid, signal) == 0);
  for (int i = 0; i < 4; i++) {
    EXPECT(autotune_wait(-1) == AUTOTUNE_OK);
    EXPECT(scale_is_right(SCALE_N));
  }
  EXPECT(scale_why_has(words));
  EXPECT(are_orphans_gone());
}

static void tuner_stopped(void) {
  tuner_dies_of(SIGTERM, "default: ");
}
static void tuner_crashes(void) {
  tuner_dies_of(SIGSEGV, ": ");
} // again, if it was compiling

static void test_tuner_dies(void **state) {
  (void)state;
  RUN(tuner_stopped, "AUTOTUNE_BUDGET=20s");
  RUN(tuner_crashes, "AUTOTUNE_BUDGET=20s");
}

// A variant on which the compiler crashed is not compiled again, by any process.
static void compiler_crashes(void) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (int i = 0; i < 6; i++)
    EXPECT(scale_is_right(SCALE_N) && autotune_wait(-1) == AUTOTUNE_OK);
  EXPECT(!is_tuned() && are_orphans_gone());
  struct {
    int pid;
    unsigned long long hash;
  } seen[64];
  int n = 0, pids = 0;
  FILE *f = fopen(getenv("JIT_CRASHES"), "r");
  while (f && n < 64 && fscanf(f, "%d %llx", &seen[n].pid, &seen[n].hash) == 2) {
    pids += n == 0 || seen[n].pid != seen[n - 1].pid;
    for (int i = 0; i < n; i++)
      EXPECT(seen[i].hash != seen[n].hash);
    n++;
  }
  EXPECT(f && pids >= 2);
}

static void test_compiler_crashes(void **state) {
  (void)state;
  char variable[128];
  snprintf(variable, sizeof variable, "JIT_CRASHES=%s/crashes", fixture_folder);
  RUN(compiler_crashes, "AUTOTUNE_CACHE=off", "AUTOTUNE_JIT=" JIT_HANGS, variable);
}

static void lister_crashes(void) {
  EXPECT(scale_is_right(SCALE_N) && autotune_wait(-1) == AUTOTUNE_OK);
  EXPECT(scale_is_right(SCALE_N) && !is_tuned());
  EXPECT(scale_why_has("default: the tuning process ended unexpectedly"));
}

static void has_its_winner(void) {
  EXPECT(scale_is_right(SCALE_N) && is_tuned());
}

// The winner is stored before its assembly is listed.
static void test_lister_crashes(void **state) {
  (void)state;
  RUN(lister_crashes, "AUTOTUNE_BUDGET=20s", "AUTOTUNE_JIT=" JIT_HANGS,
      "JIT_LISTS=" JIT_REAL);
  RUN(has_its_winner, "AUTOTUNE_MODE=locked");
}

static void no_library(void) {
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(autotune_wait(-1) == AUTOTUNE_OK && scale_is_right(SCALE_N));
  EXPECT(scale_why_has("default: the compiler"));
}

static void test_no_library(void **state) {
  (void)state;
  RUN(no_library, "AUTOTUNE_JIT=/does/not/exist.so");
}

// ---- the program's life -------------------------------------------------------------

static void forgets(void) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(autotune_forget("scale", NULL) == AUTOTUNE_OK);
  EXPECT(autotune_wait(0) == AUTOTUNE_OK && are_orphans_gone());
  EXPECT(scale_is_right(SCALE_N) && autotune_wait(-1) == AUTOTUNE_OK &&
         scale_is_right(SCALE_N));
  EXPECT(scale_why_has("tuned: "));
}

static void closes(void) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  EXPECT(scale_is_right(SCALE_N));
  autotune_site_close(&scale_site);
  EXPECT(autotune_wait(0) == AUTOTUNE_OK && are_orphans_gone());
  EXPECT(scale_is_right(SCALE_N)); // opened again
  autotune_site_close(&scale_site);
}

static void forks(void) { // a child neither inherits the tuning nor keeps it alive
  scale_params[1].n_values = 6;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t pid = fork();
  if (pid == 0) {
    EXPECT(scale_is_right(SCALE_N));
    pid_t grandchild = fork();
    if (grandchild == 0) {
      EXPECT(autotune_wait(0) == AUTOTUNE_OK); // nothing is being tuned here
      EXPECT(scale_is_right(SCALE_N) && !scale_site.hot);
      EXPECT(autotune_wait(0) == AUTOTUNE_TIMEOUT);
      nap(0.2);
      _exit(0);
    }
    int status;
    EXPECT(waitpid(grandchild, &status, 0) == grandchild && status == 0);
    _exit(0);
  }
  int status;
  EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
  EXPECT(are_orphans_gone());
}

static void execs(void) {
  scale_params[1].n_values = 6;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t pid = fork();
  if (pid == 0) {
    EXPECT(scale_is_right(SCALE_N));
    execlp("sleep", "sleep", "3", (char *)NULL);
    _exit(1);
  }
  EXPECT(await_child() > 0);
  for (int i = 0; i < 50 && waitpid(-1, NULL, WNOHANG) == 0;
       i++) // the tuner, or `sleep` if that is first
    nap(0.05);
  EXPECT(kill(pid, 0) == 0 && waitpid(pid, NULL, WNOHANG) == 0); // sleep still sleeps
  kill(pid, SIGKILL);
  EXPECT(are_orphans_gone());
}

static void test_life(void **state) {
  (void)state;
  RUN(forgets, NULL);
  RUN(closes, "AUTOTUNE_BUDGET=20s", "AUTOTUNE_CACHE=off");
  RUN(forks, "AUTOTUNE_BUDGET=20s", "AUTOTUNE_CACHE=off");
  RUN(execs, "AUTOTUNE_BUDGET=20s", "AUTOTUNE_CACHE=off");
}

// ---- results are kept ---------------------------------------------------------------

// Stores the answer to SELECT; "" if there is none.
static void ask(const char *select, char *answer, size_t size) {
  char path[64];
  sqlite3 *db = NULL;
  sqlite3_stmt *q = NULL;
  snprintf(path, sizeof path, "%s/results.db", fixture_folder);
  bool read = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
      sqlite3_prepare_v2(db, select, -1, &q, NULL) == SQLITE_OK &&
      sqlite3_step(q) == SQLITE_ROW && sqlite3_column_text(q, 0);
  snprintf(answer, size, "%s", read ? (const char *)sqlite3_column_text(q, 0) : "");
  sqlite3_finalize(q);
  sqlite3_close(db);
}

static int finished(void) {
  char n[32];
  ask("SELECT count(*) FROM variant WHERE length(samples) > 0", n, sizeof n);
  return atoi(n);
}

static void killed(void) {
  scale_params[1].n_values = 7; // some take 1.2 s each
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t pid = fork();
  if (pid == 0) {
    EXPECT(scale_is_right(SCALE_N));
    for (;;)
      pause();
  }
  for (int i = 0; i < 2000 && finished() < 2; i++)
    nap(0.01);
  kill(pid, SIGKILL);
  EXPECT(are_orphans_gone());
  EXPECT(finished() >= 2);
}

// The time that a compilation took tells it from each other one. The finalists' samples
// are replaced.
#define COMPILATION "printf('%!.17g', compile_seconds)"

static void goes_on(void) {
  static char known[1 << 12], again[1 << 13], n[32];
  int before = finished();
  ask("SELECT group_concat(quote(" COMPILATION
      ")) FROM variant WHERE length(samples) > 0",
      known, sizeof known);
  scale_params[1].n_values = 7;
  EXPECT(scale_is_right(SCALE_N) && autotune_wait(-1) == AUTOTUNE_OK &&
         scale_is_right(SCALE_N));
  EXPECT(scale_why_has("tuned: "));
  // Measured variants were not measured again.
  snprintf(again, sizeof again, "SELECT count(*) FROM variant WHERE %s IN (%s)",
           COMPILATION, known);
  ask(again, n, sizeof n);
  EXPECT(before >= 2 && atoi(n) == before && finished() > before);
}

static void test_killed(void **state) {
  (void)state;
  RUN(killed, "AUTOTUNE_BUDGET=30s");
  RUN(goes_on, "AUTOTUNE_BUDGET=30s");
}

// ---- a fraction of the time ---------------------------------------------------------

static double cpu_of_children(void) {
  struct rusage u;
  getrusage(RUSAGE_CHILDREN, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
      1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static double monotonic(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void costs_a_fraction(void) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  double start = monotonic();
  while (!is_tuned() && monotonic() - start < 40)
    EXPECT(scale_is_right(SCALE_N));
  double spent = monotonic() - start;
  EXPECT(is_tuned() && scale_why_has("tuned: ") &&
         scale_why_has("s spent in the kernel"));
  EXPECT(are_orphans_gone());
  // A trial, a compilation and the end of the processes may come in addition.
  double cost = cpu_of_children();
  if (cost > 0.4 * spent + 0.5)
    fprintf(stderr, "%g s of CPU for %g s\n", cost, spent);
  EXPECT(cost <= 0.4 * spent + 0.5);
  EXPECT(spent > 0.2 / 0.4); // start_cost in allowance.c: what must be there to begin
}

static void share_of_nothing(void) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (int i = 0; i < 100; i++)
    EXPECT(scale_is_right(SCALE_N) && !scale_site.hot && autotune_wait(0) == AUTOTUNE_OK);
  EXPECT(scale_site.hot == NULL && is_childless());
  long long key[] = { SCALE_N };
  char *why = NULL;
  EXPECT(autotune_why("scale", key, &why) == AUTOTUNE_OK &&
         strstr(why, "not enough yet"));
  free(why);
}

static void test_share(void **state) {
  (void)state;
  assert_int_equal(
      in_child(costs_a_fraction,
               (const char *const[]){ "AUTOTUNE_BUDGET=40%,3", SILENT, NULL }),
      0);
  drop_folder(NULL);
  make_folder(NULL);
  assert_int_equal(
      in_child(share_of_nothing,
               (const char *const[]){ "AUTOTUNE_BUDGET=0.01%", SILENT, NULL }),
      0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, drop_folder)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_first_and_second),
    TEST(test_wait),
    TEST(test_turns),
    TEST(test_borrows_meanwhile),
    TEST(test_threads),
    TEST(test_compiler_hangs),
    TEST(test_compiler_crashes),
    TEST(test_lister_crashes),
    TEST(test_tuner_dies),
    TEST(test_no_library),
    TEST(test_life),
    TEST(test_killed),
    TEST(test_share),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
