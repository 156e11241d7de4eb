// SPDX-License-Identifier: Apache-2.0
// tune_program.c: `autotune tune -- PROGRAM ARGS…`: the program runs as ever, with a
// search at its first calls, and then this says what came of it. Which kernels it called,
// the runtime in it writes to a file.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/report/report.h"
#include "tune.h"

enum { MOST_NAMES = 256 };

// The exit status as a shell has it.
static int tune_program_run(char **program) {
  struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt, quit;
  sigaction(SIGINT, &ignore, &interrupt); // ^C is for the program
  sigaction(SIGQUIT, &ignore, &quit);
  int status = 0;
  pid_t pid = fork();
  if (pid == 0) {
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    execvp(program[0], program);
    int error = errno;
    fprintf(stderr, "autotune tune: %s: %s\n", program[0], strerror(error));
    _exit(error == ENOENT ? 127 : 126);
  }
  if (pid < 0) {
    fprintf(stderr, "autotune tune: %s\n", strerror(errno));
    return 126;
  }
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// The lines of the file at PATH, none twice, NULL-terminated: what the program called.
static const char **read_names(const char *path) {
  const char **names = NULL;
  unsigned n = 0;
  char line[512];
  FILE *f = fopen(path, "r");
  while (f && n < MOST_NAMES && fgets(line, sizeof line, f)) {
    line[strcspn(line, "\n")] = '\0';
    bool known = false;
    for (unsigned i = 0; i < n; i++)
      known |= strcmp(names[i], line) == 0;
    if (!known)
      *GROW(names, n) = arena_copy(line, strlen(line));
  }
  if (f)
    fclose(f);
  *GROW(names, n) = NULL;
  return names;
}

static void tune_program_say_nothing(const struct tune_options *o,
                                     const char *const *names, FILE *out) {
  bool called = false;
  for (const char *const *n = names; o->kernel && *n; n++)
    called |= strcmp(*n, o->kernel) == 0;
  if (!*names) {
    fprintf(
        out,
        "autotune tune: nothing was tuned: the program called no kernel (was it built "
        "with `autotune cc`?)\n");
  } else if (o->kernel && !called) {
    const char *near = value_nearest(o->kernel, strlen(o->kernel), names);
    fprintf(out, "autotune tune: nothing was tuned: the program did not call '%s'",
            o->kernel);
    if (near)
      fprintf(out, "; did you mean '%s'?", near);
    else
      for (const char *const *n = names; *n; n++)
        fprintf(out, "%s%s", n == names ? "; it called: " : ", ", *n);
    fprintf(out, "\n");
  } else {
    fprintf(out, "autotune tune: nothing was tuned; AUTOTUNE_LOG=info says why\n");
  }
}

int tune_write_report(const struct tune_options *o) {
  struct report_options r = { .kernel = o->kernel, .json = true, .verbose = true };
  FILE *f = o->output ? fopen(o->output, "w") : NULL;
  if (!o->output)
    return 0;
  if (f)
    report_print(&r, f);
  if (f && fclose(f) == 0)
    return 0;
  fprintf(stderr, "autotune tune: %s: %s\n", o->output, strerror(errno));
  return 1;
}

int tune_program(const struct tune_options *o) {
  char *path = temp_path("called");
  file_write(path, "", 0);
  setenv("AUTOTUNE_CALLED", path, 1);
  struct timespec began;
  clock_gettime(CLOCK_REALTIME, &began);
  int status = tune_program_run(o->program);
  fflush(stdout);
  bool started = status != 126 && status != 127; // else that was said
  if (report_tuned(NULL, (double)began.tv_sec + 1e-9 * (double)began.tv_nsec, stderr) ==
          0 &&
      started)
    tune_program_say_nothing(o, read_names(path), stderr);
  int written = tune_write_report(o);
  return status ? status : written;
}
