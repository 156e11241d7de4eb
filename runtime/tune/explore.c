// SPDX-License-Identifier: Apache-2.0
// explore.c: the search itself. Variants are compiled ahead on threads while the worker
// tries one after another. Each is stored as pending before it is run, so that after a
// crash of the tuner or the machine the next tuning knows which variant ran. A variant
// that is only being compiled is not stored as pending: a tuner that is ended then says
// nothing against the variant. If the compiler crashes, the session tells the next tuner
// what was being compiled.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "tune.h"

enum {
  ENOUGH = 16,  // variants before a small improvement ends it
  LEARNED = 10, // variants before many are proposed at once
  READY = 2     // times those that are compiled ahead may wait for a slow compilation
};
static const double slow_compile = 3; // times as long as usual

// ---- proposing ----------------------------------------------------------------------

static const double owed_at_least = 2; // seconds, see owes_rest

static void explore_fail(struct trial *trial, enum status status, const char *message) {
  trial->status = status;
  snprintf(trial->message, sizeof trial->message, "%s", message ? message : "no message");
}

// True if C was being compiled when an earlier tuner crashed; C is then noted as failed.
static bool explore_avoid(struct tuning *t, struct candidate *c) {
  struct trial trial = { .status = STATUS_PENDING };
  unsigned i = 0;
  while (i < t->host->n_suspects && t->host->suspects[i] != c->variant)
    i++;
  if (i == t->host->n_suspects)
    return false;
  explore_fail(&trial, STATUS_COMPILE, "the compiler crashed while this was compiled");
  candidate_settle(t, c, &trial, 0);
  return true;
}

// Notes the features of C that follow from sizes, which are known before C is compiled.
static void look_at_sizes(const struct tuning *t, struct candidate *c) {
  const struct autotune_kernel *k = t->kernel;
  const struct autotune_value *values[MAX_PARAMS];
  for (unsigned p = 0; p < k->n_params; p++)
    values[p] = &k->params[p].values[c->point[p]];
  double tile = k->footprint ? k->footprint(values, t->call->args, t->space.machine) : 0;
  features_of_memory(t->target->touched(t->workers), tile, t->space.machine,
                     &c->features);
}

// True if C is predicted to lose; the prediction is noted. Variants that the search did
// not propose are never dropped. At most three are dropped for each variant that is
// tried, so that the user sees some times.
static bool explore_drop(struct tuning *t, struct candidate *c) {
  unsigned index = (unsigned)(c - t->candidates);
  if (t->plan->kind == PLAN_RACE || t->plan->kind == PLAN_CHECK || c->from ||
      c->condemned != NONE || c->body ||
      t->summary.failed[STATUS_DROPPED] >= 3 * t->summary.tried)
    return false;
  prune_relate(t->candidates, t->n, t->kernel->n_params, index);
  int rule = prune_loser(&t->pruning, t->candidates, t->n, c, tune_best(t));
  if (!prune_drops(&t->pruning, c, rule))
    return false;
  struct trial trial = { .status = STATUS_PENDING };
  explore_fail(&trial, STATUS_DROPPED, prune_why(rule));
  candidate_settle(t, c, &trial, c->object.seconds);
  return true;
}

bool explore_submit(struct tuning *t, struct candidate *c) {
  uint64_t ticket = (uint64_t)(c - t->candidates) + 1;
  unsigned divisor = part_of(t, c);
  char defines[POOL_DEFINES];
  snprintf(defines, sizeof defines,
           "#define AUTOTUNE_PARTS %u\n#define AUTOTUNE_PART_THREADS %u\n", divisor,
           t->id->threads ? t->id->threads : 1);
  ticket |= divisor ? TICKET_PART : 0;
  if ((c->body ? pool_submit_body(t->pool, c->point, c->body, false, ticket, c->variant)
               : pool_submit_defines(t->pool, c->point, ticket, c->variant,
                                     divisor ? defines : "")) != 0)
    return false;
  t->in_flight++;
  return true;
}

