// SPDX-License-Identifier: Apache-2.0
// copies.c: copies of a worker that run side by side with it, as the threads of a
// parallel region do: they share caches and the memory's bandwidth. A copy is a fork:
// what it writes is its own, what it only reads is shared, as in the program.
//
// All runs begin together. Before each, every copy puts back its memory and says so; the
// worker waits for all of them and gives the sign. So no copy restores memory while the
// worker is timed, and each run is as crowded as any other.
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "copies.h"
#include "sandbox.h"

enum {
  SPINS = 200,
  LOOKS = 1000
}; // turns before the processor is given away, and
   // between two looks for copies that have died

// Shared by the worker and its copies.
struct copies_board {
  atomic_uint round;  // of the run that is being prepared
  atomic_uint ready;  // copies that are ready for it
  atomic_uint go;     // the round whose run may begin
  _Atomic(int) which; // of the round
  atomic_uint batch;  // likewise
};

static void copies_pause(unsigned turn) {
  if (turn % SPINS == SPINS - 1)
    sched_yield();
}

bool copies_open(struct copies *c, unsigned copies) {
  *c = (struct copies){ .n = 0 };
  if (copies > COPIES_MOST)
    copies = COPIES_MOST;
  c->board = copies > 0 ? sys_mmap(sizeof *c->board, true) : NULL;
  c->pids = copies > 0 ? sys_calloc(copies, sizeof *c->pids) : NULL;
  c->most = c->board && c->pids ? copies : 0;
  return c->most == copies;
}

// A copy: runs what the worker runs until it is killed.
__attribute__((noreturn)) static void copies_main(const struct copies *c, unsigned place,
                                                  const struct copies_work *w) {
  struct copies_board *b = c->board;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  machine_spread(place);
  for (unsigned round = 1;; round++) {
    for (unsigned i = 0; atomic_load(&b->round) < round; i++)
      copies_pause(i);
    int which = atomic_load(&b->which);
    unsigned batch = atomic_load(&b->batch);
    w->prepare(w->data);
    atomic_fetch_add(&b->ready, 1);
    for (unsigned i = 0; atomic_load(&b->go) < round; i++)
      copies_pause(i);
    w->run(w->data, which, batch);
  }
}

bool copies_begin(struct copies *c, const struct copies_work *w) {
  pid_t self = getpid();
  atomic_store(&c->board->round, 0);
  atomic_store(&c->board->go, 0);
  for (c->n = 0; c->n < c->most; c->n++) {
    pid_t pid = sys_fork();
    if (pid == 0 && getppid() == self)
      copies_main(c, c->n, w);
    if (pid == 0)
      _exit(0);
    if (pid < 0)
      break;
    c->pids[c->n] = pid;
  }
  if (c->n < c->most)
    copies_end(c);
  return c->n == c->most;
}

// Returns the signal or, negated, the status with which a copy has ended; 0: none has.
static int copies_lost(struct copies *c) {
  for (unsigned i = 0; i < c->n; i++) {
    siginfo_t end = { 0 };
    if (waitid(P_PID, (id_t)c->pids[i], &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        end.si_pid != 0)
      return end.si_code == CLD_EXITED ? -1 - end.si_status : end.si_status;
  }
  return 0;
}

void copies_ready(struct copies *c, int which, unsigned batch) {
  struct copies_board *b = c->board;
  atomic_store(&b->which, which);
  atomic_store(&b->batch, batch);
  atomic_store(&b->ready, 0);
  atomic_fetch_add(&b->round, 1);
}

int copies_go(struct copies *c) {
  struct copies_board *b = c->board;
  for (unsigned i = 1; atomic_load(&b->ready) < c->n; i++) {
    int lost = i % LOOKS == 0 ? copies_lost(c) : 0;
    if (lost)
      return lost;
    copies_pause(i);
  }
  atomic_store(&b->go, atomic_load(&b->round));
  return 0;
}

double copies_end(struct copies *c) {
  double cpu = 0;
  for (unsigned i = 0; i < c->n; i++)
    kill(c->pids[i], SIGKILL);
  for (unsigned i = 0; i < c->n; i++) {
    struct rusage u = { 0 };
    while (wait4(c->pids[i], NULL, 0, &u) < 0 && errno == EINTR)
      ;
    cpu += (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
        1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
  }
  c->n = 0;
  return cpu;
}

void copies_judge(const struct copies *c, int lost, struct answer *a) {
  const char *name = lost > 0 ? sigabbrev_np(lost) : NULL;
  if (lost > 0) {
    a->status = STATUS_CRASH;
    snprintf(a->message, sizeof a->message, "SIG%s, one of %u that run at the same time",
             name ? name : "?", c->most + 1);
  } else if (lost < 0) {
    a->status = STATUS_EXIT;
    snprintf(a->message, sizeof a->message, "it called exit(%d)", -1 - lost);
  }
}

void copies_lack(const struct copies *c, struct answer *a) {
  a->status = STATUS_LOAD;
  snprintf(
      a->message, sizeof a->message,
      "%u of it cannot run at the same time: too few processes, or too little memory",
      c->most + 1);
}
