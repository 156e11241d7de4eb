// SPDX-License-Identifier: Apache-2.0
// Kernels that are tuned only when much of the program's time is spent in them.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "call/site.h"
#include "tuned_fixture.h"

#define RUN(body, ...) \
  assert_int_equal(in_child(body, (const char *const[]){ SILENT, __VA_ARGS__, NULL }), 0)
#define SILENT "AUTOTUNE_LOG=error"

enum { SHORT_N = 20, CALLS = 200000 }; // a call of about a microsecond

static struct autotune_gate gate;
static unsigned long begun; // calls that went through the runtime

// The stub of such a kernel.
static void call(int n, const double *a, double *c) {
  struct autotune_entry *hot = __atomic_load_n(&scale_site.hot, __ATOMIC_ACQUIRE);
  struct autotune_call_state state = { .node = NULL };
  autotune_fn fn = scale_kernel.original;
  double f = 3;
  if (hot && hot->key[0] == n && !autotune_due(hot)) {
    fn = hot->code;
  } else if (!autotune_gate_shut(&gate)) {
    long long key[] = { n };
    void *args[] = { &n, &f, &a, &c };
    fn = autotune_begin(&scale_site, key, args, &state);
    begun++;
  }
  ((void (*)(int, double, const double *, double *))fn)(n, f, a, c);
  if (state.node)
    autotune_end(&state);
}

static double a[2 * SCALE_N], c[2 * SCALE_N];

static bool call_is_right(int n) {
  bool right = true;
  for (int i = 0; i < n; i++)
    c[i] = -1;
  call(n, a, c);
  for (int i = 0; right && i < n; i++)
    right = c[i] == 3.0 * i;
  return right;
}

static void when_hot(void) {
  scale_kernel.size = sizeof scale_kernel;
  scale_kernel.when_hot = 1;
  scale_kernel.gate = &gate;
  for (int i = 0; i < 2 * SCALE_N; i++)
    a[i] = i;
}

static double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool is_tuned(void) {
  return scale_site.hot && scale_site.hot->code != scale_kernel.original;
}

// ---- cold ---------------------------------------------------------------------------

// True if there was about one sample in 20 us since START, or in 1024 calls, at most.
// Where a sanitizer makes calls slower, more of them are samples.
static bool few_begun(double start) {
  return begun < 2 * (seconds_now() - start) / 20e-6 + CALLS / 512 && begun < CALLS;
}

static void short_calls(void) {
  double start = seconds_now();
  when_hot();
  for (int i = 0; i < CALLS; i++)
    call(SHORT_N, a, c);
  EXPECT(!scale_site.hot && begun > 100 && few_begun(start));
  EXPECT(scale_why_has("too little of the program's time"));
}

// Keys that are always new are no more work than others.
static void short_calls_of_many_keys(void) {
  double start = seconds_now();
  when_hot();
  for (int i = 0; i < CALLS; i++)
    call(i % 997 % SHORT_N + 2 * (i % 3), a, c);
  EXPECT(!scale_site.hot && few_begun(start));
}

static void test_short(void **state) {
  (void)state;
  RUN(short_calls, NULL);
  RUN(short_calls_of_many_keys, NULL);
}

static void *calls_in_a_thread(void *data) {
  (void)data;
  for (int i = 0; i < 1000; i++) {
    double out[SHORT_N];
    call(SHORT_N, a, out);
  }
  return NULL;
}

// Threads would share the counter.
static void short_calls_of_threads(void) {
  pthread_t thread;
  when_hot();
  calls_in_a_thread(NULL);
  EXPECT(pthread_create(&thread, NULL, calls_in_a_thread, NULL) == 0 &&
         pthread_join(thread, NULL) == 0);
  EXPECT(gate.left == AUTOTUNE_GATE_CLOSED);
}

static void calls_of_mode_off(void) {
  when_hot();
  call(SCALE_N, a, c);
  EXPECT(gate.left == AUTOTUNE_GATE_CLOSED);
}

static void test_closed(void **state) {
  (void)state;
  RUN(short_calls_of_threads, NULL);
  RUN(calls_of_mode_off, "AUTOTUNE_MODE=off");
}

