/* SPDX-License-Identifier: Apache-2.0 */
/* serve.h: how the tuner, which may not call the driver, tunes a CUDA kernel together
 * with the program, which waits in the launch and carries out requests (serve.c).
 *
 *     tuner (target.c) ── struct gpu_request, cubin in a memory file ──► program
 *                      ◄── struct gpu_answer, or gpu_offer and a memory file ──
 *
 * The tuner asks by the function that it hands to `start` (run/target.h).
 *
 * If the program goes on during the tuning, the tuner asks for nothing: before the fork
 * the default is run and measured, and all memory that the call reads is copied to a
 * memory file; variants run in the helper alone. */
#ifndef AUTOTUNE_GPU_SERVE_H
#define AUTOTUNE_GPU_SERVE_H

#include "gpu.h"

enum gpu_what { GPU_REFERENCE, GPU_TRY, GPU_SHARE, GPU_TOLERATE };
struct gpu_request {
  enum gpu_what what;
  uint64_t ticket;
  size_t size; /* of the file that comes with it. GPU_TRY: the cubin, unless the ticket
                  is 0; GPU_TOLERATE: what was measured (gpu_run_tolerate) */
  size_t prepared; /* bytes after the cubin: struct gpu_variant's `prepared` */
  bool snapshot;   /* GPU_SHARE */
  struct trial_plan plan;
};
/* The answers: to GPU_SHARE this one, else struct gpu_answer. */
struct gpu_offer {
  bool shared;
  char why[256];
  struct gpu_shared memory; /* its file, if there is one, comes with it */
};

/* ---- serve.c: in the program, one session at a time ------------------------------ */
/* Describes CALL and saves what it may write; BACKGROUND: also runs the default and
 * copies what it reads. 0; or -1 and WHY, and nothing is open. */
int serve_open(const struct autotune_kernel *k, const struct call *call, bool background,
               char *why, size_t size);
/* Carries out REQUEST, a struct gpu_request of SIZE bytes with the file FD. Returns the
 * answer (malloc'ed, *ANSWER_SIZE bytes); *ANSWER_FD: its descriptor, owned by the
 * caller, or -1. NULL: no answer. */
void *serve_answer(const void *request, size_t size, int fd, size_t *answer_size,
                   int *answer_fd);
/* Restores the call's memory and ends the session. */
void serve_close(void);
/* Drops the session in a child that the program forked for its own purposes. */
void serve_forget(void);

/* The state that the tuner inherits from the program. */
struct serve_inheritance {
  const struct gpu_call *call;         /* NULL: there is no session of a CUDA kernel */
  const struct gpu_prepared *prepared; /* NULL: nothing is */
  const struct gpu_answer
      *reference; /* of the default, if the program does not wait; else NULL */
  const struct gpu_shared *shared; /* likewise */
  int file;                        /* of SHARED; or -1 */
};
struct serve_inheritance serve_inherit(void);
/* In the tuner: tells that the file has another number now. */
void serve_moved(int file);

#endif
