/* SPDX-License-Identifier: Apache-2.0 */
/* serve.h: a tuning of a CUDA kernel between the tuner, which may not call the driver,
 * and the program, which waits in the launch and does for it what it asks for (serve.c).
 *
 *     tuner (target.c) ── struct gpu_request, cubin in a memory file ──► program
 *                      ◄── struct gpu_answer, or gpu_offer and a memory file ──
 *
 * Both go through struct target_host, in packets of the session.
 *
 * Beside a program that goes on, nothing is asked for: before the fork the default is run
 * and measured and all that the call reads is copied to a memory file; variants run in
 * the helper alone. */
#ifndef AUTOTUNE_GPU_SERVE_H
#define AUTOTUNE_GPU_SERVE_H

#include "gpu.h"

enum gpu_what { GPU_REFERENCE, GPU_TRY, GPU_SHARE };
struct gpu_request {
  enum gpu_what what;
  uint64_t ticket;
  size_t size;   /* GPU_TRY: of the cubin in the file that comes with it; ticket 0: none
                    comes */
  bool snapshot; /* GPU_SHARE */
  struct trial_plan plan;
};
/* The answers: to GPU_SHARE this one, else struct gpu_answer. */
struct gpu_offer {
  bool shared;
  char why[256];
  struct gpu_shared memory; /* its file, if there is one, comes with it */
};

/* ---- serve.c: in the program, one session at a time ------------------------------ */
/* Describes CALL and saves what it may write; BACKGROUND: also runs the default
 * and copies what it reads. 0; or -1 and WHY, and nothing is open. */
int serve_open(const struct autotune_kernel *k, const struct call *call, bool background,
               char *why, size_t size);
/* Does what REQUEST, a struct gpu_request of SIZE bytes with the file FD, asks for. The
 * answer (malloc'ed, *ANSWER_SIZE bytes) and a descriptor for it, the caller's, or -1.
 * NULL: there is none. */
void *serve_answer(const void *request, size_t size, int fd, size_t *answer_size,
                   int *answer_fd);
/* The call's memory is as before. */
void serve_close(void);
/* Of a child that was forked by the program for its own ends. */
void serve_forget(void);

/* What the tuner inherits. */
struct serve_inheritance {
  const struct gpu_call *call;        /* NULL: there is no session of a CUDA kernel */
  const struct gpu_answer *reference; /* beside: what came of the default; else NULL */
  const struct gpu_shared *shared;    /* beside */
  int file;                           /* of what is shared; or -1 */
};
struct serve_inheritance serve_inherit(void);
/* In the tuner: the file has another number now. */
void serve_moved(int file);

#endif
