// SPDX-License-Identifier: Apache-2.0
// helper.c: autotune-gpu-worker, a process with its own context and copies of a call's
// memory, in which each variant runs first. A variant can only damage this process:
// after a lasting error, or in a kernel that does not end, the helper ends, and the
// tuner starts another one.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "helper.h"
#include "base/channel.h"
#include "run/cpu/sandbox.h"

static struct channel to_tuner = { -1, -1, &helper_protocol, NULL };
static uint64_t at; // serial of the message that is being answered

// FD: sent as well, and closed; -1: none.
static bool helper_send(enum helper_message kind, const void *data, size_t size, int fd) {
  const struct message m = { kind, at, data, size, fd };
  bool sent = channel_send(&to_tuner, &m, true);
  if (fd >= 0)
    close(fd);
  return sent;
}

static bool helper_tell(enum helper_message kind, const void *data, size_t size) {
  return helper_send(kind, data, size, -1);
}

// Receives a message of that KIND into DATA. False: the tuner is gone.
static bool helper_hear(enum helper_message kind, struct message *m, void *data,
                        size_t size) {
  bool heard = channel_receive(&to_tuner, m, data, size, -1) == CHANNEL_MESSAGE;
  at = m->serial;
  return heard && m->kind == kind;
}

// Tells the tuner how long a run may take, so that it notices a hanging run even if this
// process cannot report it.
static void tell_of_run(double seconds) {
  helper_tell(HELPER_RUNS, &seconds, sizeof seconds);
}

// Maps the SIZE bytes of the file FD and closes it; NULL: they cannot be mapped.
static void *take_file(int fd, size_t size) {
  void *p = channel_map(fd, size);
  if (fd >= 0)
    close(fd);
  return p;
}

// A limit of one byte also forbids core dumps that are piped to a program.
static void forbid_cores(void) {
  const struct rlimit one = { 1, 1 };
  setrlimit(RLIMIT_CORE, &one);
}

static struct gpu_run *helper_begin(const struct gpu_hello *h, int fd,
                                    struct gpu_ready *out) {
  const char *why = "";
  const struct gpu_api *api = gpu_api_get(&why);
  bool same = strncmp(h->version, AUTOTUNE_VERSION, sizeof h->version) == 0;
  void *file = take_file(fd, same ? h->shared.file_bytes : 0);
  struct gpu_run *r = NULL;
  if (!same)
    snprintf(out->why, sizeof out->why,
             "it is autotune-gpu-worker %s, and libautotune is %.15s", AUTOTUNE_VERSION,
             h->version);
  else if (!api)
    snprintf(out->why, sizeof out->why, "%s", why);
  else if (h->shared.file_bytes > 0 && !file)
    snprintf(out->why, sizeof out->why, "the file with the memory cannot be mapped");
  else
    r = gpu_run_open(api, &h->shared, file, &out->no_ipc, out->why, sizeof out->why);
  if (file)
    munmap(file, h->shared.file_bytes);
  out->ready = r != NULL;
  return r;
}

// Measures rounding with V, and compares by what was found from now on. Returns the file
// of it, or -1.
static int helper_measure(struct gpu_run *r, const struct gpu_variant *v,
                          const struct trial_plan *plan, struct gpu_answer *a) {
  char *found = NULL;
  size_t bytes = 0;
  int fd = -1;
  gpu_run_written(r, v, plan, a, &found, &bytes);
  if (found && a->status == STATUS_OK && gpu_run_tolerate(r, found, bytes)) {
    fd = channel_file("autotune-rounding", found, bytes);
    a->found = fd >= 0 ? bytes : 0;
  }
  free(found);
  return fd;
}

static void helper_tolerate(struct gpu_run *r, const void *file, size_t bytes,
                            struct gpu_answer *a) {
  *a = (struct gpu_answer){ .status = STATUS_OK };
  if (gpu_run_tolerate(r, file, bytes))
    return;
  a->status = STATUS_LOAD;
  snprintf(a->message, sizeof a->message, "its tolerances cannot be used");
}

// Receives and carries out one order of the call C. False: the helper is to end.
static bool helper_obey(struct gpu_run *r, const struct gpu_call *c) {
  struct gpu_order o;
  struct message m;
  static struct gpu_answer answer;
  int fd = -1;
  if (!helper_hear(HELPER_ORDER, &m, &o, sizeof o))
    return false;
  void *file = take_file(m.fd, o.size);
  memset(&answer, 0, sizeof answer);
  bool fits = gpu_variant_fits(c, o.written, o.size, o.prepared, &answer);
  struct gpu_variant v = { .ticket = o.ticket, .cubin = file, .launch = o.launch };
  if (fits)
    v.size = o.size - o.prepared;
  if (fits && file && o.prepared)
    v.prepared = (unsigned char *)file + v.size;
  if (fits && !file) {
    answer.status = STATUS_LOAD;
    snprintf(answer.message, sizeof answer.message, "its file cannot be mapped");
  } else if (!fits) {
    // the answer says so
  } else if (o.kind == ORDER_WRITTEN) {
    fd = helper_measure(r, &v, &o.plan, &answer);
  } else if (o.kind == ORDER_IMAGINE && o.written < o.size) {
    const struct gpu_variant w = {
      .ticket = UINT64_MAX, .cubin = file, .size = o.written, .launch = o.asked
    };
    v.cubin = (char *)file + o.written;
    v.size -= o.written;
    gpu_run_imagine(r, &w, &v, &o.plan, &answer);
  } else if (o.kind == ORDER_TOLERATE) {
    helper_tolerate(r, file, o.size, &answer);
  } else {
    gpu_run_try(r, &v, &o.plan, &answer);
  }
  if (file)
    munmap(file, o.size);
  return helper_send(HELPER_REPLY, &answer, sizeof answer, fd) && !answer.sticky;
}

int main(int argc, char **argv) {
  static struct gpu_hello hello;
  struct gpu_ready ready = { .ready = false };
  struct message m;
  int socket = argc == 2 ? atoi(argv[1]) : -1;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  forbid_cores();
  sandbox_signals();
  if (socket < 3 || sandbox_descriptors(&socket, 1) != 0)
    _exit(1);
  to_tuner.socket = socket;
  if (!helper_hear(HELPER_HELLO, &m, &hello, sizeof hello) || getppid() != hello.parent)
    _exit(1);
  struct gpu_run *r = helper_begin(&hello, m.fd, &ready);
  if (!helper_tell(HELPER_READY, &ready, sizeof ready) || !r)
    _exit(!ready.ready);
  gpu_run_announce(r, tell_of_run);
  while (helper_obey(r, &hello.shared.call))
    ;
  _exit(0); // without cleaning up: the driver might wait for a kernel
}
