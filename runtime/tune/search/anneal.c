// SPDX-License-Identifier: Apache-2.0
// anneal.c: simulated annealing (Kirkpatrick, Gelatt, Vecchi, Science 1983). A step to a
// neighbour that is slower by the fraction d is taken with probability
// exp(-d / temperature). The temperature falls from 1/2 to 1/200 over half of the budget,
// and then starts again at 1/2. Steps to points that are known cost no trial.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search.h"

enum { STEPS = 512 }; // among known points, before a jump to a random one
static const double hot = 0.5, cold = 0.005;

struct strategy {
  struct known known;
  double left; // fraction of the budget
  choice at[MAX_PARAMS];
  double cost; // INFINITY: there is no such point yet
};

static struct strategy *anneal_new(const struct space *s, uint64_t seed,
                                   unsigned budget) {
  (void)budget;
  struct strategy *st = sys_calloc(1, sizeof *st);
  if (!st)
    return NULL;
  st->left = 1;
  st->cost = INFINITY;
  if (known_init(&st->known, s, seed))
    return st;
  free(st);
  return NULL;
}

static double anneal_temperature(const struct strategy *st) {
  double done = st->left > 0 ? fmod(2 * (1 - st->left), 1) : 1;
  return hot * pow(cold / hot, done);
}

static void anneal_consider(struct strategy *st, const choice *point, double cost) {
  if (!isfinite(cost))
    return;
  double worse = isfinite(st->cost) ? cost / st->cost - 1 : 0;
  if (worse > 0 && rng_unit(&st->known.rng) >= exp(-worse / anneal_temperature(st)))
    return;
  memcpy(st->at, point, st->known.space->kernel->n_params * sizeof *point);
  st->cost = cost;
}

static bool anneal_ask(struct strategy *st, choice *point) {
  struct known *k = &st->known;
  if (known_begin(k, point))
    return true;
  for (unsigned i = 0; i < STEPS && isfinite(st->cost); i++) {
    enum nearness near = rng_next(&k->rng) & 1 ? NEAR_STEP : NEAR_ANY;
    if (!space_neighbour(k->space, near, st->at, &k->rng, point))
      break;
    double cost = known_cost(k, point);
    if (!isnan(cost))
      anneal_consider(st, point, cost);
    else if (known_fresh(k, point))
      return true;
  }
  if (k->best >= 0) // all neighbours are known: continue from the best after this point
    anneal_consider(st, known_point(k, (unsigned)k->best), k->costs[k->best]);
  return known_other(k, point);
}

static void anneal_tell(struct strategy *st, const choice *point,
                        const struct observation *observation) {
  known_tell(&st->known, point, observation);
  anneal_consider(st, point,
                  observation->status == STATUS_OK ? observation->cost : INFINITY);
}

static void anneal_left(struct strategy *st, double fraction) {
  st->left = fraction;
}

static void anneal_free(struct strategy *st) {
  known_free(&st->known);
  free(st);
}

const struct strategy_class search_anneal = {
  .name = "anneal",
  .about = "to neighbours, slower ones too, but ever more rarely",
  .new = anneal_new,
  .ask = anneal_ask,
  .tell = anneal_tell,
  .free = anneal_free,
  .left = anneal_left,
};
