// SPDX-License-Identifier: Apache-2.0
// detach.c: starts a background tuner that is not a child of the program. So no wait() of
// the program returns an unknown child, no SIGCHLD comes, and no zombie remains.
//
// The program clones a helper that shares its memory and descriptors while the calling
// thread is suspended, as posix_spawn does; the helper forks the tuner and ends. Page
// tables are copied once. Only a wait with __WCLONE finds a child without an exit signal.
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "packet.h"
#include "run/cpu/stack.h"

struct helper {
  const struct tuner_job *job;
  pid_t tuner;
  int pidfd, error;
};

// A process cloned with shared memory is not registered for restartable sequences, nor
// are its forks. Allocators that use these would not notice.
static void restore_sequences(void) {
  if (__rseq_size > 0)
    syscall(SYS_rseq, (char *)__builtin_thread_pointer() + __rseq_offset,
            __rseq_size > 32 ? __rseq_size : 32, 0, RSEQ_SIG);
}

static int detach_help(void *data) {
  struct helper *h = data;
  h->tuner = sys_fork();
  if (h->tuner == 0) {
    restore_sequences();
    tuner_main(h->job);
  }
  h->error = errno;
  if (h->tuner > 0)
    h->pidfd = (int)syscall(SYS_pidfd_open, h->tuner, 0);
  return 0;
}

static pid_t clone_helper(struct helper *h, struct stack *stack) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  (void)stack; // sanitizers support only fork
  pid_t pid = fork();
  if (pid == 0) {
    detach_help(h);
    _exit(h->tuner > 0 ? 0 : 1);
  }
  h->tuner = pid; // its pid is used instead
  return pid;
#else
  // The tuner runs on a copy of the stack and of this thread's data.
  stack_enter(stack);
  pid_t pid = clone(detach_help, stack->base + stack->size,
                    CLONE_VM | CLONE_VFORK | CLONE_FILES, h);
  stack_leave(stack);
  return pid;
#endif
}

int detach_tuner(const struct tuner_job *job, int *pidfd) {
  struct helper h = { .job = job, .tuner = -1, .pidfd = -1 };
  struct stack stack;
  if (!stack_map(&stack)) {
    errno = ENOMEM;
    return -1;
  }
  pid_t helper = clone_helper(&h, &stack);
  if (helper < 0)
    h.error = errno;
  while (helper > 0 && waitpid(helper, NULL, __WALL) < 0 && errno == EINTR)
    ;
  stack_unmap(&stack);
  *pidfd = h.pidfd;
  errno = h.error;
  return h.tuner > 0 ? 0 : -1;
}
