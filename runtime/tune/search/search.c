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
  return strncmp(name, "list:", 5) == 0 ? &search_list   // it needs a file …
      : value_extern(name)              ? &search_extern // … or a command
                                        : NULL;
}

const struct strategy_class *strategy_choose(const struct space *s, unsigned budget) {
  bool fits = space_count(s, (uint64_t)budget + 1) <= budget;
  return fits ? &search_exhaustive : &search_auto;
}
