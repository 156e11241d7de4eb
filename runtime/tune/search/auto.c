// SPDX-License-Identifier: Apache-2.0
// auto.c: the default: two searches, each of which is told the results of both. One takes
// local steps from the original values, if these are faster than a random point. The
// other is a model, which proposes points further away. If no better point was found for
// long, some trials are local steps again, because the model may know nothing about
// points near the best. Each search skips points that the other has asked for.
#include <stdlib.h>

#include "search.h"

enum {
  LOCAL,
  MODEL,
  SEARCHES,
  JUDGES = 2,    // points tried before the choice: the original values and a random point
  STEPS = 8,     // trials by local steps after that
  PATIENCE = 64, // trials without a better point before local steps return
  FRACTION = 4,  // then one trial of so many is a local step
  TRIES = 64,    // points that one search may skip because the other has asked for them
};
static const struct strategy_class *const searches[SEARCHES] = { &search_local,
                                                                 &search_gauss };

struct strategy {
  const struct space *space;
  struct strategy *of[SEARCHES];
  struct seen seen;
  unsigned asked, steps, told,
      improved; // improved: the number of points told when the best was found
  double best;
  bool related;  // results of a near key are known
  bool stepping; // the first point is the best of those that were tried for the choice
};

static void auto_free(struct strategy *st) {
  for (unsigned i = 0; i < SEARCHES; i++)
    if (st->of[i])
      searches[i]->free(st->of[i]);
  seen_free(&st->seen);
  free(st);
}

static struct strategy *auto_new(const struct space *s, uint64_t seed, unsigned budget) {
  struct strategy *st = sys_calloc(1, sizeof *st);
  bool good = st != NULL;
  if (!st)
    return NULL;
  st->space = s;
  st->steps = budget / 6 < STEPS ? budget / 6 + 1 : STEPS;
  for (unsigned i = 0; i < SEARCHES && good; i++)
    good = (st->of[i] = searches[i]->new(s, seed, budget)) != NULL;
  if (good)
    return st;
  auto_free(st);
  return NULL;
}

static unsigned auto_choose(const struct strategy *st) {
  bool stuck = st->told - st->improved > PATIENCE;
  if (st->told < JUDGES)
    return MODEL;
  if (st->asked <= st->steps && !st->related)
    return st->stepping ? LOCAL : MODEL;
  return stuck && st->asked % FRACTION == 0 ? LOCAL : MODEL;
}

static bool ask_one(struct strategy *st, unsigned which, choice *point) {
  for (unsigned i = 0; i < TRIES && searches[which]->ask(st->of[which], point); i++)
    if (seen_add(&st->seen, st->space, point))
      return true;
  return false;
}

static bool auto_ask(struct strategy *st, choice *point) {
  st->asked++;
  unsigned first = auto_choose(st);
  for (unsigned i = 0; i < SEARCHES; i++)
    if (ask_one(st, (first + i) % SEARCHES, point))
      return true;
  uint64_t rng = st->asked;
  return seen_other(&st->seen, st->space, &rng, point);
}

static void auto_tell(struct strategy *st, const choice *point,
                      const struct observation *observation) {
  seen_add(&st->seen, st->space, point);
  for (unsigned i = 0; i < SEARCHES; i++)
    searches[i]->tell(st->of[i], point, observation);
  st->told++;
  if (observation->status == STATUS_OK &&
      (st->best == 0 || observation->cost < st->best)) {
    st->best = observation->cost;
    st->improved = st->told;
  }
  if (st->told == JUDGES)
    st->stepping = st->improved == 1;
}

static void auto_transfer(struct strategy *st, const choice *point, double cost) {
  searches[MODEL]->transfer(st->of[MODEL], point, cost);
  st->related = true;
}

static double auto_expect(struct strategy *st, const choice *point,
                          const struct features *features) {
  return searches[MODEL]->expect(st->of[MODEL], point, features);
}

static void auto_left(struct strategy *st, double fraction) {
  for (unsigned i = 0; i < SEARCHES; i++)
    if (searches[i]->left)
      searches[i]->left(st->of[i], fraction);
}

static double auto_expected_improvement(struct strategy *st) {
  return searches[MODEL]->expected_improvement(st->of[MODEL]);
}

const struct strategy_class search_auto = {
  .name = "auto",
  .about = "steps from the original values, then where a model expects the most",
  .new = auto_new,
  .ask = auto_ask,
  .tell = auto_tell,
  .free = auto_free,
  .transfer = auto_transfer,
  .expect = auto_expect,
  .expected_improvement = auto_expected_improvement,
  .left = auto_left,
};
