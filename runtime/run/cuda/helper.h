/* SPDX-License-Identifier: Apache-2.0 */
/* helper.h: what the tuner (executor.c) and autotune-gpu-worker (helper.c) say to each
 * other.
 *
 * The helper is started as `autotune-gpu-worker FD`, FD being its end of a SOCK_SEQPACKET
 * pair. Each packet of the tuner's has one answer, in order; a reply is announced by
 * others that say what it is at (`runs`):
 *
 *     gpu_hello  + descriptor of shared.file_bytes bytes, if there are any     →
 * gpu_ready gpu_order  + descriptor of the cubin                                     →
 * gpu_reply
 *
 * The hello comes first and once. The helper ends when the socket is closed, when its
 * parent ends (the thread that started it, as prctl has it), after an answer that is
 * sticky, and with exit status 1 where it cannot begin. It writes nothing to the standard
 * streams. */
#ifndef AUTOTUNE_GPU_HELPER_H
#define AUTOTUNE_GPU_HELPER_H

#include "gpu.h"

struct gpu_hello {
  char version[16]; /* AUTOTUNE_VERSION: packets of another one's mean something else */
  pid_t parent;     /* the tuner: the helper ends if that is not its parent any more */
  struct gpu_shared shared;
};
struct gpu_ready {
  bool ready;
  bool no_ipc; /* not ready, but a snapshot may do (gpu_run_share) */
  char why[256];
};
struct gpu_order {
  uint64_t serial, ticket;
  size_t size;                   /* of the cubin */
  struct autotune_launch launch; /* its stream does not count */
  struct trial_plan plan;        /* max_samples 0: run and compare only */
};
struct gpu_reply {
  uint64_t serial;
  double runs; /* above 0: not the answer yet, but a kernel now runs that may take so many
                  seconds; below 0: it has ended */
  struct gpu_answer answer; /* sticky: the helper ends by itself */
};

#endif