// A kernel whose calls are long, but which takes little of the program's time.
static void rare_calls(void) {
  when_hot();
  for (int i = 0; i < 50; i++)
    EXPECT(call_is_right(SCALE_N));
  EXPECT(!scale_site.hot && first_child(getpid()) == 0);
}

static void test_rare(void **state) {
  (void)state;
  RUN(rare_calls, NULL);
}

static int one_text(void *data, int n, char **columns, char **names) {
  (void)n, (void)names;
  snprintf(data, 256, "%s", columns[0] ? columns[0] : "");
  return 0;
}

// Reads what SELECT gives.
static void read_text(const char *select, char text[256]) {
  char path[64];
  sqlite3 *db = NULL;
  *text = '\0';
  snprintf(path, sizeof path, "%s/results.db", fixture_folder);
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  sqlite3_busy_timeout(db, 10000); // a check may outlive the program that began it
  assert_int_equal(sqlite3_exec(db, select, one_text, text, NULL), SQLITE_OK);
  sqlite3_close(db);
}

// Reads COLUMN of the row about the kernel.
static void read_asked(const char *column, char text[256]) {
  char select[128];
  snprintf(select, sizeof select, "SELECT %s FROM asked", column);
  read_text(select, text);
}

static void short_calls_for_long(void) {
  when_hot();
  for (double end = seconds_now() + 1.5; seconds_now() < end;)
    for (int i = 0; i < 1000; i++)
      call(SHORT_N, a, c);
  exit(0);
}

static void test_stored_why(void **state) {
  char why[256];
  (void)state;
  RUN(short_calls_for_long, NULL);
  read_asked("why", why);
  assert_non_null(strstr(why, "default: called "));
  assert_non_null(strstr(why, " a call: too short to tune"));
  read_asked("took", why);
  assert_true(atof(why) > 0 && atof(why) < 20e-6);
}

// ---- hot ----------------------------------------------------------------------------

static void becomes_hot(void) {
  when_hot();
  double start = seconds_now();
  while (!is_tuned() && seconds_now() - start < 60)
    EXPECT(call_is_right(SCALE_N));
  EXPECT(is_tuned() && scale_why_has("tuned: "));
  EXPECT(seconds_now() - start > 0.2);
  EXPECT(call_is_right(SCALE_N));
}

// The next process need not wait until it is hot.
static void is_known(void) {
  when_hot();
  double start = seconds_now();
  while (!is_tuned() && seconds_now() - start < 60)
    EXPECT(call_is_right(SCALE_N));
  EXPECT(is_tuned() && scale_why_has("stored: "));
}

// Where calls are short, the store is not asked for a result.
static void is_not_looked_up(void) {
  when_hot();
  for (double end = seconds_now() + 0.5; seconds_now() < end;)
    call(SHORT_N, a, c);
  EXPECT(!scale_site.hot && scale_why_has("too little of the program's time"));
}

static void test_hot(void **state) {
  (void)state;
  char text[256];
  RUN(becomes_hot, "AUTOTUNE_BUDGET=10s");
  read_asked("share", text);
  assert_true(atof(text) > 0.05 && atof(text) <= 1);
  RUN(is_known, "AUTOTUNE_MODE=locked");
  RUN(is_known, NULL);
  RUN(is_not_looked_up, NULL);
}

// ---- winners that are slower in the program than in its copies ------------------------

static pid_t program; // whose own calls are fast

static void fast_in_the_program(int n, double f, const double *x, double *y) {
  for (int again = getpid() == program ? 4 : 160; again > 0; again--)
    for (volatile int i = 0; i < n; i++)
      y[i] = f * x[i];
}

static const char slow_text[] =
    "void scale(int n, double f, const double *a, double *c) {\n"
    "  for (int again = 0; again < 40; again++)\n"
    "    for (volatile int i = 0; i < n; i++) c[i] = f * a[i];\n"
    "  static volatile int mark[U + BAD]; mark[0] = 1;\n"
    "}\n"
    "void (*const autotune_entry)(int, double, const double *, double *) = scale;\n";
