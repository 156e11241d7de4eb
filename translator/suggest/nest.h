/* SPDX-License-Identifier: Apache-2.0 */
/* nest.h: what the dependences and variables of loops allow, and which directives gain
 * more. plan.c chooses by it. */
#ifndef AUTOTUNE_SUGGEST_NEST_H
#define AUTOTUNE_SUGGEST_NEST_H

#include "front/analysis/analysis.h"

/* ---- band.c ---------------------------------------------------------------------- */

enum { MAX_ORDERS = 2 };
struct reduced { /* arrays of which each thread has a copy, whose sums are added */
  struct reduced_section {
    const char *section; /* "s[0:m]" */
    char op;
  } *list;
  unsigned n;
};
struct band { /* loops, each directly in the one before, that directives may stand on */
  struct iter *loops[MAX_LEVELS];
  unsigned n;
  struct vectors v;
  struct scalar *sums; /* of variables declared outside of the band */
  unsigned n_sums;
  struct scalar *own; /* variables that are private to each iteration */
  unsigned n_own;
  struct reduced reduced;
  /* the best; then the source's, if that is another */
  unsigned orders[MAX_ORDERS][MAX_LEVELS];
  unsigned n_orders;
  unsigned cost;   /* of the best order */
  bool separate;   /* each variable that it sets is one of OWN or SUMS, or its counter */
  bool parallel;   /* the outermost loop of each order may run in parallel */
  bool permutable; /* any order, tile or jam is correct */
  bool leaf;       /* the innermost loop contains no loop */
};
struct reuse { /* how the iterations of a band use elements */
  bool again;  /* several iterations use the same element */
  bool near;   /* they use neighbouring elements */
  bool far;    /* neighbouring iterations use elements far apart */
};
/* Sets all fields of B but its loops. SHARED: threads share a loop around it. Returns
 * false if the loops within its first one may do better; *WHY and *AT then say why B
 * cannot be used. */
bool band_fill(struct model *m, struct band *b, bool shared, const char **why,
               TSNode *at);
struct reuse band_reuse(const struct model *m, const struct band *b);
/* True if no loop's bounds depend on the variable of another. */
bool band_is_rectangular(const struct band *b);
/* True if bounds of OF depend on LOOP's variable. */
bool band_bounds_mention(const struct iter *of, const struct iter *loop);
/* True if no dependence is carried by loop number LOOP of B, or passes over it. */
bool band_is_independent(const struct band *b, unsigned loop);
/* Returns the cost of B's loop number INNER as the innermost one. The cheapest visits
 * neighbours in memory one after the other, and adds to no sum in successive
 * iterations. */
unsigned band_cost_of(const struct model *m, const struct band *b, unsigned inner);
/* True if iterations of loop number LOOP wait for earlier ones, and not only to add to
 * the same element. */
bool band_waits(const struct band *b, unsigned loop);
/* Finds B's orders and their cost, with the outermost loop in parallel if B->parallel. */
void band_find_all_orders(const struct model *m, struct band *b);

/* ---- strip.c --------------------------------------------------------------------- */

struct strip { /* blocks of a loop outermost, and in them all loops in another order */
  unsigned loop;
  unsigned order[MAX_LEVELS];
};
/* Finds a strip of B's loops, after band_fill, that threads may share, and that is better
 * than B's own orders. False: there is none. */
bool strip_find(const struct model *m, const struct band *b, struct strip *s);
/* Appends its directives, below `parallel for`. */
void strip_put(const struct band *b, const struct strip *s, const char *indent,
               struct text *t);

/* ---- reduce.c -------------------------------------------------------------------- */

/* Sets *R for B, after band_fill: with these sums of arrays threads may share its first
 * loop. False: they may not. */
bool reduce_find(struct model *m, const struct band *b, struct reduced *r);
/* Appends the clauses. */
void reduce_put(const struct model *m, const struct reduced *r, struct text *t);

/* ---- divide.c -------------------------------------------------------------------- */

struct gain {      /* what the directives of a plan are worth */
  unsigned depth;  /* of the deepest nest of which blocks use elements again */
  bool reordered;  /* an innermost nest has an order that costs half the source's, or
                      that allows vectors where the source's does not */
  unsigned starts; /* the least number of loops around one that threads share */
};
#define NO_GAIN ((struct gain){ .starts = UINT_MAX })
/* True if A has what B lacks, and as many threads. */
bool gain_is_more(struct gain a, struct gain b);
/* Returns what plans with the gains A and B are worth together. */
struct gain gain_both(struct gain a, struct gain b);

/* Returns the loop before which directives for the nest of LOOP stand: those for the nest
 * of a part, which M looks at, stand on the part. */
TSNode divide_stand(const struct model *m, TSNode loop);
/* True if directives for a nest that begins with LOOP have a place. */
bool divide_may_stand(const struct model *m, TSNode loop);
/* Finds the outermost of the N loops CHAIN that may be divided. Sets *PARTS to its parts,
 * and *N_PARTS to their number. Returns its place in CHAIN; N: there is none. */
unsigned divide_find(struct model *m, struct iter *const *chain, unsigned n,
                     struct focus **parts, unsigned *n_parts);

#endif
