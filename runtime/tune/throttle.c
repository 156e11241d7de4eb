// SPDX-License-Identifier: Apache-2.0
// throttle.c: counts what a tuning costs, in seconds of CPU, and keeps it within what
// the program allows: a fraction of the time spent in the kernel. If the tuning has
// cost more, it sleeps until the program has gone on.
//
// When the program has ended, after.c says when it sleeps.
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include "tune.h"

static double throttle_seconds(int who) {
  struct rusage u = { 0 };
  getrusage(who, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
      1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static double throttle_cost(const struct tuning *t) {
  // External compilers are children that were waited for; the sandbox counts its own
  // time.
  double all = throttle_seconds(RUSAGE_SELF) + throttle_seconds(RUSAGE_CHILDREN);
  if (t->online)
    all += online_lost(t);
  return t->workers ? all + t->target->cost(t->workers) : all;
}

double throttle_count(const struct tuning *t) {
  struct shared_memory *shared = t->host->shared;
  double now = throttle_cost(t);
  if (shared)
    atomic_store(&shared->cost, now);
  return now;
}

void throttle_yield(enum throttle_niceness nice) {
  sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){ 0 });
  setpriority(PRIO_PROCESS, 0,
              (int)nice); // Linux: of this thread, and of those that it begins
}

// ---- while it runs ------------------------------------------------------------------

bool throttle_allows(const struct tuning *t) {
  struct shared_memory *shared = t->host->shared;
  if (t->plan->fraction <= 0 || !shared)
    return true;
  return role_outlives() ? after_allows(t)
                         : throttle_count(t) <= atomic_load(&shared->allowed);
}

static const struct timespec nap = { .tv_nsec = 20 * 1000 * 1000 };

void throttle_start(struct tuning *t) {
  struct shared_memory *shared = t->host->shared;
  double start = sys_now();
  bool told = false;
  while (t->plan->fraction > 0 && shared && !role_stopping() &&
         (role_outlives() ? !after_allows(t)
                          : atomic_load(&shared->allowed) < t->plan->start)) {
    if (role_outlives() && !told)
      share_waiting(t); // for whoever awaits it
    told = told || role_outlives();
    nanosleep(&nap, NULL);
    tune_report(t, tune_silence(NULL));
  }
  double slept = sys_now() - start;
  t->slept += slept;
  t->deadline += slept;
}

double throttle_keep(struct tuning *t) {
  if (throttle_allows(t))
    return 0;
  double start = sys_now();
  pool_pause(t->pool, true); // what is being compiled comes to its end
  do {
    nanosleep(&nap, NULL);
    tune_report(t, tune_silence(NULL));
    if (t->online)
      online_step(t);
  } while (!throttle_allows(t) && !role_stopping());
  pool_pause(t->pool, false);
  double slept = sys_now() - start; // sleep does not use up the budget
  t->slept += slept;
  t->deadline += slept;
  t->explore_until += slept;
  return slept;
}