struct candidate *explore_given(struct tuning *t) {
  const struct plan *plan = t->plan;
  while (t->given < plan->n_points) {
    const choice *point = plan->points + (size_t)t->given++ * t->kernel->n_params;
    bool new = space_allows(&t->space, point) && !candidate_given(t, point);
    struct candidate *c = new ? candidate_give(t, point, "") : NULL;
    if (c && candidate_identify(t, c))
      return c;
  }
  return NULL;
}

static struct candidate *explore_hinted(struct tuning *t) {
  while (t->hints && t->next_hint < t->hints->n && tune_asked(t) < t->max_variants) {
    const struct hint *hint = &t->hints->items[t->next_hint++];
    struct candidate *c = candidate_given(t, hint->point)
        ? NULL
        : candidate_give(t, hint->point, hint->from);
    if (c && candidate_identify(t, c)) {
      c->near = hint->near;
      return c;
    }
  }
  return NULL;
}

// Tells the strategy the rest of the budget, in time and in variants. With a fixed seed
// only variants count, so that runs repeat.
static void tell_left(struct tuning *t) {
  double time = options_get()->seeded
      ? 1
      : (t->explore_until - sys_now()) / (t->explore_until - t->explore_from);
  double variants = 1 - (double)tune_asked(t) / t->max_variants;
  if (t->class->left)
    t->class->left(t->strategy, fmin(fmax(fmin(time, variants), 0), 1));
}

// Asks the strategy for the next point. Skips points that are candidates already and
// that the strategy was not told of yet.
static struct candidate *explore_asked(struct tuning *t) {
  choice point[MAX_PARAMS];
  struct candidate *c = NULL;
  tell_left(t);
  while (!c && tune_asked(t) < t->max_variants && t->class->ask(t->strategy, point))
    if ((c = outside_asked(t, point)) || !candidate_given(t, point))
      if ((!c && !(c = candidate_add(t, point))) || !candidate_identify(t, c))
        return NULL;
  return c;
}

// Returns the next candidate: the plan's points first, then hints, then what the strategy
// asks for. NULL: none is left.
static struct candidate *next_candidate(struct tuning *t) {
  struct candidate *c = explore_given(t);
  if (!c)
    c = outside_earlier(t);
  if (!c)
    c = explore_hinted(t);
  return c || t->plan->kind == PLAN_RACE ? c : explore_asked(t);
}

// Returns how many variants are to be compiled ahead. A search that learns proposes worse
// the more of its points are still being tried, so there are no more than keep the worker
// busy; and two until it knows something. With a fixed seed times do not count.
static unsigned explore_ahead(const struct tuning *t) {
  const struct summary *m = &t->summary;
  double tried = m->tried > t->recalled ? m->tried - t->recalled : 0;
  bool learns = t->class != &search_exhaustive && t->class != &search_random &&
      t->class != &search_list;
  if (!learns || options_get()->seeded || t->plan->kind == PLAN_RACE)
    return t->ahead;
  if (m->tried < LEARNED)
    return t->ahead < 2 ? t->ahead : 2;
  if (t->quiet) // what compiles at the same time takes no longer than one
    return t->compiling;
  double trial = (m->time_seconds + m->verify_seconds) / fmax(tried, 1),
         compile = m->compile_seconds / fmax(tried, 1),
         busy = trial > 0 ? ceil(compile / (t->compiling * trial)) : t->ahead;
  return (unsigned)fmin(busy * t->compiling + 1, t->ahead);
}

// Proposes until enough is being compiled.
static void explore_propose(struct tuning *t) {
  unsigned ahead = explore_ahead(t);
  while (!t->exhausted && t->in_flight < ahead) {
    struct candidate *c = next_candidate(t);
    bool anew = t->plan->kind == PLAN_RACE; // do not trust stored times
    if (c)
      look_at_sizes(t, c);
    else if (outside_waits(t))
      return;
    if (!c ||
        ((anew || share_look(t, c) == KNOWN_NOTHING) && !explore_avoid(t, c) &&
         !explore_drop(t, c) && !explore_submit(t, c)))
      t->exhausted = true;
  }
}

// ---- trying -------------------------------------------------------------------------

