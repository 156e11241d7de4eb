// SPDX-License-Identifier: Apache-2.0
// plan.c: what a call asks of a tuner.
#include "model/constants.h"
#include "model/objective/objective.h"
#include "site.h"

// True if variants are timed in the program's own calls. So it is in mode `background`
// for loops that threads share: the program runs while the sandbox does, so there are too
// few processors for their threads, and variants with one thread and with two take the
// same time. It is not so for kernels that --auto found, and for those with verify(off).
// Orders are not followed in a region, where other calls compete for the processors.
static bool is_timed_in_calls(const struct node *n) {
  const struct autotune_kernel *k = n->site->kernel;
  enum tuning_mode mode = decide_mode(k);
  bool crowded = mode == MODE_BACKGROUND && k->openmp && !kernel_when_hot(k) &&
      k->verify != AUTOTUNE_VERIFY_OFF && objective_get(objective_of(k))->is_seconds;
  return (mode == MODE_ONLINE || crowded) && target_of(k)->synchronous &&
      !atomic_load(&n->team);
}

// Code with constants runs for one key only. So a kernel with many keys would need as
// many objects in memory and on the disk. A part whose value changes from call to call is
// no constant in kernels of --auto, because their winners run for new values as they are.
uint64_t plan_constants(const struct node *n) {
  enum { MOST = 16 }; // keys of a kernel in a process
  struct site *s = n->site;
  if (atomic_load(&s->n_nodes) <= MOST)
    return ~given_up_changing(s);
  if (constants_of(s->kernel))
    log_once_of(AUTOTUNE_INFO, s->kernel->name, "constants",
                "%s: called with more than %d keys: variants for further ones are "
                "compiled without constants",
                s->kernel->name, MOST);
  return 0;
}

struct plan plan_of(const struct node *n) {
  const struct autotune_kernel *k = n->site->kernel;
  enum tuning_mode mode = decide_mode(k);
  const struct options *o = options_get();
  double fraction =
      allowance_fraction(k); // 0: no fraction was requested, or it cannot be enforced
  return (struct plan){
    .kind = is_timed_in_calls(n) ? PLAN_ONLINE : PLAN_SEARCH,
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
