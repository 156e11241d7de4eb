// SPDX-License-Identifier: Apache-2.0
// worker_double.c: replaces autotune-gpu-worker to misbehave. TEST_WORKER: "silent": its
// driver does not answer once a kernel runs; "garbage": a variant has destroyed its
// answer; "early": it ends before it is ready.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "run/cuda/helper.h"

static struct channel tuner = { -1, -1, &helper_protocol, NULL };

static void say(enum helper_message kind, uint64_t serial, const void *data,
                size_t size) {
  channel_send(&tuner, &(struct message){ kind, serial, data, size, -1 }, true);
}

static void obey(bool garbage) {
  static struct gpu_order o;
  static struct gpu_answer a;
  const double runs = 0.05;
  struct message m;
  while (channel_receive(&tuner, &m, &o, sizeof o, -1) == CHANNEL_MESSAGE) {
    memset(&a, 0xff, sizeof a);
    if (garbage) {
      say(HELPER_REPLY, m.serial, &a, sizeof a);
    } else {
      say(HELPER_RUNS, m.serial, &runs, sizeof runs);
      pause();
    }
  }
}

int main(int argc, char **argv) {
  static struct gpu_hello hello;
  const struct gpu_ready ready = { .ready = true };
  const char *how = getenv("TEST_WORKER");
  struct message m;
  tuner.socket = argc == 2 ? atoi(argv[1]) : -1;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (!how || strcmp(how, "early") == 0 ||
      channel_receive(&tuner, &m, &hello, sizeof hello, -1) != CHANNEL_MESSAGE)
    return 1;
  say(HELPER_READY, m.serial, &ready, sizeof ready);
  obey(strcmp(how, "garbage") == 0);
  return 0;
}
