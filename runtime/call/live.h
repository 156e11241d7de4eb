/* SPDX-License-Identifier: Apache-2.0 */
/* live.h: variants that are timed in the program's own calls. The tuner (tune/online.c)
 * sends them as shared objects and writes orders into the lane of the shared memory
 * (tune/plan.h). The program (live.c) loads them, runs them by these orders, and writes
 * back how long the calls took.
 *
 * Call these only while holding decide_take(), unless they say otherwise. */
#ifndef AUTOTUNE_LIVE_H
#define AUTOTUNE_LIVE_H

#include "site.h"
#include "tune/halving.h"

/* Starts timed calls for N, whose session runs and has its shared memory. */
void live_open(struct node *n);
/* Loads the shared object of descriptor FD as ARM. The caller keeps FD. */
void live_load(const struct autotune_kernel *k, unsigned arm, int fd);
/* True if calls of N may be timed. */
bool live_is_for(const struct node *n);
/* Returns the variant that the call in STATE must run for N, and starts timing it; NULL:
 * there is no order. */
autotune_fn live_begin(struct node *n, struct autotune_call_state *state);
/* Notes that the call in STATE has ended. True if the caller must now call live_collect.
 * Any thread. */
bool live_end(struct autotune_call_state *state);
/* Takes the time of the call that has ended. Answers its order once all its calls are
 * timed. */
void live_collect(void);
/* Tells the tuner that the program waits for the outcome, or no longer does. */
void live_wait(bool waiting);
/* Ends timed calls, when the session ends. Unloads variants that no thread can be
 * running; the node keeps the others. */
void live_close(void);
void live_forget(void); /* in the child of a fork */

#endif
