// SPDX-License-Identifier: Apache-2.0
// killer.c: `killer NUMBER MICROSECONDS COMMAND [ARG…]` runs COMMAND in a session of its
// own and sends SIGKILL after that time, to all of the session's processes, to the command
// alone, or to one of the others, as NUMBER says. Then it waits until none is left; the
// command has a minute for that, the others then have 20 seconds. Descriptor 3 gets a line:
//
//   WHOM STATUS MICROSECONDS LEFT
//
// WHOM: `all`, `program`, `one`, or `nobody` when the command had ended by itself. STATUS:
// the command's, as in a shell. MICROSECONDS: how long the command ran. LEFT: the number
// of processes that were still there; these are killed.
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 256, COMMAND_LIMIT = 60, OTHERS_LIMIT = 20 /* seconds */ };

struct run {
  pid_t pid;
  double begun, took; // seconds
  int status;
  bool ended;   // the command
  bool nothing; // is left of it
};

static double killer_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct run killer_start(char **command) {
  struct run r = { .begun = killer_now() };
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, NULL);
  r.pid = fork();
  if (r.pid == 0) {
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    close(3);
    setsid();
    execvp(command[0], command);
    _exit(127);
  }
  return r;
}

// Collects what has ended: orphans of the session are children of this process.
static void killer_collect(struct run *r) {
  pid_t pid;
  int status;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
    if (pid == r->pid) {
      r->ended = true;
      r->took = killer_now() - r->begun;
      r->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
  r->nothing = pid < 0 && errno == ECHILD;
}

// Waits until the command has ended (ALL: until nothing is left of it). False: it is not
// so at UNTIL.
static bool killer_wait(struct run *r, bool all, double until) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  for (;;) {
    killer_collect(r);
    if (all ? r->nothing : r->ended)
      return true;
    double rest = until - killer_now();
    if (rest <= 0)
      return false;
    struct timespec t = { .tv_sec = (time_t)rest };
    t.tv_nsec = (long)(1e9 * (rest - (double)t.tv_sec));
    sigtimedwait(&set, NULL, &t);
  }
}

// True if process PID is of SESSION and no zombie.
static bool killer_belongs(const char *pid, pid_t session) {
  char path[64], text[512], state = 'Z';
  snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC), its = 0;
  if (fd < 0)
    return false;
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  text[n > 0 ? n : 0] = '\0';
  const char *end = strrchr(text, ')');
  return end && sscanf(end + 1, " %c %*d %*d %d", &state, &its) == 2 && its == session &&
         state != 'Z' && state != 'X';
}

// Stores the living processes of R but for the command, and returns their number.
static unsigned killer_others(const struct run *r, pid_t *pids) {
  unsigned n = 0;
  DIR *folder = opendir("/proc");
  for (struct dirent *e; folder && n < MOST && (e = readdir(folder));)
    if (isdigit((unsigned char)e->d_name[0]) && atoi(e->d_name) != r->pid &&
        killer_belongs(e->d_name, r->pid))
      pids[n++] = atoi(e->d_name);
  if (folder)
    closedir(folder);
  return n;
}

// Returns who was killed. Where the command has no other process, it is killed itself.
static const char *killer_kill(struct run *r, unsigned number) {
  pid_t pids[MOST];
  unsigned n = number % 3 == 1 ? 0 : killer_others(r, pids);
  if (number % 3 == 2 && n > 0) {
    kill(pids[number / 3 % n], SIGKILL);
    return "one";
  }
  kill(r->pid, SIGKILL);
  for (unsigned i = 0; i < n; i++)
    kill(pids[i], SIGKILL);
  return n > 0 ? "all" : "program";
}

int main(int argc, char **argv) {
  if (argc < 4 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 ||
      fcntl(3, F_SETFD, FD_CLOEXEC) != 0)
    return 2;
  struct run r = killer_start(argv + 3);
  const char *whom = "nobody";
  pid_t pids[MOST];
  unsigned left = 0;
  if (!killer_wait(&r, false, r.begun + 1e-6 * atof(argv[2])))
    whom = killer_kill(&r, (unsigned)atoi(argv[1]));
  if (!killer_wait(&r, false, killer_now() + COMMAND_LIMIT))
    left = 1;
  if (left || !killer_wait(&r, true, killer_now() + OTHERS_LIMIT)) {
    left += killer_others(&r, pids);
    kill(r.pid, SIGKILL);
    for (unsigned n = killer_others(&r, pids); n > 0; n--)
      kill(pids[n - 1], SIGKILL);
    killer_wait(&r, true, killer_now() + OTHERS_LIMIT);
  }
  dprintf(3, "%s %d %.0f %u\n", whom, r.status, 1e6 * r.took, left);
  return left > 0;
}
