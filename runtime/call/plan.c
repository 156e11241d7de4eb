// SPDX-License-Identifier: Apache-2.0
// plan.c: what a call asks of a tuner.
#include "site.h"

// Orders of mode online are not followed in a region, where other calls compete for the
// processors.
struct plan plan_of(const struct node *n) {
  const struct autotune_kernel *k = n->site->kernel;
  enum tuning_mode mode = decide_mode(k);
  const struct options *o = options_get();
  double fraction =
      allowance_fraction(k); // 0: no fraction was requested, or it cannot be enforced
  return (struct plan){
    .kind = mode == MODE_ONLINE && target_of(k)->synchronous && !atomic_load(&n->team)
        ? PLAN_ONLINE
        : PLAN_SEARCH,
    .background = mode == MODE_ONLINE || mode == MODE_BACKGROUND ||
        allowance_asked(k) > 0,
    .again = mode == MODE_TUNE,
    .fraction = fraction,
    .start = allowance_start(n->site),
    .after = allowance_after(k),
    .usage = hot_usage(n->site),
    .until = { o->until.gain > 0 ? o->until.gain : k->until,
               o->until.roof > 0 ? o->until.roof : kernel_until_roof(k) },
  };
}
