/* SPDX-License-Identifier: Apache-2.0 */
/* session.h: what session.c (the program's side) and session_tuner.c (the tuner's) say to each other. */
#ifndef AUTOTUNE_SESSION_H
#define AUTOTUNE_SESSION_H

#include "sandbox.h"

enum packet_kind { PACKET_PROGRESS, PACKET_LOG, PACKET_OUTCOME };
struct packet {             /* tuner to program */
  enum packet_kind kind;
  enum autotune_level level;
  int rc;
  union { struct progress progress; struct outcome outcome; char text[4096]; };
};

/* The tuner's life. FDS: its socket, and the memory file for the winner. Never returns. */
void tuner_main(const struct autotune_kernel *k, const struct identity *id, void *const *args,
                const struct plan *plan, struct page *page, int fds[2], pid_t parent)
    __attribute__((noreturn));

#endif
