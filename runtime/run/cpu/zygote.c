// SPDX-License-Identifier: Apache-2.0
// zygote.c: the process that keeps the image of the arguments as they were at the call.
// It has one thread and runs no variant. It forks a new worker whenever the last one is
// gone. As the workers' parent only the zygote knows how they end, and it kills workers
// that exceed their deadline.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/channel.h"
#include "base/role.h"
#include "base/shortage.h"
#include "openmp.h"
#include "run/measure.h"
#include "sandbox.h"

static const struct message_kind zygote_kinds[] = {
  [ORDER_SPAWN] = { 0 },
  [ORDER_KILL] = { 0 },
  [ORDER_SEAL] = { 0 },
  [NOTICE_READY] = { .size = sizeof(struct notice) },
  [NOTICE_SPAWNED] = { .size = sizeof(struct notice) },
  [NOTICE_DIED] = { .size = sizeof(struct notice) },
  [NOTICE_SEALED] = { .size = sizeof(struct notice) },
  [NOTICE_FAILED] = { .size = sizeof(struct notice) },
};
const struct protocol zygote_protocol = { NOTICE_FAILED + 1, zygote_kinds };

static const struct message_kind worker_kinds[] = {
  [WORKER_COMMAND] = { .size = sizeof(struct command), .descriptor = true },
  [WORKER_ANSWER] = { .size = sizeof(struct answer) },
};
const struct protocol worker_protocol = { WORKER_ANSWER + 1, worker_kinds };

// SERIAL: of the order that this answers; 0: of none.
static void zygote_tell(const struct zygote *z, enum zygote_message kind, uint64_t serial,
                        const struct notice *n) {
  const struct message m = {
    .kind = kind, .serial = serial, .data = n, .size = sizeof *n, .fd = -1
  };
  if (!channel_send(&z->orders, &m, true))
    _exit(1); // the tuner is gone
}

static void zygote_fail(const struct zygote *z, const char *message) {
  struct notice n = { 0 };
  snprintf(n.message, sizeof n.message, "%s", message);
  zygote_tell(z, NOTICE_FAILED, 0, &n);
  _exit(1);
}

// ---- one worker ---------------------------------------------------------------------

static pid_t zygote_spawn(struct zygote *z, uint64_t serial) {
  pid_t self = getpid();
  channel_drain(&z->commands); // that the last worker did not live to read
  atomic_store(&z->board->deadline, 0);
  pid_t worker = sys_fork();
  if (worker == 0)
    runner_main(z, self);
  if (worker > 0)
    setpgid(worker, worker); // here as well as there: whoever comes first
  struct notice n = { 0 };
  if (worker < 0)
    snprintf(n.message, sizeof n.message, "no worker can be forked: %s", strerror(errno));
  zygote_tell(z, worker > 0 ? NOTICE_SPAWNED : NOTICE_FAILED, serial, &n);
  return worker;
}

// The numbers of our children, as text; at most as many as fit.
static bool list_children(char *text, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;
  if (fd >= 0)
    close(fd);
  while (n > 0 && (size_t)n == size - 1 && text[n - 1] != ' ') // the last may be cut
    n--;
  text[n > 0 ? n : 0] = '\0';
  return n > 0;
}

// Reaps orphans: processes that a variant forked and that left its group become our
// children once their parents are gone.
static void bury_orphans(void) {
  char text[4096];
  for (double end = measure_clock() + 1; measure_clock() < end;) {
    pid_t got = waitpid(-1, NULL, WNOHANG);
    if (got < 0 && errno != EINTR)
      return; // there are none
    if (got != 0)
      continue;
    if (!list_children(text, sizeof text))
      return;
    char *at = text, *next;
    for (long pid; (pid = strtol(at, &next, 10)) > 0; at = next)
      kill((pid_t)pid, SIGKILL);
    waitpid(-1, NULL, 0);
  }
}