static const struct autotune_unit slow_units[] = { { "clang", slow_text, scale_flags } };

static void slow_in_the_program(void) {
  when_hot();
  program = getpid();
  scale_kernel.original = (autotune_fn)fast_in_the_program;
  scale_kernel.units = slow_units;
}

static void call_for(double seconds) {
  for (double end = seconds_now() + seconds; seconds_now() < end;)
    EXPECT(call_is_right(SCALE_N));
}

static bool why_has(const char *words) {
  char *why = NULL;
  bool has = autotune_why("scale", NULL, &why) == AUTOTUNE_OK && strstr(why, words);
  free(why);
  return has;
}

#define OWN_CALLS "x as fast as the default in 8 pairs of the program's own calls"

// A variant wins in copies of the program, and loses in its own calls.
static void loses_in_the_program(void) {
  slow_in_the_program();
  for (double end = seconds_now() + 60; !is_tuned() && seconds_now() < end;)
    EXPECT(call_is_right(SCALE_N));
  EXPECT(is_tuned() && scale_why_has("tuned: "));
  for (double end = seconds_now() + 60; !why_has(OWN_CALLS) && seconds_now() < end;)
    EXPECT(call_is_right(SCALE_N));
  EXPECT(scale_why_has("default: the variant BAD=0 U=") && scale_why_has(OWN_CALLS));
  EXPECT(scale_why_has("is not clearly faster in the program"));
  EXPECT(scale_site.hot->code == scale_kernel.original);
  _exit(0); // that is stored at once, not at the end
}

static void has_lost(void) {
  slow_in_the_program();
  for (double end = seconds_now() + 60; !why_has(OWN_CALLS) && seconds_now() < end;)
    EXPECT(call_is_right(SCALE_N));
  EXPECT(!is_tuned() && scale_why_has("default: what won an earlier tuning is not "));
  EXPECT(scale_why_has(OWN_CALLS));
}

static void read_own_calls(struct own_calls *own) {
  static const char *const columns[] = { "own_pairs", "own_slower", "own_original",
                                         "own_winner" };
  double numbers[4];
  char select[64], text[256];
  for (int i = 0; i < 4; i++) {
    snprintf(select, sizeof select, "SELECT %s FROM winner", columns[i]);
    read_text(select, text);
    numbers[i] = atof(text);
  }
  *own = (struct own_calls){ .pairs = (unsigned)numbers[0],
                             .slower = (unsigned)numbers[1],
                             .original = numbers[2],
                             .winner = numbers[3] };
}

static void test_slower_in_the_program(void **state) {
  struct own_calls own;
  (void)state;
  RUN(loses_in_the_program, "AUTOTUNE_BUDGET=10s");
  read_own_calls(&own);
  assert_int_equal(own.pairs, 8);
  assert_true(own.slower >= 6 && own.winner > 2 * own.original);
  RUN(has_lost, "AUTOTUNE_MODE=locked");
}

// Two pairs take place in it, or three.
static void runs_for_a_while(void) {
  when_hot();
  call_for(0.25);
  EXPECT(is_tuned());
  exit(0);
}

// Comparisons go on in later runs until they are enough. There are none in a mode that
// never measures.
static void test_own_calls(void **state) {
  struct own_calls own;
  unsigned before = 0;
  (void)state;
  RUN(becomes_hot, "AUTOTUNE_BUDGET=10s");
  RUN(runs_for_a_while, "AUTOTUNE_MODE=locked");
  read_own_calls(&own);
  assert_int_equal(own.pairs, 0);
  for (int i = 0; i < 40 && own.pairs < 4; i++) {
    before = own.pairs;
    RUN(runs_for_a_while, NULL);
    read_own_calls(&own);
    assert_in_range(own.pairs, before, before + 4);
  }
  assert_in_range(own.pairs, 4, 8);
  assert_true(own.original > 2 * own.winner && own.winner > 0);
  before = own.pairs;
  RUN(runs_for_a_while, NULL);
  read_own_calls(&own);
  assert_int_equal(own.pairs, before);
}

