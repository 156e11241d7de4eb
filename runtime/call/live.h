/* SPDX-License-Identifier: Apache-2.0 */
/* live.h: variants in the program's own calls. The tuner (online.c) sends them as shared
 * objects over the session's socket and writes orders into the lane of the shared page
 * (session.h); the program (live.c) loads the one, follows the other, and writes down
 * what calls took. */
#ifndef AUTOTUNE_LIVE_H
#define AUTOTUNE_LIVE_H

#include "site.h"
#include "tune/halving.h"

/* ---- live.c: in the program; by whoever has decide_take, unless said otherwise ---- */

/* A session for N begins; its page is there. */
void live_open(struct node *n);
/* Loads the shared object behind FD, which stays the caller's, as ARM. */
void live_load(const struct autotune_kernel *k, unsigned arm, int fd);
/* What the call in STATE is to run for N, timed; NULL: there is no order for it. */
autotune_fn live_begin(struct node *n, struct autotune_call_state *state);
/* The call in STATE has ended; by anyone. True: live_collect has something to do. */
bool live_end(struct autotune_call_state *state);
void live_collect(void);
/* Says that the program waits for the outcome, or no longer. */
void live_wait(bool waiting);
/* The session is over: unloads what nobody can be in, and leaves the rest to the node. */
void live_close(void);
void live_forget(void); /* in the child of a fork */

#endif