// Returns a candidate with the same machine code and a known result, so that C need not
// run; or NULL.
static const struct candidate *explore_twin(const struct tuning *t,
                                            const struct candidate *c) {
  for (unsigned i = 0; i < t->n; i++) {
    const struct candidate *other = &t->candidates[i];
    if (other != c && other->done && other->code == c->code && other->code != 0 &&
        other->status != STATUS_DROPPED)
      return other;
  }
  return NULL;
}

// Returns the seconds that one run may take: a variant that takes twice as long as the
// best has lost, and may be ended early; five times beside a program that may use the
// processors. To end it costs a worker, so it may take that long, too. (Restoring and
// comparing memory around a run does not count.)
static double explore_limit(const struct tuning *t) {
  double limit = tune_limit(t), best = tune_best_seconds(t).high;
  double lost = t->plan->background ? fmax(5 * best, 0.5) : fmax(2 * best, best + 0.25);
  return t->best == NONE || limit < lost ? limit : lost;
}

// Plans one trial: the variant's part of the time, at most a fiftieth of all (the race
// is precise, not the search), and at least three runs where those are short.
static struct trial_plan explore_plan(const struct tuning *t) {
  const struct candidate *rival = t->best == NONE ? NULL : &t->candidates[t->best];
  double run = tune_best_seconds(t).median, all = t->deadline - t->began,
         fraction = 0.5 * all / (t->expected ? t->expected : 1);
  double runs = 3 * run < all / 20 ? 3 * run : all / 20;
  double budget = fraction < all / 50 ? fraction : all / 50;
  budget = budget > runs ? budget : runs;
  struct sample usual = { 0 };
  if (rival)
    usual = (struct sample){ rival->e.median, tune_seconds(t, rival).median };
  bool short_enough = usual.seconds > 0 && 12 * usual.seconds < budget;
  return (struct trial_plan){
    .limit = explore_limit(t),
    .budget = budget,
    .rival = short_enough ? (uint64_t)t->best + 1 : 0,
    .rival_sample = usual,
    .stop_above = 1.05 * tune_best(t).high,
    .min_samples = t->online ? 1 : 3,
    .max_samples = t->online    ? 3
        : t->plan->fraction > 0 ? RATIONED
                                : 64,
    .precision = 0.02,
    .verify = true,
  };
}

static void explore_measure(struct tuning *t, struct candidate *c, struct trial *trial) {
  struct trial_plan plan = c->in_part ? part_plan(t) : explore_plan(t);
  struct record r = candidate_record(c);
  if (t->store)
    c->begun = store_begin(t->store, t->id, &r) == 0;
  tune_report(t, tune_silence(&plan));
  tune_try(t, c, &plan, trial);
  t->summary.verify_seconds += trial->verify_seconds;
  t->summary.time_seconds += trial->time_seconds;
}

static void explore_repeat(struct candidate *c, const struct candidate *same,
                           struct trial *trial) {
  size_t size = same->n_samples * sizeof *same->samples;
  explore_fail(trial, same->status, "the same machine code as another variant");
  trial->samples = size ? sys_malloc(size) : NULL;
  if (trial->samples) {
    memcpy(trial->samples, same->samples, size);
    trial->n_samples = same->n_samples;
    trial->slowdown = same->slowdown;
    c->part = same->part;
  }
}

// Sets C's hash of the code. The same code launched with other blocks, or with arguments
// that the host makes by other params, is another variant.
static void set_code(const struct tuning *t, struct candidate *c) {
  struct autotune_launch l;
  unsigned n;
  const struct autotune_prepared *prepared = kernel_prepared(t->kernel, &n);
  c->code = XXH3_64bits(c->object.data, c->object.size);
  if (space_launch(&t->space, c->point, &l)) {
    unsigned long long numbers[] = { l.grid.x,  l.grid.y,  l.grid.z, l.block.x,
                                     l.block.y, l.block.z, l.shared };
    c->code = XXH3_64bits_withSeed(numbers, sizeof numbers, c->code);
  }
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < prepared[i].n_params; j++)
      c->code = XXH3_64bits_withSeed(&c->point[prepared[i].params[j]], sizeof *c->point,
                                     c->code);
}

