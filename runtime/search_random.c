// SPDX-License-Identifier: Apache-2.0
// search_random.c: random points without repetition; the original values first. Nothing is listed, so the
// space may be of any size.
#include <stdlib.h>

#include "search.h"

enum { TRIES = 256 }; // draws in a row that were known already, before the space is walked instead

struct strategy {
  const struct space *space;
  uint64_t rng;
  uint64_t *seen;         // hashes of points; 0: free. Open addressing, a power of two
  size_t capacity, used;
  bool began, walking;
  choice at[MAX_PARAMS];  // where the walk is
};

static uint64_t *slot(uint64_t *table, size_t capacity, uint64_t hash) {
  size_t i = hash & (capacity - 1);
  while (table[i] != 0 && table[i] != hash)
    i = (i + 1) & (capacity - 1);
  return &table[i];
}

static bool grow(struct strategy *st) {
  size_t capacity = st->capacity ? st->capacity * 2 : 512;
  uint64_t *table = sys_calloc(capacity, sizeof *table);
  if (!table)
    return false;
  for (size_t i = 0; i < st->capacity; i++)
    if (st->seen[i])
      *slot(table, capacity, st->seen[i]) = st->seen[i];
  free(st->seen);
  st->seen = table;
  st->capacity = capacity;
  return true;
}

// True: POINT was not seen before; now it is. (Two points of one hash count as one: 1 in 2^64.)
static bool is_new(struct strategy *st, const choice *point) {
  uint64_t hash = space_hash(st->space, point);
  hash += hash == 0;
  uint64_t *at = slot(st->seen, st->capacity, hash);
  if (*at)
    return false;
  if (2 * st->used >= st->capacity) {
    if (!grow(st) && st->used + 1 >= st->capacity)
      return false; // no memory: the search ends
    at = slot(st->seen, st->capacity, hash);
  }
  *at = hash;
  st->used++;
  return true;
}

static struct strategy *new(const struct space *s, uint64_t seed, unsigned budget) {
  (void)budget;
  struct strategy *st = sys_calloc(1, sizeof *st);
  if (!st)
    return NULL;
  st->space = s;
  st->rng = seed;
  if (!grow(st)) {
    free(st);
    return NULL;
  }
  return st;
}

static bool walk(struct strategy *st, choice *point) {
  bool more = st->walking ? space_next(st->space, st->at) : space_first(st->space, st->at);
  st->walking = true;
  while (more && !is_new(st, st->at))
    more = space_next(st->space, st->at);
  for (unsigned p = 0; more && p < st->space->kernel->n_params; p++)
    point[p] = st->at[p];
  return more;
}

static bool ask(struct strategy *st, choice *point) {
  if (!st->began) {
    st->began = true;
    if (space_original(st->space, point))
      return is_new(st, point);
  }
  for (int i = 0; i < TRIES && !st->walking; i++) {
    if (!space_sample(st->space, &st->rng, point))
      return false;
    if (is_new(st, point))
      return true;
  }
  return walk(st, point); // nearly all are known: take what is left in order
}

static void tell(struct strategy *st, const choice *point, const struct told *told) {
  (void)st, (void)point, (void)told; // nothing is learned
}

static void free_(struct strategy *st) {
  free(st->seen);
  free(st);
}

const struct strategy_class search_random = {
  .name = "random",
  .about = "random variants, none twice",
  .new = new, .ask = ask, .tell = tell, .free = free_,
};
