// SPDX-License-Identifier: Apache-2.0
// watch.c: watches the speed of tuned kernels. The stub counts calls down, so that a few
// go through autotune_begin and are timed. If drift.c finds that a kernel has become
// slower, its finalists race again in the background.
//
// This costs well under a percent: a timed call takes some tenths of a microsecond more,
// and there is at most one per millisecond. Kernels that several threads call are not
// judged; short ones are not even timed, since the threads would share the counter. Races
// are always rare: each is followed by a pause, and their number is limited for each key
// and process.
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "drift.h"
#include "site.h"

enum { MAX_RACES = 3, PROCESS_RACES = 12, PAUSE = 600 /* windows */ };
static const double apart = 1e-3;        // seconds between two timed calls, about
static const double shared_from = 50e-6; // seconds: for calls as long as that, threads
                                         // may share the counter

// Only the calling thread uses DRIFT and LATE. Another thread may install the result of a
// race and then sets ANEW.
struct watch {
  bool drifts;                // it is watched for drift; else only timed, for reverify.c
  bool doubts;                // it is timed only for doubt.c
  atomic_bool shared;         // several threads call it: nothing is judged
  atomic_uint armed, counted; // calls until the next timed one, and since the last one
  _Atomic double seconds;     // of a call
  struct drift drift;
  _Atomic(pthread_t) thread; // that calls the kernel; 0: none yet
  atomic_bool late;          // it has drifted, and no race was begun
  unsigned races;
  _Atomic double not_before; // sys_now: earliest time of the next race
  _Atomic double recorded;   // seconds of the variant installed last
  atomic_bool anew;          // which was not timed yet
};

static atomic_uint races; // in this process

static bool watch_is_wanted(const struct autotune_kernel *k) {
  enum tuning_mode mode = decide_mode(k);
  return options_get()->drift > 0 && target_of(k)->synchronous &&
      (mode == MODE_FIRST || mode == MODE_BACKGROUND || mode == MODE_ONLINE);
}

void watch_begin(struct node *n, double recorded, double pause) {
  bool drifts = watch_is_wanted(n->site->kernel);
  if ((!drifts && !reverify_is_wanted(n->site->kernel)) ||
      (!n->watch && !(n->watch = sys_calloc(1, sizeof *n->watch))))
    return;
  n->watch->drifts = drifts;
  n->watch->doubts = false;
  atomic_store(&n->watch->armed, 1);
  atomic_store(&n->watch->recorded, recorded);
  atomic_store(&n->watch->anew, true);
  if (pause > 0)
    atomic_store(&n->watch->not_before, sys_now() + pause);
  __atomic_store_n(&n->entry.left, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&n->entry.watch, 1, __ATOMIC_RELEASE); // n->watch is set
}

bool watch_times(struct node *n) {
  if (__atomic_load_n(&n->entry.watch, __ATOMIC_RELAXED))
    return true;
  if (!n->watch && !(n->watch = sys_calloc(1, sizeof *n->watch)))
    return false;
  n->watch->drifts = false;
  n->watch->doubts = true;
  atomic_store(&n->watch->armed, 1);
  __atomic_store_n(&n->entry.left, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&n->entry.watch, 1, __ATOMIC_RELEASE); // n->watch is set
  return true;
}

void watch_end(struct node *n) {
  __atomic_store_n(&n->entry.watch, 0, __ATOMIC_RELAXED);
  if (n->watch)
    atomic_store(&n->watch->late, false);
}

double watch_pause(void) {
  return PAUSE * options_get()->drift / DRIFT_LONG;
}

// A call that comes here because another key was hot counts, but need not be timed.
static bool counts_down(struct node *n) {
  unsigned left = __atomic_load_n(&n->entry.left, __ATOMIC_RELAXED);
  if (left > 1)
    __atomic_store_n(&n->entry.left, left - 1, __ATOMIC_RELAXED);
  return left > 1;
}

// True if N is timed although several threads call it: the shared counter costs little
// compared with a call, or a check of its winner is running.
static bool watch_shares(struct node *n) {
  struct watch *w = n->watch;
  atomic_store(&w->shared, true);
  return reverify_is_wanted(n->site->kernel) &&
      (atomic_load(&w->seconds) >= shared_from || background_checks());
}

bool watch_due(struct node *n) {
  unsigned every = __atomic_load_n(&n->entry.watch, __ATOMIC_ACQUIRE);
  pthread_t self = pthread_self(), nobody = 0;
  if (every == 0 || counts_down(n))
    return false;
  struct watch *w = n->watch;
  __atomic_store_n(&n->entry.left, every, __ATOMIC_RELAXED);
  unsigned calls = atomic_exchange(&w->armed, every);
  atomic_store(&w->counted, calls);
  reverify_count(n, calls, 0);
  if (atomic_compare_exchange_strong(&w->thread, &nobody, self) ||
      pthread_equal(nobody, self) || watch_shares(n))
    return true;
  watch_end(n);
  return false;
}

void watch_see(struct node *n, double seconds) {
  struct watch *w = n->watch;
  bool shared = atomic_load(&w->shared);
  if (!shared && !pthread_equal(atomic_load(&w->thread), pthread_self()))
    return; // this call was timed for another reason
  if (__atomic_load_n(&n->entry.watch, __ATOMIC_RELAXED) == 0)
    return; // its winner was revoked in this call
  unsigned calls = atomic_exchange(&w->counted, 0);
  reverify_count(n, 0, seconds * calls);
  rest_see(n, seconds * calls);
  atomic_store(&w->seconds, seconds);
  if (!shared && atomic_exchange(&w->anew, false)) {
    w->drift = drift_new(atomic_load(&w->recorded), options_get()->drift / DRIFT_LONG);
    w->late = false;
  }
  double now = sys_now(), every = seconds > 0 ? apart / seconds : 1e6;
  unsigned doubted = doubt_see(n, seconds);
  if (!doubted && w->doubts && !rest_waits(n))
    return watch_end(n);
  if (doubted)
    every = fmin(every, doubted);
  __atomic_store_n(&n->entry.watch,
                   every < 1         ? 1
                       : every < 1e6 ? (unsigned)every
                                     : 1000000,
                   __ATOMIC_RELAXED);
  if (!shared && w->drifts && drift_add(&w->drift, seconds, now) &&
      now >= atomic_load(&w->not_before))
    w->late = true;
}

void watch_next(struct node *n) {
  atomic_store(&n->watch->armed, 1);
  __atomic_store_n(&n->entry.left, 1, __ATOMIC_RELAXED);
}

bool watch_is_shared(const struct node *n) {
  return !n->watch || atomic_load(&n->watch->shared);
}

double watch_seconds(const struct node *n) {
  return n->watch ? atomic_load(&n->watch->seconds) : 0;
}

bool watch_wants_race(const struct node *n) {
  return n->watch && n->watch->late;
}

bool watch_race(struct node *n, struct plan *plan) {
  struct watch *w = n->watch;
  bool may = w->races < MAX_RACES && atomic_load(&races) < PROCESS_RACES;
  w->late = false;
  if (!may) {
    watch_end(n);
    return false;
  }
  w->races++;
  atomic_fetch_add(&races, 1);
  atomic_store(&w->not_before, sys_now() + watch_pause());
  *plan = (struct plan){ .kind = PLAN_RACE,
                         .background = true,
                         .ratio = w->drift.ratio,
                         .since = (double)time(NULL) - (sys_now() - w->drift.since) };
  log_message(AUTOTUNE_INFO,
              "%s: %.2f x slower than it was; the fastest variants race again",
              n->site->kernel->name, plan->ratio);
  return true;
}
