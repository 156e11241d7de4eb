// SPDX-License-Identifier: Apache-2.0
// local.c: iterated local search (Lourenço, Martin, Stützle 2003). It moves to the first
// neighbour that is faster; neighbours by one step of a number come before others. At a
// point without a faster neighbour it starts again near the best such point: a few
// parameters are changed, more of them each time that this finds nothing, in the end all.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search.h"

enum { NEAR = 384, KICKS = 32, ROUNDS = 64, PATIENCE = 6 };

struct strategy {
  struct known known;
  choice *near; // neighbours of AT; LEFT of them are not tried yet
  unsigned left;
  choice at[MAX_PARAMS], home[MAX_PARAMS];
  double cost, home_cost; // INFINITY: not known, or failed
  bool lost;     // the neighbours of AT are not tried: it failed, or is not set yet
  unsigned vain; // starts near HOME that found nothing better
};

static struct strategy *local_new(const struct space *s, uint64_t seed, unsigned budget) {
  (void)budget;
  struct strategy *st = sys_calloc(1, sizeof *st);
  if (!st)
    return NULL;
  st->near = sys_calloc(NEAR * s->kernel->n_params + 1, sizeof *st->near);
  st->cost = st->home_cost = INFINITY;
  st->lost = true;
  if (known_init(&st->known, s, seed) && st->near)
    return st;
  known_free(&st->known);
  free(st->near);
  free(st);
  return NULL;
}

static size_t local_width(const struct strategy *st) {
  return st->known.space->kernel->n_params;
}

static void local_move(struct strategy *st, const choice *point, double cost) {
  memcpy(st->at, point, local_width(st) * sizeof *point);
  st->cost = cost;
  st->left = 0;
  st->lost = false;
}

// Moves to a neighbour of AT that is known to be faster. False: no such neighbour is
// known.
static bool local_descend(struct strategy *st, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    const choice *point = st->near + i * local_width(st);
    double cost = known_cost(&st->known, point);
    if (cost < st->cost && isfinite(st->cost)) {
      local_move(st, point, cost);
      return true;
    }
  }
  return false;
}

// Lists the neighbours of AT. They are tried from the end, so those one step away are
// last.
static void local_list(struct strategy *st) {
  struct known *k = &st->known;
  do {
    unsigned any = space_near(k->space, NEAR_ANY, st->at, &k->rng, st->near, NEAR / 2);
    st->left = any +
        space_near(k->space, NEAR_STEP, st->at, &k->rng, st->near + any * local_width(st),
                   NEAR / 2);
  } while (local_descend(st, st->left));
}

static bool next_neighbour(struct strategy *st, choice *point) {
  while (st->left > 0) {
    memcpy(point, st->near + --st->left * local_width(st),
           local_width(st) * sizeof *point);
    if (known_fresh(&st->known, point))
      return true;
  }
  return false;
}

// Decides at a local optimum AT whether to go on from there.
static void local_settle(struct strategy *st) {
  if (st->lost)
    return;
  if (st->cost < st->home_cost) {
    memcpy(st->home, st->at, local_width(st) * sizeof *st->at);
    st->home_cost = st->cost;
    st->vain = 0;
  } else if (++st->vain > PATIENCE) {
    st->home_cost = INFINITY;
    st->vain = 0;
  }
  st->lost = true;
}

static bool local_kick(struct strategy *st, choice *point) {
  const struct autotune_kernel *k = st->known.space->kernel;
  uint64_t *rng = &st->known.rng;
  if (!isfinite(st->home_cost))
    return false;
  for (unsigned i = 0; i < KICKS; i++) {
    memcpy(point, st->home, local_width(st) * sizeof *point);
    for (unsigned changes = 2 + st->vain / 2 + i / 8; changes > 0; changes--) {
      unsigned p = rng_below(rng, k->n_params);
      point[p] = rng_below(rng, k->params[p].n_values);
    }
    if (space_repair(st->known.space, rng, point) && known_fresh(&st->known, point))
      return true;
  }
  return false;
}

static bool local_ask(struct strategy *st, choice *point) {
  bool found = known_begin(&st->known, point);
  for (unsigned i = 0; i < ROUNDS && !found && !st->lost; i++) {
    if (st->left == 0)
      local_list(st);
    found = next_neighbour(st, point);
    if (found)
      return true;
    local_settle(st);
  }
  found = found || local_kick(st, point) || known_other(&st->known, point);
  if (found)
    local_move(st, point, INFINITY);
  return found;
}

static void local_tell(struct strategy *st, const choice *point,
                       const struct observation *observation) {
  bool failed = observation->status != STATUS_OK;
  known_tell(&st->known, point, observation);
  if (!failed && observation->cost < st->cost)
    local_move(st, point, observation->cost);
  else if (failed && !isfinite(st->cost) && space_equal(st->known.space, point, st->at))
    st->lost = true;
}

static void local_free(struct strategy *st) {
  known_free(&st->known);
  free(st->near);
  free(st);
}

const struct strategy_class search_local = {
  .name = "local",
  .about = "to faster neighbours, and on from there by larger steps",
  .new = local_new,
  .ask = local_ask,
  .tell = local_tell,
  .free = local_free,
};
