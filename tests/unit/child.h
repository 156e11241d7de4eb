/* SPDX-License-Identifier: Apache-2.0 */
/* child.h: runs a function in a process of its own, because a process reads the
 * environment only once: starts the test program again as `PROGRAM --child NAME
 * ARGUMENT`. */
#ifndef CHILD_H
#define CHILD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct child {
  const char *name;
  int (*fn)(char *argument);
};

/* Returns the function's result, or 1000 + the signal that ended the child. *SAID
 * receives its standard error (malloc'ed). Of our variables, only VARIABLE
 * ("AUTOTUNE_LOG=info", or NULL) is set. */
static inline int run_child(const char *name, const char *argument, const char *variable,
                            char **said) {
  static const char *const ours[] = { "AUTOTUNE_MODE",   "AUTOTUNE_BUDGET",
                                      "AUTOTUNE_SEARCH", "AUTOTUNE_SEED",
                                      "AUTOTUNE_LOG",    "AUTOTUNE_CACHE",
                                      "AUTOTUNE_JIT",    "AUTOTUNE_OPENMP",
                                      "AUTOTUNE_FAULT" };
  FILE *err = tmpfile();
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
      unsetenv(ours[i]);
    if (variable)
      putenv((char *)variable);
    dup2(fileno(err), STDERR_FILENO);
    execl("/proc/self/exe", "test", "--child", name, argument, (char *)NULL);
    _exit(126);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  long size = lseek(fileno(err), 0, SEEK_END);
  *said = calloc(1, (size_t)size + 1);
  if (pread(fileno(err), *said, (size_t)size, 0) != size)
    (*said)[0] = '\0';
  fclose(err);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* For main: runs the child that the arguments name, and exits; else returns. */
static inline void be_child(int argc, char **argv, const struct child *children,
                            size_t n) {
  if (argc != 4 || strcmp(argv[1], "--child") != 0)
    return;
  for (size_t i = 0; i < n; i++)
    if (strcmp(children[i].name, argv[2]) == 0)
      exit(children[i].fn(argv[3]));
  exit(125);
}

static inline unsigned count_text(const char *in, const char *what) {
  unsigned n = 0;
  for (; (in = strstr(in, what)); in += strlen(what))
    n++;
  return n;
}

#endif
