// SPDX-License-Identifier: Apache-2.0
// objective.c: the table of objectives, and how their values compare.
#include "objective.h"

static const struct objective *const objectives[] = { &objective_time };

const struct objective *objective_get(void) {
  return objectives[0];
}

bool objective_better(struct estimate a, struct estimate b) {
  return objective_get()->lower ? a.median < b.median : a.median > b.median;
}

bool objective_clearly_worse(struct estimate a, struct estimate b) {
  return objective_get()->lower ? stats_slower(a, b) : stats_slower(b, a);
}
