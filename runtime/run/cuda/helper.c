// SPDX-License-Identifier: Apache-2.0
// helper.c: autotune-gpu-worker, a process with a context of its own and copies of a
// call's memory, in which each variant runs first. What a variant does to it, it does to
// nobody else: after an error that stays, and in a kernel that does not end, the helper
// ends, and the tuner starts another one.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "helper.h"
#include "base/channel.h"
#include "run/cpu/sandbox.h"

static int to_tuner = -1; // the socket
static uint64_t at;       // serial of the order that is obeyed

// A packet of exactly SIZE, and the descriptor that came with it, or -1. False: the tuner
// is gone.
static bool cuda_helper_receive(int socket, void *packet, size_t size, int *fd) {
  return message_receive(socket, packet, size, 0, fd) == (ssize_t)size;
}

static bool helper_answer(int socket, const void *packet, size_t size) {
  return message_send(socket, packet, size, -1, 0, NULL);
}

// The tuner knows how long a run may take, even if this process cannot say any more that
// it took longer.
static void tell_of_run(double seconds) {
  struct gpu_reply r;
  memset(&r, 0, sizeof r);
  r.serial = at;
  r.runs = seconds;
  helper_answer(to_tuner, &r, sizeof r);
}

// The SIZE bytes behind FD, which is closed; NULL: they cannot be mapped.
static void *take_file(int fd, size_t size) {
  void *p = MAP_FAILED;
  if (fd >= 0 && size > 0 && lseek(fd, 0, SEEK_END) >= (off_t)size)
    p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (fd >= 0)
    close(fd);
  return p == MAP_FAILED ? NULL : p;
}

// A limit of one byte forbids cores that are piped to a program, too.
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

// True: the next may come.
static bool helper_obey(struct gpu_run *r, int socket) {
  struct gpu_order o;
  struct gpu_reply reply;
  int fd;
  if (!cuda_helper_receive(socket, &o, sizeof o, &fd))
    return false;
  void *cubin = take_file(fd, o.size);
  const struct gpu_variant v = {
    .ticket = o.ticket, .cubin = cubin, .size = o.size, .launch = o.launch
  };
  memset(&reply, 0, sizeof reply);
  reply.serial = at = o.serial;
  if (cubin) {
    gpu_run_try(r, &v, &o.plan, &reply.answer);
  } else {
    reply.answer.status = STATUS_LOAD;
    snprintf(reply.answer.message, sizeof reply.answer.message,
             "its cubin cannot be mapped");
  }
  if (cubin)
    munmap(cubin, o.size);
  return helper_answer(socket, &reply, sizeof reply) && !reply.answer.sticky;
}

int main(int argc, char **argv) {
  static struct gpu_hello hello;
  struct gpu_ready ready = { .ready = false };
  int socket = argc == 2 ? atoi(argv[1]) : -1, fd;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  forbid_cores();
  sandbox_signals();
  if (socket < 3 || sandbox_descriptors(&socket, 1) != 0 ||
      !cuda_helper_receive(socket, &hello, sizeof hello, &fd) ||
      getppid() != hello.parent)
    _exit(1);
  struct gpu_run *r = helper_begin(&hello, fd, &ready);
  if (!helper_answer(socket, &ready, sizeof ready) || !r)
    _exit(!ready.ready);
  to_tuner = socket;
  gpu_run_announce(r, tell_of_run);
  while (helper_obey(r, socket))
    ;
  _exit(0); // at once: a driver that tidies up may wait for a kernel
}
