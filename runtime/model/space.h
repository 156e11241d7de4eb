/* SPDX-License-Identifier: Apache-2.0 */
/* space.h: the points of a kernel's space, grouped by file. */
#ifndef AUTOTUNE_SPACE_H
#define AUTOTUNE_SPACE_H

#include "kernel.h"

/* ---- space.c, range.c, sample.c, near.c, text.c ---------------------------------- */

enum {
  EARLY_CONDITIONS = 128,
  EARLY_LEAVES = 256
}; /* those behind are looked at with whole points only */

struct space {
  const struct autotune_kernel *kernel;
  void *const *args;
  const struct autotune_machine *machine;
  uint64_t size; /* of the product, before constraints; UINT64_MAX: more */
  /* The order in which parameters are set, so that conditions can be asked early: `when`
   * before what it is about. closes[c]: the position at which the last parameter of
   * condition c is set. */
  uint16_t order[MAX_PARAMS], closes[EARLY_CONDITIONS];
  uint16_t place[MAX_PARAMS];               /* where a parameter is in ORDER */
  double low[MAX_PARAMS], high[MAX_PARAMS]; /* its values' range */
  bool early[EARLY_CONDITIONS]; /* has steps to tell early that it cannot hold any more …
                                 */
  uint16_t first_leaf[EARLY_CONDITIONS];
  double leaves[EARLY_LEAVES]; /* … and their leaves for this call */
  unsigned n_bound;            /* conditions look at nothing behind this position */
  const struct autotune_launch *asked; /* what the program asked for; NULL: no launch */
  bool sparse; /* so few points are allowed that drawing them blindly takes long */
};
/* CALL may be NULL where nothing asks for its arguments. */
void space_init(struct space *s, const struct autotune_kernel *k, const struct call *call,
                const struct autotune_machine *m);
bool space_matters(const struct autotune_kernel *k, const choice *point, unsigned param);
bool space_allows(const struct space *s, const choice *point); /* `when` and constraint */
/* How POINT of a CUDA kernel is launched for this call. False: it cannot be, as its
 * blocks do not divide what was asked for, or the device has not so many threads or so
 * much shared memory for a block. Part of space_allows. */
bool space_launch(const struct space *s, const choice *point,
                  struct autotune_launch *out);
bool space_first(const struct space *s,
                 choice *point); /* in a fixed order, that of value … */
bool space_next(const struct space *s, choice *point); /* … indices; false: no more */
/* Each parameter that matters uniform, under the condition that the point is allowed;
 * where few are, nearly uniform among all points (space/sample.c). False: none was found
 * within some tenths of a second. */
bool space_sample(const struct space *s, uint64_t *rng, choice *point);
/* The point of the original values (index 0 where there is none); false: it does not
 * exist. */
bool space_original(const struct space *s, choice *point);
/* The number that exist, counted up to LIMIT (also the answer when counting takes too
 * long). */
uint64_t space_count(const struct space *s, uint64_t limit);

/* What is near a point: one parameter changed, a number by one STEP (of its values by
 * size), or to ANY value; parameters that are neither numbers always to any. Where one
 * change alone breaks the constraint, a second parameter is changed with it to the
 * nearest values that mend it, so that `A * B == 64` is walked too. What begins to matter
 * has its original value, or with RNG a random one. */
enum nearness { NEAR_STEP, NEAR_ANY };
/* Up to MAX allowed points near FROM, none twice and none FROM, to OUT (n_params each);
 * how many. With RNG a random choice of them in random order, else the first in a fixed
 * order. */
unsigned space_near(const struct space *s, enum nearness n, const choice *from,
                    uint64_t *rng, choice *out, unsigned max);
/* One of them at random; false: there is none. */
bool space_neighbour(const struct space *s, enum nearness n, const choice *from,
                     uint64_t *rng, choice *point);
/* Makes an allowed point of POINT, which may be anything (indices out of range too), with
 * as few changes as a bounded search finds. False: none was found. */
bool space_repair(const struct space *s, uint64_t *rng, choice *point);
/* The next value of PARAM by size, up (+1) or down (-1); for what is no number, by index.
 * -1: there is none. */
int space_step(const struct space *s, unsigned param, choice value, int direction);
bool space_ordinal(const struct space *s, unsigned param); /* a number */

bool space_equal(const struct space *s, const choice *a, const choice *b);
uint64_t space_hash(const struct space *s, const choice *point);
uint64_t rng_next(uint64_t *state);            /* splitmix64 */
choice rng_below(uint64_t *state, unsigned n); /* 0 … n - 1 */
double rng_unit(uint64_t *state);              /* [0, 1) */
/* "MR=6 NR=64 flags=-O3", only what matters: malloc'ed. */
char *space_describe(const struct space *s, const choice *point);
/* "MR=6\nNR=64\n", all of them, sorted by name, as rows of the store have it: malloc'ed.
 */
char *space_values(const struct autotune_kernel *k, const choice *point);

/* ---- seen.c: points that a search has asked for or was told of ------------------- */

struct seen {
  uint64_t *slots; /* hashes of points; 0: free. Open addressing, a power of two */
  size_t capacity, used;
  bool walking;          /* nearly all are known: what is left is taken in order */
  choice at[MAX_PARAMS]; /* where that walk is */
};
/* True: POINT was not in; now it is. False also where memory ran out. (Two points of one
 * hash count as one: 1 in 2^64.) */
bool seen_add(struct seen *seen, const struct space *s, const choice *point);
bool seen_has(const struct seen *seen, const struct space *s, const choice *point);
/* A point that was not in, and now is: a random one, or where those are hard to find, the
 * next in order. False: all of the space is in. */
bool seen_other(struct seen *seen, const struct space *s, uint64_t *rng, choice *point);
void seen_free(struct seen *seen);

#endif
