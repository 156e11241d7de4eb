// SPDX-License-Identifier: Apache-2.0
// random.c: proposes random points without repetition, the original values first. The
// space is not listed, so it may have any size.
#include <stdlib.h>

#include "search.h"

struct strategy {
  const struct space *space;
  uint64_t rng;
  struct seen seen;
  bool began;
};

static struct strategy *random_new(const struct space *s, uint64_t seed,
                                   unsigned budget) {
  (void)budget;
  struct strategy *st = sys_calloc(1, sizeof *st);
  if (!st)
    return NULL;
  st->space = s;
  st->rng = seed;
  return st;
}

static bool random_ask(struct strategy *st, choice *point) {
  if (!st->began) {
    st->began = true;
    if (space_original(st->space, point) && seen_add(&st->seen, st->space, point))
      return true;
  }
  return seen_other(&st->seen, st->space, &st->rng, point);
}

static void random_tell(struct strategy *st, const choice *point,
                        const struct observation *observation) {
  (void)observation; // nothing is learned
  seen_add(&st->seen, st->space, point);
}

static void random_free(struct strategy *st) {
  seen_free(&st->seen);
  free(st);
}

const struct strategy_class search_random = {
  .name = "random",
  .about = "random variants, none twice",
  .new = random_new,
  .ask = random_ask,
  .tell = random_tell,
  .free = random_free,
};
