// SPDX-License-Identifier: Apache-2.0
// genetic.c: a genetic algorithm with a steady state (Whitley, ICGA 1989). A child has
// two parents, each the better of two random members. It is made by uniform crossover and
// mutation, and is repaired if the constraint refuses it. If it is faster than the member
// that is most like it, it replaces that member (restricted tournament: Harik, ICGA
// 1995), so the population stays diverse. There are no generations to wait for.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search.h"

enum { MOST = 12, LEAST = 6, CHILDREN = 64 };

struct strategy {
  struct known known;
  unsigned members[MOST], n, size; // the population: indices of known points
  unsigned begun;                  // points asked for to create the population
};

static struct strategy *genetic_new(const struct space *s, uint64_t seed,
                                    unsigned budget) {
  struct strategy *st = sys_calloc(1, sizeof *st);
  if (!st)
    return NULL;
  st->size = budget / 10 < LEAST ? LEAST : budget / 10 > MOST ? MOST : budget / 10;
  if (known_init(&st->known, s, seed))
    return st;
  free(st);
  return NULL;
}

static const choice *genetic_parent(struct strategy *st) {
  struct known *k = &st->known;
  unsigned a = st->members[rng_below(&k->rng, st->n)],
           b = st->members[rng_below(&k->rng, st->n)];
  return known_point(k, k->costs[a] <= k->costs[b] ? a : b);
}

// Changes one parameter of POINT; a number mostly by one step.
static void genetic_mutate(struct strategy *st, choice *point, unsigned p) {
  const struct space *s = st->known.space;
  uint64_t *rng = &st->known.rng;
  int step = -1;
  if (space_ordinal(s, p) && rng_next(rng) & 1)
    step = space_step(s, p, point[p], rng_next(rng) & 1 ? 1 : -1);
  point[p] = step >= 0 ? (choice)step : rng_below(rng, s->kernel->params[p].n_values);
}

// Makes a child. HARDER: more mutations, because the children before were known.
static void genetic_breed(struct strategy *st, unsigned harder, choice *child) {
  const struct autotune_kernel *k = st->known.space->kernel;
  uint64_t *rng = &st->known.rng;
  const choice *mother = genetic_parent(st), *father = genetic_parent(st);
  double rate = (1 + harder / 8.0) / k->n_params;
  for (unsigned p = 0; p < k->n_params; p++) {
    child[p] = rng_next(rng) & 1 ? mother[p] : father[p];
    if (rng_unit(rng) < rate)
      genetic_mutate(st, child, p);
  }
}

static bool genetic_ask(struct strategy *st, choice *point) {
  struct known *k = &st->known;
  if (known_begin(k, point))
    return true;
  if (st->begun < st->size || st->n < 2) {
    st->begun++;
    return known_other(k, point);
  }
  for (unsigned i = 0; i < CHILDREN; i++) {
    genetic_breed(st, i, point);
    if (space_repair(k->space, &k->rng, point) && known_fresh(k, point))
      return true;
  }
  return known_other(k, point);
}

// Returns the member that differs from POINT in the fewest parameters; of several the
// slowest.
static unsigned genetic_nearest(const struct strategy *st, const choice *point) {
  const struct known *k = &st->known;
  unsigned best = 0, least = MAX_PARAMS + 1;
  for (unsigned i = 0; i < st->n; i++) {
    const choice *member = known_point(k, st->members[i]);
    unsigned n = 0;
    for (unsigned p = 0; p < k->space->kernel->n_params; p++)
      n += member[p] != point[p];
    if (n < least ||
        (n == least && k->costs[st->members[i]] > k->costs[st->members[best]])) {
      least = n;
      best = i;
    }
  }
  return best;
}

static void genetic_tell(struct strategy *st, const choice *point,
                         const struct observation *observation) {
  struct known *k = &st->known;
  if (!known_tell(k, point, observation) || observation->status != STATUS_OK)
    return;
  if (st->n < st->size) {
    st->members[st->n++] = k->n - 1;
    return;
  }
  unsigned rival = genetic_nearest(st, point);
  if (observation->cost < k->costs[st->members[rival]])
    st->members[rival] = k->n - 1;
}

static void genetic_free(struct strategy *st) {
  known_free(&st->known);
  free(st);
}

const struct strategy_class search_genetic = {
  .name = "genetic",
  .about = "children of the fastest variants so far",
  .new = genetic_new,
  .ask = genetic_ask,
  .tell = genetic_tell,
  .free = genetic_free,
};
