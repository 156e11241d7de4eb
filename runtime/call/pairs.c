// SPDX-License-Identifier: Apache-2.0
// pairs.c: compares a winner with the default by pairs of calls (pairs.h).
#include "pairs.h"
#include "base/rng.h"

static const double margin = 0.03; // that much slower or faster changes what runs

struct pairs pairs_new(uint64_t seed) {
  return (struct pairs){ .random = seed, .least = PAIRS_LEAST, .every = 2 };
}

static double *pairs_slot(struct pairs *p) {
  bool original = p->first == (p->half == 1);
  return &(original ? p->original : p->winner)[p->n % PAIRS_KEPT];
}

bool pairs_next(struct pairs *p, bool *original) {
  *original = p->loses;
  bool timed = p->half == 1 && *pairs_slot(p) > 0; // the first of the pair was added
  if (timed) {
    p->half = 2;
  } else if (p->left <= 1) {
    p->half = 1;
    p->left = p->every;
    p->first = rng_below(&p->random, 2);
    *pairs_slot(p) = 0;
    timed = true;
  } else {
    p->half = 0;
    p->left--;
  }
  if (timed)
    *original = p->first == (p->half == 1);
  return timed;
}

// Returns the default's time of the last pairs divided by the winner's.
static double pairs_ratio(const struct pairs *p) {
  unsigned n = p->n < PAIRS_KEPT ? p->n : PAIRS_KEPT;
  double winner = 0, original = 0;
  for (unsigned i = 0; i < n; i++) {
    winner += p->winner[i];
    original += p->original[i];
  }
  return winner > 0 ? original / winner : 1;
}

static unsigned pairs_twice(unsigned n, unsigned most) {
  return 2 * n < most ? 2 * n : most;
}

// Pairs become rare while they say the same. The first few may be wrong: if so, the next
// ones say it soon.
static bool pairs_judge(struct pairs *p) {
  if (p->n < p->least)
    return false;
  p->ratio = pairs_ratio(p);
  bool changes = p->loses ? p->ratio > 1 + margin : p->ratio < 1 - margin;
  if (changes) {
    p->loses = !p->loses;
    p->least = pairs_twice(p->least, PAIRS_KEPT);
    p->every = 2;
    p->n = 0;
  } else
    p->every = pairs_twice(p->every, PAIRS_SELDOM);
  return changes;
}

bool pairs_add(struct pairs *p, double seconds) {
  if (p->half == 0)
    return false;
  *pairs_slot(p) = seconds;
  if (p->half == 1)
    return false;
  p->half = 0;
  p->n++;
  return pairs_judge(p);
}
