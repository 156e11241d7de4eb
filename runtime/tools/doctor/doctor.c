// SPDX-License-Identifier: Apache-2.0
// doctor.c: a table of checks; each tries what it speaks of rather than looking whether a
// file is there. What loads libraries does so in a process of its own: a driver or
// compiler that dies takes no answer along but its own.
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
  bool apart; // in a process of its own
} checks[] = {
  { "compiler", check_compiler, true },
  { "clang", check_clang, false },
  { "C compiler", check_host, false },
  { "OpenMP", check_openmp, true },
  { "results", check_folder, false },
  { "kept code", check_kept_code, true },
  { "processes", check_processes, false },
  { "debuggers", check_debuggers, false },
  { "processors", check_processors, false },
  { "frequency", check_frequency, false },
  { "load", check_load, false },
  { "memory", check_memory, false },
  { "XGBoost", check_xgboost, true },
  { "CUDA driver", check_driver, true },
  { "NVRTC", check_nvrtc, true },
  { "CUDA toolkit", check_toolkit, false },
  { "GPU worker", check_gpu_worker, false },
  { "emulator", check_emulator, false },
};
enum { CHECKS = sizeof checks / sizeof *checks, PATIENCE = 30 /* seconds for each */ };

static const char *const states[] = { "ok", "note", "missing", "failed" };

void finding_set(struct finding *f, enum state state, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(f->found, sizeof f->found, format, list);
  va_end(list);
  f->state = state;
}

void finding_advise(struct finding *f, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(f->advice, sizeof f->advice, format, list);
  va_end(list);
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

const char *doctor_bytes(char *text, size_t size, double bytes) {
  static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
  unsigned u = 0;
  for (; u < 4 && bytes >= 1024; u++)
    bytes /= 1024;
  snprintf(text, size, u > 1 ? "%.1f %s" : "%.0f %s", bytes, units[u]);
  return text;
}

// ---- a process for a check ----------------------------------------------------------

// Waits until CHILD ends. False: it took too long and was killed.
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

static void look_apart(const struct check *c, struct finding *shared,
                       const struct doctor_options *o) {
  int status = 0;
  fflush(NULL);
  pid_t child = sys_fork();
  if (child == 0) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    c->look(shared, o);
    _exit(0);
  }
  if (child < 0)
    finding_set(shared, DOCTOR_FAILED, "no process can be started: %s", strerror(errno));
  else if (!doctor_await(child, &status))
    finding_set(shared, DOCTOR_FAILED, "no answer for %d s", PATIENCE);
  else if (WIFSIGNALED(status))
    finding_set(shared, DOCTOR_FAILED, "it died of signal %d (%s)", WTERMSIG(status),
                strsignal(WTERMSIG(status)));
  else if (WEXITSTATUS(status))
    finding_set(shared, DOCTOR_FAILED, "it ended with status %d", WEXITSTATUS(status));
}

// Several lines, or what would disturb a terminal, may come from a loader or a path.
static void doctor_clean(char *text, size_t size) {
  char *line = clean_line(text);
  if (line)
    snprintf(text, size, "%s", line);
  clean_free(line);
}

static void doctor_look(const struct check *c, struct finding *f,
                        const struct doctor_options *o) {
  struct finding *shared = c->apart ? sys_mmap(sizeof *shared, true) : NULL;
  *f = (struct finding){ .state = DOCTOR_OK };
  if (shared) {
    look_apart(c, shared, o);
    *f = *shared;
    munmap(shared, sizeof *shared);
  } else if (c->apart) {
    finding_set(f, DOCTOR_FAILED, "no memory is left");
  } else {
    c->look(f, o);
  }
  doctor_clean(f->found, sizeof f->found);
  doctor_clean(f->advice, sizeof f->advice);
}

// ---- what is shown ------------------------------------------------------------------

static void print_text(const struct finding *all, bool good, FILE *out) {
  fprintf(out, "autotune %s on %s\n", AUTOTUNE_VERSION, machine_identity()->name);
  for (unsigned i = 0; i < CHECKS; i++) {
    fprintf(out, "  %-8s %-13s %s\n", states[all[i].state], checks[i].name, all[i].found);
    if (*all[i].advice)
      fprintf(out, "  %-8s %-13s -> %s\n", "", "", all[i].advice);
  }
  fputs(good ? "C kernels can be tuned here.\n"
             : "C kernels cannot be tuned here as they should: see what failed.\n",
        out);
}

static int print_json(const struct finding *all, bool good, FILE *out) {
  json_t *list = json_array(), *root = json_object();
  for (unsigned i = 0; i < CHECKS; i++) {
    json_t *one = json_object();
    json_object_set_new(one, "check", json_string(checks[i].name));
    json_object_set_new(one, "state", json_string(states[all[i].state]));
    json_object_set_new(one, "found", json_string(all[i].found));
    if (*all[i].advice)
      json_object_set_new(one, "advice", json_string(all[i].advice));
    json_array_append_new(list, one);
  }
  json_object_set_new(root, "format", json_integer(1));
  json_object_set_new(root, "autotune", json_string(AUTOTUNE_VERSION));
  json_object_set_new(root, "machine", json_string(machine_identity()->name));
  json_object_set_new(root, "good", json_boolean(good));
  json_object_set_new(root, "checks", list);
  int status = root ? json_dumpf(root, out, JSON_INDENT(2)) : -1;
  fputc('\n', out);
  json_decref(root);
  return status;
}

int doctor_run(const struct doctor_options *o, FILE *out) {
  struct finding all[CHECKS];
  bool good = true;
  for (unsigned i = 0; i < CHECKS; i++) {
    doctor_look(&checks[i], &all[i], o);
    good = good && all[i].state != DOCTOR_FAILED;
  }
  if (o->json)
    return print_json(all, good, out) == 0 && good ? 0 : 1;
  print_text(all, good, out);
  return good ? 0 : 1;
}
