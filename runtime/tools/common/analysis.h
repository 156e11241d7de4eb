/* SPDX-License-Identifier: Apache-2.0 */
/* analysis.h: what the rows of a problem say together. */
#ifndef AUTOTUNE_ANALYSIS_H
#define AUTOTUNE_ANALYSIS_H

#include "keep/store/tables.h"

/* The best median among the N variants that had VALUE. */
struct best_value {
  const char *value;
  double best;
  unsigned n;
};
struct influence {
  const char *name;
  struct best_value *values;
  unsigned n_values;
  const char *chosen; /* the winner's value, or NULL */
  double ratio;       /* the worst of the best over the best of the best */
};
struct analysis {
  const struct listed *item;
  struct estimate *estimates;  /* of each record */
  unsigned statuses[STATUSES]; /* of the tuning where one ended, else of all records */
  const struct record *example[STATUSES];
  unsigned tried;
  unsigned *order, n_order; /* records that are right, the fastest first */
  unsigned n_running;       /* being tried by a living process */
  struct influence *params;
  unsigned n_params; /* the most influential first */
  struct estimate original, best;
  bool has_original, has_best;
  char *block; /* copies that names and values point into */
};
/* An analysis of each item of L, which must stay; NULL: no memory. */
struct analysis *analysis_make_all(const struct listing *l);
void analysis_free_all(struct analysis *all, unsigned n);
/* True if E has a 95 % interval: fewer than six runs have none (stats.c). */
bool analysis_has_interval(struct estimate e);
/* How many of STATUSES failed: neither right nor dropped. */
unsigned analysis_count_failed(const unsigned statuses[STATUSES]);

#endif
