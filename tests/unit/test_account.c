// SPDX-License-Identifier: Apache-2.0
// When winners are checked again, and what that may cost; how long a fork takes.
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "call/account.h"
#include "call/session/packet.h"
#include "call/session/session.h"

static void test_gaps_double_up_to_an_hour(void **state) {
  (void)state;
  const struct {
    unsigned looks;
    double gap;
  } gaps[] = { { 0, 0 },       { 1, 0.1 },   { 2, 0.2 },    { 6, 3.2 },
               { 16, 3276.8 }, { 17, 3600 }, { 1000, 3600 } };
  for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
    assert_true(account_gap(gaps[i].looks) > 0.999 * gaps[i].gap - 1e-9 &&
                account_gap(gaps[i].looks) < 1.001 * gaps[i].gap + 1e-9);
}

static void test_the_first_call_of_a_process_is_due(void **state) {
  (void)state;
  struct account a = { .looks = 20, .last = 1000, .fresh = true };
  assert_true(account_due(&a) <= 1000);
  account_pay(&a, 1001, 0.005);
  assert_true(account_due(&a) > 1001 + 3599);
}

// One percent of the kernel's time pays for what it pays for, and nothing runs before.
static void test_one_percent_pays(void **state) {
  (void)state;
  struct account a = { .looks = 9, .last = 100 };
  double now = a.last + account_gap(9) + 1; // less than a minute: there is no credit
  assert_int_equal(account_ask(&a, now, 0.9, 0.5), ACCOUNT_WAIT);
  assert_int_equal(account_ask(&a, now, 49, 0.5), ACCOUNT_WAIT);
  assert_int_equal(account_ask(&a, now, 51, 0.5), ACCOUNT_PAID);
  account_pay(&a, now, 0.5);
  assert_int_equal(account_ask(&a, now + 1, 1000, 0.5), ACCOUNT_WAIT); // not due
  now += account_gap(10) + 1;
  assert_int_equal(account_ask(&a, now, 99, 0.5), ACCOUNT_WAIT);
  assert_int_equal(account_ask(&a, now, 101, 0.5), ACCOUNT_PAID);
}

// However long it runs and whatever checks cost: after the grants, their sum stays below
// one percent of the time in the kernel.
static void test_the_sum_stays_below_one_percent(void **state) {
  (void)state;
  struct account a = { .fresh = true, .last = -1e9 };
  double granted = 0, cost = 0.004;
  unsigned checks = 0;
  for (double now = 0; now < 50000; now += 0.05) {
    double earned = 0.3 * now; // in the kernel
    enum account_answer answer = account_ask(&a, now, earned, a.cost > 0 ? a.cost : cost);
    if (answer == ACCOUNT_WAIT)
      continue;
    granted += answer == ACCOUNT_GRANTED ? cost : 0;
    checks++;
    account_pay(&a, now, cost);
    assert_true(a.paid <= ACCOUNT_PART * earned + granted + 1e-9);
  }
  assert_true(checks > 20 && granted <= 8 * cost);
}

// Programs that end at once share the grants: five, then one a minute.
static void test_short_programs_share_grants(void **state) {
  (void)state;
  unsigned looks = 0, granted = 0;
  double last = -1e9;
  for (double now = 0; now < 600; now += 1) { // one process each second
    struct account a = { .looks = looks, .last = last, .fresh = true };
    if (account_ask(&a, now, 0, 0.005) == ACCOUNT_WAIT)
      continue;
    account_pay(&a, now, 0.005);
    granted++;
    looks = a.looks;
    last = a.last;
  }
  assert_true(granted >= 5 + 8 && granted <= 5 + 10);
}

static void test_forks_are_estimated_by_pages(void **state) {
  (void)state;
  const double thousand = 1000, million = 1000 * thousand;
  assert_true(session_fork_expected(thousand, 0, 0) < 1e-3);
  assert_true(session_fork_expected(million, 0, 0) > 5e-3); // 4 GB
  // Learned: a million pages took 1.5 ms, as huge pages.
  assert_true(session_fork_expected(million, 1.5e-3, million) < 2e-3);
  assert_true(session_fork_expected(2 * million, 1.5e-3, million) > 2e-3);
}

static double children_cpu(void) {
  struct rusage u;
  getrusage(RUSAGE_CHILDREN, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
      1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

// In a process of its own, because what was measured once is known.
static void measure_pages(bool limited) {
  const struct rlimit least = { 4096, 4096 };
  if (limited)
    setrlimit(RLIMIT_FSIZE, &least); // a larger file would end the program
  double alone = session_page_seconds(false);
  assert_true(alone >= 100e-9 && alone <= 120e-6);
  assert_true(session_page_seconds(false) == alone); // known
  double before = children_cpu();
  double beside = session_page_seconds(true);
  assert_true(beside >= alone && beside <= 120e-6);
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  if (CPU_COUNT(&allowed) > 1 && detach_shares()) // another process ran meanwhile
    assert_true(children_cpu() > before);
  assert_true(session_page_seconds(false) == alone);
  int status;
  assert_int_equal(waitpid(-1, &status, __WALL), -1);
  assert_int_equal(errno, ECHILD); // no process is left
}

static int end_of(bool limited) {
  pid_t child = fork();
  int status = -1;
  if (child == 0) {
    measure_pages(limited);
    _exit(0);
  }
  waitpid(child, &status, 0);
  return status;
}

static void test_copies_of_pages_are_measured(void **state) {
  (void)state;
  assert_int_equal(end_of(false), 0);
  assert_int_equal(end_of(true), 0);
}

// While copies are measured, signals of the program wait, and reach no other process.
static struct {
  atomic_int program, elsewhere;
} *handled;
static pid_t program;

static void handle(int signal) {
  (void)signal;
  atomic_fetch_add(getpid() == program ? &handled->program : &handled->elsewhere, 1);
}

// Sends signals to all of the program's group.
static pid_t start_sender(void) {
  pid_t sender = fork();
  if (sender != 0)
    return sender;
  signal(SIGALRM, SIG_IGN);
  while (getppid() == program)
    kill(0, SIGALRM);
  _exit(0);
}

static void measure_beside_a_sender(void) {
  int status;
  setpgid(0, 0);
  program = getpid();
  signal(SIGALRM, handle);
  pid_t sender = start_sender();
  while (atomic_load(&handled->program) == 0)
    ;
  session_page_seconds(true);
  kill(sender, SIGKILL);
  waitpid(sender, &status, 0);
}

static void test_no_handler_runs_beside_the_program(void **state) {
  (void)state;
  int status = -1;
  handled = sys_mmap(sizeof *handled, true);
  assert_non_null(handled);
  for (int i = 0; i < 20; i++) { // one measurement is too short to be hit each time
    atomic_store(&handled->program, 0);
    pid_t child = fork();
    if (child == 0) {
      measure_beside_a_sender();
      _exit(0);
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_true(atomic_load(&handled->program) > 0);
  }
  assert_int_equal(atomic_load(&handled->elsewhere), 0);
  munmap(handled, sizeof *handled);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_gaps_double_up_to_an_hour),
    cmocka_unit_test(test_the_first_call_of_a_process_is_due),
    cmocka_unit_test(test_one_percent_pays),
    cmocka_unit_test(test_the_sum_stays_below_one_percent),
    cmocka_unit_test(test_short_programs_share_grants),
    cmocka_unit_test(test_forks_are_estimated_by_pages),
    cmocka_unit_test(test_copies_of_pages_are_measured),
    cmocka_unit_test(test_no_handler_runs_beside_the_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
