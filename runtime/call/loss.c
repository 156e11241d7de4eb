// SPDX-License-Identifier: Apache-2.0
// loss.c: what tunings and checks take from the program, in this run and in all of them.
//
// Most of it is nobody's processor time in the books: from the fork on, the program's
// first write to each page copies that page, and all threads wait while the kernel tells
// their processors. So pages are counted (page faults since the fork, at most as many as
// there were), and what one takes is measured. In addition counts what tuners and checks
// take of processors that the program would have used.
#include <math.h>
#include <pthread.h>
#include <sys/resource.h>

#include "ration.h"
#include "run/cpu/stack.h"
#include "site.h"

static const double anew = 0.05;      // seconds: expectations are that old at most
static const double first_part = 0.5; // of the pages, which the program will write to
static const double least_part = 0.05;
static const double few = 0.5e-3; // seconds of copies, which are estimated

static pthread_once_t loss_once = PTHREAD_ONCE_INIT, part_once = PTHREAD_ONCE_INIT;
static struct {
  bool known;
  struct ledger before, told; // told: what of this run is in the ledger
  // Of the present session, while holding decide_take().
  double pages, fork; // pages: when it was forked; 0: there is no session
  bool threads;       // others ran then
  long faults;
  _Atomic double part;          // of the pages, that were copied in the last session
  _Atomic double lost, checks;  // seconds in this run, as in struct ledger
  _Atomic double checkers;      // of CHECKS: those of processors
  _Atomic double forks, copies; // seconds that a fork takes now, and copies of all pages
  _Atomic double when;          // that was found
} loss;

static void loss_add(_Atomic double *sum, double seconds) {
  double old = atomic_load_explicit(sum, memory_order_relaxed);
  while (!atomic_compare_exchange_weak(sum, &old, old + seconds))
    ;
}

static void loss_read(void *data) {
  (void)data;
  loss.known = ledger_read(&loss.before);
}

static void loss_open(void) {
  stack_run(loss_read, NULL);
}

static void loss_begin_part(void) {
  atomic_store(&loss.part, first_part);
}

// Returns what this run has lost so far. A process that uses processors which the program
// leaves idle takes nothing from it.
static struct ledger loss_now(void) {
  double used = allowance_cost_now() + atomic_load(&loss.checkers);
  double processors = fmax(0, used - hot_idle());
  return (struct ledger){ .time = hot_time(),
                          .lost = atomic_load(&loss.lost) + processors,
                          .checks = atomic_load(&loss.checks) };
}

static struct ration loss_ration(void) {
  pthread_once(&loss_once, loss_open);
  return (struct ration){ .known = loss.known, .before = loss.before, .now = loss_now() };
}

// True if other threads run now. Those that sleep do not count.
static bool loss_runs_threads(void) {
  return hot_runs_threads() && sys_threads() > 1;
}

// A copy takes longer where threads run on other processors, because these are told of
// it.
static double loss_page_seconds(void) {
  return session_page_seconds(loss_runs_threads());
}

static void loss_estimate(void) {
  pthread_once(&part_once, loss_begin_part);
  double now = sys_now();
  if (now - atomic_load(&loss.when) <= anew)
    return;
  double pages = session_pages();
  atomic_store(&loss.forks, session_fork_seconds(pages));
  atomic_store(&loss.copies, pages * loss_page_seconds());
  atomic_store(&loss.when, now);
}

double loss_copies(void) {
  loss_estimate();
  return atomic_load(&loss.copies);
}

double loss_expected(void) {
  loss_estimate();
  return atomic_load(&loss.forks) + atomic_load(&loss.copies) * atomic_load(&loss.part);
}

double loss_most_copies(double pages) {
  pthread_once(&part_once, loss_begin_part);
  return pages * SESSION_PAGE_UNMEASURED * atomic_load(&loss.part);
}

bool loss_lets_tune(double time, double found) {
  loss_estimate();
  struct ration r = loss_ration();
  r.found = found;
  double left = time > 0 ? fmax(1 - r.now.time / time, least_part) : 1; // of this run
  double part = fmin(atomic_load(&loss.part), left);
  r.now.time = fmax(r.now.time, time);
  return ration_tunes(&r, atomic_load(&loss.forks) + atomic_load(&loss.copies) * part);
}

double loss_time(void) {
  pthread_once(&loss_once, loss_open);
  return loss.before.time + hot_time();
}

double loss_saved(void) {
  const struct ration r = loss_ration();
  return r.known ? ration_saved(&r) : 0;
}

bool loss_lets_check(double expected) {
  const struct ration r = loss_ration();
  return ration_checks(&r, expected);
}

bool loss_affords_check(double expected) {
  const struct ration r = loss_ration();
  return ration_affords(&r, expected);
}

bool loss_others_wait(void) {
  pthread_once(&loss_once, loss_open);
  return loss.before.waiting > 0;
}

// ---- a session ----------------------------------------------------------------------

static long loss_faults(void) {
  struct rusage u = { 0 };
  getrusage(RUSAGE_SELF, &u);
  return u.ru_minflt;
}

void loss_begin(void) {
  pthread_once(&part_once, loss_begin_part);
  loss.pages = fmax(session_pages(), 1);
  loss.threads = loss_runs_threads();
  loss.faults = loss_faults();
}

void loss_forked(void) {
  loss.fork = session_fork_took();
}

// Returns the seconds that each of COPIED pages took. Few are not worth a measurement.
static double loss_page_of(double copied) {
  if (copied * SESSION_PAGE_UNMEASURED <= few)
    return SESSION_PAGE_UNMEASURED;
  return session_page_seconds(loss.threads || loss_runs_threads()); // or begun since
}

double loss_end(bool check) {
  if (loss.pages <= 0)
    return 0;
  double copied = fmin(fmax((double)(loss_faults() - loss.faults), 0), loss.pages);
  double seconds = loss.fork + copied * loss_page_of(copied);
  atomic_store(&loss.part, copied / loss.pages);
  loss.pages = loss.fork = 0;
  loss_add(&loss.lost, seconds);
  if (check)
    loss_add(&loss.checks, seconds);
  return seconds;
}

void loss_check(double seconds) {
  loss_add(&loss.checks, seconds);
  loss_add(&loss.checkers, seconds);
}

// ---- the ledger ---------------------------------------------------------------------

// Programs that were never tuned are in no ledger.
void loss_at_exit(unsigned waiting) {
  pthread_once(&loss_once, loss_open);
  struct ledger all = loss_now(), more = all;
  if (!loss.known && all.lost <= 0 && all.checks <= 0)
    return;
  more.time -= loss.told.time;
  more.lost -= loss.told.lost;
  more.checks -= loss.told.checks;
  more.waiting = waiting;
  loss.told = all;
  ledger_add(&more);
  log_message(AUTOTUNE_DEBUG,
              "of %.4g s in all runs, tunings and checks took %.3g s; checks used %.3g s",
              loss.before.time + all.time, loss.before.lost + all.lost,
              loss.before.checks + all.checks);
}

void loss_after_fork(void) {
  loss.pages = loss.fork = 0;
  loss.told = (struct ledger){ 0 };
  atomic_store(&loss.lost, 0);
  atomic_store(&loss.checks, 0);
  atomic_store(&loss.checkers, 0);
}
