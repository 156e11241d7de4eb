// SPDX-License-Identifier: Apache-2.0
// tune.c: one tuning from beginning to end. It runs in the tuner, which may crash or
// hang: the program waits only for a limited time.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tune.h"
#include "base/shortage.h"
#include "model/constants.h"

// ---- shared by all of it ------------------------------------------------------------

static const struct candidate *tune_leader(const struct tuning *t) {
  const struct candidate *c = t->best == NONE ? NULL : &t->candidates[t->best];
  bool better = c && c->status == STATUS_OK && c->e.n > 0 &&
      c->e.median < t->original.median;
  return better ? c : NULL;
}

bool tune_leads(const struct tuning *t) {
  return tune_leader(t) != NULL;
}

struct estimate tune_best(const struct tuning *t) {
  const struct candidate *c = tune_leader(t);
  return c ? c->e : t->original;
}

struct estimate tune_seconds(const struct tuning *t, const struct candidate *c) {
  double seconds = c && c->run_seconds > 0 ? c->run_seconds : t->original_seconds;
  if (objective_get(t->id->objective)->is_seconds)
    return c ? c->e : t->original;
  return (struct estimate){ seconds, seconds, seconds, 1 };
}

struct estimate tune_best_seconds(const struct tuning *t) {
  return tune_seconds(t, tune_leader(t));
}

unsigned tune_asked(const struct tuning *t) {
  return t->n - t->summary.failed[STATUS_DROPPED];
}

static const double gentle_factor = 20; // a niceness of 19 gets a sixtieth part

double tune_taken(const struct tuning *t) {
  double taken = sys_now() - t->began;
  return t->usual || t->plan->rest > 0 ? fmax(taken, BUDGET_NORMAL) : taken;
}

double tune_limit(const struct tuning *t) {
  // A run that is ended only because the budget is used up would be noted as failed for
  // ever.
  double run = tune_seconds(t, NULL).median, limit = fmax(10 * run, 1),
         least = fmax(3 * run, 1);
  double left = fmax(t->deadline - sys_now(), least);
  if (t->plan->gentle)
    return gentle_factor * limit;
  return limit < left ? limit : left;
}

double tune_silence(const struct trial_plan *plan) {
  const double ours = 30; // loading, writing, linking
  return plan ? ours + plan->budget + 5 * plan->limit : ours;
}

// Ends the search, and shortens all that follows, if the program wants to go on.
static void tune_hurry(struct tuning *t) {
  const double rest = 0.5; // seconds: the budget that the final race goes by
  struct shared_memory *shared = t->host->shared;
  if (t->hurried || !shared || !atomic_load(&shared->hurry))
    return;
  t->hurried = true;
  t->budget = fmin(t->budget, rest);
  t->deadline = fmin(t->deadline, sys_now());
  t->explore_until = fmin(t->explore_until, t->deadline);
}

void tune_report(struct tuning *t, double silence) {
  tune_hurry(t);
  struct progress_report p = {
    .done = t->summary.tried,
    .total = t->expected,
    .objective = t->id->objective,
    .original = t->original.median,
    .best = tune_best(t).median,
    .left = t->deadline - sys_now(),
    .silence = silence,
  };
  t->host->progress(t->host->data, &p);
}

const char *tune_constants(struct tuning *t, const struct candidate *c) {
  return c->object.plain || c->body
      ? ""
      : constants_say(t->kernel, t->id->key, t->constants, t->constants_text,
                      sizeof t->constants_text);
}

bool tune_link(const struct tuning *t, const struct candidate *c, const char *path,
               char **why) {
  return t->target->link(c->object.data, c->object.size, path, why);
}

// Says, once, that variants leave other bytes in memory that may be a workspace.
static void tune_say_unnamed(const struct tuning *t, const struct trial *trial) {
  if (trial->unnamed[0])
    log_once_of(
        AUTOTUNE_WARN, t->kernel->name, "unnamed",
        "%s: a variant leaves other bytes in memory that no section names (%s), so it "
        "cannot win: name that memory in scratch(…) if nobody reads it after the "
        "call, else in out(…) or inout(…)",
        t->kernel->name, trial->unnamed);
}

