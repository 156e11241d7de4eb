/* SPDX-License-Identifier: Apache-2.0 */
/* packet.h: what session.c (the program's side), tuner.c (the tuner's) and detach.c
 * share. */
#ifndef AUTOTUNE_PACKET_H
#define AUTOTUNE_PACKET_H

#include "run/target.h"
#include "run/cpu/sandbox.h"
#include "session.h"

enum packet_kind {
  PACKET_PROGRESS,
  PACKET_LOG,
  PACKET_PROVISIONAL,
  PACKET_VARIANT,
  PACKET_REQUEST,
  PACKET_OUTCOME
};
struct packet { /* tuner to program */
  enum packet_kind kind;
  enum autotune_level level;
  int rc;
  unsigned arm; /* PACKET_VARIANT: of the shared object that comes with it */
  union {
    struct progress_report progress;
    struct outcome outcome;
    /* To the kernel's target, which knows what it says. */
    unsigned char request[TARGET_REQUEST] __attribute__((aligned(16)));
    char text[4096];
  };
};

/* All that a tuner is born with. */
struct tuner_job {
  const struct autotune_kernel *kernel;
  const struct identity *id;
  const struct call *call;
  const struct plan *plan;
  const uint64_t *suspects; /* as in struct tune_host */
  unsigned n_suspects;
  struct shared_memory *shared; /* NULL: no memory */
  int socket, memory; /* its end of the socket; the memory file for the winner */
  int program;  /* pidfd of the program, where the tuner is to work beside it; or -1 */
  pid_t parent; /* the program */
};

/* ---- tuner.c --------------------------------------------------------------------- */
/* The tuner's life. Never returns. */
void tuner_main(const struct tuner_job *job) __attribute__((noreturn));
/* Forks a tuner; its pid, or -1. */
pid_t tuner_fork(const struct tuner_job *job);

/* ---- detach.c -------------------------------------------------------------------- */
/* Forks a tuner that is no child of this process. 0 and its pidfd (-1: not known), or -1.
 */
int detach_tuner(const struct tuner_job *job, int *pidfd);

#endif
