/* SPDX-License-Identifier: Apache-2.0 */
/* analysis.h: statistics over all stored rows of a problem. */
#ifndef AUTOTUNE_ANALYSIS_H
#define AUTOTUNE_ANALYSIS_H

#include "keep/store/tables.h"

/* The least cost among the N variants that had VALUE. */
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
  double ratio;       /* the slowest best_value over the fastest */
};
struct analysis {
  const struct listed *item;
  struct estimate *estimates; /* one for each record, as measured */
  double *costs; /* likewise: the medians, corrected for slow moments (record_cost), in
                    the scale of `best` */
  unsigned statuses[STATUSES]; /* of the last tuning, if one ended; else of all records */
  const struct record *example[STATUSES];
  unsigned tried;
  unsigned *order, n_order; /* indices of correct records, the least cost first */
  unsigned n_running;       /* records that a living process is trying */
  struct influence *params;
  unsigned n_params; /* the most influential first */
  struct estimate original, best;
  bool has_original, has_best;
  char *block; /* copies that names and values point into */
};
/* Analyses each item of L, which must outlive the result. NULL: no memory. Free with
 * analysis_free_all. */
struct analysis *analysis_make_all(const struct listing *l);
void analysis_free_all(struct analysis *all, unsigned n);
/* True if E has a 95 % interval: fewer than six samples have none (stats.c). */
bool analysis_has_interval(struct estimate e);
/* Returns how many of STATUSES failed: all but the correct and the dropped. */
unsigned analysis_count_failed(const unsigned statuses[STATUSES]);

#endif
