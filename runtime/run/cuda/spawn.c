// SPDX-License-Identifier: Apache-2.0
// spawn.c: the helper process of a tuning, as the tuner sees it (spawn.h).
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compile/cuda_library.h"
#include "base/channel.h"
#include "base/role.h"
#include "helper.h"
#include "spawn.h"

// Seconds to wait for the end of a killed helper.
enum { BURIAL = 2 };

static const struct message_kind helper_kinds[] = {
  [HELPER_HELLO] = { .size = sizeof(struct gpu_hello), .descriptor = true },
  [HELPER_READY] = { .size = sizeof(struct gpu_ready) },
  [HELPER_ORDER] = { .size = sizeof(struct gpu_order), .descriptor = true },
  [HELPER_RUNS] = { .size = sizeof(double) },
  [HELPER_REPLY] = { .size = sizeof(struct gpu_answer), .descriptor = true },
};
const struct protocol helper_protocol = { HELPER_REPLY + 1, helper_kinds };

// ---- where the helper is ------------------------------------------------------------

static char *beside_library(void) {
  static const char *const places[] = { "", "../bin/", "../libexec/" };
  Dl_info info;
  if (!dladdr((void *)(uintptr_t)&beside_library, &info) || !info.dli_fname)
    return NULL;
  const char *slash = strrchr(info.dli_fname, '/');
  int n = slash ? (int)(slash - info.dli_fname) + 1 : 0;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    char *path = sys_printf("%.*s%sautotune-gpu-worker", n, info.dli_fname, places[i]);
    if (path && access(path, X_OK) == 0)
      return path;
    free(path);
  }
  return NULL;
}

bool helper_find(struct helper *h, char **message) {
  const char *asked = options_get()->gpu_worker;
  h->program = asked ? sys_strdup(asked) : beside_library();
  if (h->program && access(h->program, X_OK) == 0)
    return true;
  *message = asked
      ? sys_printf("%s: %s", asked, strerror(errno))
      : sys_strdup("autotune-gpu-worker is not next to libautotune.so, and without it "
                   "a variant that faults would end the program (`isolate(off)` "
                   "allows that)");
  return false;
}

// ---- its life -----------------------------------------------------------------------

// Returns the helper's environment: ours, and the path of its driver if that is the
// emulator.
static char **helper_environment(char **extra) {
  const char *path = cuda_emulator_path();
  size_t n = 0;
  while (environ && environ[n])
    n++;
  char **list = sys_calloc(n + 2, sizeof *list);
  *extra = path ? sys_printf("AUTOTUNE_EMULATOR=%s", path) : NULL;
  if (list && n > 0)
    memcpy(list, environ, n * sizeof *list);
  if (list)
    list[n] = *extra;
  return list;
}

static int spawn_start(struct helper *h, int theirs) {
  enum { THEIRS = 3 };
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  char number[16], *extra = NULL, **environment = helper_environment(&extra);
  char *const argv[] = { h->program, number, NULL };
  sigemptyset(&none);
  sigfillset(&all);
  snprintf(number, sizeof number, "%d", THEIRS);
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&files, theirs, THEIRS);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  int rc = sys_fails(SYS_FORK) || !environment
      ? EAGAIN
      : posix_spawn(&h->pid, h->program, &files, &attributes, argv, environment);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  free(environment);
  free(extra);
  if (rc != 0)
    h->pid = 0;
  return rc;
}

// Waits at most SECONDS for the helper's end. False: it still runs. *STATUS: as from
// waitpid.
static bool spawn_reap(struct helper *h, double seconds, int *status) {
  double end = sys_now() + seconds;
  for (;;) {
    pid_t got = waitpid(h->pid, status, WNOHANG);
    if (got == h->pid || (got < 0 && errno == ECHILD))
      return true;
    if (sys_now() >= end)
      return false;
    poll(NULL, 0, 2);
  }
}

bool helper_spawn(struct helper *h, char *why, size_t size) {
  int pair[2];
  if (channel_pair(pair) != 0) {
    snprintf(why, size, "no socket: %s", strerror(errno));
    return false;
  }
  int rc = spawn_start(h, pair[1]);
  close(pair[1]);
  if (rc == 0) {
    h->channel = (struct channel){ pair[0], -1, &helper_protocol, role_stopping };
    return true;
  }
  snprintf(why, size, "%s: %s", h->program, strerror(rc));
  close(pair[0]);
  return false;
}

bool helper_end(struct helper *h) {
  int status;
  bool over = true;
  if (h->pid > 0) {
    kill(h->pid, SIGKILL);
    over = spawn_reap(h, BURIAL, &status);
  }
  if (h->channel.socket >= 0)
    close(h->channel.socket);
  h->pid = 0;
  h->channel.socket = -1;
  return over;
}

void helper_status(struct helper *h, char *text, size_t size) {
  int status = 0;
  bool ended = spawn_reap(h, BURIAL, &status);
  if (ended && WIFSIGNALED(status)) {
    const char *name = sigabbrev_np(WTERMSIG(status));
    snprintf(text, size, "SIG%s in its helper process", name ? name : "?");
  } else {
    snprintf(text, size, "its helper process ended");
  }
  if (ended)
    h->pid = 0;
}
