/* SPDX-License-Identifier: Apache-2.0 */
/* confirm.h: compares a new winner with the default in the program's own calls
 * (confirm.c). */
#ifndef AUTOTUNE_CONFIRM_H
#define AUTOTUNE_CONFIRM_H

#include "model/own_calls.h"
#include "site.h"

/* Compares N's winner, which was just installed, from the next calls on, if its kernel is
 * tuned when hot or COST is above 0. OWN (copied): what is known from earlier runs. COST:
 * the seconds that a call of the default takes more than one of the winner, about, if
 * this process has tuned the kernel; otherwise 0. Call it only while holding
 * decide_take(). */
void confirm_begin(struct node *n, const struct own_calls *own, double cost);
/* Returns whether this call of N, which is timed, is one of a pair, for confirm_see.
 * *ORIGINAL: it runs the default. Any thread. */
bool confirm_next(struct node *n, struct autotune_call_state *state, bool *original);
/* Notes that such a call took SECONDS. Any thread. */
void confirm_see(struct node *n, double seconds);
/* True if N's winner is no faster, and still runs. Any thread. */
bool confirm_wants(const struct node *n);
/* Makes N run the default then, and stores that. Call it only while holding
 * decide_take(), on a stack of stack_run. */
void confirm_refuse(struct node *n);
/* Stores what the calls of the sites from FIRST to before END have shown: at the end of
 * the process, or before a site is closed. */
void confirm_keep(struct site *first, const struct site *end);
void confirm_free(struct node *n); /* when the site is closed */

#endif
