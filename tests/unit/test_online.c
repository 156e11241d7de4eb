// SPDX-License-Identifier: Apache-2.0
// Mode online: variants run in the program's own calls. Each call's work is done once and
// right, whatever variants there are; no call waits; a variant that fails in a real call
// is known afterwards.
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <time.h>

#include <sqlite3.h>

#include "base/base.h"
#include "tuned_fixture.h"

#define RUN(body, ...) \
  assert_int_equal(    \
      in_child(body, (const char *const[]){ MODE, SILENT, __VA_ARGS__, NULL }), 0)
#define MODE "AUTOTUNE_MODE=online"
#define SILENT "AUTOTUNE_LOG=error"

// True if the test has taken too long.
static bool is_late(void) {
  static _Atomic double begun;
  double none = 0;
  atomic_compare_exchange_strong(&begun, &none, sys_now()); // by the first call
  return sys_now() > begun + 40;
}

// ---- a kernel whose calls can be counted --------------------------------------------

//   #pragma autotune kernel param(U: 1, 2, 4) param(BAD …) inout(c[0:n])
//   void tally(int n, double *c)   { c[i] += 1 }
enum { TALLY_N = 5000 };
static int trap; // variants crash if it is set: 0 in the sandbox, whose image is of the
                 // first call

static atomic_int leaves; // the default variant is left by longjmp
static jmp_buf *leave_to;

__attribute__((noinline)) static void tally_default(int n, double *c) {
  if (leave_to && atomic_fetch_add(&leaves, 1) % 3 == 2)
    longjmp(*leave_to, 1);
  for (int again = 0; again < 30; again++)
    for (volatile int i = 0; i < n; i++)
      c[i] += again == 0;
}

static void tally_invoke(autotune_fn fn, void *const *args, void *ret) {
  (void)ret;
  ((void (*)(int, double *))fn)(*(int *)args[0], *(double **)args[1]);
}

static void tally_describe(void *const *args, struct autotune_call *call) {
  call->spans[0] = (struct autotune_span){ *(void **)args[1],
                                           (size_t)*(int *)args[0] * sizeof(double) };
}

static const char tally_text[] =
    "extern int trap;\n"
    "void tally(int n, double *c) {\n"
    "#if BAD == 4\n"
    "  for (volatile int k = 0; k == k; k++);\n"
    "#endif\n"
    "#if BAD == 3\n"
    "  extern void exit(int); exit(0);\n"
    "#endif\n"
    "  if (trap) *(volatile int *)8 = n;\n"
    "  for (int again = 0; again < U; again++)\n"
    "    for (volatile int i = 0; i < n; i++) c[i] += (again == 0) + (BAD == 2);\n"
    "#if BAD == 1\n"
    "  *(volatile int *)8 = n;\n"
    "#endif\n"
    "#if BAD == 5\n"
    "  does not compile;\n"
    "#endif\n"
    "}\n"
    "void (*const autotune_entry)(int, double *) = tally;\n";
static const struct autotune_unit tally_units[] = { { "clang", tally_text,
                                                      scale_flags } };
static const struct autotune_symbol tally_symbols[] = { { "trap", &trap, sizeof trap } };
static const struct autotune_section tally_sections[] = {
  { "c[0:n]", AUTOTUNE_INOUT, AUTOTUNE_F64, sizeof(double) }
};
static const struct autotune_arg tally_args[] = { { "n", sizeof(int), 0 },
                                                  { "c", sizeof(void *), 1 } };
static struct autotune_kernel tally_kernel = {
  .abi = AUTOTUNE_ABI,
  .name = "tally",
  .file = "tally.c",
  .line = 1,
  .original = (autotune_fn)tally_default,
  .invoke = tally_invoke,
  .describe = tally_describe,
  .n_args = 2,
  .args = tally_args,
  .n_keys = 1,
  .keys = scale_keys,
  .n_params = 2,
  .params = scale_params,
  .n_sections = 1,
  .sections = tally_sections,
  .n_units = 1,
  .units = tally_units,
  .n_symbols = 1,
  .symbols = tally_symbols,
};
static struct autotune_site tally_site = { .kernel = &tally_kernel };

static void tally(int n, double *c) {
  struct autotune_call_state state = { .node = NULL };
  long long key[] = { n };
  void *args[] = { &n, &c };
  autotune_fn fn = autotune_begin(&tally_site, key, args, &state);
  ((void (*)(int, double *))fn)(n, c);
  if (state.node)
    autotune_end(&state);
}

static bool is_decided(void) {
  return __atomic_load_n(&tally_site.hot, __ATOMIC_ACQUIRE) != NULL;
}

// True if each element has been counted up CALLS times.
static bool holds(const double *c, int calls) {
  for (int i = 0; i < TALLY_N; i++)
    if (c[i] != calls)
      return false;
  return true;
}

static bool why_has(const char *words) {
  char *why = NULL;
  bool has = autotune_why("tally", NULL, &why) == AUTOTUNE_OK && strstr(why, words);
  if (!has)
    fprintf(stderr, "'%s' is not in: %s\n", words, why ? why : "(nothing)");
  free(why);
  return has;
}

