/* SPDX-License-Identifier: Apache-2.0 */
/* doubt.h: keys that were decided on a call that did next to nothing. */
#ifndef AUTOTUNE_DOUBT_H
#define AUTOTUNE_DOUBT_H

#include <stdbool.h>

struct node;
struct plan;

/* Used by the thread whose calls are timed, or while holding decide_take(). */
struct doubt {
  double seconds; /* of the call that the key was decided on; 0: it is not in doubt */
  unsigned seen, longer; /* timed calls; of these, how many took far longer */
  unsigned tries;        /* how often it was tuned again */
  bool sure;             /* it is to be tuned again */
};

/* N was decided on a call whose default took SECONDS (0: not known). If that is next to
 * nothing, later calls are timed. */
void doubt_begin(struct node *n, double seconds);
/* Notes that a timed call of N took SECONDS. Returns how many calls later the next one is
 * to be timed at the latest; 0: N is not in doubt. */
unsigned doubt_see(struct node *n, double seconds);
/* True if N is to be tuned again; any thread. */
bool doubt_wants(const struct node *n);
/* Adds to PLAN, of a tuning in this call, what N needs. */
void doubt_plan(struct node *n, struct plan *plan);
/* The call did too little for that: the next one that is timed is tried. */
void doubt_again(struct node *n);

#endif
