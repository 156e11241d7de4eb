// SPDX-License-Identifier: Apache-2.0
// setup.c: prepares a tuning: the budget, processes, compiling threads and the strategy;
// then the store and its knowledge.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/constants.h"
#include "tune.h"
#include "keep/wisdom/wisdom.h"

enum {
  DEFAULT_VARIANTS = 200,
  MOST_VARIANTS = 1000 * 1000,
  USUALLY_A_SECOND = 20,
  RUNS_OF_A_TRIAL = 3
};

void setup_budget(struct tuning *t) {
  const struct options *o = options_get();
  const struct autotune_kernel *k = t->kernel;
  t->budget = o->budget.seconds > 0 ? o->budget.seconds
      : k->budget_seconds > 0       ? k->budget_seconds
                                    : BUDGET_NORMAL;
  t->max_variants = o->budget.variants ? o->budget.variants : k->budget_variants;
  if (t->max_variants && !o->budget.seconds && !k->budget_seconds)
    t->budget = 60.0 * BUDGET_NORMAL; // the user set a number of variants, and no time
  if (!t->max_variants)               // or a time, and no number of variants
    t->max_variants = o->budget.seconds > 0 || k->budget_seconds > 0 ? MOST_VARIANTS
                                                                     : DEFAULT_VARIANTS;
  if (t->plan->again && !o->budget.variants) // only time ends such a tuning
    t->max_variants = MOST_VARIANTS;
  double in_time = fmax(FEW_VARIANTS, USUALLY_A_SECOND * t->budget);
  t->hint = in_time < t->max_variants ? (unsigned)in_time : t->max_variants;
  if (t->plan->kind == PLAN_RACE || t->plan->kind == PLAN_CHECK)
    t->hint = t->max_variants = t->plan->n_points + FINALISTS;
  if (t->plan->rest > 0)
    t->budget = t->plan->rest;
  t->usual = !o->budget.seconds && !k->budget_seconds && t->budget <= BUDGET_NORMAL &&
      t->plan->kind == PLAN_SEARCH && t->plan->fraction <= 0 && !t->plan->background &&
      !t->plan->again;
  t->deadline = t->began + t->budget;
}

// With the default budget the call waits for a part of it. The rest comes later (rest.h).
static const double wait = 2, whole_up_to = 2; // seconds

void setup_deadlines(struct tuning *t, double spent) {
  double run = t->original_seconds;
  double left = wait + (run < whole_up_to ? run : (run + whole_up_to) / 2);
  if (t->usual) {
    t->deadline = sys_now() + left;
    t->budget = t->deadline - t->began - t->slept;
  } else if (spent > t->budget / 2) { // the default must leave some
    t->deadline += spent - t->budget / 2;
  }
  left = fmax(t->deadline - sys_now(), 0);
  t->explore_from = sys_now();
  t->explore_until = t->explore_from + 0.8 * left; // the rest is for the final race
}

static bool set_space(struct tuning *t, struct outcome *out) {
  const struct autotune_machine *m = t->target->machine(t->kernel, t->call->key);
  if (t->plan->team > 1 && !t->plan->nests) { // its threads are those of the region
    t->machine = *m;
    t->machine.threads = t->machine.cores = 1;
    m = &t->machine;
  }
  space_init(&t->space, t->kernel, t->call, m);
  t->expected = (unsigned)space_count(&t->space, t->hint);
  if (!t->expected)
    SAY(out, "default: the constraint leaves no variant for this call");
  return t->expected > 0;
}

// Lowers the number of variants that the search expects to try, if runs take long: where
// all fit, it tries them in any order. With a fixed seed times do not count, so that runs
// of a search repeat.
static void set_hint(struct tuning *t) {
  if ((t->plan->kind != PLAN_SEARCH && t->plan->kind != PLAN_ONLINE) ||
      options_get()->seeded)
    return;
  double each = 1.0 / USUALLY_A_SECOND + RUNS_OF_A_TRIAL * part_seconds(t);
  double in_time = fmax(FEW_VARIANTS, (t->explore_until - t->explore_from) / each);
  t->hint = in_time < t->hint ? (unsigned)in_time : t->hint;
}

// Tells the search what it is for.
static void setup_begin(struct tuning *t) {
  const struct search_problem problem = { .id = t->id,
                                          .original = t->original,
                                          .seconds = t->explore_until - sys_now(),
                                          .ahead = t->ahead,
                                          .feature_names = feature_names,
                                          .n_features = FEATURES,
                                          .no_bodies = outside_no_bodies(t) };
  t->class->begin(t->strategy, &problem);
}

// Returns the name of the search that the user asked for; NULL: the default.
static const char *setup_named(const struct tuning *t) {
  const struct options *o = options_get();
  const char *name = o->search ? o->search : t->kernel->search;
  return name && strcmp(name, "auto") == 0 ? NULL : name;
}