// Makes calls until real calls have decided.
static void calls_until_decided(void) {
  static double c[TALLY_N];
  int calls = 0;
  memset(c, 0, sizeof c);
  while (!is_decided() && !is_late()) {
    tally(TALLY_N, c);
    EXPECT(holds(c, ++calls));
  }
  tally(TALLY_N, c);
  EXPECT(holds(c, calls + 1));
  EXPECT(is_decided());
}

// ---- variants -----------------------------------------------------------------------

static void decides(void) {
  calls_until_decided();
  EXPECT(why_has("tuned: ") && why_has(", in real calls") && why_has("U=1 "));
  EXPECT(tally_site.hot->code != tally_kernel.original);
}

static void second_process(void) {
  calls_until_decided();
  EXPECT(why_has("stored: "));
}

static void test_first_and_second(void **state) {
  (void)state;
  RUN(decides, NULL);
  RUN(second_process, NULL);
  RUN(decides, "AUTOTUNE_CACHE=off");
}

static void bad_variants(void) {
  scale_params[1].n_values = 6;
  decides();
  long long bad = -1;
  EXPECT(autotune_best_int("tally", NULL, "BAD", &bad) == AUTOTUNE_OK && bad == 0);
}

static void test_bad_variants(void **state) {
  (void)state;
  RUN(bad_variants, "AUTOTUNE_BUDGET=30s");
}

static void only_slow(void) {
  static const struct autotune_value slow[] = { { "900", "900", 900, 900 },
                                                { "600", "600", 600, 600 } };
  scale_params[0].values = slow;
  scale_params[0].n_values = 2;
  calls_until_decided();
  EXPECT(why_has("default: ") && tally_site.hot->code == tally_kernel.original);
}

static void test_only_slow(void **state) {
  (void)state;
  RUN(only_slow, NULL);
}

// ---- programs -----------------------------------------------------------------------

static void *calls(void *data) {
  double *c = calloc(TALLY_N, sizeof *c);
  int n = 0;
  while (!is_decided() && !is_late())
    tally(TALLY_N, c), n++;
  *(bool *)data = holds(c, n);
  free(c);
  return NULL;
}

static void many_threads(void) {
  pthread_t threads[8];
  bool right[8] = { false };
  for (int i = 0; i < 8; i++)
    EXPECT(pthread_create(&threads[i], NULL, calls, &right[i]) == 0);
  for (int i = 0; i < 8; i++) {
    pthread_join(threads[i], NULL);
    EXPECT(right[i]);
  }
  EXPECT(why_has("tuned: "));
}

static void test_threads(void **state) {
  (void)state;
#ifdef __SANITIZE_ADDRESS__ // its own locks are not safe over the fork of a program with
                            // threads
  skip();
#endif
  RUN(many_threads, "AUTOTUNE_BUDGET=10s");
}

// If a call waited for a compiler, the alarm of in_child would end it.
static void compiler_hangs(void) {
  double c[TALLY_N] = { 0 };
  for (int i = 0; i < 400; i++) {
    tally(TALLY_N, c);
    if (i == 200)
      nap(0.5); // by now it is compiling
  }
  EXPECT(holds(c, 400) && !is_decided());
}

static void test_compiler_hangs(void **state) {
  (void)state;
  RUN(compiler_hangs, "AUTOTUNE_BUDGET=60s", "AUTOTUNE_JIT=" JIT_HANGS);
}

// Calls that never end do not make others wait.
static void jumps(void) {
  static double c[TALLY_N];
  static volatile int done;
  jmp_buf here;
  tally(TALLY_N, c);
  done = 1;
  leave_to = &here;
  while (!is_decided() && !is_late())
    if (setjmp(here) == 0) {
      tally(TALLY_N, c);
      done++;
    }
  EXPECT(is_decided() && holds(c, done) && why_has("tuned: "));
}

static void test_jumps(void **state) {
  (void)state;
  RUN(jumps, NULL);
}

static void waits(void) { // there is no call: the sandbox decides
  double c[TALLY_N] = { 0 };
  tally(TALLY_N, c);
  EXPECT(autotune_wait(-1) == AUTOTUNE_OK);
  tally(TALLY_N, c);
  EXPECT(holds(c, 2) && is_decided() && why_has("tuned: "));
  char *why = NULL;
  EXPECT(autotune_why("tally", NULL, &why) == AUTOTUNE_OK &&
         !strstr(why, "in real calls"));
  free(why);
}

static void forgets(void) {
  double c[TALLY_N] = { 0 };
  int n = 0;
  for (; n < 300; n++)
    tally(TALLY_N, c);
  EXPECT(autotune_forget("tally", NULL) == AUTOTUNE_OK);
  for (; n < 600; n++)
    tally(TALLY_N, c);
  autotune_site_close(&tally_site);
  EXPECT(autotune_wait(0) == AUTOTUNE_OK);
  tally(TALLY_N, c);
  EXPECT(holds(c, n + 1));
  autotune_site_close(&tally_site);
}

