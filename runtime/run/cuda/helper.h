/* SPDX-License-Identifier: Apache-2.0 */
/* helper.h: the messages between the tuner (target.c) and autotune-gpu-worker (helper.c).
 *
 * The helper is started as `autotune-gpu-worker FD`; FD is its end of a channel. Each
 * message of the tuner's has one answer with its serial, in order; HELPER_RUNS may come
 * before a reply:
 *
 *     HELPER_HELLO  + file of shared.file_bytes bytes, if there are any  → HELPER_READY
 *     HELPER_ORDER  + file of the cubin                                  → HELPER_REPLY
 *       ORDER_WRITTEN                                  + file of what was found
 *       ORDER_TOLERATE, with that file in place of the cubin
 *
 * The hello comes first and once. The helper ends when the socket is closed, when its
 * parent ends (the thread that started it: prctl), after an answer that is sticky, and
 * with exit status 1 if it cannot begin. It writes nothing to the standard streams. */
#ifndef AUTOTUNE_GPU_HELPER_H
#define AUTOTUNE_GPU_HELPER_H

#include "base/channel.h"
#include "gpu.h"

enum helper_message {
  HELPER_HELLO, /* struct gpu_hello */
  HELPER_READY, /* struct gpu_ready */
  HELPER_ORDER, /* struct gpu_order */
  HELPER_RUNS,  /* double: above 0: a kernel now runs that may take so many seconds; below
                   0: it has ended */
  HELPER_REPLY  /* struct gpu_answer; sticky: the helper ends by itself */
};
extern const struct protocol helper_protocol; /* spawn.c */

struct gpu_hello {
  char version[16]; /* AUTOTUNE_VERSION: messages of another one's mean something else */
  pid_t parent;     /* the tuner: the helper ends if that is not its parent any more */
  struct gpu_shared shared;
};
struct gpu_ready {
  bool ready;
  bool no_ipc; /* not ready, but a snapshot may do (gpu_run_share) */
  char why[256];
};
enum gpu_order_kind {
  ORDER_TRY,      /* gpu_run_try */
  ORDER_WRITTEN,  /* gpu_run_written */
  ORDER_TOLERATE, /* gpu_run_tolerate */
  ORDER_IMAGINE,  /* gpu_run_imagine */
};
struct gpu_order {
  enum gpu_order_kind kind;
  uint64_t ticket;
  size_t size;     /* of the file */
  size_t written;  /* ORDER_IMAGINE: bytes of the kernel as written, before the cubin */
  size_t prepared; /* bytes after the cubin: struct gpu_variant's `prepared` */
  struct autotune_launch asked;  /* its launch */
  struct autotune_launch launch; /* its stream does not count */
  struct trial_plan plan;        /* max_samples 0: run and compare only */
};

#endif
