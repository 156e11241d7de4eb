/* SPDX-License-Identifier: Apache-2.0 */
/* packet.h: messages of program and tuner, and what a tuner is started with. */
#ifndef AUTOTUNE_PACKET_H
#define AUTOTUNE_PACKET_H

#include "base/channel.h"
#include "session.h"

/* All are the tuner's, but for the answer. */
enum packet_kind {
  PACKET_PROGRESS,    /* struct progress_report */
  PACKET_LOG,         /* struct packet_log */
  PACKET_PROVISIONAL, /* struct outcome */
  PACKET_VARIANT,     /* unsigned: the arm of the shared object that comes with it */
  PACKET_ASK,         /* the target's, to its half in the program */
  PACKET_ANSWER,      /* the program's, with the serial of what was asked */
  PACKET_OUTCOME      /* struct packet_outcome: the last */
};
struct packet_log {
  enum autotune_level level;
  char text[4096];
};
struct packet_outcome {
  int rc; /* of tune_run */
  struct outcome outcome;
};
extern const struct protocol session_protocol; /* session.c */

/* What a tuner is started with. */
struct tuner_job {
  const struct autotune_kernel *kernel;
  const struct identity *id;
  const struct call *call;
  const struct plan *plan;
  const uint64_t *suspects; /* as in struct tune_host */
  unsigned n_suspects;
  struct shared_memory *shared; /* NULL: no memory */
  int socket;                   /* its end of the channel */
  int memory;                   /* the memory file for the winner */
  int program;  /* pidfd of the program, where the tuner is to work beside it; or -1 */
  pid_t parent; /* the program */
};

/* ---- tuner.c --------------------------------------------------------------------- */
/* What the tuner does after its fork. Never returns. */
void tuner_main(const struct tuner_job *job) __attribute__((noreturn));
/* Forks a tuner; its pid, or -1. */
pid_t tuner_fork(const struct tuner_job *job);

/* ---- detach.c -------------------------------------------------------------------- */
/* Forks a tuner that is no child of this process. 0 and its pidfd (-1: not known), or -1.
 */
int detach_tuner(const struct tuner_job *job, int *pidfd);

#endif