// Says what TRIAL found out about the kernel, once.
static void tune_say_note(const struct tuning *t, const struct trial *trial) {
  if (trial->note[0] && !t->plan->loaded) // else it was said when it was tuned
    log_once_of(AUTOTUNE_WARN, t->kernel->name, trial->note,
                "%s: %s: they are compared, too; name them in out(…) or inout(…), or "
                "in scratch(…) if nobody reads them after the call",
                t->kernel->name, trial->note);
}

// Measures how far rounding moves the outputs of a slow default, now that a variant's
// differ by more than the relative tolerance. The search gets that time back.
static void tune_measure_rounding(struct tuning *t) {
  double start = sys_now();
  struct trial_plan plan = { .objective = t->id->objective, .limit = tune_limit(t) };
  t->unmeasured = false;
  log_message(AUTOTUNE_DEBUG,
              "%s: answers differ by more than the relative tolerance: it is measured "
              "how far rounding moves them",
              t->kernel->name);
  tune_report(t, tune_silence(&plan));
  bool measured = t->target->rounding(t->workers, &plan, t->original_seconds) == 0 &&
      written_measure(t);
  t->lost = t->lost || !measured;
  double spent = sys_now() - start;
  t->deadline += spent;
  t->explore_until += spent;
}

void tune_try(struct tuning *t, struct candidate *c, const struct trial_plan *plan,
              struct trial *out) {
  struct trial_plan p = *plan;
  uint64_t ticket = c ? (uint64_t)(c - t->candidates) + 1 : 0;
  p.objective = t->id->objective;
  if (p.part)
    ticket |= TICKET_PART;
  if (c && space_launch(&t->space, c->point, &p.launch))
    p.point = c->point;
  t->lost = t->target->try(t->workers, ticket, c ? c->object.data : NULL,
                           c ? c->object.size : 0, &p, out) != 0 ||
      t->lost;
  if (out->status == STATUS_WRONG && t->unmeasured && !p.part && !t->lost) {
    free(out->samples);
    tune_measure_rounding(t);
    t->lost = t->lost ||
        t->target->try(t->workers, ticket, c ? c->object.data : NULL,
                       c ? c->object.size : 0, &p, out) != 0;
  }
  tune_say_note(t, out);
  tune_say_unnamed(t, out);
  if (c && out->deviation[0] &&
      (!c->deviation[0] || out->deviation_part > c->deviation_part)) {
    memcpy(c->deviation, out->deviation, sizeof c->deviation);
    c->deviation_part = out->deviation_part;
  }
  if (c && out->has_features)
    features_add(&c->features, &out->features);
}

// ---- the pass -----------------------------------------------------------------------

struct trial_plan tune_once(double limit) {
  return (struct trial_plan){
    .limit = limit, .min_samples = 1, .max_samples = 1, .verify = true
  };
}

bool tune_default(struct tuning *t, struct outcome *out) {
  char text[128];
  // In a region it may wait for other threads, which are not in the sandbox, and these
  // may wait for this call.
  bool alone = t->plan->team < 2;
  double limit = alone ? fmax(3 * t->budget, 30) : fmax(0.5 * t->budget, 1);
  struct trial_plan plan = { .limit = limit,
                             .budget = t->budget / 20,
                             .min_samples = 3,
                             .max_samples = 64,
                             .precision = 0.02 };
  if (t->plan->kind == PLAN_CHECK)
    plan = tune_once(limit);
  if (t->online)
    plan.max_samples = 4;
  else if (t->plan->fraction > 0 && plan.max_samples > RATIONED_DEFAULT)
    plan.max_samples = RATIONED_DEFAULT;
  plan.objective = t->id->objective;
  plan.defer = t->target->rounding != NULL;
  struct trial trial;
  double start = sys_now();
  tune_report(t, tune_silence(&plan));
  int rc = t->target->reference(t->workers, &plan, &trial);
  t->original = stats_median(trial.samples, trial.n_samples);
  tune_say_note(t, &trial);
  snprintf(t->weak_text, sizeof t->weak_text, "%s", trial.weak);
  t->original_seconds = trial.run_seconds;
  t->unmeasured = trial.unmeasured;
  free(trial.samples);
  if (trial.status == STATUS_WRONG && t->original.n > 0)
    SAY(out,
        "default: run twice on the same data, the kernel as written gives two results "
        "(%s); should an `out` section be `inout`?",
        trial.message);
  else if (trial.status == STATUS_WRONG)
    SAY(out, "default: %s", trial.message);
  else if (rc != 0 && trial.status == STATUS_OK)
    SAY(out, "default: the workers were lost after the kernel as written had run%s",
        shortage_text(text, sizeof text));
  else if (trial.status != STATUS_OK)
    SAY(out, "default: the kernel as written %s %s (%s)",
        trial.status == STATUS_PENDING ? "did not run" : status_words[trial.status].name,
        t->target->place, trial.message);
  if (rc == 0 && trial.status == STATUS_OK && !t->unmeasured && !written_measure(t)) {
    SAY(out, "default: the workers were lost after the kernel as written had run%s",
        shortage_text(text, sizeof text));
    return false;
  }
  setup_deadlines(t, sys_now() - start);
  return rc == 0 && trial.status == STATUS_OK;
}

