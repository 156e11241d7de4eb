/* SPDX-License-Identifier: Apache-2.0 */
/* search.h: strategies: what they are to a tuning, those that search.c's table names, and
 * what those that learn share. */
#ifndef AUTOTUNE_SEARCH_H
#define AUTOTUNE_SEARCH_H

#include "model/space.h"

/* ---- search.c -------------------------------------------------------------------- */

struct observation {
  enum status status;
  double seconds; /* STATUS_OK: of a call; STATUS_DROPPED: a guess that is above the
                     best; else 0 */
  const struct features *features; /* of the variant's code; NULL: unknown */
};
enum { MAX_TRANSFERRED = 96 };
struct strategy; /* one run of a search */
struct strategy_class {
  const char *name, *about;
  /* BUDGET: points that will be asked for, about. */
  struct strategy *(*new)(const struct space *s, uint64_t seed, unsigned budget);
  /* The next point to try, false: none is left. Never one that was asked for or told of
   * before. May be called ahead of tell, several times. */
  bool (*ask)(struct strategy *st, choice *point);
  /* Also of points that were not asked for: an earlier tuning's, another process's, a
   * near key's winner. */
  void (*tell)(struct strategy *st, const choice *point,
               const struct observation *observation);
  void (*free)(struct strategy *st);
  /* Optional (NULL): what POINT took for a near key, in seconds; before the first ask,
   * the best last, at most MAX_TRANSFERRED times. */
  void (*transfer)(struct strategy *st, const choice *point, double seconds);
  /* Optional: seconds of a call that POINT, compiled to FEATURES but not run, will hardly
   * be faster than; 0: no idea. */
  double (*expect)(struct strategy *st, const choice *point,
                   const struct features *features);
  /* Optional: the share of the best time by which further trials are expected to improve
   * on it; below 0: no idea. */
  double (*expected_improvement)(struct strategy *st);
  /* Optional: told before points are asked for, the share of the budget that is left, of
   * its time or of its points, whichever is less. From 1 to 0. */
  void (*left)(struct strategy *st, double fraction);
};
const struct strategy_class *strategy_find(const char *name); /* NULL: unknown */
/* The default: exhaustive where all points fit BUDGET, else auto. */
const struct strategy_class *strategy_choose(const struct space *s, unsigned budget);
const struct strategy_class *const *strategy_list(void); /* NULL-terminated */

extern const struct strategy_class search_exhaustive, search_random, search_local,
    search_anneal, search_genetic, search_model, search_gauss, search_auto, search_list;

/* ---- known.c: what a search was told --------------------------------------------- */

struct known {
  const struct space *space;
  uint64_t rng;
  struct seen seen; /* asked for, or told of */
  choice *points;
  double *seconds; /* told of, in order; INFINITY: failed */
  unsigned n;
  int best; /* index of the fastest; -1: none */
  uint32_t *slots;
  size_t n_slots; /* index + 1 by hash of the point */
  struct known_statuses {
    unsigned ok, failed;
  } *statuses; /* of each value of each parameter */
  unsigned ok, failed;
  bool began;
};
bool known_init(struct known *k, const struct space *s,
                uint64_t seed); /* false: no memory */
void known_free(struct known *k);
const choice *known_point(const struct known *k, unsigned i);
/* NAN: not told of. INFINITY: it failed. */
double known_seconds(const struct known *k, const choice *point);
/* The chance that POINT fails, as far as single values tell; 0 where too little is known.
 */
double known_risk(const struct known *k, const choice *point);
/* The first time: the point of the original values, if it may be asked for. Then false.
 */
bool known_begin(struct known *k, choice *point);
/* May POINT be asked for? Then it counts as such. Mostly false where it is likely to
 * fail. */
bool known_fresh(struct known *k, const choice *point);
/* A random point to ask for. False: all are known. */
bool known_other(struct known *k, choice *point);
/* False: it was told of before (and is not counted twice), or there is no memory. */
bool known_tell(struct known *k, const choice *point,
                const struct observation *observation);

#endif
