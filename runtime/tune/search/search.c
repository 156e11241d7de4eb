// SPDX-License-Identifier: Apache-2.0
// search.c: the table of strategies. Each is one file search_*.c with the same skeleton.
#include <string.h>

#include "search.h"

static const struct strategy_class *const strategies[] = {
  &search_auto,   &search_exhaustive, &search_random, &search_local,
  &search_anneal, &search_genetic,    &search_model,  NULL,
};

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

const char *fate_name(enum fate f) {
  static const char *const names[FATES] = {
    [FATE_OK] = "ok",
    [FATE_COMPILE] = "did not compile",
    [FATE_LOAD] = "did not load",
    [FATE_WRONG] = "wrong",
    [FATE_CRASH] = "crashed",
    [FATE_TIMEOUT] = "timed out",
    [FATE_EXIT] = "exited",
    [FATE_PENDING] = "took the tuner down",
    [FATE_DROPPED] = "not run",
  };
  return (unsigned)f < FATES ? names[f] : "unknown";
}