const char *tune_covered(struct tuning *t) {
  if (t->target->covered)
    t->target->covered(t->workers, t->covered_text, sizeof t->covered_text);
  return t->covered_text;
}

// True if outputs are compared.
static bool tune_compares(const struct tuning *t) {
  double flops, bytes;
  bool verified;
  t->target->call(t->workers, &flops, &bytes, &verified);
  return verified;
}

// True unless variants could only run unchecked, which this kernel refuses. That is
// stored.
static bool tune_may_run(struct tuning *t, struct outcome *out) {
  if (tune_compares(t) || !kernel_refuses_unchecked(t->kernel))
    return true;
  SAY(out, "%s", refusal_words[REFUSED_UNCHECKED].text);
  out->verdict = VERDICT_UNCHECKED;
  bool searches = t->plan->kind == PLAN_SEARCH || t->plan->kind == PLAN_ONLINE;
  if (searches && t->plan->least <= 0) {
    setup_store(t);
    finish_unchecked(t);
  }
  return false;
}

// Stores the summary that was measured elsewhere, with C as the winner: C was right
// here, and its code is available.
static void keep_adopted(struct tuning *t, const struct candidate *c) {
  struct summary m = *t->plan->adopt;
  m.object = t->summary.object;
  m.winner = c->variant;
  m.values = c->values;
  m.compiler = c->compiler;
  m.space = t->id->space;
  m.text = identity_text(t->kernel, c->point);
  t->target->call(t->workers, &m.flops, &m.bytes, &m.verified);
  m.inferred = t->kernel->inferred;
  m.made_up = c->made_up > m.made_up ? c->made_up : m.made_up;
  m.weak = t->weak_text;
  m.covered = tune_covered(t);
  m.deviation = c->deviation;
  m.constants = tune_constants(t, c);
  if (m.contract != t->id->contract)
    m.own = (struct own_calls){ 0 }; // it was another default
  if (t->store && m.object)
    store_summary(t->store, t->id, &m);
}

// True if a check here is worth something: outputs are compared, or the user wrote
// verify(off), or this machine found the winner under the same contract (for this key, or
// for others that agree).
static bool tune_can_check(const struct tuning *t) {
  const struct summary *m = t->plan->adopt;
  return tune_compares(t) || t->kernel->verify == AUTOTUNE_VERIFY_OFF ||
      (m && (m->origin == ORIGIN_HERE || m->origin == ORIGIN_AGREED) &&
       m->contract == t->id->contract);
}

