// SPDX-License-Identifier: Apache-2.0
// pairs.c: compares a winner with the default by pairs of calls (pairs.h).
#include "pairs.h"
#include "base/rng.h"

static const double margin = 0.03; // that much slower or faster changes what runs

struct pairs pairs_new(uint64_t seed) {
  return (struct pairs){ .random = seed, .loses = true, .least = PAIRS_LEAST };
}

static double *pairs_slot(struct pairs *p) {
  bool original = p->first == (p->half == 1);
  return &(original ? p->original : p->winner)[p->n % PAIRS_KEPT];
}

// Begins a pair.
static void pairs_begin(struct pairs *p) {
  p->first = p->again ? !p->first : rng_below(&p->random, 2);
  p->again = !p->again;
  p->half = 1;
  p->left = p->every;
}

bool pairs_next(struct pairs *p, bool *original) {
  bool late = p->goes && ++p->waits > PAIRS_PATIENCE;
  *original = p->loses;
  if (p->goes && !late)
    return false;
  if (late) {
    p->half = 0;
    p->goes = false;
  }
  if (p->half == 1)
    p->half = 2;
  else if (p->left > 1) {
    p->left--;
    return false;
  } else
    pairs_begin(p);
  p->goes = true;
  p->waits = 0;
  *original = p->first == (p->half == 1);
  return true;
}

// Returns the default's time of the last LEAST pairs divided by the winner's.
static double pairs_ratio(const struct pairs *p) {
  double winner = 0, original = 0;
  for (unsigned i = p->n - p->least; i < p->n; i++) {
    winner += p->winner[i % PAIRS_KEPT];
    original += p->original[i % PAIRS_KEPT];
  }
  return winner > 0 ? original / winner : 1;
}

static unsigned pairs_twice(unsigned n, unsigned most) {
  return 2 * n < most ? 2 * n : most;
}

// Calls from one pair to the next, as long as the winner runs and as long as it does not.
struct pairs_pace {
  unsigned often, seldom;
};
static const struct pairs_pace pace[] = { [false] = { 2, 64 }, [true] = { 64, 512 } };

// The first few pairs may be wrong: if so, the next ones say it.
static bool pairs_judge(struct pairs *p) {
  if (p->n < p->least)
    return false;
  p->ratio = pairs_ratio(p);
  bool lost = p->decided && p->loses, first = !p->decided;
  bool loses = lost ? p->ratio <= 1 + margin : p->ratio < 1 - margin;
  bool changes = loses != p->loses;
  if (changes || first) {
    p->every = pace[loses].often;
    p->n = 0;
  } else
    p->every = pairs_twice(p->every, pace[loses].seldom);
  if (changes && !first)
    p->least = pairs_twice(p->least, PAIRS_KEPT);
  p->loses = loses;
  p->decided = true;
  return changes || first;
}

bool pairs_add(struct pairs *p, double seconds) {
  if (!p->goes)
    return false;
  p->goes = false;
  *pairs_slot(p) = seconds;
  if (p->half == 1)
    return false;
  p->half = 0;
  p->n++;
  return pairs_judge(p);
}
