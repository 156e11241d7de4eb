// SPDX-License-Identifier: Apache-2.0
// worker_double.c: stands in for autotune-gpu-worker where that is to misbehave.
// TEST_WORKER says how: "silent", its driver answers no more once a kernel runs;
// "garbage", a variant has destroyed what it says; "early", it ends before it is ready.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "run/cuda/helper.h"

static void obey(int socket, bool garbage) {
  static struct gpu_order o;
  static struct gpu_reply r;
  while (recv(socket, &o, sizeof o, 0) == (ssize_t)sizeof o) {
    if (garbage)
      memset(&r, 0xff, sizeof r);
    r.serial = o.serial;
    r.runs = garbage ? 0 : 0.05;
    send(socket, &r, sizeof r, MSG_NOSIGNAL);
    if (!garbage)
      pause();
  }
}

int main(int argc, char **argv) {
  static struct gpu_hello hello;
  const struct gpu_ready ready = { .ready = true };
  const char *how = getenv("TEST_WORKER");
  int socket = argc == 2 ? atoi(argv[1]) : -1;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (!how || strcmp(how, "early") == 0 ||
      recv(socket, &hello, sizeof hello, 0) != (ssize_t)sizeof hello)
    return 1;
  send(socket, &ready, sizeof ready, MSG_NOSIGNAL);
  obey(socket, strcmp(how, "garbage") == 0);
  return 0;
}
