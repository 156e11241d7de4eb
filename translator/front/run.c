// SPDX-License-Identifier: Apache-2.0
// run.c: runs processes; makes temporary files that are removed when the program ends.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/temporary.h"
#include "front/front.h"

extern char **environ;

// The state that the signal handler needs: the process to end and the folder to remove.
static struct {
  char folder[PATH_MAX];
  int lock;             // of temporary_new
  pid_t owner;          // the process that removes the folder: a forked child must not
  volatile pid_t child; // 0: none runs
} temp;

void temp_remove(void) // safe in a signal handler
{
  if (temp.owner != getpid())
    return;
  temp.owner = 0;
  temporary_remove(temp.folder);
  close(temp.lock);
}

// Ends the child first (it removes files of its own), then removes the folder, then ends
// this process by the same signal.
static void on_signal(int number) {
  if (temp.owner == getpid() && temp.child > 0) {
    kill(temp.child, number);
    waitpid(temp.child, NULL, 0);
  }
  temp_remove();
  signal(number, SIG_DFL);
  raise(number);
}

static void catch_signals(void) {
  static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE };
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    struct sigaction old, new = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
    sigfillset(&new.sa_mask);
    if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(signals[i], &new, NULL);
  }
}

const char *temp_folder(void) {
  if (temp.owner == getpid())
    return temp.folder;
  const char *parent = getenv("TMPDIR");
  if (!parent || !*parent)
    parent = "/tmp";
  char real[PATH_MAX]; // absolute, because gcc's helpers may run in another folder
  if (!realpath(parent, real))
    fatal("%s: no temporary folder can be made there: %s", parent, strerror(errno));
  char *name = temporary_new(strcmp(real, "/") == 0 ? "" : real, &temp.lock);
  if (!name || strlen(name) >= sizeof temp.folder)
    fatal("%s: no temporary folder can be made there: %s", parent, strerror(errno));
  strcpy(temp.folder, name);
  free(name);
  temp.owner = getpid();
  temp.child = 0;
  atexit(temp_remove);
  catch_signals();
  return temp.folder;
}

char *temp_path(const char *name) {
  return arena_printf("%s/%s", temp_folder(), name);
}

void file_write(const char *path, const char *data, size_t size) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool ok = fd >= 0;
  while (ok && size) {
    ssize_t n = write(fd, data, size);
    if (n < 0 && errno == EINTR)
      continue;
    ok = n > 0;
    data += ok ? n : 0;
    size -= ok ? (size_t)n : 0;
  }
  int error = errno;
  if (fd >= 0 && close(fd) != 0 && ok) {
    ok = false;
    error = errno;
  }
  if (!ok)
    fatal("%s: cannot be written: %s", path, strerror(error));
}

static int exit_status(pid_t child) {
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Reads both pipes until their other ends are closed.
static void run_drain(int out_fd, struct text *out, int error_fd, struct text *errors) {
  struct pollfd fds[2] = { { out_fd, POLLIN, 0 }, { error_fd, POLLIN, 0 } };
  struct text *texts[2] = { out, errors };
  char buffer[16384];
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    if (poll(fds, 2, -1) < 0 && errno != EINTR)
      return;
    for (int i = 0; i < 2; i++) {
      if (fds[i].fd < 0 || !fds[i].revents)
        continue;
      ssize_t n = read(fds[i].fd, buffer, sizeof buffer);
      if (n > 0)
        text_add(texts[i], buffer, (size_t)n);
      else if (n == 0 || errno != EINTR)
        fds[i].fd = -1;
    }
  }
}

static int run_spawn(const char *const *argv, const int *out, const int *errors,
                     pid_t *child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (out)
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  if (errors)
    posix_spawn_file_actions_adddup2(&actions, errors[1], 2);
  int error = posix_spawnp(child, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv,
                           environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

int run_command(const char *const *argv, struct text *out, struct text *errors) {
  int pipes[2][2] = { { -1, -1 }, { -1, -1 } };
  if ((out && pipe2(pipes[0], O_CLOEXEC) != 0) ||
      (errors && pipe2(pipes[1], O_CLOEXEC) != 0))
    fatal("no pipe can be made: %s", strerror(errno));
  if (out)
    text_add(out, "", 0);
  if (errors)
    text_add(errors, "", 0);
  pid_t child = 0;
  int error = run_spawn(argv, out ? pipes[0] : NULL, errors ? pipes[1] : NULL, &child);
  temp.child = error ? 0 : child;
  close(pipes[0][1]);
  close(pipes[1][1]);
  if (!error)
    run_drain(pipes[0][0], out, pipes[1][0], errors);
  close(pipes[0][0]);
  close(pipes[1][0]);
  int status = error ? 127 : exit_status(child);
  temp.child = 0;
  errno = error;
  return status;
}

static bool write_stream(FILE *f, const struct text *out) {
  return fwrite(out->data ? out->data : "", 1, out->size, f) == out->size;
}

// True if PATH may be replaced. A device, a pipe or a link is written to instead:
// otherwise root could lose /dev/null.
static bool translate_is_replaceable(const char *path) {
  struct stat st;
  return lstat(path, &st) == 0 ? S_ISREG(st.st_mode) : errno == ENOENT;
}

// Replaces the file at once, so that a reader of PATH never sees half of it.
int file_replace(const char *path, const struct text *out) {
  if (!path)
    return write_stream(stdout, out) && fflush(stdout) == 0 ? 0 : -1;
  bool replace = translate_is_replaceable(path);
  const char *to = replace ? arena_printf("%s.%ld.tmp", path, (long)getpid()) : path;
  struct stat st;
  bool keep = replace && stat(path, &st) == 0; // its mode
  FILE *f = fopen(to, "wb");
  if (!f)
    return -1;
  bool good = write_stream(f, out) &&
      (!keep || fchmod(fileno(f), st.st_mode & 07777) == 0);
  good = fclose(f) == 0 && good;
  if (good && (!replace || rename(to, path) == 0))
    return 0;
  int error = errno;
  if (replace)
    unlink(to);
  errno = error;
  return -1;
}