// ---- winners that were compared with nothing ------------------------------------------

// Stores the winner as one whose answers were not compared.
static void forgets_comparison(void) {
  when_hot();
  EXPECT(call_is_right(SCALE_N));
  struct node *n = site_find(site_of(&scale_site), (const long long[]){ SCALE_N });
  struct identity id = node_identity(n);
  struct summary m;
  char *why = NULL;
  struct store *s = store_open(&why);
  EXPECT(s && store_find_winner(s, &id, &m, &why) == WINNER_FOUND && m.winner);
  m.verified = false;
  EXPECT(store_summary(s, &id, &m) == 0);
  store_close(s);
}

static bool told;

static void look_for_unchecked(enum autotune_level level, const char *message,
                               void *data) {
  (void)level, (void)data;
  told = told ||
      strstr(message,
             "its answers were never compared, and --auto runs no variant unchecked");
}

static void is_not_used(void) {
  when_hot();
  autotune_set_log(look_for_unchecked, NULL);
  for (double end = seconds_now() + 0.5; seconds_now() < end;)
    EXPECT(call_is_right(SCALE_N));
  EXPECT(!is_tuned() && told);
}

static bool is_decided(void) {
  const struct node *n = site_find(site_of(&scale_site), (const long long[]){ SCALE_N });
  return n && atomic_load(&n->decided);
}

static void describe_nothing(void *const *args, struct autotune_call *call) {
  (void)args, (void)call;
}

// Each call leaves what was there before.
static void changes_nothing(void) {
  when_hot();
  scale_kernel.n_sections = 0;
  scale_kernel.describe = describe_nothing;
  EXPECT(call_is_right(SCALE_N));
  for (double end = seconds_now() + 30; seconds_now() < end && !is_decided();)
    call(SCALE_N, a, c);
  EXPECT(!is_tuned() && scale_why_has("default: what it changes cannot all be compared"));
}

static void test_unchecked(void **state) {
  (void)state;
  RUN(changes_nothing, NULL);
  RUN(becomes_hot, "AUTOTUNE_BUDGET=10s");
  RUN(is_known, "AUTOTUNE_MODE=locked");
  RUN(forgets_comparison, "AUTOTUNE_MODE=locked");
  RUN(is_not_used, "AUTOTUNE_MODE=locked", "AUTOTUNE_LOG=info");
  RUN(becomes_hot, "AUTOTUNE_BUDGET=10s");
  RUN(is_known, "AUTOTUNE_MODE=locked");
}

// ---- a program with one hot kernel and three cold ones --------------------------------

enum { COLD = 3 };
static struct autotune_kernel cold_kernels[COLD];
static struct autotune_gate cold_gates[COLD];
static struct autotune_site cold_sites[COLD];

static void call_cold(unsigned which, int n) {
  struct autotune_call_state state = { .node = NULL };
  const double *in = a;
  double f = 3, *out = c;
  long long key[] = { n };
  void *args[] = { &n, &f, &in, &out };
  autotune_fn fn = cold_kernels[which].original;
  if (!autotune_gate_shut(&cold_gates[which]))
    fn = autotune_begin(&cold_sites[which], key, args, &state);
  scale_invoke(fn, args, NULL);
  if (state.node)
    autotune_end(&state);
}

// The first is short, the second changes its key, and the third is called a few times.
static void one_of_four(void) {
  static const char *const names[COLD] = { "short", "changing", "rare" };
  when_hot();
  for (unsigned i = 0; i < COLD; i++) {
    cold_kernels[i] = scale_kernel;
    cold_kernels[i].name = names[i];
    cold_kernels[i].gate = &cold_gates[i];
    cold_sites[i].kernel = &cold_kernels[i];
  }
  double start = seconds_now();
  for (int i = 0; !is_tuned() && seconds_now() - start < 60; i++) {
    EXPECT(call_is_right(SCALE_N));
    call_cold(0, SHORT_N);
    call_cold(1, i % SHORT_N);
    if (i % 100 == 0)
      call_cold(2, SCALE_N);
  }
  EXPECT(is_tuned() && scale_why_has("tuned: "));
  while (seconds_now() - start < 1.2) // shorter programs store nothing of the others
    call(SCALE_N, a, c);
  for (unsigned i = 0; i < COLD; i++)
    EXPECT(!cold_sites[i].hot);
  exit(0);
}

