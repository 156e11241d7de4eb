// SPDX-License-Identifier: Apache-2.0
// seen.c: the set of points that a search has proposed or knows, and a way to find any
// other.
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "space.h"

enum {
  DRAWS = 256
}; // in a row that were known already, before the space is walked instead

static uint64_t hash_of(const struct space *s, const choice *point) {
  uint64_t hash = space_hash(s, point);
  return hash + (hash == 0);
}

static uint64_t *seen_slot(uint64_t *table, size_t capacity, uint64_t hash) {
  size_t i = hash & (capacity - 1);
  while (table[i] != 0 && table[i] != hash)
    i = (i + 1) & (capacity - 1);
  return &table[i];
}

static bool seen_grow(struct seen *seen) {
  size_t capacity = seen->capacity ? seen->capacity * 2 : 512;
  uint64_t *table = sys_calloc(capacity, sizeof *table);
  if (!table)
    return false;
  for (size_t i = 0; i < seen->capacity; i++)
    if (seen->slots[i])
      *seen_slot(table, capacity, seen->slots[i]) = seen->slots[i];
  free(seen->slots);
  seen->slots = table;
  seen->capacity = capacity;
  return true;
}

bool seen_has(const struct seen *seen, const struct space *s, const choice *point) {
  return seen->capacity > 0 &&
      *seen_slot(seen->slots, seen->capacity, hash_of(s, point)) != 0;
}

bool seen_add(struct seen *seen, const struct space *s, const choice *point) {
  if (2 * seen->used >= seen->capacity && !seen_grow(seen) &&
      seen->used + 1 >= seen->capacity)
    return false; // no memory: the search ends
  uint64_t hash = hash_of(s, point), *at = seen_slot(seen->slots, seen->capacity, hash);
  if (*at)
    return false;
  *at = hash;
  seen->used++;
  return true;
}

static bool seen_walk(struct seen *seen, const struct space *s, choice *point) {
  bool more = seen->walking ? space_next(s, seen->at) : space_first(s, seen->at);
  seen->walking = true;
  while (more && !seen_add(seen, s, seen->at))
    more = space_next(s, seen->at);
  if (more)
    memcpy(point, seen->at, s->kernel->n_params * sizeof *point);
  return more;
}

bool seen_other(struct seen *seen, const struct space *s, uint64_t *rng, choice *point) {
  for (int i = 0; i < DRAWS && !seen->walking; i++) {
    if (!space_sample(s, rng, point))
      return seen_walk(seen, s, point);
    if (seen_add(seen, s, point))
      return true;
  }
  return seen_walk(seen, s, point);
}

void seen_free(struct seen *seen) {
  free(seen->slots);
  *seen = (struct seen){ 0 };
}
