/* SPDX-License-Identifier: Apache-2.0 */
/* confirm.h: compares a new winner with the default in the program's own calls
 * (confirm.c). */
#ifndef AUTOTUNE_CONFIRM_H
#define AUTOTUNE_CONFIRM_H

#include "model/record.h"

struct autotune_call_state;
struct node;
struct site;

/* What pairs of calls say of a winner. */
enum confirmed {
  CONFIRM_MORE, /* too little: more pairs are needed */
  CONFIRM_FASTER,
  CONFIRM_SLOWER /* or no faster */
};
/* Adds a pair of calls that took WINNER and ORIGINAL seconds. Pure. */
void confirm_add(struct own_calls *own, double winner, double original);
/* Returns what OWN says. Pure. */
enum confirmed confirm_judge(const struct own_calls *own);

/* Compares N's winner, which was just installed, from the next calls on, if its kernel is
 * tuned when hot. OWN (copied): what is known from earlier runs. Call it only while
 * holding decide_take(). */
void confirm_begin(struct node *n, const struct own_calls *own);
/* Returns whether this call of N, which is timed, is one of a pair, for confirm_see.
 * *ORIGINAL: it runs the default. Any thread. */
bool confirm_next(struct node *n, struct autotune_call_state *state, bool *original);
/* Notes that such a call took SECONDS. Any thread. */
void confirm_see(struct node *n, double seconds);
/* True if N's winner is no faster, and still runs. Any thread. */
bool confirm_wants(const struct node *n);
/* Makes N run the default then. Call it only while holding decide_take(). */
void confirm_refuse(struct node *n);
/* At the end of the process: stores what the calls of SITES have shown. */
void confirm_at_exit(struct site *sites);
void confirm_free(struct node *n); /* when the site is closed */

#endif