bool setup_search(struct tuning *t, struct outcome *out) {
  const struct options *o = options_get();
  const char *name = setup_named(t);
  part_setup(t);
  set_hint(t);
  t->class = name ? strategy_find(name) : NULL;
  if (name && !t->class)
    log_message(AUTOTUNE_WARN, "there is no search '%s'; the default is used", name);
  if (!t->class)
    t->class = strategy_choose(&t->space, t->hint);
  uint64_t seed = o->seed +
      0x9e3779b97f4a7c15u * share_join(t->id); // each process uses another order
  t->strategy = t->class->new(&t->space, seed, t->hint);
  if (!t->strategy)
    SAY(out, "default: no memory to search");
  else if (t->class->begin)
    setup_begin(t);
  return t->strategy != NULL;
}

static bool set_online(struct tuning *t, struct outcome *out) {
  const struct objective *o = objective_get(t->id->objective);
  bool asked = t->plan->kind == PLAN_ONLINE, can = o->is_seconds;
  bool set = !asked || (can && online_new(t));
  if (!set && can)
    SAY(out, "default: no memory to time calls");
  else if (!set)
    SAY(out, "default: mode online measures time, and not %s", o->name);
  return set;
}

// Starts the processes. The order matters: the zygote is forked with LLVM loaded, and
// before there is a thread or a database.
static bool set_processes(struct tuning *t, struct outcome *out) {
  char *why = NULL;
  t->target = target_of(t->kernel);
  if (t->target->prepare && !t->target->prepare(t->kernel, &why)) {
    SAY(out, "default: %s", why ? why : "no memory");
    free(why);
    return false;
  }
  // Variants that are raced again were right in the program before; all others may crash.
  const struct executor_wish wish = { .background = t->plan->background,
                                      .team = t->plan->team,
                                      .nests = t->plan->nests,
                                      .trusted = t->plan->kind == PLAN_RACE,
                                      .prepared = true,
                                      .ask = t->host->ask,
                                      .ask_data = t->host->data };
  t->workers = t->target->start(t->kernel, t->call, &wish, &why);
  if (t->plan->team > 1)
    machine_spread_all(); // the runtime may have bound this thread to one core
  if (t->plan->background)
    throttle_yield(
        NICE_TO_PROGRAM); // but not the workers: their times would include waiting
  if (!t->workers)
    SAY(out, "default: variants cannot be tried: %s", why ? why : "no memory");
  free(why);
  return t->workers != NULL;
}

bool setup_pool(struct tuning *t, struct outcome *out) {
  unsigned threads = t->target->on_host ? t->id->threads
                                        : (unsigned)machine_get()->numbers.threads;
  threads = threads ? threads : 1;
  // A kernel that uses all cores is timed while nothing is compiled; other kernels while
  // all cores but one compile. Kernels on a device are not disturbed.
  bool crowded = t->kernel->openmp || threads == 1 || t->plan->team > 1;
  t->quiet = crowded && t->target->on_host;
  unsigned compiling = t->plan->fraction > 0 ? 1
      : t->quiet || threads == 1             ? threads
                                             : threads - 1;
  t->compiling = compiling;
  t->ahead = t->quiet ? 3 * compiling : 2 * compiling + 1;
  t->constants = constants_of(t->kernel) & t->plan->constants;
  t->pool = pool_new(t->kernel, compiling);
  if (t->pool)
    pool_constants(t->pool, t->id->key, t->constants);
  struct shared_memory *shared = t->host->shared;
  if (t->pool)
    pool_watch(t->pool, shared ? shared->compiling : NULL, COMPILING);
  else
    SAY(out, "default: no memory to compile");
  return t->pool != NULL;
}

bool setup_tuning(struct tuning *t, struct outcome *out) {
  return set_online(t, out) && set_processes(t, out) && setup_pool(t, out) &&
      set_space(t, out);
}

void setup_store(struct tuning *t) {
  char *why = NULL;
  t->store = store_open_within(STORE_WAIT_TO_OPEN, &why);
  const char *cache = options_get()->cache;
  bool wanted = !cache || *cache; // AUTOTUNE_CACHE=off is no reason to complain
  if (!t->store && why && wanted)
    log_once(AUTOTUNE_WARN, "store", "results are not kept: %s", why);
  free(why);
}

void setup_hints(struct tuning *t) {
  bool own = t->plan->kind == PLAN_RACE;
  t->hints = sys_malloc(sizeof *t->hints);
  if (t->hints && own)
    hints_own(t->store, &t->space, t->id, t->hints);
  else if (t->hints)
    hints_find(t->store, &t->space, t->id, !setup_named(t), t->hints);
  unsigned of = 0; // the first that was found elsewhere
  while (t->hints && of < t->hints->n && !*t->hints->items[of].from)
    of++;
  if (t->hints && of < t->hints->n && !own)
    log_message(AUTOTUNE_INFO, "%s: tries first what was found for %s%s", t->kernel->name,
                t->hints->items[of].from,
                of + 1 < t->hints->n && *t->hints->items[of + 1].from ? " and others"
                                                                      : "");
  char name[96];
  unsigned n =
      own ? 0 : transfer_near(t->store, &t->space, t->id, t->class, t->strategy, name);
  if (n > 0)
    log_message(AUTOTUNE_INFO, "%s: learns from %u variant%s of %s", t->kernel->name, n,
                n == 1 ? "" : "s", name);
}
