/* SPDX-License-Identifier: Apache-2.0 */
/* space.h: the points of a kernel's space, grouped by file. */
#ifndef AUTOTUNE_SPACE_H
#define AUTOTUNE_SPACE_H

#include "base/rng.h"
#include "kernel.h"

/* ---- space.c, range.c, sample.c, near.c, text.c ---------------------------------- */

enum {
  EARLY_CONDITIONS = 128,
  EARLY_LEAVES = 256
}; /* later conditions and leaves are checked with whole points only */

struct space {
  const struct autotune_kernel *kernel;
  void *const *args;
  const struct autotune_machine *machine;
  uint64_t size; /* number of points before constraints; UINT64_MAX: that many or more */
  /* The order in which parameters are set. It lets conditions be checked early, and sets
   * a parameter's `when` before the parameter. closes[c]: the position at which the last
   * parameter of condition c is set. */
  uint16_t order[MAX_PARAMS], closes[EARLY_CONDITIONS];
  uint16_t place[MAX_PARAMS];               /* position of each parameter in ORDER */
  double low[MAX_PARAMS], high[MAX_PARAMS]; /* range of each parameter's values */
  /* early[c]: range.c can tell from part of a point that condition c cannot hold. The
   * leaves of the condition's steps for this call begin at leaves[first_leaf[c]]. */
  bool early[EARLY_CONDITIONS];
  uint16_t first_leaf[EARLY_CONDITIONS];
  double leaves[EARLY_LEAVES];
  unsigned n_bound;                    /* conditions look at no position from here on */
  const struct autotune_launch *asked; /* asked for by the program; NULL: no launch */
  bool sparse; /* so few points are allowed that blind drawing takes long */
};
/* Sets S up for one call of K on M. CALL may be NULL if no condition uses its arguments.
 * K, M and CALL must outlive S; S itself owns no memory. */
void space_init(struct space *s, const struct autotune_kernel *k, const struct call *call,
                const struct autotune_machine *m);
/* True if PARAM matters at POINT: its `when`, if any, is switched on. */
bool space_matters(const struct autotune_kernel *k, const choice *point, unsigned param);
/* True if POINT meets every `when`, the constraint and space_launch. */
bool space_allows(const struct space *s, const choice *point);
/* Computes how POINT of a launched kernel is launched for this call. False: its blocks
 * do not divide what was asked for, or the device does not have as many threads or as
 * much shared memory for a block. space_allows checks this, too. */
bool space_launch(const struct space *s, const choice *point,
                  struct autotune_launch *out);
/* These visit the allowed points in a fixed order, that of value indices: space_first
 * sets POINT to the first, space_next to the one after it. False: there is no further
 * point. */
bool space_first(const struct space *s, choice *point);
bool space_next(const struct space *s, choice *point);
/* Draws a random point: each parameter that matters is uniform, given that the point is
 * allowed. If few points are allowed, the point is nearly uniform among all of them
 * (sample.c). False: none was found within some tenths of a second. */
bool space_sample(const struct space *s, uint64_t *rng, choice *point);
/* Sets POINT to the original values (index 0 where a parameter has none). False: that
 * point is not allowed. */
bool space_original(const struct space *s, choice *point);
/* True if a point is allowed; also if *STEPS, which are counted down by the search, do
 * not suffice to tell. */
bool space_any(const struct space *s, uint64_t *steps);
/* Returns the number of allowed points, counted up to LIMIT. Returns LIMIT, too, if
 * counting takes too long. */
uint64_t space_count(const struct space *s, uint64_t limit);

/* Points near a point differ in one parameter: a number by one STEP (of its values by
 * size), or any parameter by ANY value. Parameters that are not numbers always take any
 * value. Where one change breaks the constraint, a second parameter is changed to the
 * nearest values that mend it, so that `A * B == 64` is walked, too. A parameter that
 * begins to matter gets its original value, or with RNG a random one. */
enum nearness { NEAR_STEP, NEAR_ANY };
/* Writes up to MAX different allowed points near FROM (but not FROM) to OUT, n_params
 * choices each, and returns their number. With RNG they are a random choice in random
 * order, else the first in a fixed order. */
unsigned space_near(const struct space *s, enum nearness n, const choice *from,
                    uint64_t *rng, choice *out, unsigned max);
/* Sets POINT to one of them at random. False: there is no such point. */
bool space_neighbour(const struct space *s, enum nearness n, const choice *from,
                     uint64_t *rng, choice *point);
/* Changes POINT, which may be anything (indices out of range, too), into an allowed
 * point, with as few changes as a bounded search finds. False: it found none. */
bool space_repair(const struct space *s, uint64_t *rng, choice *point);
/* Returns the next value of PARAM by size, up (+1) or down (-1); by index for a parameter
 * that is no number. -1: there is no further value. */
int space_step(const struct space *s, unsigned param, choice value, int direction);
bool space_ordinal(const struct space *s, unsigned param); /* true if PARAM is a number */

bool space_equal(const struct space *s, const choice *a, const choice *b);
uint64_t space_hash(const struct space *s, const choice *point);
/* Returns "MR=6 NR=64 flags=-O3", only the parameters that matter: malloc'ed. */
char *space_describe(const struct space *s, const choice *point);
/* Returns "MR=6\nNR=64\n", all parameters sorted by name, the form in the store:
 * malloc'ed. */
char *space_values(const struct autotune_kernel *k, const choice *point);

/* ---- seen.c: points that a search has proposed or knows ------------------- */

struct seen {
  uint64_t *slots; /* hashes of points; 0: free. Open addressing, a power of two */
  size_t capacity, used;
  bool walking;          /* nearly all points are known: the others are taken in order */
  choice at[MAX_PARAMS]; /* present point of that walk */
};
/* Adds POINT. True: it was new. False: it was known, or there is no memory. Two points
 * with the same hash count as one (1 in 2^64). */
bool seen_add(struct seen *seen, const struct space *s, const choice *point);
bool seen_has(const struct seen *seen, const struct space *s, const choice *point);
/* Sets POINT to a point that was not in SEEN, and adds it: a random point, or the next
 * in order where random ones are hard to find. False: SEEN has all points, or there is
 * no memory. */
bool seen_other(struct seen *seen, const struct space *s, uint64_t *rng, choice *point);
void seen_free(struct seen *seen);

#endif
