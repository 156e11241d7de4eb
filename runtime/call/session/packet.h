/* SPDX-License-Identifier: Apache-2.0 */
/* packet.h: what the files of this folder share: messages between program and tuner, the
 * arguments of a new tuner, the program's signals while it waits. */
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
  bool owns;    /* the tuner calls `own` first, and then sets SHARED->owned */
  pid_t parent; /* of the tuner, whose end ends it too; set by detach.c */
};

/* ---- tuner.c --------------------------------------------------------------------- */
/* Runs the tuner after its fork. Never returns. */
void tuner_main(const struct tuner_job *job) __attribute__((noreturn));

/* ---- interrupt.c ----------------------------------------------------------------- */
/* Between these two calls the program waits for a tuning. Where it has a handler of its
 * own for SIGINT, that is called, and the tuning ends with the best so far. One session
 * at a time. */
void interrupt_begin(void);
void interrupt_end(void);
/* True if ^C can end the tuning: the program does not ignore SIGINT. */
bool interrupt_possible(void);
/* True if a second ^C will end the program, which has no handler of its own. */
bool interrupt_ends(void);
/* The user was told of ^C: where it would end the program, the first one only ends the
 * tuning. */
void interrupt_offer(void);

/* ---- notice.c -------------------------------------------------------------------- */
/* A tuning of KERNEL begins. WAITS: the program waits for it. One session at a time. */
void notice_begin(const char *kernel, bool waits);
/* Tells the user of the tuning's progress: on a terminal, that the program waits, that ^C
 * was heeded, and how far the tuning is. */
void notice_show(const struct progress_report *p);

/* ---- detach.c -------------------------------------------------------------------- */
/* Forks a tuner that is not a child of this process. All signals must be blocked.
 * Returns its pid and *PIDFD (-1: not known), or -1 and errno. */
pid_t detach_tuner(const struct tuner_job *job, int *pidfd);
/* True if processes can share this one's memory here; sanitizers do not allow it. */
bool detach_shares(void);
/* Returns the seconds of CPU that the last fork took. A processor's time: what a busy
 * machine adds says nothing about the next fork. */
double detach_copying(void);
/* True if the tuner that was not started in the background has ended. Then *STATUS is as
 * from waitpid; it is not changed if the status is not known. */
bool detach_reap(int *status);

#endif
