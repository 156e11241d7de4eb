// SPDX-License-Identifier: Apache-2.0
// detach.c: starts a tuner that is not a child of the program. So no wait() of the
// program returns an unknown child, no SIGCHLD comes, and no zombie remains.
//
// The program clones a helper that shares its memory and descriptors, and that the kernel
// reports to nobody: only a wait with __WCLONE or __WALL finds a child without an exit
// signal. The helper forks the tuner while the calling thread waits, as posix_spawn does;
// so page tables are copied once. In the background the helper ends then. Where the
// program waits for the tuner, the helper stays as its parent, and collects its status.
//
// Sanitizers and Valgrind support only fork. There the helper is a fork, a child like any
// other.
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tsan.h"
#include "packet.h"
#include "run/cpu/stack.h"

static const struct timespec look_every = { 0, 100000000 };

// There is one session at a time, so there is one helper.
static struct helper {
  struct tuner_job job;
  struct stack stack;
  pid_t program, pid, tuner; // pid: of the helper; 0: there is none
  atomic_uint forked;
  int pidfd, error, status; // as from waitpid
  double copying;           // seconds of CPU that the fork took
  bool shares;              // the program's memory
} helper;

// A process cloned with shared memory is not registered for restartable sequences, nor
// are its forks. Allocators that use these would not notice.
static void restore_sequences(void) {
  if (__rseq_size > 0)
    syscall(SYS_rseq, (char *)__builtin_thread_pointer() + __rseq_offset,
            __rseq_size > 32 ? __rseq_size : 32, 0, RSEQ_SIG);
}

bool detach_shares(void) {
  const char *preloaded = getenv("LD_PRELOAD");
  return !tsan_or_asan() && !(preloaded && strstr(preloaded, "/vgpreload_"));
}

// In the helper. From FORKED on the calling thread runs again, on the same thread-local
// variables. So there are only system calls then, none of which can fail and set errno.
static int detach_help(void *data) {
  struct helper *h = data;
  bool stays = !h->job.plan->background;
  h->job.parent = getpid();
  if (stays && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != h->program))
    return 1;
  double start = sys_cpu();
  h->tuner = sys_fork();
  if (h->tuner == 0) {
    restore_sequences();
    tuner_main(&h->job);
  }
  h->error = errno;
  h->copying = sys_cpu() - start;
  if (h->tuner > 0)
    h->pidfd = (int)syscall(SYS_pidfd_open, h->tuner, 0);
  int tuner = h->tuner;
  atomic_store(&h->forked, 1);
  syscall(SYS_futex, &h->forked, FUTEX_WAKE, 1, NULL, NULL, 0);
  if (stays && tuner > 0)
    syscall(SYS_wait4, tuner, &h->status, 0, NULL);
  return 0;
}

static void detach_clone(struct helper *h) {
  int error;
  stack_enter(&h->stack); // the tuner runs on a copy of it and of this thread's data
  h->pid = clone(detach_help, h->stack.base + h->stack.size, CLONE_VM | CLONE_FILES, h);
  error = errno;
  siginfo_t end = { 0 }; // of a helper that was killed
  while (h->pid > 0 && !atomic_load(&h->forked) && end.si_pid == 0) {
    syscall(SYS_futex, &h->forked, FUTEX_WAIT, 0, &look_every, NULL, 0);
    waitid(P_PID, (id_t)h->pid, &end, WEXITED | WNOHANG | WNOWAIT | __WALL);
  }
  stack_leave(&h->stack);
  if (h->pid < 0)
    h->error = error;
}

// The tuner itself is the child that the program waits for; in the background its parent
// is a child that ends at once.
static void detach_fork(struct helper *h) {
  h->job.parent = getpid();
  double start = sys_cpu();
  h->pid = h->job.plan->background ? fork() : sys_fork();
  if (h->pid == 0 && !h->job.plan->background)
    tuner_main(&h->job);
  if (h->pid == 0) {
    detach_help(h);
    _exit(h->tuner > 0 ? 0 : 1);
  }
  h->error = errno;
  h->copying = sys_cpu() - start;
  h->tuner = h->pid; // its pid is used instead
  if (h->pid > 0 && !h->job.plan->background)
    h->pidfd = (int)syscall(SYS_pidfd_open, h->tuner, 0);
}

bool detach_reap(int *status) {
  struct helper *h = &helper;
  int own = 0;
  pid_t got = h->pid > 0 ? waitpid(h->pid, &own, WNOHANG | __WALL) : -1;
  if (got == 0 || (got < 0 && h->pid > 0 && errno == EINTR))
    return false;
  if (h->shares && h->pid > 0)
    stack_unmap(&h->stack);
  if (h->pid > 0) // -1: it was reaped elsewhere, and the status is not known
    *status = h->shares ? h->status : got > 0 ? own : 0;
  h->pid = 0;
  return true;
}

double detach_copying(void) {
  return helper.copying;
}

int detach_tuner(const struct tuner_job *job, int *pidfd) {
  struct helper *h = &helper;
  int status;
  *h = (struct helper){ .job = *job, .program = getpid(), .tuner = -1, .pidfd = -1 };
  h->shares = detach_shares();
  if (h->shares && !stack_map(&h->stack)) {
    errno = ENOMEM;
    return -1;
  }
  (h->shares ? detach_clone : detach_fork)(h);
  if (h->pid <= 0 && h->shares)
    stack_unmap(&h->stack);
  bool stays = h->tuner > 0 && !job->plan->background;
  while (h->pid > 0 && !stays && !detach_reap(&status))
    sched_yield();
  *pidfd = h->pidfd;
  errno = h->error;
  return h->tuner > 0 ? h->tuner : -1;
}
