/* SPDX-License-Identifier: Apache-2.0 */
/* search.h: the interface of search strategies, the strategies in search.c's table, and
 * the parts that learning strategies share. */
#ifndef AUTOTUNE_SEARCH_H
#define AUTOTUNE_SEARCH_H

#include "model/record.h"
#include "model/space.h"

/* ---- search.c -------------------------------------------------------------------- */

struct observation {
  enum status status;
  double cost; /* STATUS_OK: of a call, as the objective has it; STATUS_DROPPED: a guess
                  above the best; else 0 */
  const struct features *features; /* of the variant's code; NULL: unknown */
  struct estimate measured;        /* STATUS_OK: of COST; n may be 0 */
  const char *why; /* else what is known of the failure, for people; may be NULL */
  unsigned body;   /* of tell_body: the number that body_asked gave it */
};
/* What is searched for, for strategies that are no mere functions of costs. */
struct search_problem {
  const struct identity *id;
  struct estimate original; /* cost of the default */
  double seconds;           /* of the budget that are left */
  unsigned ahead; /* points that may be asked for before they are told, at most */
  const char *const *feature_names;
  unsigned n_features;
  const char *no_bodies; /* why no bodies are taken, for people; NULL: they are */
};
enum { MAX_TRANSFERRED = 96 };
struct strategy; /* one run of a search */
struct strategy_class {
  const char *name, *about;
  /* Returns a new run of the search, freed with `free`; NULL: no memory. BUDGET: about
   * how many points will be asked for. */
  struct strategy *(*new)(const struct space *s, uint64_t seed, unsigned budget);
  /* Sets POINT to the next point to try, which was neither asked for nor told of before.
   * False: no point is left. May be called several times before `tell`. */
  bool (*ask)(struct strategy *st, choice *point);
  /* Tells the result of POINT. Also called for points that were not asked for: those of
   * an earlier tuning, of another process, or a near key's winner. */
  void (*tell)(struct strategy *st, const choice *point,
               const struct observation *observation);
  void (*free)(struct strategy *st);
  /* Optional (NULL): tells the cost of POINT for a near key. Called before the first ask,
   * the best point last, at most MAX_TRANSFERRED times. */
  void (*transfer)(struct strategy *st, const choice *point, double cost);
  /* Optional: returns a cost that POINT, compiled to FEATURES but not run, will hardly be
   * below; 0: not known. */
  double (*expect)(struct strategy *st, const choice *point,
                   const struct features *features);
  /* Optional: returns the improvement expected of further trials, as a fraction of the
   * best cost; below 0: not known. */
  double (*expected_improvement)(struct strategy *st);
  /* Optional: called before points are asked for. FRACTION (from 1 to 0): the rest of
   * the budget, of its time or its points, whichever is less. */
  void (*left)(struct strategy *st, double fraction);
  /* Optional: called once, before all others. P is valid during the call only. */
  void (*begin)(struct strategy *st, const struct search_problem *p);
  /* Optional: called when `ask` returned false. True: ask again later, a point may come.
   * It may wait IDLE seconds, because nothing else is to be done. */
  bool (*waits)(struct strategy *st, double idle);
  /* Optional: called after `ask`. Returns the body that is to take the place of the
   * kernel's in this point, owned by the caller, and its *NUMBER; NULL: none. */
  char *(*body_asked)(struct strategy *st, unsigned *number);
  /* Tells the result of POINT with that body, in place of `tell`. */
  void (*tell_body)(struct strategy *st, const choice *point,
                    const struct observation *observation);
};
const struct strategy_class *strategy_find(const char *name); /* NULL: unknown */
/* Returns the default strategy: exhaustive where all points fit BUDGET, else auto. */
const struct strategy_class *strategy_choose(const struct space *s, unsigned budget);
const struct strategy_class *const *strategy_list(void); /* NULL-terminated */

/* search_NAME of each that a person may name, in NAME.c … */
#define SEARCH_DECLARED(name) extern const struct strategy_class search_##name;
SEARCHES(SEARCH_DECLARED)
#undef SEARCH_DECLARED
/* … and of those that only other strategies, `list:FILE` and `extern:COMMAND` use. */
extern const struct strategy_class search_gauss, search_list, search_extern;

/* ---- known.c: the results that a search was told --------------------------------- */

struct known {
  const struct space *space;
  uint64_t rng;
  struct seen seen; /* points asked for or told of */
  choice *points;
  double *costs; /* of the points told of, in order; INFINITY: failed */
  unsigned n;
  int best; /* index of the best; -1: none */
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
/* Returns the cost of POINT. NAN: not told of; INFINITY: it failed. */
double known_cost(const struct known *k, const choice *point);
/* Returns the probability that POINT fails, estimated from single values; 0: too little
 * is known. */
double known_risk(const struct known *k, const choice *point);
/* The first time: sets POINT to the original values and returns true, if it may be asked
 * for. Later: false. */
bool known_begin(struct known *k, choice *point);
/* True if POINT may be asked for; it then counts as asked for. Mostly false where POINT
 * is likely to fail. */
bool known_fresh(struct known *k, const choice *point);
/* Sets POINT to a random point to ask for. False: all are known. */
bool known_other(struct known *k, choice *point);
/* Adds the result of POINT. False: it was told of before (and is not counted twice), or
 * there is no memory. */
bool known_tell(struct known *k, const choice *point,
                const struct observation *observation);

#endif