// PLAN_CHECK: checks whether the first of the given points is right for this call. Stores
// only its object, and the summary to adopt.
static int tune_check(struct tuning *t, int fd, struct outcome *out) {
  struct candidate *c = explore_given(t);
  char *point = c ? space_describe(&t->space, c->point) : NULL;
  const char *name = point ? point : "the variant";
  struct trial trial = { .status = STATUS_PENDING };
  struct trial_plan plan = tune_once(tune_limit(t));
  bool late, differs = false;
  plan.budget = 1; // a run of less than that is repeated: the first may leave something
  if (!c) {
    SAY(out, "default: the variant that was to be checked does not exist for this call");
  } else if (!tune_can_check(t)) {
    SAY(out,
        "default: %.250s cannot be checked: there are no outputs to compare; write "
        "out(…), or verify(off) to run it unchecked",
        name);
  } else if (reverify_refuses(t, c->variant)) {
    SAY(out, "default: %.300s was revoked", name);
  } else if (!object_compile(t, c, &late)) {
    SAY(out,
        late ? "default: %.300s was not compiled in time"
             : "default: %.300s cannot be compiled",
        name);
  } else {
    tune_report(t, tune_silence(&plan));
    tune_try(t, c, &plan, &trial);
    if (trial.status != STATUS_OK)
      SAY(out, "default: %.250s: %s: %.200s", name, status_words[trial.status].name,
          trial.message);
    else if ((differs = t->plan->adopt && !imagine_agrees(t, c)))
      SAY(out, "default: %.250s: it differs on made-up data", name);
    else if (finish_link(t, c, fd, out))
      SAY(out, "checked: %.400s", name);
    if (t->plan->suspect)
      reverify_suspect(t, c, &trial);
    if (out->winner && t->plan->adopt)
      keep_adopted(t, c);
    else if (t->plan->adopt && t->plan->adopt->origin == ORIGIN_AGREED)
      candidate_failed(t, c, differs ? STATUS_WRONG : trial.status, out->why);
  }
  free(trial.samples);
  free(point);
  out->tuned = out->winner;
  return out->winner ? 0 : -1;
}

static void tell_cost(const struct tuning *t, struct outcome *out) {
  const struct shared_memory *shared = t->host->shared;
  size_t n = strlen(out->why);
  double spent = shared ? atomic_load(&shared->spent) : 0;
  if (t->plan->fraction > 0 && spent > 0)
    snprintf(out->why + n, sizeof out->why - n,
             "; for %.3g s of CPU, %.3g s spent in the kernel", out->cost, spent);
}

// True unless the call does too little to be tuned on it.
static bool tune_is_enough(const struct tuning *t, struct outcome *out) {
  bool enough = tune_seconds(t, NULL).median >= t->plan->least;
  if (!enough)
    out->verdict = VERDICT_NOTHING;
  return enough;
}

// Memory that is not freed here ends with the process.
static void tune_clean(struct tuning *t) {
  if (t->workers)
    t->target->stop(t->workers);
  if (t->store)
    store_close(t->store);
  if (t->strategy)
    t->class->free(t->strategy);
}

int tune_run(const struct autotune_kernel *k, const struct identity *id,
             const struct call *call, const struct plan *plan, int object_fd,
             const struct tune_host *host, struct outcome *out) {
  struct identity own = *id; // with the hashes that find similar problems
  own.shape = k->n_units ? shape_of(k->units[0].text) : 0;
  own.family = k->family;
  struct tuning t = { .kernel = k,
                      .id = &own,
                      .call = call,
                      .plan = plan,
                      .best = NONE,
                      .unasked = NONE,
                      .began = sys_now(),
                      .host = host };
  int rc = -1;
  *out = (struct outcome){ .fd = -1 };
  setup_budget(&t);
  tune_report(&t, tune_silence(NULL)); // the tuner is alive
  after_begin(&t);
  throttle_start(&t);
  if (plan->loaded) {
    rc = reverify(&t, out);
  } else if (setup_tuning(&t, out) && tune_default(&t, out) && setup_search(&t, out) &&
             tune_is_enough(&t, out) && tune_may_run(&t, out)) {
    setup_store(&t);
    if (t.store && plan->least > 0)
      store_forget_times(t.store, t.id); // they are those of calls that did nothing
    bool searches = plan->kind == PLAN_SEARCH || plan->kind == PLAN_ONLINE;
    if (t.store && searches)
      store_asked(t.store, t.id, k, REFUSED_NOT, plan->why, &plan->usage);
    share_phase(&t, PHASE_SEARCH, "");
    if (searches || plan->kind == PLAN_RACE)
      setup_hints(&t);
    if (searches)
      roof_setup(&t);
    if (plan->kind != PLAN_CHECK)
      explore(&t);
    rc = plan->kind == PLAN_CHECK ? tune_check(&t, object_fd, out)
                                  : finish_tuning(&t, object_fd, out);
    out->original = tune_seconds(&t, NULL).median;
    share_phase(&t, PHASE_ENDED, out->why);
  }
  out->cost = throttle_count(&t);
  tell_cost(&t, out);
  tune_clean(&t);
  return rc;
}
