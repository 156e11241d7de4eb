// SPDX-License-Identifier: Apache-2.0
// target.c: the table of targets, and the functions that are the same for all targets.
#include "target.h"

const struct target *const targets[] = { &target_cuda, &target_cpu, NULL };

const struct target *target_of(const struct autotune_kernel *k) {
  const struct target *const *t = targets;
  while (t[1] && !(*t)->applicable(k))
    t++;
  return *t;
}

unsigned target_stored_keys(const struct autotune_kernel *k) {
  unsigned hidden = target_of(k)->hidden_keys;
  return k->n_keys > hidden ? k->n_keys - hidden : 0;
}

uint64_t target_extent(const struct autotune_kernel *k, const struct call *call) {
  return kernel_extent(k, call, target_of(k)->bytes_at);
}

bool target_may_fork(const struct autotune_kernel *k) {
  const struct target *t = target_of(k);
  return !t->may_fork || t->may_fork(k);
}

unsigned target_team(const struct autotune_kernel *k, bool *nests) {
  const struct target *t = target_of(k);
  *nests = false;
  return t->team ? t->team(nests) : 1;
}

void targets_close(void) {
  for (const struct target *const *t = targets; *t; t++)
    if ((*t)->close)
      (*t)->close();
}

void targets_forget(void) {
  for (const struct target *const *t = targets; *t; t++)
    if ((*t)->forget)
      (*t)->forget();
}

int target_inherited(const struct autotune_kernel *k) {
  const struct target *t = target_of(k);
  return t->inherited ? t->inherited() : -1;
}
