// SPDX-License-Identifier: Apache-2.0
// exhaustive.c: proposes every point once, the original values first. A space that is
// small enough to be listed is taken in random order, so that a budget that ends early
// has seen a sample of all of it. A larger space is walked in lexicographic order.
#include <stdlib.h>
#include <string.h>

#include "search.h"

enum { LISTED = 65536 };

struct strategy {
  const struct space *space;
  choice *points; // N of them, shuffled; NULL: the space is walked
  unsigned n, next;
  bool has_original, began;
  struct seen seen; // the points told of, which are not asked for
  choice original[MAX_PARAMS], at[MAX_PARAMS]; // `at`: the position of the walk
};

static void exhaustive_shuffle(struct strategy *st, uint64_t seed) {
  size_t width = st->space->kernel->n_params;
  choice swap[MAX_PARAMS];
  for (unsigned i = st->n; i > 1; i--) {
    choice *a = st->points + (i - 1) * width,
           *b = st->points + rng_next(&seed) % i * width;
    memcpy(swap, a, width * sizeof *a);
    memmove(a, b, width * sizeof *a);
    memcpy(b, swap, width * sizeof *a);
  }
}

static void exhaustive_list(struct strategy *st, uint64_t seed) {
  size_t width = st->space->kernel->n_params;
  uint64_t n = space_count(st->space, LISTED + 1);
  if (n > LISTED || !(st->points = sys_malloc((n * width + 1) * sizeof *st->points)))
    return; // the walk needs no memory
  choice point[MAX_PARAMS];
  for (bool more = space_first(st->space, point); more && st->n < n;
       more = space_next(st->space, point))
    memcpy(st->points + st->n++ * width, point, width * sizeof *point);
  exhaustive_shuffle(st, seed);
}

static struct strategy *exhaustive_new(const struct space *s, uint64_t seed,
                                       unsigned budget) {
  (void)budget;
  struct strategy *st = sys_calloc(1, sizeof *st);
  if (!st)
    return NULL;
  st->space = s;
  st->has_original = space_original(s, st->original);
  exhaustive_list(st, seed);
  return st;
}

static bool exhaustive_following(struct strategy *st, choice *point) {
  size_t width = st->space->kernel->n_params;
  if (st->points) {
    if (st->next == st->n)
      return false;
    memcpy(point, st->points + st->next++ * width, width * sizeof *point);
    return true;
  }
  bool more = st->next++ ? space_next(st->space, st->at) : space_first(st->space, st->at);
  memcpy(point, st->at, width * sizeof *point);
  return more;
}

static bool exhaustive_ask(struct strategy *st, choice *point) {
  if (!st->began && st->has_original && !seen_has(&st->seen, st->space, st->original)) {
    st->began = true;
    memcpy(point, st->original, st->space->kernel->n_params * sizeof *point);
    return true;
  }
  st->began = true;
  while (exhaustive_following(st, point))
    if (!seen_has(&st->seen, st->space, point) &&
        (!st->has_original || !space_equal(st->space, point, st->original)))
      return true;
  return false;
}

static void exhaustive_tell(struct strategy *st, const choice *point,
                            const struct observation *observation) {
  (void)observation; // nothing is learned
  seen_add(&st->seen, st->space, point);
}

static void exhaustive_free(struct strategy *st) {
  seen_free(&st->seen);
  free(st->points);
  free(st);
}

const struct strategy_class search_exhaustive = {
  .name = "exhaustive",
  .about = "every variant once",
  .new = exhaustive_new,
  .ask = exhaustive_ask,
  .tell = exhaustive_tell,
  .free = exhaustive_free,
};
