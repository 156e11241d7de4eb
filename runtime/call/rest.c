// SPDX-License-Identifier: Apache-2.0
// rest.c: goes on with a search that the first call of a key did not wait for (rest.h).
// The tuner recalls what was tried, and pauses as `budget(5%)` makes it. A search that
// finds nothing better changes nothing.
#include "rest.h"
#include "site.h"

static const double part = 0.05;      // of the time in the kernel
static const double least = 1;        // seconds: less is not worth a tuner
static const double start_cost = 0.5; // seconds of CPU, as in allowance.c
enum { RUNS = 8 };                    // of the default, before the first variant

// True if K's searches have the default budget, and its first call waits for a part.
// There is no rest for loops that threads share: the program uses processors that their
// threads need, so the search could choose a variant that is slower in the program's
// calls.
static bool rest_may(const struct autotune_kernel *k) {
  const struct budget *own = &options_get()->budget;
  return decide_mode(k) == MODE_FIRST && target_of(k)->synchronous && !k->openmp &&
      !kernel_when_hot(k) && own->seconds <= 0 && own->variants == 0 &&
      own->fraction <= 0 && k->budget_seconds <= 0 && k->budget_variants == 0 &&
      k->budget_fraction <= 0;
}

void rest_begin(struct node *n, double left) {
  bool may = left >= least && !atomic_load(&n->team) && rest_may(n->site->kernel) &&
      (node_is_default(n) ? watch_times(n) : n->watch != NULL);
  atomic_store(&n->rest.left, may ? left : 0);
  atomic_store(&n->rest.spent, 0);
}

double rest_stored(const struct summary *m) {
  bool cut = m->ended == ENDED_BUDGET && m->origin == ORIGIN_HERE;
  return cut ? BUDGET_NORMAL - m->total_seconds : 0;
}

void rest_see(struct node *n, double seconds) {
  double spent = atomic_load_explicit(&n->rest.spent, memory_order_relaxed);
  atomic_store_explicit(&n->rest.spent, spent + seconds, memory_order_relaxed);
}

bool rest_waits(const struct node *n) {
  return atomic_load_explicit(&n->rest.left, memory_order_relaxed) > 0;
}

// Returns what the tuner takes before its first variant, and its fork from the program.
static double rest_start(const struct node *n) {
  return start_cost + RUNS * watch_seconds(n) + loss_expected();
}

bool rest_wants(const struct node *n) {
  double allowed = rest_waits(n) ? rest_allowed(n) : 0;
  return allowed >= start_cost && !atomic_load(&n->rest.goes) && allowed >= rest_start(n);
}

void rest_plan(struct node *n, struct plan *plan) {
  *plan = (struct plan){ .kind = PLAN_SEARCH,
                         .background = true,
                         .fraction = part,
                         .start = rest_start(n),
                         .until = plan->until,
                         .rest = atomic_load(&n->rest.left) };
  atomic_store(&n->rest.goes, true);
  log_message(AUTOTUNE_INFO,
              "%s: the search goes on in the background, in %.0f %% of the kernel's time",
              n->site->kernel->name, 100 * part);
}

double rest_allowed(const struct node *n) {
  return part * atomic_load_explicit(&n->rest.spent, memory_order_relaxed);
}

void rest_end(struct node *n) {
  if (atomic_exchange(&n->rest.goes, false))
    atomic_store(&n->rest.left, 0);
}