static void test_one_of_four(void **state) {
  char text[256];
  (void)state;
  RUN(one_of_four, "AUTOTUNE_BUDGET=10s");
  read_asked("count(*)", text);
  assert_string_equal(text, "4");
  // On a busy machine a sample of a cold one may have waited for a processor.
  read_asked("sum(share > (SELECT max(share) / 2 FROM asked))", text);
  assert_string_equal(text, "1");
  read_asked("sum(why LIKE '%too short to tune')", text);
  assert_string_equal(text, "2");
  read_asked("sum(why LIKE '%too little to tune it')", text);
  assert_string_equal(text, "1");
}

// The user's mode holds: its tuning is waited for.
static void waits(void) {
  when_hot();
  for (int i = 0; i < 2000 && !is_tuned(); i++)
    EXPECT(call_is_right(SCALE_N) && first_child(getpid()) == 0);
  EXPECT(is_tuned() && scale_why_has("tuned: "));
}

static void test_mode(void **state) {
  (void)state;
  RUN(waits, "AUTOTUNE_MODE=first");
}

// A key with a new value in each call: a few are tuned, and then they agree.
static bool agreed;

static void look_for_agreement(enum autotune_level level, const char *message,
                               void *data) {
  (void)level, (void)data;
  agreed = agreed || strstr(message, "compared with the default for this key");
}

static void changes_always(void) {
  when_hot();
  autotune_set_log(look_for_agreement, NULL);
  for (int i = 0; !agreed && i < 8000; i++) // no value comes again
    EXPECT(call_is_right(SCALE_N + i));
  EXPECT(agreed);
}

static void test_changing_keys(void **state) {
  (void)state;
  RUN(changes_always, "AUTOTUNE_LOG=info", "AUTOTUNE_BUDGET=0.5s");
}

// Tunings may take 5 % of the time, and half of what one processor is idle. Threads that
// ran at the same time may need twice as many.
static void test_allowance(void **state) {
  (void)state;
  assert_float_equal(hot_allowance_of(4, 4, 1), 0.2, 1e-9);
  assert_float_equal(hot_allowance_of(4, 6, 1), 0.2, 1e-9);
  assert_float_equal(hot_allowance_of(4, 8, 2), 0.2, 1e-9);
  assert_float_equal(hot_allowance_of(4, 4 * 64, 64), 0.2, 1e-9);
  assert_float_equal(hot_allowance_of(4, 6, 2), 0.2, 1e-9);
  assert_float_equal(hot_allowance_of(4, 16, 8), 0.2, 1e-9);
  assert_float_equal(hot_allowance_of(4, 16, 9), 0.2 + 2, 1e-9);
  assert_float_equal(hot_allowance_of(4, 4, 2), 0.2 + 2, 1e-9);
  assert_float_equal(hot_allowance_of(4, 4, 64), 0.2 + 2, 1e-9);
  assert_float_equal(hot_allowance_of(4, 1, 1), 0.2 + 1.5, 1e-9);
}

// A tuning begins when its start can be paid, which takes some 0.5 s of CPU.
static void begins(void) {
  struct site s = { .kernel = &scale_kernel };
  const struct node n = { .site = &s };
  scale_kernel.budget_fraction = 0.1;
  allowance_spend(&s, 1e-3, 4900);
  EXPECT(!allowance_begins(&n));
  allowance_spend(&s, 1e-3, 400);
  EXPECT(allowance_begins(&n));
}

// Of two kernels that wait for the allowance that they share, the one that takes more
// time is tuned first, although it needs more for its start.
static void begins_with_the_hottest(void) {
  when_hot();
  struct site s = { .kernel = &scale_kernel }, hotter = { .kernel = &scale_kernel };
  const struct node n = { .site = &s }, hottest = { .site = &hotter };
  allowance_spend(&s, 1e-3, 1000);
  allowance_spend(&hotter, 10e-3, 1000);
  allowance_cost(&s, hot_allowance() - 0.53);
  EXPECT(!allowance_begins(&hottest));
  EXPECT(!allowance_begins(&n));
  allowance_cost(&s, -0.1);
  EXPECT(!allowance_begins(&n));
  EXPECT(allowance_begins(&hottest));
  EXPECT(allowance_begins(&n)); // that one does not wait any more
}

