/* SPDX-License-Identifier: Apache-2.0 */
/* own_calls.h: compares the times of a winner and of the default in the program's own
 * calls. Pure. The rule is in docs/runtime.md. */
#ifndef AUTOTUNE_OWN_CALLS_H
#define AUTOTUNE_OWN_CALLS_H

#include <stddef.h>

/* Pairs of calls, one of which ran the winner, the other one the default. */
struct own_calls {
  unsigned pairs;
  unsigned slower;         /* of these, in how many the winner took longer */
  double original, winner; /* seconds: sums over the pairs */
  /* The longest call of each: it may have been interrupted, and does not count. */
  double longest_original, longest_winner;
};

/* What pairs say of a winner. */
enum own_calls_say {
  OWN_CALLS_MORE, /* too little: more pairs are needed */
  OWN_CALLS_FASTER,
  OWN_CALLS_SLOWER /* or no faster */
};

/* Adds a pair of calls that took WINNER and ORIGINAL seconds. */
void own_calls_add(struct own_calls *own, double winner, double original);
/* Adds the pairs of MORE to OWN. */
void own_calls_join(struct own_calls *own, const struct own_calls *more);
/* Returns the default's time divided by the winner's; 1: no pairs. The longest call of
 * each is left out. */
double own_calls_gain(const struct own_calls *own);
/* Returns what OWN says. */
enum own_calls_say own_calls_judge(const struct own_calls *own);
/* Writes what OWN says to TEXT, of SIZE bytes, and returns it: "0.78 x as fast as the
 * default in 16 pairs of the program's own calls". */
const char *own_calls_text(const struct own_calls *own, char *text, size_t size);

#endif
