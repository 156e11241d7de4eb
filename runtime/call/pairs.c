// SPDX-License-Identifier: Apache-2.0
// pairs.c: compares a winner with the default by pairs of calls (pairs.h).
#include "pairs.h"
#include "base/rng.h"

static const double margin = 0.03; // that much slower or faster changes what runs

// ---- one pair -----------------------------------------------------------------------

static bool pair_is_original(const struct pair *p) {
  return p->first == (p->half == 1);
}

bool pair_next(struct pair *p, bool begins, bool *original) {
  if (p->goes && ++p->waits <= PAIRS_PATIENCE)
    return false;
  if (p->goes || p->half == 0) {
    p->goes = false;
    p->half = 0;
    if (!begins)
      return false;
    p->first = p->again ? !p->first : rng_below(&p->random, 2);
    p->again = !p->again;
  }
  p->half++;
  p->goes = true;
  p->waits = 0;
  *original = pair_is_original(p);
  return true;
}

bool pair_add(struct pair *p, double seconds) {
  if (!p->goes)
    return false;
  p->goes = false;
  *(pair_is_original(p) ? &p->original : &p->winner) = seconds;
  if (p->half == 1)
    return false;
  p->half = 0;
  return true;
}

// ---- all pairs ----------------------------------------------------------------------

struct pairs pairs_new(uint64_t seed) {
  return (struct pairs){ .pair.random = seed, .loses = true, .least = PAIRS_LEAST };
}

bool pairs_next(struct pairs *p, bool *original) {
  bool begins = p->left <= 1;
  *original = p->loses;
  bool timed = pair_next(&p->pair, begins, original);
  if (timed && p->pair.half == 1)
    p->left = p->every;
  else if (!timed && !p->pair.goes && !begins)
    p->left--;
  return timed;
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
  if (!pair_add(&p->pair, seconds))
    return false;
  p->winner[p->n % PAIRS_KEPT] = p->pair.winner;
  p->original[p->n % PAIRS_KEPT] = p->pair.original;
  p->n++;
  return pairs_judge(p);
}