// Of the keys of a kernel those are tuned in which its time goes.
static void tunes_the_keys_that_matter(void) {
  when_hot();
  struct site s = { .kernel = &scale_kernel };
  struct node large = { .site = &s, .usual = 1e-3 },
              small = { .site = &s, .usual = 1e-4 }, only = { .site = &s, .usual = 1e-3 };
  atomic_store(&s.n_nodes, 1);
  hot_see(&s, &only, 1e-3, 10);
  EXPECT(hot_leads(&s, &only));
  atomic_store(&s.n_nodes, 3);
  hot_see(&s, &large, 1e-3, 1000);
  hot_see(&s, &small, 100e-6, 1000);
  EXPECT(hot_leads(&s, &large));
  EXPECT(!hot_leads(&s, &small));
  hot_see(&s, &small, 100e-6, 2000);
  EXPECT(hot_leads(&s, &small));                     // 0.3 of 1.31 s
  struct node fresh = { .site = &s, .usual = 1e-4 }; // such as the number of a step
  EXPECT(hot_leads(&s, &fresh));
}

static void test_begins(void **state) {
  (void)state;
  RUN(tunes_the_keys_that_matter, NULL);
  RUN(begins, NULL);
  RUN(begins_with_the_hottest, "AUTOTUNE_AFTER=off", NULL);
}

// ---- earlier runs -------------------------------------------------------------------

static void notes_runs(void) {
  const struct earlier run = { .usage = { .calls = 1, .seconds = 2, .share = 0.9 },
                               .elapsed = 2.5,
                               .cpu = 4.5,
                               .changing = 6 };
  const struct autotune_kernel k = { .name = "k", .file = "k.c" },
                               other = { .name = "l", .file = "k.c" },
                               elsewhere = { .name = "k", .file = "l.c" };
  struct earlier found = { .cpu = -1 };
  char path[64];
  snprintf(path, sizeof path, "%s/hot", fixture_folder);
  EXPECT(!earlier_find(&k, &found) && access(path, F_OK) != 0);
  earlier_note(&k, NULL);
  EXPECT(access(path, F_OK) != 0); // there is nothing to forget
  earlier_note(&k, &run);
  EXPECT(earlier_find(&k, &found));
  EXPECT(memcmp(&found, &run, sizeof run) == 0);
  EXPECT(!earlier_find(&elsewhere, &found) && !earlier_find(&other, &found));
  int fd = open(path, O_RDWR);
  struct stat st;
  double damage = 1e9;
  EXPECT(fstat(fd, &st) == 0 && st.st_size > 64);
  EXPECT(pwrite(fd, &damage, sizeof damage, st.st_size - 24) == sizeof damage);
  EXPECT(!earlier_find(&k, &found));
  earlier_note(&k, &run);
  EXPECT(earlier_find(&k, &found));
  earlier_note(&k, NULL);
  EXPECT(!earlier_find(&k, &found));
  close(fd);
}

// What an earlier run of the program was like decides for the first call of this one.
static void recalls(void) {
  const struct earlier run = { .usage = { .calls = 1, .seconds = 2, .share = 0.9 },
                               .elapsed = 2.5,
                               .cpu = 2.5,
                               .changing = 2 };
  when_hot();
  struct autotune_kernel elsewhere = kernel_copy(&scale_kernel);
  elsewhere.file = "elsewhere.c";
  struct site s = { .kernel = &scale_kernel }, other = { .kernel = &elsewhere };
  struct node fresh = { .site = &s };
  hot_begin();
  earlier_note(&scale_kernel, &run);
  hot_recall(&s);
  hot_recall(&other);
  EXPECT(hot_tunes(&s) && !hot_tunes(&other));
  EXPECT(hot_lets(&s, NULL) && !hot_lets(&other, NULL));
  EXPECT(hot_lets(&s, &fresh));
  EXPECT(hot_allowance_expected(&s) >= 0.1 && hot_allowance_expected(&other) == 0);
  EXPECT(hot_usage(&s).share == 0.9);
  EXPECT(given_up_changing(&s) == 2 && given_up_changing(&other) == 0);
  for (int i = 0; i < 25; i++) // looks into the store for other keys
    hot_asked(1e-3);
  EXPECT(!hot_lets(&s, NULL));
}

