// SPDX-License-Identifier: Apache-2.0
// doctor.c: the table of checks. A check that loads libraries runs in a process of its
// own: if a driver or compiler crashes, only that check fails.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "doctor.h"
#include "tools/common/clean.h"
#include "base/base.h"

static const struct check {
  const char *name;
  check_fn *look;
  bool apart;         // in a process of its own
  enum state failing; // the state if it does not work
  const char *advice; // to make it work
} checks[] = {
  { "compiler", check_compiler, true, DOCTOR_FAILED,
    "install libautotune-jit.so next to libautotune.so (AUTOTUNE_JIT names it "
    "elsewhere), and the packages libllvm22 and libclang-cpp22" },
  { "clang", check_clang, false, DOCTOR_FAILED,
    "install clang-22, or name the program in AUTOTUNE_CLANG" },
  { "C compiler", check_host, false, DOCTOR_MISSING,
    "`autotune cc` runs the compiler that builds the program: install gcc" },
  { "OpenMP", check_openmp, true, DOCTOR_MISSING,
    "kernels with OpenMP need it: install libomp-22-dev, or name the library in "
    "AUTOTUNE_OPENMP" },
  { "results", check_folder, false, DOCTOR_FAILED,
    "it must be a folder of this user alone: mend that, or name another in "
    "AUTOTUNE_CACHE" },
  { "kept code", check_kept_code, true, DOCTOR_FAILED,
    "a file system mounted noexec would do this: name another folder in AUTOTUNE_CACHE" },
  { "processes", check_processes, false, DOCTOR_FAILED,
    "a container's filter of system calls, a limit of processes or of memory may forbid "
    "it; Linux has it since 5.3" },
  { "debuggers", check_debuggers, false, DOCTOR_MISSING,
    "to debug variants in a container, start it with --cap-add=SYS_PTRACE" },
  { "processors", check_processors, false, DOCTOR_NOTE,
    "a group that has spent its quota is stopped for a while, which times show: give it "
    "whole processors (--cpuset-cpus) in place of a share (--cpus)" },
  { "frequency", check_frequency, false, DOCTOR_NOTE,
    "times repeat better with: cpupower frequency-set -g performance (as root)" },
  { "load", check_load, false, DOCTOR_NOTE,
    "what else runs is in the measurements: tune when it is quiet, or with a larger "
    "budget" },
  { "memory", check_memory, false, DOCTOR_NOTE,
    "the compiler takes some 200 MiB, and a tuner shares the program's memory by copy on "
    "write" },
  { "CUDA driver", check_driver, true, DOCTOR_MISSING,
    "CUDA kernels run on a GPU with NVIDIA's driver, or under `autotune cc --emulate`" },
  { "NVRTC", check_nvrtc, true, DOCTOR_MISSING,
    "it makes variants of CUDA kernels: install it with the toolkit, or name libnvrtc.so "
    "in AUTOTUNE_NVRTC" },
  { "CUDA toolkit", check_toolkit, false, DOCTOR_MISSING,
    "it builds CUDA programs; without one, `autotune cc --emulate` does" },
  { "GPU worker", check_gpu_worker, false, DOCTOR_MISSING,
    "it comes with autotune; AUTOTUNE_GPU_WORKER names it elsewhere" },
  { "emulator", check_emulator, false, DOCTOR_MISSING,
    "it comes with autotune; `autotune cc --emulate` needs it" },
};
enum { CHECKS = sizeof checks / sizeof *checks, PATIENCE = 30 /* seconds for each */ };

static const char *const states[] = { "ok", "note", "missing", "failed" };

bool finding_say(struct finding *f, bool good, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(f->found, sizeof f->found, format, list);
  va_end(list);
  return good;
}

bool finding_instead(struct finding *f, enum state state, const char *advice) {
  f->told = true;
  f->state = state;
  snprintf(f->advice, sizeof f->advice, "%s", advice);
  return false;
}

bool doctor_line(const char *path, char *text, size_t size) {
  FILE *file = fopen(path, "re");
  bool read = file && fgets(text, (int)size, file);
  if (file)
    fclose(file);
  if (read)
    text[strcspn(text, "\n")] = '\0';
  return read && *text;
}

// ---- a process for a check ----------------------------------------------------------

