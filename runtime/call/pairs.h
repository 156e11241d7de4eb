/* SPDX-License-Identifier: Apache-2.0 */
/* pairs.h: compares a winner with the default by the program's own calls, where each
 * call has other work. Pure: its only inputs are the durations of calls.
 *
 * Now and then a pair of calls that follow each other is timed: one runs the winner, the
 * other one the default. The order is random, and the next pair has the opposite one, so
 * that work that grows or shrinks from call to call favours neither (struct pair). The
 * sums of the last pairs are compared, not their medians: threads that wait for a busy
 * processor make a few calls very long.
 *
 * The first calls are all such pairs. Then these become rarer as long as they say the
 * same: much rarer where the winner loses, for its threads may take processors from the
 * default's calls. */
#ifndef AUTOTUNE_PAIRS_H
#define AUTOTUNE_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

enum { PAIRS_KEPT = 32, PAIRS_LEAST = 8, PAIRS_PATIENCE = 1024 };

/* Two calls, one of the winner and one of the default. */
struct pair {
  uint64_t random;         /* rng.h: set it first */
  double winner, original; /* seconds, of the last pair that was timed */
  unsigned half;           /* 0: no pair is being timed; 1 or 2: the call that is */
  bool first;              /* the first call of the pair runs the default */
  bool again;              /* the next pair has the opposite order */
  bool goes;               /* the call of `half` has not ended */
  unsigned waits;          /* calls that began since then */
};
/* Returns whether the next call is timed, for pair_add; *ORIGINAL, which is not set
 * otherwise: it runs the default. BEGINS: it may be the first call of a pair. While a
 * timed call goes on no other one is timed, as in threads that call at the same time. A
 * call that has not been added after PAIRS_PATIENCE others ends its pair. */
bool pair_next(struct pair *p, bool begins, bool *original);
/* Adds the call that pair_next said to time. True: the pair was timed. */
bool pair_add(struct pair *p, double seconds);

struct pairs {
  bool decided; /* PAIRS_LEAST pairs are known */
  bool loses;   /* the default is to run, but in pairs; also until it is decided */
  double ratio; /* the default's time divided by the winner's, when that was decided */
  struct pair pair;                                /* of the next calls */
  double winner[PAIRS_KEPT], original[PAIRS_KEPT]; /* seconds, of the last pairs */
  unsigned n;     /* pairs since it was decided, or has changed */
  unsigned least; /* so many pairs decide, the last ones: twice as many after a change */
  unsigned every; /* calls from one pair to the next, about */
  unsigned left;  /* calls until the next pair */
};

struct pairs pairs_new(uint64_t seed);
/* Like pair_next; *ORIGINAL is set for calls that are not timed, too. */
bool pairs_next(struct pairs *p, bool *original);
/* Adds the call that pairs_next said to time. True if LOSES has changed, or was
 * decided to be as it is. */
bool pairs_add(struct pairs *p, double seconds);

#endif