// A tuning did not come to its end in an earlier run, and there is no credit for another
// one. It goes on if what it has found will pay for that.
static void goes_on_for_what_was_found(void) {
  const struct earlier run = { .usage = { .calls = 100, .seconds = 0.02, .share = 0.8 },
                               .elapsed = 2.5,
                               .cpu = 2 };
  when_hot();
  struct site s = { .kernel = &scale_kernel };
  struct node n = { .site = &s };
  hot_begin();
  earlier_note(&scale_kernel, &run);
  ledger_add(&(struct ledger){ .time = 2.5, .lost = 0.5 });
  hot_recall(&s);
  EXPECT(hot_seconds_expected(&s) == 0.8 * 2);
  EXPECT(!allowance_begins(&n));
  n.found = 0.1;
  EXPECT(!allowance_begins(&n));
  n.found = 0.5;
  EXPECT(allowance_begins(&n));
}

// After the fork the program copies each page that it writes to. Where that takes half of
// a run, a tuning begins at the last call.
static void waits_for_the_last_call(void) {
  enum { SIZE = 64 << 20, ALL = 42 };
  when_hot();
  sys_set_clock(1); // the time of this run does not count
  hot_begin();
  char *memory = sys_malloc(SIZE);
  if (!memory)
    return;
  for (size_t i = 0; i < SIZE; i += 1024)
    ((volatile char *)memory)[i] = 1;
  double time = 2 * loss_copies();
  const struct earlier run = {
    .usage = { .calls = ALL, .seconds = time / ALL, .share = 0.9 },
    .elapsed = time,
    .cpu = time
  };
  struct site s = { .kernel = &scale_kernel };
  struct node n = { .site = &s };
  earlier_note(&scale_kernel, &run);
  hot_recall(&s);
  EXPECT(hot_left(&s) > 0.9 && !allowance_begins(&n));
  s.heat.calls = ALL - 3;
  EXPECT(!allowance_begins(&n));
  s.heat.calls = ALL - 1;
  EXPECT(hot_left(&s) < 1e-9 && allowance_begins(&n));
  free(memory);
}

// What a check uses of processors is lost, but for what the program leaves idle.
static void checks_may_take_time(void) {
  hot_begin();
  ledger_add(&(struct ledger){ .time = 10, .lost = 0.05 });
  nanosleep(&(struct timespec){ .tv_nsec = 400000000 }, NULL);
  double idle = hot_idle();
  EXPECT(idle > 0.1 && loss_lets_tune(0, 0));
  loss_check(0.9 * idle);
  EXPECT(loss_lets_tune(0, 0));
  loss_check(idle);
  EXPECT(!loss_lets_tune(0, 0));
}

static void test_earlier(void **state) {
  (void)state;
  RUN(notes_runs, NULL);
  RUN(recalls, "AUTOTUNE_AFTER=off", NULL);
}

static void test_goes_on(void **state) {
  (void)state;
  RUN(goes_on_for_what_was_found, NULL);
}

static void test_waits_for_the_last_call(void **state) {
  (void)state;
  RUN(waits_for_the_last_call, NULL);
}

static void test_checks_take_time(void **state) {
  (void)state;
  RUN(checks_may_take_time, NULL);
}

// ---- what others do to the files, and the program to itself --------------------------

enum { HANGS = 20 }; // seconds