// Waits until CHILD ends. False: it took longer than PATIENCE and was killed.
static bool doctor_await(pid_t child, int *status) {
  double until = sys_now() + PATIENCE;
  for (pid_t got = 0; (got = waitpid(child, status, WNOHANG)) <= 0; poll(NULL, 0, 2))
    if (got < 0 && errno != EINTR) {
      return false;
    } else if (sys_now() > until) {
      kill(child, SIGKILL);
      waitpid(child, status, 0);
      return false;
    }
  return true;
}

// Runs C's check in this process and fills F.
static void doctor_try(const struct check *c, struct finding *f) {
  if (c->look(f))
    f->state = DOCTOR_OK;
  else if (!f->told)
    finding_instead(f, c->failing, c->advice);
}

static void doctor_try_apart(const struct check *c, struct finding *shared) {
  int status = 0;
  fflush(NULL);
  pid_t child = sys_fork();
  if (child == 0) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    doctor_try(c, shared);
    _exit(0);
  }
  bool ended = child >= 0 && doctor_await(child, &status);
  if (ended && status == 0)
    return;
  finding_instead(shared, DOCTOR_FAILED, "");
  if (child < 0)
    finding_say(shared, false, "no process can be started: %s", strerror(errno));
  else if (!ended)
    finding_say(shared, false, "no answer for %d s", PATIENCE);
  else if (WIFSIGNALED(status))
    finding_say(shared, false, "it died of signal %d (%s)", WTERMSIG(status),
                strsignal(WTERMSIG(status)));
  else
    finding_say(shared, false, "it ended with status %d", WEXITSTATUS(status));
}

// Keeps the first line of TEXT without control characters: a loader's message or a path
// may have both.
static void doctor_clean(char *text, size_t size) {
  char *line = clean_line(text);
  snprintf(text, size, "%s", line);
  clean_free(line);
}

static void doctor_look(const struct check *c, struct finding *f) {
  struct finding *shared = c->apart ? sys_mmap(sizeof *shared, true) : NULL;
  *f = (struct finding){ .state = DOCTOR_OK };
  if (shared) {
    doctor_try_apart(c, shared);
    *f = *shared;
    munmap(shared, sizeof *shared);
  } else if (c->apart) {
    finding_say(f, finding_instead(f, DOCTOR_FAILED, ""), "no memory is left");
  } else {
    doctor_try(c, f);
  }
  doctor_clean(f->found, sizeof f->found);
  doctor_clean(f->advice, sizeof f->advice);
}

// ---- output -------------------------------------------------------------------------

static void print_text(const struct finding *all, bool good) {
  printf("autotune %s on %s\n", AUTOTUNE_VERSION, machine_identity()->name);
  for (unsigned i = 0; i < CHECKS; i++) {
    printf("  %-8s %-13s %s\n", states[all[i].state], checks[i].name, all[i].found);
    if (*all[i].advice)
      printf("  %-8s %-13s -> %s\n", "", "", all[i].advice);
  }
  fputs(good ? "C kernels can be tuned here.\n"
             : "C kernels cannot be tuned here as they should: see what failed.\n",
        stdout);
}

static int print_json(const struct finding *all, bool good) {
  json_t *list = json_array();
  for (unsigned i = 0; i < CHECKS; i++) {
    const char *advice = *all[i].advice ? all[i].advice : NULL;
    json_array_append_new(list,
                          json_pack("{s:s, s:s, s:s, s:s*}", "check", checks[i].name,
                                    "state", states[all[i].state], "found", all[i].found,
                                    "advice", advice));
  }
  json_t *root = json_pack("{s:i, s:s, s:s, s:b, s:o}", "format", 1, "autotune",
                           AUTOTUNE_VERSION, "machine", machine_identity()->name, "good",
                           good, "checks", list);
  int status = root ? json_dumpf(root, stdout, JSON_INDENT(2)) : -1;
  putchar('\n');
  json_decref(root);
  return status;
}

int doctor_run(const struct arguments *a) {
  const struct doctor_options *o = a->options;
  struct finding all[CHECKS];
  bool good = true;
  for (unsigned i = 0; i < CHECKS; i++) {
    doctor_look(&checks[i], &all[i]);
    good = good && all[i].state != DOCTOR_FAILED;
  }
  if (o->json)
    return print_json(all, good) == 0 && good ? 0 : 1;
  print_text(all, good);
  return good ? 0 : 1;
}
