/* SPDX-License-Identifier: Apache-2.0 */
/* session.h: one tuning, as the program sees it.
 *
 *   session.c   in the program: starts the tuner, reads its messages, ends it
 *   tuner.c     in the tuner: prepares the process after the fork, sends its messages
 *   interrupt.c ^C while the program waits
 *   notice.c    what the user is told meanwhile
 *   detach.c    forks a tuner that is not a child of the program
 *   copying.c   how long the program stops for that
 *   packet.h    their messages; tune/plan.h has the types in these */
#ifndef AUTOTUNE_SESSION_H
#define AUTOTUNE_SESSION_H

#include "model/kernel.h"
#include "tune/plan.h"

/* Returns the memory that the program shares with its tuner. NULL: no session runs, or
 * the memory could not be allocated. */
struct shared_memory *session_shared_memory(void);
/* In the child of a fork of the program: closes the descriptors of the parent's session.
 * Async-signal-safe. */
void session_forget(void);

enum session_state {
  SESSION_NONE, /* there is no session */
  SESSION_RUNS,
  SESSION_ENDED,   /* OUT is filled; if OUT->tuned is false, only its why and cost */
  SESSION_CRASHED, /* ENDED without a result; with plan.retry another tuner may succeed */
};
/* Functions that session_wait calls for the tuner's messages. Each gets DATA. */
struct session_listener {
  /* OUT may be run until the tuning ends. */
  void (*provisional)(const struct outcome *out, void *data);
  /* PLAN_ONLINE: FD is the shared object of ARM; session_wait closes FD afterwards. */
  void (*variant)(const struct autotune_kernel *k, unsigned arm, int fd, void *data);
  void *data;
};
/* Forks the tuner. L is copied (NULL: no functions are called). There is one session at a
 * time, and one thread at a time may use it. Returns 0, or -1 and OUT->why. */
int session_start(const struct autotune_kernel *k, const struct identity *id,
                  const struct call *call, const struct plan *plan,
                  const struct session_listener *l, struct outcome *out);
/* True if session_wait would have something to do. Takes a few nanoseconds. */
bool session_has_news(void);
/* Reads the tuner's messages and waits at most SECONDS for its end (negative: as long as
 * it makes progress). After ENDED and CRASHED there is no session. */
enum session_state session_wait(double seconds, struct outcome *out);
/* Ends the tuner and the session, and drops the result. */
void session_cancel(void);
/* Returns the pages that this process shares with no file; 0: not known. */
double session_pages(void);
/* Returns the seconds that a fork of this process, with PAGES, will take: the call that
 * starts a session waits for it, and no thread gets new pages meanwhile. Learned from
 * earlier forks. Any thread. */
double session_fork_seconds(double pages);
/* Returns the seconds that the program loses, about, when it writes to a page for the
 * first time after a fork: more where THREADS of it run at the same time. The first call
 * of either kind measures that, for some tenths of a millisecond. */
double session_page_seconds(bool threads);
extern const double SESSION_PAGE_UNMEASURED; /* it is rarely more */
/* Notes that a fork took SECONDS; returns those of the last one. */
void session_forked(double seconds);
double session_fork_took(void);
/* Returns the seconds for a process with PAGES pages of its own (0: not known), when the
 * last fork took SECONDS for LAST_PAGES (0: there was none). Pure. */
double session_fork_expected(double pages, double seconds, double last_pages);
/* Runs a whole session: starts it and waits for its end, with another tuner if one
 * crashes. Returns 0, or -1 (then only OUT->why is set). */
int session_run(const struct autotune_kernel *k, const struct identity *id,
                const struct call *call, const struct plan *plan,
                const struct session_listener *l, struct outcome *out);

#endif
