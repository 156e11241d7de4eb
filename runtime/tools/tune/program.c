// SPDX-License-Identifier: Apache-2.0
// program.c: `autotune tune -- PROGRAM ARGS…`: runs the program, with a search at its
// first calls, and then prints the results. The runtime in the program writes the names
// of the kernels that were called to a file.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/common/json.h"
#include "tools/common/results.h"
#include "tune.h"

enum { MOST_NAMES = 256 };

// Runs PROGRAM. Returns its exit status as a shell does.
static int program_run(char **program) {
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

// ---- which kernels the program called -----------------------------------------------

static char program_names[PATH_MAX]; // the file for their names

static void program_remove_names(int sig) {
  unlink(program_names);
  signal(sig, SIG_DFL);
  raise(sig);
}

// Creates the file and names it in the program's environment.
static void program_note_names(void) {
  const char *folder = getenv("TMPDIR");
  snprintf(program_names, sizeof program_names, "%s/autotune-called-XXXXXX",
           folder && *folder ? folder : "/tmp");
  int fd = mkostemp(program_names, O_CLOEXEC);
  if (fd < 0)
    return;
  close(fd);
  signal(SIGTERM, program_remove_names);
  signal(SIGHUP, program_remove_names);
  setenv("AUTOTUNE_CALLED", program_names, 1);
}

// Reads the different lines of the file into NAMES. Returns their number.
static unsigned program_read_names(char *names[MOST_NAMES + 1]) {
  unsigned n = 0;
  char line[512];
  FILE *f = fopen(program_names, "re");
  while (f && n < MOST_NAMES && fgets(line, sizeof line, f)) {
    line[strcspn(line, "\n")] = '\0';
    if (value_word(line, (const char *const *)names) < 0)
      n += (names[n] = sys_strdup(line)) != NULL;
  }
  if (f)
    fclose(f);
  return n;
}

// Prints why nothing was tuned, if that is known.
static void program_say_nothing(const struct tune_options *o, FILE *out) {
  char *names[MOST_NAMES + 1] = { NULL };
  unsigned n = program_read_names(names);
  const char *const *list = (const char *const *)names;
  fprintf(out, "autotune tune: nothing was tuned");
  if (n == 0) {
    fprintf(out, ": the program called no kernel (was it built with `autotune cc`?)\n");
  } else if (o->kernel && value_word(o->kernel, list) < 0) {
    const char *near = value_nearest(o->kernel, strlen(o->kernel), list);
    fprintf(out, ": the program did not call '%s'", o->kernel);
    if (near)
      fprintf(out, "; did you mean '%s'?", near);
    for (unsigned i = 0; !near && i < n; i++)
      fprintf(out, "%s%s", i ? ", " : "; it called: ", names[i]);
    fprintf(out, "\n");
  } else {
    fprintf(out, "; AUTOTUNE_LOG=info says why\n");
  }
  while (n > 0)
    free(names[--n]);
}

// ---- all of it ----------------------------------------------------------------------

// Prints all results of KERNEL (NULL: of all kernels) as JSON. 0 or -1.
static int program_print_report(const char *kernel, FILE *out) {
  char *folder = results_folder(NULL);
  struct store *s = folder ? results_open(folder, false) : NULL;
  struct listing l = { 0 };
  int status = 0;
  if (s && store_list(s, kernel, &l) == 0 && l.n) {
    struct analysis *all = analysis_make_all(&l);
    status = all ? json_print(true, folder, &l, all, out) : -1;
    analysis_free_all(all, l.n);
  } else {
    json_print_empty(out);
  }
  store_list_free(&l);
  if (s)
    store_close(s);
  free(folder);
  return status;
}

int tune_write_report(const struct tune_options *o) {
  FILE *f = o->output ? fopen(o->output, "w") : NULL;
  if (!o->output)
    return 0;
  int status = f ? program_print_report(o->kernel, f) : -1;
  if (f && fclose(f) == 0 && status == 0)
    return 0;
  fprintf(stderr, "autotune tune: %s: %s\n", o->output, strerror(errno));
  return 1;
}

int tune_program(const struct tune_options *o, char **program) {
  struct timespec began;
  program_note_names();
  clock_gettime(CLOCK_REALTIME, &began);
  int status = program_run(program);
  fflush(stdout);
  bool started = status != 126 && status != 127; // otherwise an error was printed
  double since = (double)began.tv_sec + 1e-9 * (double)began.tv_nsec;
  if (tune_print_since(since, stderr) == 0 && started)
    program_say_nothing(o, stderr);
  unlink(program_names);
  int written = tune_write_report(o);
  return status ? status : written;
}
