/* SPDX-License-Identifier: Apache-2.0 */
/* objective.h: what a tuning minimises: the cost of a call. To add an objective, add a
 * file next to time.c, a number here, and a line in objective.c.
 *
 * Lower costs are better, and costs are compared by their ratios, so they are above 0. A
 * quantity of which more is better is turned around: seconds per operation, not
 * operations per second. */
#ifndef AUTOTUNE_OBJECTIVE_H
#define AUTOTUNE_OBJECTIVE_H

#include "base/base.h"
#include "base/units.h"

/* Numbers of objectives, as they are kept and sent to other processes. */
enum objective_kind { OBJECTIVE_TIME, OBJECTIVES };

struct objective {
  const char *name; /* "time" */
  bool is_seconds;  /* costs are the seconds of a run */
  /* BEGIN is called just before the runs that are measured. END is called just after
   * them, with the result of BEGIN and the SECONDS that they took by the target's clock;
   * it returns their cost. Both run in the process that runs the kernel. */
  double (*begin)(void);
  double (*end)(double begun, double seconds);
  /* Returns the unit in which COST is read best; that of cost 0 is the unit of costs. */
  const struct measure_unit *(*unit)(double cost);
};
extern const struct objective objective_time;

/* The objective of K's tunings. */
enum objective_kind objective_of(const struct autotune_kernel *k);
/* Returns the objective KIND; that of time if KIND is no number of an objective. */
const struct objective *objective_get(enum objective_kind kind);
/* Formats a COST of KIND as "84.12 ms" into TEXT, of SIZE bytes, at least 64. Returns
 * TEXT. */
const char *objective_show(enum objective_kind kind, char *text, size_t size,
                           double cost);

/* One run, or the mean of several. */
struct sample {
  double cost, seconds;
};
/* Returns the sample of N runs that took SECONDS; BEGUN: what `begin` of O returned. */
struct sample objective_end(const struct objective *o, double begun, double seconds,
                            unsigned n);

#endif