static double zygote_seconds(const struct rusage *u) {
  return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
      1e-6 * (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
}

static void count_cost(const struct zygote *z) {
  struct rusage own = { 0 }, children = { 0 };
  getrusage(RUSAGE_SELF, &own);
  getrusage(RUSAGE_CHILDREN, &children);
  atomic_store(&z->board->running, 0);
  atomic_store(&z->board->buried, zygote_seconds(&own) + zygote_seconds(&children));
}

// Ends WORKER, if that is still needed, and whatever it has forked, and tells the tuner.
// SERIAL: of the order to do so; 0: there was none. Where nobody may be killed (seccomp),
// it goes with this process.
static void zygote_bury(struct zygote *z, pid_t worker, bool timed_out, uint64_t serial) {
  int status = 0;
  kill(-worker, SIGKILL);
  if (kill(worker, SIGKILL) != 0 && errno != ESRCH)
    _exit(1);
  while (waitpid(worker, &status, 0) < 0 && errno == EINTR)
    ;
  count_cost(z);
  bury_orphans();
  openmp_clean(worker);
  zygote_tell(z, NOTICE_DIED, serial,
              &(struct notice){ .status = status, .timed_out = timed_out });
}

// Returns the seconds until the worker must be checked: until its deadline, or sooner
// if nothing reports its end. Negative: no worker.
static double zygote_patience(const struct zygote *z, pid_t worker) {
  double deadline = worker > 0 ? atomic_load(&z->board->deadline) : 0;
  double left = deadline > 0 ? deadline - measure_clock()
                             : 0.05; // idle: it may become busy at any time
  if (worker <= 0)
    return -1;
  if (z->orders.watch < 0 && left > 0.002)
    left = 0.002;
  if (left > 0.25)
    left = 0.25;
  return left > 0 ? left : 0;
}

static bool zygote_is_late(const struct zygote *z) {
  double deadline = atomic_load(&z->board->deadline);
  return deadline > 0 && measure_clock() > deadline;
}

static bool is_dead(
    pid_t worker) { // leaves it a zombie, so that its number stays its own
  siginfo_t info = { 0 };
  return waitid(P_PID, (id_t)worker, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      info.si_pid != 0;
}

// ---- the loop -----------------------------------------------------------------------

// Waits for orders, or for the end of WORKER (-1: none).
static void zygote_watch(struct zygote *z, pid_t worker) {
  if (z->orders.watch >= 0)
    close(z->orders.watch);
  z->orders.watch = worker > 0 ? (int)syscall(SYS_pidfd_open, worker, 0) : -1;
}

static void zygote_seal(struct zygote *z, uint64_t serial) {
  const struct image *m = &z->image;
  image_seal(&z->image, atomic_load(&z->board->deferred));
  struct notice n = { .needs_workers = unnamed_needs_workers(m),
                      .unnamed = unnamed_verifies(m),
                      .heap = !m->kernel->openmp || m->changes->apart,
                      .restless = unnamed_restless(m),
                      .watched = m->changes->on,
                      .looked = changes_looked(m) };
  for (unsigned i = 0; i < m->kernel->n_sections && i < COVERED_SECTIONS; i++)
    n.section_bytes[i] = m->memory.list[i].bytes;
  zygote_tell(z, NOTICE_SEALED, serial, &n);
}

static void zygote_obey(struct zygote *z, const struct message *order, pid_t *worker) {
  const struct notice nothing = { 0 };
  switch ((enum zygote_message)order->kind) {
  case ORDER_SPAWN:
    *worker = zygote_spawn(z, order->serial);
    zygote_watch(z, *worker);
    break;
  case ORDER_KILL:
    if (*worker > 0)
      zygote_bury(z, *worker, false, order->serial);
    else
      zygote_tell(z, NOTICE_DIED, order->serial, &nothing);
    *worker = -1;
    zygote_watch(z, *worker);
    break;
  case ORDER_SEAL:
    zygote_seal(z, order->serial);
    break;
  default: // notices are ours to send
    break;
  }
}

static void zygote_serve(struct zygote *z) {
  pid_t worker = -1;
  for (;;) {
    struct message order;
    enum channel_result e =
        channel_receive(&z->orders, &order, NULL, 0, zygote_patience(z, worker));
    bool dead = worker > 0 && is_dead(worker);
    if (dead || (worker > 0 && zygote_is_late(z))) {
      zygote_bury(z, worker, !dead, 0);
      worker = -1;
      zygote_watch(z, worker);
    }
    if (e == CHANNEL_CLOSED) {
      if (worker > 0)
        kill(-worker, SIGKILL);
      _exit(0); // the tuner is gone; the worker dies with us
    }
    if (e == CHANNEL_MESSAGE)
      zygote_obey(z, &order, &worker);
  }
}

// Returns the bytes that a run writes in sections.
static double zygote_writes(const struct image *m) {
  double bytes = 0;
  for (unsigned i = 0; i < m->n_segments; i++)
    bytes += m->segments[i].kind != SEGMENT_IN ? (double)m->segments[i].size : 0;
  return bytes;
}

void zygote_main(struct zygote *z, pid_t parent) {
  char message[256], *why = NULL;
  int fds[2] = { z->orders.socket, z->commands.socket };
  role_take(ROLE_WORKER);
  // What the terminal sends is not for variants. A session of its own would do that, too,
  // but Linux shares the processor between sessions (sched_autogroup) before it looks at
  // how nice a process is.
  setpgid(0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (!sandbox_follow(parent, SIGKILL))
    _exit(1);
  sandbox_signals();
  shortage_die_first(1000); // the workers too, which may not write this later
  if (sandbox_descriptors(fds, 2) != 0)
    _exit(1);
  z->orders = (struct channel){ fds[0], -1, &zygote_protocol, NULL };
  z->commands = (struct channel){ fds[1], -1, &worker_protocol, NULL };
  const struct range keep = { (char *)z->board, sizeof *z->board };
  if (sandbox_memory(&keep, 1, &why) != 0)
    zygote_fail(z, why ? why : "no memory");
  if (image_make(&z->image, z->kernel, z->args, message, sizeof message) != 0)
    zygote_fail(z, message);
  if (z->team > 1 && !sandbox_has_memory(z->team * zygote_writes(&z->image)))
    zygote_fail(z, "there is too little memory for calls that run at the same time");
  sandbox_limits();
  zygote_tell(z, NOTICE_READY, 0,
              &(struct notice){ .flops = z->image.flops,
                                .bytes = z->image.bytes,
                                .touched = z->image.touched,
                                .cold = z->image.cold,
                                .verified = z->image.verified });
  zygote_serve(z);
  _exit(0);
}