static void forks(void) {
  double c[TALLY_N] = { 0 };
  int n = 0, status;
  for (; n < 300; n++) {
    pid_t pid = n % 100 == 50 ? fork() : 1;
    if (pid == 0) { // any variant that ran in the parent is right here
      for (int i = 0; i < 10; i++)
        tally(TALLY_N, c);
      _exit(holds(c, n + 10) ? 0 : 1);
    }
    tally(TALLY_N, c);
    EXPECT(pid == 1 || (waitpid(pid, &status, 0) == pid && status == 0));
  }
  EXPECT(holds(c, n));
}

static void test_life(void **state) {
  (void)state;
  RUN(waits, NULL);
  RUN(forgets, "AUTOTUNE_CACHE=off");
  RUN(forks, "AUTOTUNE_CACHE=off");
}

static void many_calls(void) {
  double c[TALLY_N] = { 0 };
  int n = 0;
  for (double end = sys_now() + 0.4; sys_now() < end; n++)
    tally(TALLY_N, c);
  EXPECT(holds(c, n));
}

// Calls of ours fail, in the program or in the tuner.
static void test_faults(void **state) {
  (void)state;
  static const char *const faults[] = {
    "malloc:1+", "malloc:3",  "malloc:8+", "malloc:20", "malloc:60+", "mmap:1",
    "mmap:1+",   "fork:1",    "fork:2+",   "open:1+",   "write:1+",   "jit:1+",
    "jit:3",     "sqlite:1+", "thread:1+", "pipe:1+",
  };
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    char fault[64];
    snprintf(fault, sizeof fault, "AUTOTUNE_FAULT=%s", faults[i]);
    if (in_child(many_calls, (const char *const[]){ MODE, SILENT, fault, NULL }) != 0)
      fail_msg("%s", fault);
    drop_folder(NULL);
    make_folder(NULL);
  }
}

// ---- results are kept ---------------------------------------------------------------

static int count(const char *where) {
  char path[64], select[128];
  sqlite3 *db = NULL;
  sqlite3_stmt *q = NULL;
  snprintf(path, sizeof path, "%s/results.db", fixture_folder);
  snprintf(select, sizeof select, "SELECT count(*) FROM variant WHERE %s", where);
  int n = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
          sqlite3_prepare_v2(db, select, -1, &q, NULL) == SQLITE_OK &&
          sqlite3_step(q) == SQLITE_ROW
      ? sqlite3_column_int(q, 0)
      : 0;
  sqlite3_finalize(q);
  sqlite3_close(db);
  return n;
}

static int quarantined(void) {
  char where[32];
  snprintf(where, sizeof where, "fate = %d", STATUS_PENDING);
  return count(where);
}

static void dies(int times) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t pid = fork();
  if (pid == 0) {
    double c[TALLY_N] = { 0 };
    tally(TALLY_N, c);
    signal(SIGSEGV, SIG_DFL); // cmocka's handler is not for this process
    trap = 1;                 // after the sandbox has its image
    while (!is_late())
      tally(TALLY_N, c);
    _exit(0);
  }
  int status;
  EXPECT(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) &&
         WTERMSIG(status) == SIGSEGV);
  for (int i = 0; i < 200 && waitpid(-1, NULL, WNOHANG) >= 0; i++) // and its tuner
    nap(0.05);
  EXPECT(quarantined() == times);
}

static void dies_once(void) {
  dies(1);
}
static void dies_again(void) {
  dies(2);
} // of another variant

// The next process does not run the variant on which the last one died.
static void test_dies_in_a_call(void **state) {
  (void)state;
  RUN(dies_once, "AUTOTUNE_BUDGET=20s");
  RUN(dies_again, "AUTOTUNE_BUDGET=20s");
}

static void killed(void) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t pid = fork();
  if (pid == 0) {
    double c[TALLY_N] = { 0 };
    scale_params[1].n_values = 5;
    for (;;)
      tally(TALLY_N, c);
  }
  for (int i = 0; i < 2000 && count("length(samples) > 0") < 1; i++)
    nap(0.01);
  nap(0.2);
  kill(pid, SIGKILL);
  for (int i = 0; i < 200 && waitpid(-1, NULL, WNOHANG) >= 0; i++)
    nap(0.05);
  EXPECT(count("length(samples) > 0") >= 1 && quarantined() <= 1);
}

static void goes_on(void) {
  int before = count("fate IS NOT NULL");
  scale_params[1].n_values = 5;
  calls_until_decided();
  EXPECT(why_has("tuned: ") && count("fate IS NOT NULL") >= before);
}

static void test_killed(void **state) {
  (void)state;
  RUN(killed, "AUTOTUNE_BUDGET=30s");
  RUN(goes_on, "AUTOTUNE_BUDGET=30s");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, drop_folder)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_first_and_second),
    TEST(test_bad_variants),
    TEST(test_only_slow),
    TEST(test_threads),
    TEST(test_compiler_hangs),
    TEST(test_jumps),
    TEST(test_life),
    TEST(test_faults),
    TEST(test_dies_in_a_call),
    TEST(test_killed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