static void look_at_code(struct tuning *t, struct candidate *c) {
  if (!t->target->look)
    return; // features of such a variant are known once it is loaded
  t->target->look(c->object.data, c->object.size, &c->features);
  if (t->class->expect)
    c->hopeless = prune_hopeless(t->class->expect(t->strategy, c->point, &c->features),
                                 tune_best(t));
}

// Runs a compiled variant, unless it did not compile, its code is known, or it is
// predicted to lose.
static void explore_try(struct tuning *t, struct compiled *compiled) {
  struct candidate *c = &t->candidates[(compiled->ticket & ~TICKET_PART) - 1];
  double seconds = compiled->object.seconds;
  struct trial trial = { .status = STATUS_PENDING };
  const struct candidate *same = NULL;
  outside_look(t, c, compiled);
  c->object = compiled->object;
  c->in_part = (compiled->ticket & TICKET_PART) != 0;
  t->summary.compile_seconds += seconds;
  if (compiled->status == 0) {
    set_code(t, c);
    look_at_code(t, c);
    same = explore_twin(t, c);
  }
  if (c->done || (t->plan->kind != PLAN_RACE && share_look(t, c) != KNOWN_NOTHING))
    return; // another process was faster
  t->summary.same += same != NULL;
  if (compiled->status != 0)
    explore_fail(&trial, STATUS_COMPILE, c->object.message);
  else if (same)
    explore_repeat(c, same, &trial);
  else if (explore_drop(t, c))
    return;
  else
    explore_measure(t, c, &trial);
  if (c->in_part && !same && trial.status != STATUS_PENDING && part_hold(t, c, &trial)) {
    if (t->best != NONE) // C, or one that was held
      provisional_consider(t, &t->candidates[t->best]);
    return;
  }
  if (trial.status !=
      STATUS_PENDING) // else the workers are lost, perhaps by this variant
    candidate_settle(t, c, &trial, seconds);
  else
    c->done = !role_stopping(); // stays pending in the store, unless we are told to stop
  provisional_consider(t, c);
}

static bool is_ended(const struct tuning *t) {
  return t->lost || t->hurried || role_stopping();
}

// True if no variant was tried here yet.
static bool has_tried_none(const struct tuning *t) {
  return t->summary.tried == t->recalled && t->part.n_held == 0;
}

// True if one variant must still be tried although the time is over: a tuning that never
// tries any would be begun in vain each time.
static bool owes_one(const struct tuning *t) {
  return has_tried_none(t) && t->in_flight > 0 && !is_ended(t);
}

// True if the other variants must still be tried although the time is over: there are few
// (see is_final), and all of them take less time than it took until the first one, which
// the next run would take again. Where a call waits for only a part of the budget, the
// next run would also wait once more.
static bool owes_rest(const struct tuning *t) {
  const struct summary *m = &t->summary;
  bool searches = t->plan->kind == PLAN_SEARCH || t->online;
  unsigned most = t->expected < t->max_variants ? t->expected : t->max_variants,
           known = m->tried + m->failed[STATUS_DROPPED] + t->sharing.taken;
  double own = (double)m->tried - t->recalled, left = (double)most - known,
         before = fmax(fmin(t->prepared, t->budget), t->usual ? owed_at_least : 0),
         taken = sys_now() - t->began - t->slept - t->prepared;
  return searches && most < FEW_VARIANTS && own > 0 && left > 0 &&
      left * taken <= own * before && sys_now() < t->explore_until + before &&
      !is_ended(t);
}

// Waits a while for the next compiled variant. *C's ticket is 0 if none came.
static void explore_take(struct tuning *t, struct compiled *c) {
  *c = (struct compiled){ 0 };
  double slice = t->online ? 0.001 : 0.25,
         left = owes_one(t) || owes_rest(t) ? slice : t->explore_until - sys_now();
  if (pool_take(t->pool, c, left < slice ? left > 0 ? left : 0 : slice)) {
    t->in_flight--;
    free(c->point);
    c->point = NULL;
  } else {
    c->ticket = 0;
  }
}

