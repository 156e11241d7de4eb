// SPDX-License-Identifier: Apache-2.0
// search.c: the table of strategies. Each is one file NAME.c with the same skeleton.
#include <string.h>

#include "search.h"

#define CLASS(name) &search_##name,
static const struct strategy_class *const strategies[] = { SEARCHES(CLASS) NULL };

const struct strategy_class *const *strategy_list(void) {
  return strategies;
}

const struct strategy_class *strategy_find(const char *name) {
  for (const struct strategy_class *const *s = strategies; *s; s++)
    if (strcmp((*s)->name, name) == 0)
      return *s;
  return strncmp(name, "list:", 5) == 0 ? &search_list
                                        : NULL; // not one to choose from: it needs a file
}

const struct strategy_class *strategy_choose(const struct space *s, unsigned budget) {
  bool fits = space_count(s, (uint64_t)budget + 1) <= budget;
  return fits ? &search_exhaustive : &search_auto;
}

const char *status_name(enum status f) {
  static const char *const names[STATUSES] = {
    [STATUS_OK] = "ok",
    [STATUS_COMPILE] = "did not compile",
    [STATUS_LOAD] = "did not load",
    [STATUS_WRONG] = "wrong",
    [STATUS_CRASH] = "crashed",
    [STATUS_TIMEOUT] = "timed out",
    [STATUS_EXIT] = "exited",
    [STATUS_PENDING] = "took the tuner down",
    [STATUS_DROPPED] = "not run",
  };
  return (unsigned)f < STATUSES ? names[f] : "unknown";
}
