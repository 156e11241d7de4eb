// SPDX-License-Identifier: Apache-2.0
// detach.c: a tuner that works beside the program is no child of it, so that no wait() of
// the program's finds one it knows nothing of, no SIGCHLD comes, and no zombie waits for
// somebody to ask.
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

// What is cloned with shared memory is not registered for restartable sequences, nor are
// its forks, but allocators that use them would not know.
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
  (void)stack; // they know of fork alone
  pid_t pid = fork();
  if (pid == 0) {
    detach_help(h);
    _exit(h->tuner > 0 ? 0 : 1);
  }
  h->tuner = pid; // its number will do
  return pid;
#else
  // The tuner lives on a copy of the stack, and of what this thread knows of itself.
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
