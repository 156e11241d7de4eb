/* SPDX-License-Identifier: Apache-2.0 */
/* run_program.c: runs programs with posix_spawn, pipes and deadlines. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "run_program.h"
#include "base.h"

/* Not sys_now, since a test may stop its clock. */
static double run_program_real_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns the words of PROGRAM, then ARGS, in one block. A copy of PROGRAM, cut into
 * words, follows in the block. */
static char **make_argv(const char *program, const char *const *args) {
  size_t n_args = 0, size = strlen(program) + 1;
  while (args[n_args])
    n_args++;
  char **argv = sys_malloc((size / 2 + 1 + n_args + 1) * sizeof *argv + size);
  if (!argv)
    return NULL;
  char *words = (char *)(argv + size / 2 + 1 + n_args + 1), *rest = NULL;
  memcpy(words, program, size);
  size_t n = 0;
  for (char *word = strtok_r(words, " \t", &rest); word;
       word = strtok_r(NULL, " \t", &rest))
    argv[n++] = word;
  for (size_t i = 0; i < n_args; i++)
    argv[n++] =
        (char *)(uintptr_t)args[i]; /* exec does not write to it, but takes char */
  argv[n] = NULL;
  return argv;
}

static bool run_program_is_variable(const char *entry, const char *name) {
  size_t n = strlen(name);
  return strncmp(entry, name, n) == 0 && entry[n] == '=';
}

/* Returns the environment with messages in English and temporary files in FOLDER. */
static char **make_environment(const char *folder, char **tmpdir) {
  size_t n = 0, m = 0;
  while (environ && environ[n])
    n++;
  char **list = sys_malloc((n + 3) * sizeof *list);
  *tmpdir = list && folder ? sys_printf("TMPDIR=%s", folder) : NULL;
  if (!list || (folder && !*tmpdir)) {
    free(list);
    return NULL;
  }
  for (size_t i = 0; i < n; i++)
    if (!run_program_is_variable(environ[i], "LC_ALL") &&
        !(folder && run_program_is_variable(environ[i], "TMPDIR")))
      list[m++] = environ[i];
  static char locale[] = "LC_ALL=C";
  list[m++] = locale;
  if (folder)
    list[m++] = *tmpdir;
  list[m] = NULL;
  return list;
}

/* Starts ARGV[0] in a process group of its own, with no
 * signal blocked and default handlers. INPUT, OUTPUT: its standard input (-1: none) and
 * output; ERRORS: standard error, or -1: that of this process. */
static int run_program_spawn(char **argv, char **environment, int input, int output,
                             int errors, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int error = posix_spawn_file_actions_init(&actions);
  if (error)
    return error;
  if ((error = posix_spawnattr_init(&attributes)) == 0) {
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                 POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    error = input < 0
        ? posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        : posix_spawn_file_actions_adddup2(&actions, input, 0);
    if (error == 0 &&
        (error = posix_spawn_file_actions_adddup2(&actions, output, 1)) == 0 &&
        (errors < 0 ||
         (error = posix_spawn_file_actions_adddup2(&actions, errors, 2)) == 0))
      error = posix_spawnp(pid, argv[0], &actions, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/* Reads until all writers have closed the pipe, and keeps what fits. False: the deadline
 * came first. */
static bool run_program_collect(int fd, char *text, size_t size, double deadline) {
  size_t used = 0;
  for (;;) {
    double left = deadline - run_program_real_now();
    struct pollfd p = { fd, POLLIN, 0 };
    if (left <= 0)
      return false;
    int ready = poll(&p, 1, (int)(left * 1000) + 1);
    if (ready < 0 && errno != EINTR)
      return false;
    if (ready <= 0)
      continue;
    char block[4096];
    ssize_t got = read(fd, block, sizeof block);
    if (got == 0 || (got < 0 && errno != EINTR))
      return true;
    size_t fits = got > 0 ? (size_t)got : 0;
    if (fits > size - 1 - used)
      fits = size - 1 - used;
    memcpy(text + used, block, fits);
    text[used += fits] = 0;
  }
}

/* Waits for PID. True if it ended before the deadline. */
static bool run_program_reap(pid_t pid, int *status, double deadline) {
  struct timespec nap = { 0, 200000 };
  for (;;) {
    pid_t got = waitpid(pid, status, WNOHANG);
    if (got == pid)
      return true;
    if (got < 0 && errno != EINTR) { /* it was reaped elsewhere, for example because the
                                        program ignores SIGCHLD */
      *status = 0;
      return true;
    }
    if (run_program_real_now() > deadline)
      return false;
    nanosleep(&nap, NULL);
    if (nap.tv_nsec < 10000000)
      nap.tv_nsec *= 2;
  }
}

static int run_program_run(char **argv, char **environment, char *text, size_t size,
                           double deadline) {
  int ends[2], status = 0;
  pid_t pid;
  if (sys_fails(SYS_PIPE) || pipe2(ends, O_CLOEXEC) != 0)
    return RUN_FAILED;
  int error = argv[0] ? run_program_spawn(argv, environment, -1, ends[1], ends[1], &pid)
                      : ENOENT;
  close(ends[1]);
  if (error) {
    close(ends[0]);
    errno = error;
    return RUN_FAILED;
  }
  bool ended = run_program_collect(ends[0], text, size, deadline) &&
      run_program_reap(pid, &status, deadline);
  close(ends[0]);
  if (!ended) {
    kill(-pid, SIGKILL);
    waitpid(pid, &status, 0);
    return RUN_TIMEOUT;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int run_program(const char *program, const char *const *args, const char *folder,
                char *text, size_t size, double seconds) {
  double deadline = run_program_real_now() + seconds;
  char *tmpdir = NULL, **argv = make_argv(program, args);
  char **environment = make_environment(folder, &tmpdir);
  text[0] = 0;
  errno = ENOMEM;
  int status = argv && environment
      ? run_program_run(argv, environment, text, size, deadline)
      : RUN_FAILED;
  int error = errno;
  free(argv);
  free(environment);
  free(tmpdir);
  errno = error;
  return status;
}

/* ---- programs that talk ---------------------------------------------------------- */

pid_t run_program_start(const char *command, int *input, int *output) {
  int in[2], out[2];
  pid_t pid = -1;
  char shell[] = "sh", option[] = "-c", *text = sys_strdup(command);
  char *argv[] = { shell, option, text, NULL };
  bool piped = text && !sys_fails(SYS_PIPE) && pipe2(in, O_CLOEXEC) == 0;
  int error = piped ? 0 : text ? errno : ENOMEM;
  if (piped && pipe2(out, O_CLOEXEC) != 0) {
    error = errno;
    close(in[0]);
    close(in[1]);
  } else if (piped) {
    error = run_program_spawn(argv, environ, in[0], out[1], -1, &pid);
    close(in[0]);
    close(out[1]);
    *input = in[1];
    *output = out[0];
    fcntl(*input, F_SETFL, O_NONBLOCK);
    fcntl(*output, F_SETFL, O_NONBLOCK);
    if (error) {
      close(*input);
      close(*output);
    }
  }
  free(text);
  errno = error;
  return error ? -1 : pid;
}

int run_program_end(pid_t pid, double seconds) {
  double deadline = run_program_real_now() + seconds;
  int status = 0;
  bool ended = run_program_reap(pid, &status, deadline);
  kill(-pid, SIGKILL); /* what it started, if that is still there */
  if (!ended) {
    waitpid(pid, &status, 0);
    return RUN_TIMEOUT;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
