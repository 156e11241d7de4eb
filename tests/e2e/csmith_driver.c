// SPDX-License-Identifier: Apache-2.0
// csmith_driver.c: the main function of several programs of csmith in one (csmith.sh):
// `PROGRAM MILLISECONDS PICKS NUMBER…` runs each of these programs with each UNITS_PICK from 0
// to PICKS - 1, in a process of its own that may use so much time of a CPU. Each
// run prints what the program prints, and then `= SEED PICK STATUS`, with the status as in
// a shell.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

struct csmith_program {
  long seed;
  int (*main)(int, char **);
};
extern const struct csmith_program csmith_programs[];
// Of units_runtime.c, where it is linked: makes the processes below begin with LLVM loaded.
__attribute__((weak)) void units_prepare(void);

static int driver_run(const struct csmith_program *p, unsigned pick, long milliseconds) {
  char text[16], *argv[] = { "program", NULL };
  pid_t pid = fork();
  if (pid == 0) {
    struct itimerval limit = { .it_value = { milliseconds / 1000,
                                             milliseconds % 1000 * 1000 } };
    setitimer(ITIMER_PROF, &limit, NULL); // SIGPROF ends it
    snprintf(text, sizeof text, "%u", pick);
    setenv("UNITS_PICK", text, 1);
    exit(p->main(1, argv));
  }
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid)
    return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv) {
  long milliseconds = argc > 2 ? atol(argv[1]) : 0;
  unsigned picks = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
  if (units_prepare)
    units_prepare();
  for (int i = 3; i < argc; i++)
    for (unsigned pick = 0; pick < picks; pick++) {
      const struct csmith_program *p = &csmith_programs[atoi(argv[i])];
      int status = driver_run(p, pick, milliseconds);
      printf("= %ld %u %d\n", p->seed, pick, status);
      fflush(stdout);
    }
  return 0;
}
