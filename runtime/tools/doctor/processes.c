// SPDX-License-Identifier: Apache-2.0
// processes.c: checks the system calls that tuning needs and that a container's filter
// may refuse.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "doctor.h"
#include "base/channel.h"
#include "base/base.h"

// Starts a process that waits, calls SEE with it, and kills it. False and errno: it could
// not be started, or SEE returned false.
static bool with_child(bool (*see)(pid_t child)) {
  pid_t child = sys_fork();
  if (child == 0)
    for (;;)
      pause();
  if (child < 0)
    return false;
  bool good = see(child);
  int error = errno;
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  errno = error;
  return good;
}

static bool processes_exists(pid_t child) {
  return child > 0;
}

static bool can_fork(void) {
  return with_child(processes_exists);
}

static bool pidfd_of(pid_t child) {
  int fd = (int)syscall(SYS_pidfd_open, child, 0);
  bool good = fd >= 0 && syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0) == 0;
  int error = errno;
  if (fd >= 0)
    close(fd);
  errno = error;
  return good;
}

static bool can_pidfd(void) {
  return with_child(pidfd_of);
}

// True if the pages of a memory file can be executable, as those of code must be.
static bool can_memory_file(void) {
  int fd = memfd_create("autotune-doctor", MFD_CLOEXEC);
  bool good = fd >= 0 && ftruncate(fd, 4096) == 0;
  void *page = good ? mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0)
                    : MAP_FAILED;
  int error = errno;
  if (page != MAP_FAILED)
    munmap(page, 4096);
  if (fd >= 0)
    close(fd);
  errno = error;
  return page != MAP_FAILED;
}

static bool can_share(void) {
  void *page = sys_mmap(4096, true);
  if (page)
    munmap(page, 4096);
  return page != NULL;
}

static bool can_pair(void) {
  int pair[2];
  if (channel_pair(pair) != 0)
    return false;
  close(pair[0]);
  close(pair[1]);
  return true;
}

static bool can_adopt(void) {
  int before = 0;
  return prctl(PR_GET_CHILD_SUBREAPER, &before) == 0 &&
      prctl(PR_SET_CHILD_SUBREAPER, before) == 0;
}

static const struct {
  const char *name;
  bool (*works)(void);
} calls[] = {
  { "fork", can_fork },
  { "pidfd_open", can_pidfd },
  { "memfd_create with executable pages", can_memory_file },
  { "shared memory", can_share },
  { "a pair of sockets", can_pair },
  { "PR_SET_CHILD_SUBREAPER", can_adopt },
};

bool check_processes(struct finding *f) {
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (!calls[i].works())
      return finding_say(f, false, "%s: %s", calls[i].name, strerror(errno));
  return finding_say(f, true,
                     "fork, pidfd, executable memory files, shared memory, sockets");
}

static bool can_trace(pid_t child) {
  return ptrace(PTRACE_SEIZE, child, NULL, NULL) == 0;
}

// Tries ptrace, with which gdb and strace look at a tuner or a variant. Tuning does not
// use it.
bool check_debuggers(struct finding *f) {
  char scope[16] = "";
  bool known = doctor_line("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof scope);
  if (!with_child(can_trace))
    return finding_say(f, false, "ptrace: %s; tuning does not need it", strerror(errno));
  return finding_say(f, true, "ptrace works%s%s",
                     known ? ", kernel.yama.ptrace_scope is " : "", scope);
}
