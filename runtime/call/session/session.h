/* SPDX-License-Identifier: Apache-2.0 */
/* session.h: one tuning, as the program sees it.
 *
 *   session.c   in the program: starts the tuner, listens to it, ends it
 *   tuner.c     in the tuner: what it does to itself after the fork, and what it says
 *   detach.c    forks a tuner that is no child of the program
 *   packet.h    their messages; tune/plan.h has what these are about */
#ifndef AUTOTUNE_SESSION_H
#define AUTOTUNE_SESSION_H

#include "model/kernel.h"
#include "tune/plan.h"

/* The memory that the program shares with its tuner. NULL: no session runs, or there is
 * no memory for it. */
struct shared_memory *session_shared_memory(void);
/* In the child of a fork of the program: closes what belongs to the parent's session.
 * Async-signal-safe. */
void session_forget(void);

enum session_state {
  SESSION_NONE, /* there is no session */
  SESSION_RUNS,
  SESSION_ENDED,   /* OUT is filled; where OUT->tuned is false, only its why and cost */
  SESSION_CRASHED, /* as ENDED without a result, but with plan.retry another tuner may do
                      better */
};
/* What the program does with messages of the tuner, in session_wait. Functions get DATA.
 */
struct session_listener {
  /* OUT may be run until the tuning ends. */
  void (*provisional)(const struct outcome *out, void *data);
  /* PLAN_ONLINE: the shared object behind FD, which is closed afterwards, is ARM. */
  void (*variant)(const struct autotune_kernel *k, unsigned arm, int fd, void *data);
  void *data;
};
/* Forks the tuner. L (NULL: nothing is listened to) is copied. One session at a time, all
 * of it by one thread at a time. 0, or -1 and OUT->why. */
int session_start(const struct autotune_kernel *k, const struct identity *id,
                  const struct call *call, const struct plan *plan,
                  const struct session_listener *l, struct outcome *out);
/* True if session_wait would have something to do. A few nanoseconds. */
bool session_has_news(void);
/* Reads what the tuner has sent, and waits at most SECONDS for the end (negative: as long
 * as the tuner shows life). After ENDED and CRASHED there is no session. */
enum session_state session_wait(double seconds, struct outcome *out);
/* Ends the tuner and the session; its result is dropped. */
void session_cancel(void);
/* Starts and waits, once more where the tuner crashes. 0 or -1 (then only OUT->why is
 * set). */
int session_run(const struct autotune_kernel *k, const struct identity *id,
                const struct call *call, const struct plan *plan,
                const struct session_listener *l, struct outcome *out);

#endif
