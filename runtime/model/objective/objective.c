// SPDX-License-Identifier: Apache-2.0
// objective.c: the table of objectives.
#include "objective.h"

static const struct objective *const objectives[OBJECTIVES] = {
  [OBJECTIVE_TIME] = &objective_time,
};

enum objective_kind objective_of(const struct autotune_kernel *k) {
  (void)k; // no clause or option chooses yet
  return OBJECTIVE_TIME;
}

const struct objective *objective_get(enum objective_kind kind) {
  return objectives[(unsigned)kind < OBJECTIVES ? kind : OBJECTIVE_TIME];
}

const char *objective_show(enum objective_kind kind, char *text, size_t size,
                           double cost) {
  return units_amount(text, size, cost, objective_get(kind)->unit(cost));
}

struct sample objective_end(const struct objective *o, double begun, double seconds,
                            unsigned n) {
  return (struct sample){ .cost = o->end(begun, seconds) / n, .seconds = seconds / n };
}