// The folder was not checked by then, so others may put anything there.
static void finds_fifos(void) {
  char path[64];
  alarm(HANGS);
  snprintf(path, sizeof path, "%s/hot", fixture_folder);
  EXPECT(mkfifo(path, 0600) == 0);
  snprintf(path, sizeof path, "%s/ledger", fixture_folder);
  EXPECT(mkfifo(path, 0600) == 0);
  when_hot();
  EXPECT(call_is_right(SCALE_N) && loss_lets_tune(1, 0));
}

// The program ends as it would without autotune.
static void may_write_little(void) {
  EXPECT(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 1000, 1000 }) == 0);
  when_hot();
  for (double start = seconds_now(); seconds_now() < start + 0.5;)
    call(SCALE_N, a, c);
  EXPECT(hot_tunes(scale_site.state));
  exit(0);
}

static void forks_after_tuning(void) {
  int status = -1;
  when_hot();
  call(SCALE_N, a, c);
  allowance_cost(scale_site.state, 5);
  EXPECT(allowance_cost_now() == 5);
  pid_t child = fork();
  if (child == 0)
    _exit(allowance_cost_now() != 0);
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
}

static void *first_call_of_a_cancelled_one(void *data) {
  pthread_cancel(pthread_self());
  call(SCALE_N, a, c);
  pthread_testcancel();
  return data;
}

// The files that the first call opens are no place to end: others would wait for ever.
static void cancels_a_thread(void) {
  pthread_t thread;
  void *end = NULL;
  alarm(HANGS);
  when_hot();
  EXPECT(pthread_create(&thread, NULL, first_call_of_a_cancelled_one, NULL) == 0 &&
         pthread_join(thread, &end) == 0 && end == PTHREAD_CANCELED);
  EXPECT(sites_lock() == scale_site.state && scale_site.state);
  sites_unlock();
}

// Nor is the end of a look, which closes the store.
static void cancels_a_looking_thread(void) {
  pthread_t thread;
  void *end = NULL;
  char *message = NULL;
  alarm(HANGS);
  struct store *s = store_open(&message);
  EXPECT(s);
  store_close(s);
  EXPECT(pthread_create(&thread, NULL, first_call_of_a_cancelled_one, NULL) == 0 &&
         pthread_join(thread, &end) == 0 && end == PTHREAD_CANCELED);
  EXPECT(decide_take());
  decide_release();
  s = store_open(&message);
  EXPECT(s);
  store_close(s);
}

// ---- the next program ends a tuning --------------------------------------------------

static volatile sig_atomic_t rung;

static void count_ring(int signal) {
  (void)signal;
  rung++;
}

static void rings(void) {
  struct timespec before, later;
  signal(SIGUSR1, count_ring);
  clock_gettime(CLOCK_REALTIME_COARSE, &before);
  ring_ready();
  ring_heed(SIGUSR1, &before); // one has begun since then
  EXPECT(rung == 1);
  nap(0.05);
  clock_gettime(CLOCK_REALTIME_COARSE, &later);
  ring_heed(SIGUSR1, &later);
  EXPECT(rung == 1);
  ring_begun();
  EXPECT(rung >= 2);
}

static void test_ring(void **state) {
  (void)state;
  RUN(rings, NULL);
}

static void test_habits(void **state) {
  (void)state;
  RUN(finds_fifos, "AUTOTUNE_MODE=locked");
  RUN(forks_after_tuning, "AUTOTUNE_MODE=locked");
  RUN(cancels_a_thread, "AUTOTUNE_MODE=locked");
  RUN(cancels_a_looking_thread, "AUTOTUNE_MODE=locked");
  remove_folder();
  make_folder(NULL);
  RUN(may_write_little, "AUTOTUNE_MODE=locked");
}

int main(int argc, char **argv) {
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_allowance),
    cmocka_unit_test(test_begins),
    cmocka_unit_test_setup_teardown(test_short, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_closed, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_rare, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_stored_why, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_hot, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_slower_in_the_program, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_own_calls, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_unchecked, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_one_of_four, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_mode, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_changing_keys, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_earlier, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_goes_on, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_waits_for_the_last_call, make_folder,
                                    drop_folder),
    cmocka_unit_test_setup_teardown(test_checks_take_time, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_habits, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_ring, make_folder, drop_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
