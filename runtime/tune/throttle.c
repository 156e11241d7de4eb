// SPDX-License-Identifier: Apache-2.0
// throttle.c: counts what a tuning costs, in seconds of CPU, and keeps it within what
// the program allows: a fraction of the time spent in the kernel. If the tuning has
// cost more, it sleeps until the program has gone on.
//
// A tuning that goes on when the program has ended yields to all others: it sleeps unless
// the processors that it needs are idle, and of all tunings that use the same store one
// goes on.
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

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

// ---- when the program has ended -----------------------------------------------------

static const double look_every = 0.05; // seconds
static const double noise = 0.3;       // processors: what a machine does that is idle
static struct {
  double when, busy, own; // seconds: sys_now, processors' time of all and of this tuning
  bool alone, idle;       // alone: no other tuning goes on
  bool ended;             // the program; the other members are valid
} after;

// Returns the time that all processors have worked since the machine began; negative: not
// known.
static double throttle_busy(void) {
  double user = 0, nice = 0, system = 0, irq = 0, soft = 0, steal = 0;
  FILE *f = fopen("/proc/stat", "re");
  int n = f ? fscanf(f, "cpu %lf %lf %lf %*f %*f %lf %lf %lf", &user, &nice, &system,
                     &irq, &soft, &steal)
            : 0;
  if (f)
    fclose(f);
  double ticks = (double)sysconf(_SC_CLK_TCK);
  return n == 6 ? (user + nice + system + irq + soft + steal) / ticks : -1;
}

// The lock is on the store's folder, and this process's end opens it.
static bool throttle_is_alone(void) {
  char *why = NULL;
  const char *folder = folder_again(&why);
  int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  free(why);
  return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

static void throttle_look(const struct tuning *t) {
  double now = sys_now(), seconds = now - after.when;
  if (after.ended && seconds < look_every)
    return;
  double busy = throttle_busy(), own = throttle_count(t);
  double all = (double)machine_get()->numbers.threads;
  double needed = t->kernel->openmp || t->plan->team > 1 ? all : 1;
  double others = (busy - after.busy - (own - after.own)) / seconds;
  after.idle = after.ended && busy >= 0 && others + needed <= all + noise;
  after.when = now;
  after.busy = busy;
  after.own = own;
}

// True if a tuning may go on whose program has ended.
static bool throttle_is_idle(const struct tuning *t) {
  if (!after.ended) {
    after.alone = throttle_is_alone();
    throttle_yield(NICE_TO_ALL);
    throttle_look(t);
    after.ended = true;
  }
  if (!after.alone)
    role_stop();
  throttle_look(t);
  return after.alone && after.idle;
}

// ---- while it runs ------------------------------------------------------------------

bool throttle_allows(const struct tuning *t) {
  struct shared_memory *shared = t->host->shared;
  if (t->plan->fraction <= 0 || !shared)
    return true;
  return role_outlives() ? throttle_is_idle(t)
                         : throttle_count(t) <= atomic_load(&shared->allowed);
}

static const struct timespec nap = { .tv_nsec = 20 * 1000 * 1000 };

void throttle_start(struct tuning *t) {
  struct shared_memory *shared = t->host->shared;
  double start = sys_now();
  while (t->plan->fraction > 0 && shared && !role_stopping() &&
         (role_outlives() ? !throttle_is_idle(t)
                          : atomic_load(&shared->allowed) < t->plan->start)) {
    nanosleep(&nap, NULL);
    tune_report(t, tune_silence(NULL));
  }
  t->deadline += sys_now() - start;
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
  t->deadline += slept;
  t->explore_until += slept;
  return slept;
}
