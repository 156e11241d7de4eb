// SPDX-License-Identifier: Apache-2.0
// allowance.c: a budget that is a fraction of the program's time in the kernel. Adds up
// the time in calls (measured until the kernel is decided) and the cost of tuning, and
// decides whether a tuning may begin.
#include <math.h>

#include "site.h"
#include "vain.h"

// CPU seconds that a tuner takes before its first trial, without a pause. It loads the
// compiler, copies the arguments, and compiles the kernel as written; threads of
// sandboxes wait actively. In addition it runs the default RUNS times.
static const double start_cost = 0.5;
// CPU seconds that must be allowed before a tuner is forked that can wait for start_cost.
// The program has run for a while by then, so the hottest kernel is known.
static const double fork_cost = 0.05;
enum { RUNS = 8 };
static const double copies_matter =
    0.25; // of the program's time; late calls may be of other keys
// So many times the part of the run that is left: the part of the pages that the program
// is taken to write to in it. One iteration may write to all of them.
static const double copied_faster = 4;

static void allowance_add(_Atomic double *sum, double seconds) {
  double old = atomic_load_explicit(sum, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(
      sum, &old, old + seconds, memory_order_relaxed, memory_order_relaxed))
    ;
}

// The fraction of the program's time that the tuning of all kernels that are tuned
// when hot may take together, unless the user requests another (hot_allowance).
static const double hot_fraction = 0.05;
static _Atomic double hot_cost; // CPU seconds of their tunings

bool allowance_is_shared(const struct autotune_kernel *k) {
  enum tuning_mode mode = decide_mode(k);
  return kernel_when_hot(k) && allowance_asked(k) <= 0 &&
      (mode == MODE_BACKGROUND || mode == MODE_ONLINE);
}

double allowance_asked(const struct autotune_kernel *k) {
  const struct options *o = options_get();
  if (o->mode_set && o->mode == MODE_TUNE)
    return 0; // the program was started only to tune
  return o->budget.fraction > 0 ? o->budget.fraction : k->budget_fraction;
}

// A launch returns before its kernel runs, so the time in CUDA kernels is not known and
// no fraction of it can be enforced.
double allowance_fraction(const struct autotune_kernel *k) {
  return !target_of(k)->synchronous ? 0
      : allowance_is_shared(k)      ? hot_fraction
                                    : allowance_asked(k);
}

void allowance_spend(struct site *s, double seconds, double calls) {
  allowance_add(&s->spent, seconds * calls);
  atomic_fetch_add_explicit(&s->calls, (unsigned long long)calls, memory_order_relaxed);
}

void allowance_cost(struct site *s, double seconds) {
  allowance_add(&s->cost, seconds);
  if (kernel_when_hot(s->kernel))
    allowance_add(&hot_cost, seconds);
}

void allowance_after_fork(void) {
  atomic_store_explicit(&hot_cost, 0, memory_order_relaxed);
}

double allowance_cost_now(void) {
  return atomic_load_explicit(&hot_cost, memory_order_relaxed);
}

// The same without what is lent.
static double allowance_own(const struct site *s) {
  if (allowance_is_shared(s->kernel))
    return hot_allowance() - atomic_load_explicit(&hot_cost, memory_order_relaxed);
  return allowance_fraction(s->kernel) *
      atomic_load_explicit(&s->spent, memory_order_relaxed) -
      atomic_load_explicit(&s->cost, memory_order_relaxed);
}

// Returns what tunings may have cost by the end of this run, if that is like the earlier
// one in which S was hot. After tunings in vain, what other runs have saved is added.
// Otherwise no run of a short program would ever pay for the beginning of a tuning.
static double allowance_expected(const struct site *s) {
  double all = fmax(hot_allowance_expected(s), hot_allowance());
  return all + (vain_pools(s) ? loss_saved() : 0);
}

double allowance_left(const struct site *s) {
  double own = allowance_own(s);
  if (!allowance_is_shared(s->kernel) || !vain_pools(s))
    return own;
  double lent = allowance_expected(s) - allowance_cost_now();
  return lent >= allowance_start(s) ? fmax(own, lent) : own;
}

// Of the kernels that share an allowance and wait for it: that in which most time goes.
static struct {
  _Atomic(const struct site *) site; // only compared; NULL: none
  _Atomic double spent;              // in its calls
} allowance_first;

// True if no other kernel that waits takes more time than S.
static bool allowance_is_first(const struct site *s) {
  double spent = atomic_load_explicit(&s->spent, memory_order_relaxed);
  const struct site *first = atomic_load(&allowance_first.site);
  if (first && first != s && atomic_load(&allowance_first.spent) > spent)
    return false;
  atomic_store(&allowance_first.spent, spent);
  atomic_store(&allowance_first.site, s);
  return true;
}

double allowance_start(const struct site *s) {
  unsigned long long calls = atomic_load_explicit(&s->calls, memory_order_relaxed);
  double call =
      calls ? atomic_load_explicit(&s->spent, memory_order_relaxed) / (double)calls : 0;
  return start_cost + RUNS * call;
}

unsigned allowance_after(const struct autotune_kernel *k) {
  return allowance_is_shared(k) ? (unsigned)ceil(options_get()->after) : 0;
}

// True if a tuning of S that the allowance of this run is too small for may begin even
// so: S was hot in an earlier run, and the tuner waits for the program's end. What it
// takes until then is held over all runs (ration.h). Otherwise a program of two threads
// that runs for half a second would never be tuned. One tuning of a run is lent. Calls
// that waited for the store have a cost, too, but less than that of a tuning.
static bool allowance_is_lent(const struct site *s) {
  return allowance_after(s->kernel) > 0 && hot_time_expected(s) > 0 &&
      allowance_cost_now() < fork_cost;
}

// True if a tuning of S should begin later in this run. It would not come to its end
// before the program does, and until then the program copies each page that it writes to.
static bool allowance_waits(const struct site *s) {
  double time = hot_time_expected(s), copies = loss_copies();
  if (time <= 0) // the first run
    return copies > hot_fraction * hot_time();
  time = fmax(time, hot_time());
  return allowance_after(s->kernel) > 0 && copies > copies_matter * time &&
      allowance_expected(s) < allowance_start(s) + copies &&
      fmin(copied_faster * hot_left(s), 1) * copies > hot_fraction * time;
}

bool allowance_begins(const struct node *n) {
  const struct site *s = n->site;
  if (allowance_fraction(s->kernel) <= 0)
    return true;
  double needed = allowance_start(s);
  if (allowance_after(s->kernel) > 0)
    needed =
        fmin(needed, fork_cost); // the tuner waits for the rest, or for the program's end
  bool shared = allowance_is_shared(s->kernel);
  double found = atomic_load_explicit(&n->found, memory_order_relaxed);
  if (shared && !allowance_is_first(s))
    needed *= 2; // the first may wait for something else
  double left = allowance_own(s);
  if (shared && left < needed) // what this run will allow is lent to it
    left = allowance_expected(s) - allowance_cost_now();
  if (left < needed && !(shared && allowance_is_lent(s)))
    return false;
  if (shared &&
      (allowance_waits(s) ||
       !loss_lets_tune(hot_time_expected(s), found * hot_seconds_expected(s))))
    return false;
  const struct site *own = s;
  if (shared)
    atomic_compare_exchange_strong(&allowance_first.site, &own, NULL);
  return true;
}
