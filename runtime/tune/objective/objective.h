/* SPDX-License-Identifier: Apache-2.0 */
/* objective.h: what a tuning optimises. To add an objective, add a file next to time.c
 * and a line in objective.c. */
#ifndef AUTOTUNE_OBJECTIVE_H
#define AUTOTUNE_OBJECTIVE_H

#include "base/base.h"

struct objective {
  const char *name; /* "time" */
  const char *unit; /* of its values: "s" */
  bool lower;       /* lower is better */
  /* Formats VALUE for people ("84.12 ms") into TEXT, of SIZE bytes, at least 64. Returns
   * TEXT or a constant. */
  const char *(*show)(char *text, size_t size, double value);
};
extern const struct objective objective_time;

/* The objective of this process's tunings. */
const struct objective *objective_get(void);
/* True if A's value is better than B's, however little. */
bool objective_better(struct estimate a, struct estimate b);
/* True if A is worse than B beyond what chance explains. */
bool objective_clearly_worse(struct estimate a, struct estimate b);

#endif
