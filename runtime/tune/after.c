// SPDX-License-Identifier: Apache-2.0
// after.c: a tuning that goes on when its program has ended. It yields to all others: its
// processes have a low priority, it sleeps between trials unless the processors that it
// needs are idle, and of all tunings that use the same store one goes on. The next
// program that uses the store ends it (keep/store/ring.c); the rows of the variants that
// it has tried are in the store by then, and the next tuning goes on from there.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tune.h"

static const double look_every = 0.05; // seconds
static const double noise = 0.3;       // processors: what a machine does that is idle
static struct {
  double when, busy, own; // seconds: sys_now (0: never looked), processors' time of all
                          // and of this tuning
  bool idle;              // the processors that the tuning needs
  bool yields;            // it is a tuning, not a check of a winner
  const struct shared_memory *shared; // NULL: none
} after;

// ---- a low priority ------------------------------------------------------------------

enum { IO_WHO_PROCESS = 1, IO_IDLE = 3 << 13 }; // of ioprio_set
// The niceness of the processes that compile and search, and of those that run variants.
// A variant has a time limit, so it must not wait for processors much longer than it
// runs.
enum { NICE_TUNER = 19, NICE_VARIANTS = 5 };

static void after_lower(pid_t process, int nice);

// Lowers all processes in the file at PATH. There are none where the kernel has no such
// file.
static void after_lower_all(const char *path) {
  int number;
  FILE *f = fopen(path, "re");
  while (f && fscanf(f, "%d", &number) == 1)
    after_lower((pid_t)number, NICE_VARIANTS);
  if (f)
    fclose(f);
}

// Lowers the thread, and the processes that it has forked.
static void after_lower_thread(pid_t process, const char *thread, int nice) {
  char path[96];
  pid_t tid = (pid_t)strtol(thread, NULL, 10);
  if (tid <= 0)
    return;
  sched_setscheduler(tid, SCHED_BATCH, &(struct sched_param){ 0 });
  errno = 0;
  int before = getpriority(PRIO_PROCESS, (id_t)tid);
  if (errno == 0 && before < nice)
    setpriority(PRIO_PROCESS, (id_t)tid, nice);
  syscall(SYS_ioprio_set, IO_WHO_PROCESS, tid, IO_IDLE);
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)process, (int)tid);
  after_lower_all(path);
}

// Lowers all threads of PROCESS, and all that was forked from it: the zygote and its
// worker. What these begin has the same priority.
static void after_lower(pid_t process, int nice) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task", (int)process);
  DIR *d = opendir(path);
  for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
    after_lower_thread(process, e->d_name, nice);
  if (d)
    closedir(d);
}

// ---- an idle machine ----------------------------------------------------------------

// Returns the time that all processors have worked since the machine began; negative: not
// known.
static double after_busy(void) {
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

static void after_look(const struct tuning *t) {
  double now = sys_now(), seconds = now - after.when;
  if (after.when > 0 && seconds < look_every)
    return;
  double busy = after_busy(), own = throttle_count(t);
  double all = (double)machine_get()->numbers.threads;
  double needed = t->kernel->openmp || t->plan->team > 1 ? all : 1;
  double others = (busy - after.busy - (own - after.own)) / seconds;
  after.idle = after.when > 0 && busy >= 0 && others + needed <= all + noise;
  after.when = now;
  after.busy = busy;
  after.own = own;
}

bool after_allows(const struct tuning *t) {
  after_look(t);
  return after.idle;
}

// ---- the end of the program ---------------------------------------------------------

// The lock is on the store's folder, and this process's end opens it.
static bool after_is_alone(void) {
  char *why = NULL;
  const char *folder = folder_again(&why);
  int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  free(why);
  return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

// Returns when the program ended, which this process noticed at NOTICED. The program says
// it, unless it was killed: on a busy machine the next one may begin before this process
// notices the end.
static struct timespec after_end(const struct timespec *noticed) {
  int64_t told = after.shared ? atomic_load(&after.shared->ended) : 0;
  const int64_t second = 1000000000;
  struct timespec end = { .tv_sec = told / second, .tv_nsec = told % second };
  return told ? end : *noticed;
}

// A check of a winner ends by itself, after some seconds at most.
static void after_ended(const struct timespec *noticed) {
  const struct timespec when = after_end(noticed);
  after_lower(getpid(), NICE_TUNER);
  if (!after.yields)
    return;
  if (after_is_alone())
    ring_heed(SIGTERM, &when);
  else
    role_stop();
}

void after_begin(const struct tuning *t) {
  const struct plan *plan = t->plan;
  after.shared = t->host->shared;
  after.yields = plan->after > 0;
  if (plan->background) {
    ring_ready();
    role_at_end(after_ended);
  }
}
