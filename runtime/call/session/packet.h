/* SPDX-License-Identifier: Apache-2.0 */
/* packet.h: messages between program and tuner, and the arguments of a new tuner. */
#ifndef AUTOTUNE_PACKET_H
#define AUTOTUNE_PACKET_H

#include "base/channel.h"
#include "session.h"

/* All are sent by the tuner, except the answer. */
enum packet_kind {
  PACKET_PROGRESS,    /* struct progress_report */
  PACKET_LOG,         /* struct packet_log */
  PACKET_PROVISIONAL, /* struct outcome */
  PACKET_VARIANT,     /* unsigned: the arm; its shared object comes as the descriptor */
  PACKET_ASK,         /* a question of the target, to its half in the program */
  PACKET_ANSWER,      /* the program's answer, with the question's serial */
  PACKET_OUTCOME      /* struct packet_outcome: the last message */
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

/* The arguments of a new tuner. */
struct tuner_job {
  const struct autotune_kernel *kernel;
  const struct identity *id;
  const struct call *call;
  const struct plan *plan;
  const uint64_t *suspects; /* as in struct tune_host */
  unsigned n_suspects;
  struct shared_memory *shared; /* NULL: no memory */
  int socket;                   /* the tuner's end of the channel */
  int memory;                   /* the memory file for the winner */
  int program;  /* pidfd of the program, if the tuner works in the background; else -1 */
  pid_t parent; /* the program */
};

/* ---- tuner.c --------------------------------------------------------------------- */
/* Runs the tuner after its fork. Never returns. */
void tuner_main(const struct tuner_job *job) __attribute__((noreturn));
/* Forks a tuner. Returns its pid, or -1. */
pid_t tuner_fork(const struct tuner_job *job);

/* ---- detach.c -------------------------------------------------------------------- */
/* Forks a tuner that is not a child of this process. Returns 0 and its pidfd (-1: not
 * known), or -1. */
int detach_tuner(const struct tuner_job *job, int *pidfd);

#endif
