// SPDX-License-Identifier: Apache-2.0
// tune.c: the pass. It runs in the tuner, which may crash or hang: the program only waits so long.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "tune.h"
#include "wisdom/wisdom.h"

static const double default_seconds = 10;
enum { DEFAULT_VARIANTS = 200, MOST_VARIANTS = 1000 * 1000, FEW = 16, USUALLY_A_SECOND = 20,
       COUNTED = 100 * 1000 };

#define SAY(out, ...) snprintf((out)->why, sizeof (out)->why, __VA_ARGS__)

// ---- shared with explore.c and race.c ------------------------------------------------------------

struct estimate tune_best(const struct tuning *t) {
  const struct candidate *c = t->best == NONE ? NULL : &t->candidates[t->best];
  bool better = c && c->fate == FATE_OK && c->e.n > 0 && c->e.median < t->original.median;
  return better ? c->e : t->original;
}

unsigned tune_asked(const struct tuning *t) {
  return t->n - t->summary.failed[FATE_DROPPED];
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

double tune_limit(const struct tuning *t) {
  // What is ended because the budget is, and not for its own slowness, would be condemned for ever.
  double limit = larger(10 * t->original.median, 1), least = larger(1.5 * t->original.median, 1);
  double left = larger(t->deadline - sys_now(), least);
  return limit < left ? limit : left;
}

double tune_silence(const struct trial_plan *plan) {
  const double ours = 30; // loading, writing, linking
  return plan ? ours + plan->budget + 5 * plan->limit : ours;
}

void tune_report(struct tuning *t, double silence) {
  struct progress p = {
    .done = t->summary.tried, .total = t->expected, .original = t->original.median,
    .best = tune_best(t).median, .left = t->deadline - sys_now(), .silence = silence,
  };
  t->report(t->data, &p);
}

// The driver makes a kernel of a CUDA object as it is.
static bool write_object(const struct candidate *c, const char *path, char **why) {
  int fd = sys_open(path, O_WRONLY | O_TRUNC, 0);
  bool written = fd >= 0 && sys_write_all(fd, c->object.data, c->object.size) == 0;
  if (!written)
    *why = sys_printf("%s", strerror(errno));
  if (fd >= 0)
    close(fd);
  return written;
}

bool tune_link(const struct tuning *t, const struct candidate *c, const char *path, char **why) {
  *why = NULL;
  if (t->kernel->gpu)
    return write_object(c, path, why);
  return !sys_fails(SYS_JIT) &&
         t->jit->link_shared(c->object.data, c->object.size, path, why) == 0;
}

void tune_try(struct tuning *t, struct candidate *c, const struct trial_plan *plan,
              struct trial *out) {
  struct trial_plan p = *plan;
  uint64_t ticket = c ? (uint64_t)(c - t->candidates) + 1 : 0;
  if (c && t->kernel->gpu)
    space_launch(&t->space, c->point, &p.launch);
  t->lost = t->executor->try(t->workers, ticket, c ? c->object.data : NULL, c ? c->object.size : 0,
                             &p, out) != 0 || t->lost;
  if (c && out->has_facts)
    features_of_device(&out->facts, p.launch.shared, &c->features);
}

// ---- setting up -------------------------------------------------------------------------------------

static void set_budget(struct tuning *t) {
  const struct options *o = options_get();
  const struct autotune_kernel *k = t->kernel;
  t->budget = o->budget_seconds > 0 ? o->budget_seconds
              : k->budget_seconds > 0 ? k->budget_seconds : default_seconds;
  t->max_variants = o->budget_variants ? o->budget_variants : k->budget_variants;
  if (t->max_variants && !o->budget_seconds && !k->budget_seconds)
    t->budget = 60 * default_seconds; // a number of variants was asked for, and no time
  if (!t->max_variants) // or a time, and no number
    t->max_variants = o->budget_seconds > 0 || k->budget_seconds > 0 ? MOST_VARIANTS
                                                                      : DEFAULT_VARIANTS;
  if (t->plan->again && !o->budget_variants) // only time ends it
    t->max_variants = MOST_VARIANTS;
  double in_time = larger(FEW, USUALLY_A_SECOND * t->budget);
  t->hint = in_time < t->max_variants ? (unsigned)in_time : t->max_variants;
  if (t->plan->kind == PLAN_RACE || t->plan->kind == PLAN_CHECK)
    t->hint = t->max_variants = t->plan->n_points + FINALISTS;
  t->deadline = t->began + t->budget;
  t->until = t->plan->until;
}

static const struct autotune_machine *numbers_of(const struct tuning *t) {
  const struct gpu_info *g = t->kernel->gpu ? gpu_info_get(gpu_ordinal(t->kernel, t->id->key)) : NULL;
  if (g)
    gpu_nvrtc_target(g->cc);
  return g ? &g->numbers : &machine_get()->numbers;
}

static bool set_strategy(struct tuning *t, struct outcome *out) {
  const struct options *o = options_get();
  const char *name = o->search ? o->search : t->kernel->search;
  if (name && strcmp(name, "auto") == 0)
    name = NULL;
  space_init(&t->space, t->kernel, t->args, numbers_of(t));
  t->expected = (unsigned)space_count(&t->space, t->hint);
  t->class = name ? strategy_find(name) : NULL;
  if (name && !t->class)
    log_message(AUTOTUNE_WARN, "there is no search '%s'; the default is used", name);
  if (!t->class)
    t->class = strategy_choose(&t->space, t->hint);
  uint64_t seed = o->seed + 0x9e3779b97f4a7c15u * share_join(t->id); // each process another order
  t->strategy = t->expected ? t->class->new(&t->space, seed, t->hint) : NULL;
  if (!t->strategy)
    SAY(out, t->expected ? "default: no memory to search"
                         : "default: the constraint leaves no variant for this call");
  return t->strategy != NULL;
}

static bool set_online(struct tuning *t, struct outcome *out) {
  bool set = t->plan->kind != PLAN_ONLINE || online_new(t);
  if (!set)
    SAY(out, "default: no memory to time calls");
  return set;
}

// The order matters: the zygote is forked with LLVM loaded and before there is a thread or a database.
static bool set_processes(struct tuning *t, struct outcome *out) {
  char *why = NULL;
  t->executor = t->kernel->gpu ? &executor_cuda : &executor_cpu;
  t->jit = t->kernel->gpu ? NULL : jit_open(&why);
  if (!t->jit && !t->kernel->gpu) {
    SAY(out, "default: %s", why ? why : "the compiler library cannot be loaded");
    free(why);
    return false;
  }
  if (t->kernel->openmp && openmp_open(&why) != 0) {
    SAY(out, "default: %s", why ? why : "the OpenMP runtime cannot be loaded");
    free(why);
    return false;
  }
  t->workers = t->executor->start(t->kernel, t->args, t->jit, t->plan, &why);
  if (t->plan->beside)
    pace_yield(); // but not what is timed, which would be timed waiting
  if (!t->workers)
    SAY(out, "default: variants cannot be tried: %s", why ? why : "no memory");
  free(why);
  return t->workers != NULL;
}

static bool set_pool(struct tuning *t, struct outcome *out) {
  unsigned threads = t->kernel->gpu ? (unsigned)machine_get()->numbers.threads : t->id->threads;
  threads = threads ? threads : 1;
  // A kernel that uses all cores is timed while nothing is compiled; beside any other, one core less.
  // Where calls of the program's are timed, all of them suffer alike.
  // What is timed on a device does not mind.
  t->quiet = (t->kernel->openmp || threads == 1) && t->plan->kind != PLAN_ONLINE && !t->kernel->gpu;
  unsigned compiling = t->plan->share > 0 ? 1 : t->quiet || threads == 1 ? threads : threads - 1;
  t->ahead = t->quiet ? 3 * compiling : 2 * compiling + 1;
  t->pool = pool_new(t->kernel, compiling);
  struct page *page = session_page();
  if (t->pool)
    pool_watch(t->pool, page ? page->compiling : NULL, COMPILING);
  else
    SAY(out, "default: no memory to compile");
  return t->pool != NULL;
}

static void set_store(struct tuning *t) {
  char *why = NULL;
  t->store = store_open(&why);
  const char *cache = options_get()->cache;
  bool wanted = !cache || *cache; // AUTOTUNE_CACHE=off is no reason to complain
  if (!t->store && why && wanted)
    log_once(AUTOTUNE_WARN, "store", "results are not kept: %s", why);
  free(why);
}

// What was found for other keys, and for kernels like this one.
static void set_hints(struct tuning *t) {
  bool own = t->plan->kind == PLAN_RACE;
  t->hints = t->store || wisdom_given() ? sys_malloc(sizeof *t->hints) : NULL;
  if (t->hints && own)
    hints_own(t->store, &t->space, t->id, t->hints);
  else if (t->hints)
    hints_find(t->store, &t->space, t->id, t->hints);
  if (t->hints && t->hints->n > 0 && !own)
    log_message(AUTOTUNE_INFO, "%s: tries first what was found for %s%s", t->kernel->name,
                t->hints->items[0].from, t->hints->n > 1 ? " and others" : "");
}

// ---- the default --------------------------------------------------------------------------------------

// One run, compared with the default's and not timed to any purpose.
static struct trial_plan once(double limit) {
  return (struct trial_plan){ .limit = limit, .min_samples = 1, .max_samples = 1, .verify = true };
}

static bool measure_default(struct tuning *t, struct outcome *out) {
  double limit = larger(3 * t->budget, 30);
  struct trial_plan plan = { .limit = limit, .budget = t->budget / 20, .min_samples = 3,
                             .max_samples = 64, .precision = 0.02 };
  if (t->plan->kind == PLAN_CHECK)
    plan = once(limit);
  if (t->online)
    plan.max_samples = 4;
  struct trial trial;
  double start = sys_now();
  tune_report(t, tune_silence(&plan));
  int rc = t->executor->reference(t->workers, &plan, &trial);
  t->original = stats_median(trial.samples, trial.n_samples);
  free(trial.samples);
  if (trial.fate == FATE_WRONG && t->original.n > 0)
    SAY(out, "default: run twice on the same data, the kernel as written gives two results (%s); "
             "should an `out` section be `inout`?", trial.message);
  else if (trial.fate == FATE_WRONG)
    SAY(out, "default: %s", trial.message);
  else if (rc != 0 || trial.fate != FATE_OK)
    SAY(out, "default: the kernel as written %s %s (%s)",
        trial.fate == FATE_PENDING ? "did not run" : fate_name(trial.fate), t->executor->place,
        trial.message);
  // A default that takes most of the budget must leave some: what it runs over half of it is added.
  double spent = sys_now() - start;
  if (spent > t->budget / 2)
    t->deadline += spent - t->budget / 2;
  double left = t->deadline - sys_now();
  t->explore_until = sys_now() + 0.8 * left;
  return rc == 0 && trial.fate == FATE_OK;
}

// ---- the end --------------------------------------------------------------------------------------------

// Exactly where that is quick; a large space by its product, which counts too many.
static unsigned count_variants(const struct space *s) {
  uint64_t n = space_count(s, COUNTED);
  if (n >= COUNTED && s->size > n)
    n = s->size;
  return (unsigned)(n < UINT_MAX ? n : UINT_MAX);
}

// "; the winner is that of wisdom x.jsonl, raced here" behind why it ended.
static void say_origin(struct tuning *t, int winner) {
  if (t->plan->kind == PLAN_RACE)
    return; // they are all of an earlier run
  for (unsigned i = 0; t->hints && winner != NONE && i < t->hints->n; i++)
    if (space_equal(&t->space, t->hints->items[i].point, t->candidates[winner].point)) {
      snprintf(t->why_text, sizeof t->why_text, "%.80s; the winner is that of %s, raced here",
               t->summary.why, t->hints->items[i].from);
      t->summary.why = t->why_text;
      return;
    }
}

static void set_summary(struct tuning *t, int winner) {
  struct summary *m = &t->summary;
  const struct candidate *c = t->best == NONE ? NULL : &t->candidates[t->best];
  m->original = t->original;
  m->best = c && c->fate == FATE_OK && c->e.n > 0 ? c->e : t->original;
  m->values = winner == NONE ? "" : c->values;
  m->compiler = winner == NONE ? "" : c->compiler;
  m->winner = winner == NONE ? 0 : c->variant;
  m->total_hint = count_variants(&t->space);
  t->executor->call(t->workers, &m->flops, &m->bytes, &m->verified);
  say_origin(t, winner);
  snprintf(t->search_text, sizeof t->search_text, "%s%s", t->class->name, t->live ? ", online" : "");
  m->search = t->search_text;
  m->space = t->id->space;
  m->text = winner == NONE ? 0 : identity_text(t->kernel, c->point);
  m->machine = machine_text(t->machine_text, sizeof t->machine_text);
  m->total_seconds = sys_now() - t->began;
}

// The winner's object as a shared object: in the memfd, and in the store where there is one.
static bool link_winner(struct tuning *t, const struct candidate *c, int fd, struct outcome *out) {
  char path[64], *why = NULL;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (!tune_link(t, c, path, &why)) {
    SAY(out, "default: the winner cannot be linked: %.400s", why ? why : "no memory");
    free(why);
    return false;
  }
  char *kept = t->store ? objects_keep(path, &t->summary.object) : NULL;
  snprintf(out->path, sizeof out->path, "%s", kept ? kept : "");
  free(kept);
  memcpy(out->point, c->point, t->kernel->n_params * sizeof *c->point);
  out->winner = true;
  out->seconds = c->e.median;
  return true;
}

// "raced again: 1.31 x slower than before since 12:03"
static const char *why_raced(const struct tuning *t, char *text, size_t size) {
  time_t since = (time_t)t->plan->since;
  struct tm when;
  char clock[32] = "";
  if (t->plan->since > 0 && localtime_r(&since, &when))
    strftime(clock, sizeof clock, " since %F %H:%M", &when);
  if (t->plan->ratio > 0)
    snprintf(text, size, "raced again: %.2f x slower than before%s", t->plan->ratio, clock);
  else
    snprintf(text, size, "raced again");
  return text;
}

static const char *why_ended(const struct tuning *t, char *text, size_t size) {
  if (t->lost)
    return "the workers were lost";
  if (t->plan->kind == PLAN_RACE)
    return why_raced(t, text, size);
  if (t->settled)
    snprintf(text, size, "an expected gain under %g %%", 100 * t->until);
  else if (tune_asked(t) >= t->max_variants)
    snprintf(text, size, "budget of %u variants spent", t->max_variants);
  else if (!t->exhausted || t->in_flight > 0)
    snprintf(text, size, "budget of %g s spent", t->budget);
  else
    return t->summary.failed[FATE_DROPPED] ? "all variants tried that were not sure to lose"
                                           : "all variants tried";
  return text;
}

// Without a winner after few of many variants, the next process goes on where this one ended, unless
// that gets nowhere.
static bool is_final(const struct tuning *t, int winner) {
  if (winner != NONE)
    return true;
  return !t->lost && (t->complete || t->summary.tried >= FEW || t->summary.tried == t->recalled);
}

static void tell(struct tuning *t, int winner, struct outcome *out) {
  const struct summary *m = &t->summary;
  const char *checked = !m->verified && t->live ? ", in real calls, unverified"
                        : t->live ? ", in real calls" : m->verified ? "" : ", unverified";
  const char *more = is_final(t, winner) ? "" : "; the next run of the program tries more";
  if (winner != NONE) {
    char *point = space_describe(&t->space, t->candidates[winner].point);
    bool again = t->plan->kind == PLAN_RACE;
    SAY(out, "tuned: %.3g x over the default (%.4g s to %.4g s) in %u variants%s%s%s: %.200s%.150s",
        m->original.median / m->best.median, m->original.median, m->best.median, m->tried, checked,
        again ? ", " : "", again ? m->why : "", point ? point : "",
        m->why == t->why_text ? strchr(m->why, ';') : "");
    free(point);
  } else if (t->lost && t->best == NONE) {
    SAY(out, "default: the workers were lost after %u variants", m->tried);
  } else if (t->best == NONE && m->tried > 0) {
    SAY(out, "default: none of %u variants was right (`autotune report` tells more)%s", m->tried,
        more);
  } else {
    SAY(out, "default: none of %u variants beats it clearly%s (%.4g s, the best %.4g s)%s",
        m->tried, checked, m->original.median, m->best.median, more);
  }
}

// A race adds to the tuning whose variants it tried again.
static void add_old(struct tuning *t) {
  struct summary old, *m = &t->summary;
  if (t->plan->kind != PLAN_RACE || !t->store || !store_winner(t->store, t->id, &old, NULL))
    return;
  m->tried = old.tried > m->tried ? old.tried : m->tried;
  memcpy(m->failed, old.failed, sizeof m->failed);
  m->same = old.same;
  m->compile_seconds += old.compile_seconds;
  m->verify_seconds += old.verify_seconds;
  m->time_seconds += old.time_seconds;
  m->total_seconds += old.total_seconds;
  m->total_hint = old.total_hint;
  for (int i = 0; strategy_list()[i]; i++) // names that live for ever
    if (strcmp(strategy_list()[i]->name, old.search) == 0)
      m->search = strategy_list()[i]->name;
  store_summary_free(&old);
}

static int finish(struct tuning *t, int fd, struct outcome *out) {
  char text[96];
  t->summary.why = why_ended(t, text, sizeof text); // before the race compiles anything
  t->complete = (t->exhausted && t->in_flight == 0 && t->sharing.taken == 0) || t->settled ||
                tune_asked(t) >= t->max_variants;
  t->live = t->online != NULL;
  int winner = t->online ? online_finish(t, &t->live) : NONE;
  if (!t->live) {
    t->deadline = larger(t->deadline, sys_now() + 0.2 * t->budget); // however long calls were waited for
    winner = race(t);
  }
  if (t->plan->kind == PLAN_RACE && t->best == NONE) {
    SAY(out, "no race: none of what was fastest before could be run");
    return -1;
  }
  if (session_stopping()) {
    SAY(out, "default: the tuning was interrupted");
    return -1;
  }
  bool linked = winner == NONE || link_winner(t, &t->candidates[winner], fd, out);
  set_summary(t, linked ? winner : NONE);
  add_old(t);
  if (t->store && linked && is_final(t, winner) &&
      store_summary(t->store, t->id, &t->summary) != 0)
    log_once(AUTOTUNE_WARN, "store", "the result cannot be kept");
  out->tuned = linked;
  if (linked)
    tell(t, winner, out);
  return linked ? 0 : -1;
}

// What was measured elsewhere is the winner here from now on: it was right, and its code is at hand.
static void keep_adopted(struct tuning *t, const struct candidate *c) {
  struct summary m = *t->plan->adopt;
  m.object = t->summary.object;
  m.winner = c->variant;
  m.values = c->values;
  m.compiler = c->compiler;
  m.space = t->id->space;
  m.text = identity_text(t->kernel, c->point);
  t->executor->call(t->workers, &m.flops, &m.bytes, &m.verified);
  if (t->store && m.object)
    store_summary(t->store, t->id, &m);
}

// PLAN_CHECK: is the first of the given points right for this call? Nothing is stored but its object.
static int check(struct tuning *t, int fd, struct outcome *out) {
  struct candidate *c = explore_given(t);
  char *point = c ? space_describe(&t->space, c->point) : NULL;
  const char *name = point ? point : "the variant";
  struct trial trial = { .fate = FATE_PENDING };
  struct trial_plan plan = once(tune_limit(t));
  if (!c) {
    SAY(out, "default: the variant that was to be checked does not exist for this call");
  } else if (!explore_compile(t, c)) {
    SAY(out, "default: %.300s cannot be compiled", name);
  } else {
    tune_report(t, tune_silence(&plan));
    tune_try(t, c, &plan, &trial);
    if (trial.fate != FATE_OK)
      SAY(out, "default: %.250s: %s: %.200s", name, fate_name(trial.fate), trial.message);
    else if (link_winner(t, c, fd, out))
      SAY(out, "checked: %.400s", name);
    if (out->winner && t->plan->adopt)
      keep_adopted(t, c);
  }
  free(trial.samples);
  free(point);
  out->tuned = out->winner;
  return out->winner ? 0 : -1;
}

static void tell_cost(const struct tuning *t, struct outcome *out) {
  struct page *page = session_page();
  size_t n = strlen(out->why);
  double spent = page ? atomic_load(&page->spent) : 0;
  if (t->plan->share > 0 && spent > 0)
    snprintf(out->why + n, sizeof out->why - n, "; for %.3g s of CPU, %.3g s spent in the kernel",
             out->cost, spent);
}

// What is not freed ends with the process.
static void clean(struct tuning *t) {
  if (t->workers)
    t->executor->stop(t->workers);
  if (t->store)
    store_close(t->store);
  if (t->strategy)
    t->class->free(t->strategy);
}

int tune_run(const struct autotune_kernel *k, const struct identity *id, void *const *args,
             const struct plan *plan, int object_fd,
             void (*report)(void *data, const struct progress *p), void *data,
             struct outcome *out) {
  struct identity own = *id; // with what says which problems are like it
  own.shape = k->n_units ? shape_of(k->units[0].text) : 0;
  own.family = k->family;
  struct tuning t = { .kernel = k, .id = &own, .args = args, .plan = plan, .best = NONE, .unasked = NONE,
                      .began = sys_now(), .report = report, .data = data };
  int rc = -1;
  *out = (struct outcome){ .fd = -1 };
  set_budget(&t);
  tune_report(&t, tune_silence(NULL)); // the tuner is alive
  if (set_online(&t, out) && set_processes(&t, out) && set_pool(&t, out) && set_strategy(&t, out) &&
      measure_default(&t, out)) {
    set_store(&t);
    bool searches = plan->kind == PLAN_SEARCH || plan->kind == PLAN_ONLINE;
    if (t.store && searches)
      store_asked(t.store, t.id, k, plan->why);
    if (searches || plan->kind == PLAN_RACE)
      set_hints(&t);
    if (plan->kind != PLAN_CHECK)
      explore(&t);
    rc = plan->kind == PLAN_CHECK ? check(&t, object_fd, out) : finish(&t, object_fd, out);
  }
  out->cost = pace_count(&t);
  tell_cost(&t, out);
  clean(&t);
  return rc;
}