static bool explore_is_late(const struct tuning *t) {
  return is_ended(t) || (sys_now() >= t->explore_until && !owes_rest(t));
}

// True if the expected improvement is smaller than the user asked for.
static bool explore_expects_little(const struct tuning *t) {
  double least = t->plan->until.gain;
  if (least <= 0 || !t->class->expected_improvement || t->summary.tried < ENOUGH)
    return false;
  double expected = t->class->expected_improvement(t->strategy);
  return expected >= 0 && expected < least;
}

static bool explore_is_settled(struct tuning *t) {
  bool searches = t->plan->kind == PLAN_SEARCH || t->online;
  t->settled = t->settled ||
      (searches && (roof_is_reached(t) || explore_expects_little(t)));
  return t->settled;
}

static bool is_over(struct tuning *t) {
  return ((explore_is_late(t) || explore_is_settled(t)) &&
          (t->reached || !owes_one(t))) ||
      (t->exhausted && t->in_flight == 0 && !share_waits(t));
}

// Proposes more variants if the compilation of one, which began at BEGUN, takes far
// longer than usual, and another thread has nothing to do. N: the variants that wait for
// it. What is usual is not known before the first batch was tried.
static void explore_fill(struct tuning *t, unsigned n, double begun) {
  const struct summary *m = &t->summary;
  double compiled = m->tried + t->part.n_held - fmin(t->recalled, m->tried);
  double usual = compiled > 0 ? m->compile_seconds / compiled : INFINITY;
  bool slow = sys_now() - begun > slow_compile * usual && !options_get()->seeded;
  if (slow && t->in_flight > 0 && t->in_flight < t->compiling &&
      n + t->in_flight < READY * t->ahead)
    explore_propose(t); // at most t->ahead
}

// Compiles a few variants, then tries them while nothing else runs: for kernels that use
// all cores.
static void explore_quietly(struct tuning *t) {
  struct compiled *ready = sys_calloc((READY + 1) * t->ahead, sizeof *ready);
  while (ready && !is_over(t)) {
    unsigned n = 0;
    throttle_keep(t);
    share_news(t);
    explore_propose(t);
    double begun = sys_now();
    while (t->in_flight > 0 && (!explore_is_late(t) || (n == 0 && owes_one(t)))) {
      explore_take(t, &ready[n]);
      n += ready[n].ticket != 0;
      explore_fill(t, n, begun);
      tune_report(t, tune_silence(NULL));
    }
    part_order(t, ready, n);
    for (unsigned i = 0; i < n; i++, throttle_keep(t))
      if ((!explore_is_late(t) && !roof_is_reached(t)) ||
          (((t->best == NONE && t->part.n_held == 0) || has_tried_none(t)) &&
           !is_ended(t)))
        explore_try(t, &ready[i]); // at least one new one, so that there is a result
      else {
        object_free(&ready[i].object);
        t->untried = true;
      }
    if (t->online)
      online_settle(t);
  }
  free(ready);
}

static void explore_overlapped(struct tuning *t) {
  while (!is_over(t)) {
    struct compiled c;
    throttle_keep(t);
    share_news(t);
    explore_propose(t);
    explore_take(t, &c);
    tune_report(t, tune_silence(NULL));
    if (c.ticket)
      explore_try(t, &c);
    if (t->online)
      online_step(t);
  }
}

void explore(struct tuning *t) {
  t->prepared = sys_now() - t->began - t->slept;
  share_news(t);
  provisional_resume(t);
  explore_propose(t);
  if (t->quiet)
    explore_quietly(t);
  else
    explore_overlapped(t);
  part_settle_held(t);
  candidate_abandon(t);
}

bool explore_again(struct tuning *t, struct candidate *c) {
  struct trial_plan plan = explore_plan(t);
  struct trial trial = { .status = STATUS_PENDING };
  if (!object_compile(t, c, NULL))
    return false;
  c->part = 0;
  set_code(t, c);
  tune_report(t, tune_silence(&plan));
  tune_try(t, c, &plan, &trial);
  if (trial.status != STATUS_PENDING)
    candidate_settle(t, c, &trial, 0);
  return trial.status == STATUS_OK;
}
