// SPDX-License-Identifier: Apache-2.0
// Environment, log, fault points and machine.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "base/base.h"

// Runs the child NAME with VARIABLE set. Its standard error must be exactly SAID.
static void expect(const char *name, const char *variable, const char *expected) {
  char *said;
  int status = run_child(name, "", variable, &said);
  if (status != 0 || strcmp(said, expected) != 0)
    print_error("%s, %s: status %d, said:\n%s\n", name, variable ? variable : "", status,
                said);
  assert_int_equal(status, 0);
  assert_string_equal(said, expected);
  free(said);
}

// ---- environment --------------------------------------------------------------------

static int print_options(char *unused) {
  (void)unused;
  const struct options *o = options_get();
  fprintf(stderr, "mode %d%s budget %g %u search %s seed %llu log %d cache %s\n", o->mode,
          o->mode_set ? " set" : "", o->budget.seconds, o->budget.variants,
          o->search ? o->search : "-", (unsigned long long)o->seed, o->log_level,
          o->cache ? o->cache : "-");
  options_get();
  return 0;
}

#define DEFAULTS "mode 0 budget 0 0 search - seed 1 log 1 cache -\n"

static void test_variables_are_read(void **state) {
  (void)state;
  static const struct {
    const char *variable, *said;
  } cases[] = {
    { NULL, DEFAULTS },
    { "AUTOTUNE_MODE=", DEFAULTS },
    { "AUTOTUNE_MODE=off", "mode 2 set budget 0 0 search - seed 1 log 1 cache -\n" },
    { "AUTOTUNE_MODE=locked", "mode 1 set budget 0 0 search - seed 1 log 1 cache -\n" },
    { "AUTOTUNE_MODE=background",
      "mode 4 set budget 0 0 search - seed 1 log 1 cache -\n" },
    { "AUTOTUNE_BUDGET=5s", "mode 0 budget 5 0 search - seed 1 log 1 cache -\n" },
    { "AUTOTUNE_BUDGET=200", "mode 0 budget 0 200 search - seed 1 log 1 cache -\n" },
    { "AUTOTUNE_BUDGET=1.5s,200",
      "mode 0 budget 1.5 200 search - seed 1 log 1 cache -\n" },
    { "AUTOTUNE_BUDGET=50, 2min",
      "mode 0 budget 120 50 search - seed 1 log 1 cache -\n" },
    { "AUTOTUNE_BUDGET=quick", "mode 0 budget 2 0 search - seed 1 log 1 cache -\n" },
    { "AUTOTUNE_BUDGET=250ms", "mode 0 budget 0.25 0 search - seed 1 log 1 cache -\n" },
    { "AUTOTUNE_SEED=0x10", "mode 0 budget 0 0 search - seed 16 log 1 cache -\n" },
    { "AUTOTUNE_SEARCH=random",
      "mode 0 budget 0 0 search random seed 1 log 1 cache -\n" },
    { "AUTOTUNE_LOG=debug", "mode 0 budget 0 0 search - seed 1 log 3 cache -\n" },
    { "AUTOTUNE_HOME=/x", DEFAULTS },
    { "AUTOTUNE_TEST_ANYTHING=1", DEFAULTS },
    { "AUTOTUNE_CACHE=/x", "mode 0 budget 0 0 search - seed 1 log 1 cache /x\n" },
    { "AUTOTUNE_CACHE=off", "mode 0 budget 0 0 search - seed 1 log 1 cache \n" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    expect("options", cases[i].variable, cases[i].said);
}

static void test_what_is_not_understood_is_refused(void **state) {
  (void)state;
#define REFUSED(text) "autotune: warning: " text "\n" DEFAULTS
  static const struct {
    const char *variable, *said;
  } cases[] = {
    { "AUTOTUNE_MODE=frist",
      REFUSED("AUTOTUNE_MODE=frist: unknown value; did you mean 'first'?") },
    { "AUTOTUNE_DRIFT=soon",
      REFUSED("AUTOTUNE_DRIFT=soon: neither 'off' nor a time such as '8s'") },
    { "AUTOTUNE_DRIFT=quick",
      REFUSED("AUTOTUNE_DRIFT=quick: neither 'off' nor a time such as '8s'") },
    { "AUTOTUNE_BUDGET=fast",
      REFUSED("AUTOTUNE_BUDGET=fast: not a budget such as '5s', '200' (variants), '5%' "
              "(of the time in the kernel) or '5s,200', and none of the words quick, "
              "normal and patient") },
    { "AUTOTUNE_UNTIL=2",
      REFUSED("AUTOTUNE_UNTIL=2: not a share such as '2%' (of the "
              "time), 'roof 80%' (of the machine's limit) or "
              "'2%,roof 80%'") },
    { "AUTOTUNE_LOG=infos",
      REFUSED("AUTOTUNE_LOG=infos: unknown value; did you mean 'info'?") },
    { "AUTOTUNE_SEARCH=randm",
      REFUSED("AUTOTUNE_SEARCH=randm: unknown value; did you mean 'random'?") },
    { "AUTOTUNE_LOG=everything",
      REFUSED("AUTOTUNE_LOG=everything: unknown value; there are error, warn, info, "
              "debug") },
    { "AUTOTUNE_CAPTURE_LIMIT=4GB",
      REFUSED("AUTOTUNE_CAPTURE_LIMIT=4GB: not a number of bytes such as '4G' or "
              "'512M'") },
    { "AUTOTUNE_CAPTURE_LIMIT=0.1",
      REFUSED("AUTOTUNE_CAPTURE_LIMIT=0.1: not a number of bytes such as '4G' or "
              "'512M'") },
    { "AUTOTUNE_MAXSIZE=2GB",
      REFUSED("AUTOTUNE_MAXSIZE=2GB: neither '0' (no limit) nor a number of bytes such "
              "as '4G' or '512M'") },
    { "AUTOTUNE_SEED=-1", REFUSED("AUTOTUNE_SEED=-1: not a whole number") },
    { "AUTOTUNE_BUDGTE=5s",
      REFUSED("AUTOTUNE_BUDGTE: there is no such variable; did you mean "
              "AUTOTUNE_BUDGET?") },
    { "AUTOTUNE_BUDGET_OF_A_PROGRAM_WHOSE_NAME_IS_LONGER_THAN_ALL_THE_OTHERS=5s",
      REFUSED("AUTOTUNE_BUDGET_OF_A_PROGRAM_WHOSE_NAME_…: there is no such variable") },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    expect("options", cases[i].variable, cases[i].said);
  unsetenv("AUTOTUNE_BUDGTE");
  unsetenv("AUTOTUNE_BUDGET_OF_A_PROGRAM_WHOSE_NAME_IS_LONGER_THAN_ALL_THE_OTHERS");
}

static void test_the_limit_of_the_folder(void **state) {
  (void)state;
  static struct {
    char entry[32];
    uint64_t most;
  } cases[] = {
    { "AUTOTUNE_MODE=first", 5ull << 30 },     { "AUTOTUNE_MAXSIZE=0", 0 },
    { "AUTOTUNE_MAXSIZE=500M", 500ull << 20 }, { "AUTOTUNE_MAXSIZE=2G", 2ull << 30 },
    { "AUTOTUNE_MAXSIZE=-1", 5ull << 30 },     { "AUTOTUNE_MAXSIZE=", 5ull << 30 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct options_read r;
    options_read((char *[]){ cases[i].entry, NULL }, &r);
    assert_int_equal(r.options.most, cases[i].most);
    options_free(&r);
  }
}

static void test_budgets(void **state) {
  (void)state;
  static const char *const bad[] = {
    "",      "s",       "5 s",      "-5s",      "0",
    "1.5",   "5s,",     ",5s",      "5s,3s",    "5,3",
    "5x",    "nan s",   "inf",      "1e400s",   "9e9",
    "%",     "200%",    "0%",       "5%,5%",    "5 %",
    "soon",  "quickly", "quick,5s", "5s,quick", "quick,patient",
    "2quick"
  };
  struct budget b;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    if (value_budget(bad[i], &b))
      print_error("'%s' was taken for a budget\n", bad[i]);
    assert_false(value_budget(bad[i], &b));
  }
  assert_true(value_budget("10s,200", &b));
  assert_true(b.seconds == 10 && b.variants == 200 && b.fraction == 0);
  assert_true(value_budget("5%, 60s", &b));
  assert_true(b.seconds == 60 && b.variants == 0 && b.fraction == 0.05);
  assert_true(value_budget(" patient , 500", &b));
  assert_true(b.seconds == 60 && b.variants == 500 && b.fraction == 0);
  assert_true(value_budget("5%,normal", &b));
  assert_true(b.seconds == 10 && b.variants == 0 && b.fraction == 0.05);
}

static void test_ends_of_a_search(void **state) {
  (void)state;
  static const char *const bad[] = {
    "",
    "2",
    "100%",
    "roof",
    "roof80%",
    "roof 0%",
    "roof 101%",
    "roof 80",
    "80% roof",
    "2%,",
    "2%,3%",
    "roof 5s",
    "roof 1%,roof 2%",
    "roofs 80%",
    "floor 3%",
    "2% roof 80%",
    "quick",
    "1e-330%",
  };
  struct until u;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    if (value_until(bad[i], &u))
      print_error("'%s' was taken for the end of a search\n", bad[i]);
    assert_false(value_until(bad[i], &u));
  }
  assert_true(value_until("2%", &u));
  assert_true(u.gain == 0.02 && u.roof == 0);
  assert_true(value_until("roof 100%", &u));
  assert_true(u.gain == 0 && u.roof == 1);
  assert_true(value_until(" roof  80% , 2% ", &u));
  assert_true(u.gain == 0.02 && u.roof == 0.8);
}

static const char *nearest_of(const char *word, const char *const *words) {
  return value_nearest(word, strlen(word), words);
}

static void test_suggestions(void **state) {
  (void)state;
  static const char *const words[] = { "exhaustive", "random", NULL };
  assert_string_equal(nearest_of("randm", words), "random");
  assert_string_equal(nearest_of("exhastive", words), "exhaustive");
  assert_null(nearest_of("genetic", words));
  char longer[200];
  memset(longer, 'a', sizeof longer - 1);
  longer[199] = '\0';
  assert_null(nearest_of(longer, words));
}

// ---- log ----------------------------------------------------------------------------

static int say_all(char *unused) {
  (void)unused;
  errno = 7;
  log_message(AUTOTUNE_ERROR, "e %d", 1);
  log_message(AUTOTUNE_WARN, "w");
  log_message(AUTOTUNE_INFO, "i");
  log_message(AUTOTUNE_DEBUG, "d");
  log_progress("no terminal, no line");
  return errno == 7 ? 0 : 1;
}

static void test_levels(void **state) {
  (void)state;
  expect("say_all", NULL, "autotune: error: e 1\nautotune: warning: w\n");
  expect("say_all", "AUTOTUNE_LOG=error", "autotune: error: e 1\n");
  expect(
      "say_all", "AUTOTUNE_LOG=debug",
      "autotune: error: e 1\nautotune: warning: w\nautotune: info: i\nautotune: debug: d\n");
}

static int say_once(char *unused) {
  (void)unused;
  log_once(AUTOTUNE_WARN, "a", "first of a");
  log_once(AUTOTUNE_WARN, "a", "second of a");
  pid_t pid = fork(); // as the tuner is
  if (pid == 0) {
    log_once(AUTOTUNE_WARN, "a", "third of a");
    log_once(AUTOTUNE_WARN, "b", "first of b, in the child");
    _exit(0);
  }
  waitpid(pid, NULL, 0);
  log_once(AUTOTUNE_WARN, "b", "second of b");
  log_once_of(AUTOTUNE_WARN, "k", "a", "a of k");
  log_once_of(AUTOTUNE_WARN, "k", "a", "second a of k");
  log_once_of(AUTOTUNE_WARN, "l", "a", "a of l");
  return 0;
}

static void test_once_is_once_also_for_children(void **state) {
  (void)state;
  expect("say_once", NULL,
         "autotune: warning: first of a\nautotune: warning: first of b, in the child\n"
         "autotune: warning: a of k\nautotune: warning: a of l\n");
}

static void test_long_messages_come_whole(void **state) {
  (void)state;
  char *said;
  assert_int_equal(run_child("say_long", "", NULL, &said), 0);
  assert_int_equal(strlen(said), strlen("autotune: warning: \n") + 5000);
  free(said);
}

static int say_long(char *unused) {
  (void)unused;
  log_message(AUTOTUNE_WARN, "%5000d", 1);
  return 0;
}

static int say_controls(char *unused) {
  (void)unused;
  log_message(AUTOTUNE_WARN,
              "a\033[31m b\xc2\x9b"
              "c\x7f ä\n  d\te");
  return 0;
}

static void test_messages_control_no_terminal(void **state) {
  (void)state;
  expect("say_controls", NULL, "autotune: warning: a?[31m b??c? ä\n  d\te\n");
}

static void on_message(enum autotune_level level, const char *message, void *data) {
  char *seen = data;
  sprintf(seen + strlen(seen), "[%d %s]", level, message);
  autotune_set_log(NULL, NULL); // allowed within a callback
}

static int use_callback(char *unused) {
  static char seen[256];
  (void)unused;
  autotune_set_log(on_message, seen);
  log_message(AUTOTUNE_WARN, "one");
  log_message(AUTOTUNE_WARN, "two");
  fprintf(stderr, "%s\n", seen);
  return 0;
}

static void test_callback(void **state) {
  (void)state;
  expect("use_callback", NULL, "autotune: warning: two\n[1 one]\n");
}

// ---- fault points -------------------------------------------------------------------

static int use_faults(char *unused) {
  (void)unused;
  for (int i = 1; i <= 5; i++) {
    errno = 0;
    void *p = sys_malloc(1);
    fprintf(stderr, "%c", p ? 'y' : errno == ENOMEM ? 'n' : '?');
    free(p);
  }
  fprintf(stderr, " ");
  for (int i = 1; i <= 5; i++)
    fprintf(stderr, "%c", sys_fails(SYS_FORK) ? 'n' : 'y');
  return 0;
}

static void test_faults(void **state) {
  (void)state;
  expect("use_faults", NULL, "yyyyy yyyyy");
  expect("use_faults", "AUTOTUNE_FAULT=malloc:3", "yynyy yyyyy");
  expect("use_faults", "AUTOTUNE_FAULT=malloc:3+", "yynnn yyyyy");
  expect("use_faults", "AUTOTUNE_FAULT=malloc:1,fork:4+", "nyyyy yyynn");
  expect("use_faults", "AUTOTUNE_FAULT=nonsense:1,malloc", "yyyyy yyyyy");
}

static void test_the_clock_can_be_set(void **state) {
  (void)state;
  double before = sys_now();
  sys_set_clock(12.5);
  assert_true(sys_now() == 12.5);
  sys_set_clock(-1);
  assert_true(sys_now() >= before);
}

// ---- machine ------------------------------------------------------------------------

static void *get_machine(void *unused) {
  (void)unused;
  return (void *)machine_get();
}

static void test_machine_is_the_same_for_all(void **state) {
  (void)state;
  pthread_t threads[8];
  const struct machine *m = machine_get();
  for (int i = 0; i < 8; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, get_machine, NULL), 0);
  for (int i = 0; i < 8; i++) {
    void *other;
    pthread_join(threads[i], &other);
    assert_ptr_equal(other, m);
  }
  assert_true(m->numbers.threads >= 1 && m->numbers.cores >= 1);
  assert_true(m->numbers.cores <= m->numbers.threads);
  assert_true(m->cpu[0] && m->isa[0] && m->name[0]);
  const struct machine *id = machine_identity();
  assert_string_equal(id->cpu, m->cpu);
  assert_string_equal(id->isa, m->isa);
  assert_int_equal(id->numbers.threads, m->numbers.threads);
}

static void test_topologies(void **state) {
  (void)state;
  struct autotune_machine m;
  const char *two =
      "pack:2 l3:1(size=33554432) l2:8(size=1048576) l1:1(size=49152) core:1 pu:2";
  assert_int_equal(machine_read_synthetic(two, &m), 0);
  assert_int_equal(m.cores, 16);
  assert_int_equal(m.threads, 32);
  assert_int_equal(m.l1d, 48 << 10);
  assert_int_equal(m.l2, 1 << 20);
  assert_int_equal(m.l3, 32 << 20);
  assert_int_equal(machine_read_synthetic("core:3 pu:1", &m), 0);
  assert_true(m.cores == 3 && m.threads == 3 && m.l1d == 0 && m.l3 == 0);
  assert_int_equal(machine_read_synthetic("what is this", &m), -1);
}

static const struct child children[] = {
  { "options", print_options },     { "say_all", say_all },
  { "say_once", say_once },         { "say_long", say_long },
  { "use_callback", use_callback }, { "use_faults", use_faults },
  { "say_controls", say_controls },
};

int main(int argc, char **argv) {
  be_child(argc, argv, children, sizeof children / sizeof *children);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_variables_are_read),
    cmocka_unit_test(test_what_is_not_understood_is_refused),
    cmocka_unit_test(test_the_limit_of_the_folder),
    cmocka_unit_test(test_budgets),
    cmocka_unit_test(test_ends_of_a_search),
    cmocka_unit_test(test_suggestions),
    cmocka_unit_test(test_levels),
    cmocka_unit_test(test_once_is_once_also_for_children),
    cmocka_unit_test(test_long_messages_come_whole),
    cmocka_unit_test(test_messages_control_no_terminal),
    cmocka_unit_test(test_callback),
    cmocka_unit_test(test_faults),
    cmocka_unit_test(test_the_clock_can_be_set),
    cmocka_unit_test(test_machine_is_the_same_for_all),
    cmocka_unit_test(test_topologies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
