// SPDX-License-Identifier: Apache-2.0
// part.c: compares variants by parts of a run, where a whole run takes long. In such a
// trial the kernel's outermost loops do only their first iterations, in the order of the
// source (translator/front/loops/cut.c). So all variants do the same work, and their
// times compare them. The outputs of such a trial are not compared with the default's:
// only those of whole runs are.
//
// The best of the first few variants, and each one that seems to be better, is also run
// as a whole: others are ended by its time, so it must be right. The factor between its
// part and its whole run makes estimates of whole runs from the times of parts. If a part
// is hardly shorter than a whole run, for example because an outermost loop has few
// iterations, all later trials are whole runs. So are they once a good variant's whole
// run takes no longer than the samples of a part.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/variant.h"
#include "run/measure.h"
#include "tune.h"

static const double longest = 0.2; // seconds of the default that are no reason for parts
static const double wanted = 0.05; // seconds of the default's part
static const double better = 0.9;  // of the best's part: it may be the new best
static const double worthwhile = 0.5; // a part that takes more than that of a run is none
static const double shortest = 0.02;  // seconds of all samples of a part, at least
static const double started = 0.2;    // seconds that a new worker may cost
static const double far = 1.5;        // finalists may seem so much slower than the best
enum { LARGEST = 1 << 20, FEWEST = 3 /* variants: they are run as a whole */ };

void part_setup(struct tuning *t) {
  double seconds = tune_seconds(t, NULL).median;
  bool can = t->plan->kind == PLAN_SEARCH && !t->online && t->plan->team < 2 &&
      t->expected > FEWEST && objective_get(t->id->objective)->is_seconds &&
      variant_has_parts(t->kernel);
  if (can && seconds > longest)
    t->part.divisor = (unsigned)fmin(ceil(seconds / wanted), LARGEST);
}

unsigned part_of(const struct tuning *t, const struct candidate *c) {
  bool elsewhere = c->from && *c->from; // what was good there is verified at once
  return elsewhere || c->body ? 0 : t->part.divisor;
}

double part_seconds(const struct tuning *t) {
  double whole = tune_seconds(t, NULL).median;
  return t->part.divisor ? whole / t->part.divisor : whole;
}

static double part_cost(const struct trial *trial) {
  double sorted[MEASURE_MAX];
  unsigned n = trial->n_samples < MEASURE_MAX ? trial->n_samples : MEASURE_MAX;
  memcpy(sorted, trial->samples, n * sizeof *sorted);
  return stats_median(sorted, n).median;
}

static bool part_is_right(const struct trial *trial) {
  return trial->status == STATUS_OK && trial->n_samples > 0;
}

static double held_cost(const struct held *h) {
  return part_is_right(&h->trial) ? part_cost(&h->trial) : INFINITY;
}

// Returns the least seconds of the parts that are held; 0: there are none.
static double part_held_best(const struct part *p) {
  double least = INFINITY;
  for (unsigned i = 0; i < p->n_held; i++)
    least = fmin(least, held_cost(&p->held[i]));
  return isfinite(least) ? least : 0;
}

struct trial_plan part_plan(const struct tuning *t) {
  const struct part *p = &t->part;
  double best = p->ratio > 0 ? p->ratio * tune_best_seconds(t).high : part_held_best(p);
  double lost = t->plan->background ? fmax(5 * best, best + 0.5) // as in explore_limit
                                    : fmax(2 * best, best + started);
  return (struct trial_plan){
    .limit = best > 0 ? fmin(lost, tune_limit(t)) : tune_limit(t),
    .budget = fmax(2 * best, shortest),
    .stop_above = 1.05 * best,
    .min_samples = 1,
    .max_samples = 5,
    .precision = 0.02,
    .part = true,
  };
}

// ---- whole runs ---------------------------------------------------------------------

// Compiles C as a whole. OUT: what came of it; STATUS_OK: C has its object.
static void part_compile(struct tuning *t, struct candidate *c, struct trial *out) {
  uint64_t ticket = (uint64_t)(c - t->candidates) + 1;
  struct compiled got;
  object_compile_alone(t, c, ticket, c->variant, &got);
  c->in_part = false;
  c->compile_seconds += got.object.seconds;
  *out = (struct trial){ .status = got.ticket != ticket ? STATUS_PENDING
                             : got.status == 0          ? STATUS_OK
                                                        : STATUS_COMPILE };
  if (out->status == STATUS_OK) {
    c->object = got.object;
    return;
  }
  snprintf(out->message, sizeof out->message, "%s",
           got.object.message ? got.object.message : "no message");
  object_free(&got.object);
}

// Runs C as a whole. STATUS_PENDING: the workers are lost, or we are to stop.
static void part_try_whole(struct tuning *t, struct candidate *c, struct trial *out) {
  struct trial_plan plan = tune_once(tune_limit(t));
  plan.budget = shortest;
  part_compile(t, c, out);
  if (out->status != STATUS_OK)
    return;
  tune_report(t, tune_silence(&plan));
  pool_pause(t->pool, t->quiet);
  tune_try(t, c, &plan, out);
  pool_pause(t->pool, false);
  t->summary.time_seconds += out->time_seconds;
  t->summary.verify_seconds += out->verify_seconds;
}

// Notes what came of a whole run of C, in place of PART.
static void part_settle_whole(struct tuning *t, struct candidate *c, struct trial *whole,
                              struct trial *part) {
  free(part->samples);
  *part = (struct trial){ .status = STATUS_PENDING };
  c->part = 0;
  if (whole->status != STATUS_PENDING)
    candidate_settle(t, c, whole, c->compile_seconds);
  else
    c->done = !role_stopping(); // as in explore_try
}

// Estimates what was tried in part by the factor RATIO from now on. What is known from
// elsewhere has a factor of its own, and no samples here.
static void part_rescale(struct tuning *t, double ratio) {
  for (unsigned i = 0; i < t->n; i++) {
    struct candidate *c = &t->candidates[i];
    if (c->part <= 0 || !c->samples)
      continue;
    c->e = stats_scaled(c->e, c->part / ratio);
    c->run_seconds *= c->part / ratio;
    c->part = ratio;
  }
  t->part.ratio = ratio;
  candidate_find_best(t);
}

// Runs C, a part of which was tried as PART says, as a whole, and settles that.
static void part_run_whole(struct tuning *t, struct candidate *c, struct trial *part) {
  struct trial whole;
  double cost = part_cost(part);
  part_try_whole(t, c, &whole);
  if (part_is_right(&whole)) {
    part_rescale(t, cost / part_cost(&whole));
    t->part.best = cost;
  }
  part_settle_whole(t, c, &whole, part);
}

// ---- the first ones -----------------------------------------------------------------

// Runs the best of those held as a whole, or the next one if that is wrong.
static void part_measure(struct tuning *t) {
  struct part *p = &t->part;
  while (p->ratio <= 0 && !t->lost && !t->hurried && !role_stopping()) {
    struct held *best = &p->held[0];
    for (unsigned j = 1; j < p->n_held; j++)
      if (held_cost(&p->held[j]) < held_cost(best))
        best = &p->held[j];
    if (isinf(held_cost(best)))
      return;
    part_run_whole(t, &t->candidates[best->candidate], &best->trial);
  }
}

static void part_stop(struct tuning *t, const char *why) {
  t->part.divisor = 0;
  log_message(AUTOTUNE_DEBUG, "%s: %s: whole runs go on", t->kernel->name, why);
}

// Ends the parts if they save nothing.
static void part_judge(struct tuning *t) {
  double ratio = t->part.ratio, best = tune_best_seconds(t).median;
  char text[96];
  if (ratio <= 0 || !t->part.divisor)
    return;
  snprintf(text, sizeof text, "a part takes %.3g of a run", ratio);
  if (ratio > worthwhile)
    return part_stop(t, text);
  log_message(AUTOTUNE_DEBUG, "%s: %s", t->kernel->name, text);
  if (best <= shortest) {
    snprintf(text, sizeof text, "the best takes %.3g ms as a whole", 1e3 * best);
    part_stop(t, text);
  }
}

void part_settle_held(struct tuning *t) {
  struct part *p = &t->part;
  if (p->n_held == 0)
    return;
  part_measure(t);
  for (unsigned i = 0; i < p->n_held; i++) {
    struct candidate *c = &t->candidates[p->held[i].candidate];
    struct trial *trial = &p->held[i].trial;
    if (part_is_right(trial) && p->ratio > 0) {
      c->part = p->ratio;
      candidate_settle(t, c, trial, c->compile_seconds);
    } else {
      free(trial->samples); // nothing is known of a whole run
    }
  }
  p->n_held = 0;
  part_judge(t);
}

// ---- one trial ----------------------------------------------------------------------

// True if the whole run may be right although this part failed: a part may read what an
// earlier loop did not write, or the bound of a loop may be a pointer, which is found
// when it is compiled. It is no longer doubtful once some whole runs have failed as well.
static bool part_is_doubtful(const struct part *p, const struct trial *part) {
  bool ended = part->status == STATUS_TIMEOUT &&
      (p->ratio > 0 || p->n_held > 0); // by the best's time
  return part->status != STATUS_PENDING && !ended &&
      p->confirmed[part->status] < PARTS_SURE;
}

// Runs C as a whole, whose part has failed.
static void part_doubt(struct tuning *t, struct candidate *c, struct trial *part) {
  struct trial whole;
  enum status status = part->status;
  part_try_whole(t, c, &whole);
  if (part_is_right(&whole) && t->part.divisor)
    part_stop(t, "a part fails where the whole does not");
  else if (whole.status != STATUS_PENDING)
    t->part.confirmed[status]++;
  part_settle_whole(t, c, &whole, part);
}

bool part_hold(struct tuning *t, struct candidate *c, struct trial *trial) {
  struct part *p = &t->part;
  c->compile_seconds = c->object.seconds;
  object_free(&c->object); // the winner is made anew, as a whole
  if (!part_is_right(trial)) {
    bool doubtful = part_is_doubtful(p, trial);
    if (doubtful)
      part_doubt(t, c, trial);
    return doubtful;
  }
  c->part = p->ratio;
  if (p->ratio > 0 && part_cost(trial) >= better * p->best)
    return false;
  if (p->ratio > 0) { // others are ended by the best's time: it must be right
    part_run_whole(t, c, trial);
    part_judge(t);
    return true;
  }
  p->held[p->n_held++] = (struct held){ (unsigned)(c - t->candidates), *trial };
  bool late = sys_now() > (t->explore_from + t->explore_until) / 2;
  if (p->n_held == PARTS_HELD || (late && p->n_held >= PARTS_LEAST))
    part_settle_held(t);
  return true;
}

void part_order(const struct tuning *t, struct compiled *ready, unsigned n) {
  choice original[MAX_PARAMS];
  if (!t->part.divisor || !space_original(&t->space, original))
    return;
  for (unsigned i = 0; i + 1 < n; i++) {
    const struct candidate *c = &t->candidates[(ready[i].ticket & ~TICKET_PART) - 1];
    if (!space_equal(&t->space, c->point, original))
      continue;
    struct compiled written = ready[i];
    memmove(&ready[i], &ready[i + 1], (n - i - 1) * sizeof *ready);
    ready[n - 1] = written;
    return;
  }
}

// ---- the finalists ------------------------------------------------------------------

double part_margin(const struct candidate *c, double usual) {
  return c->part > 0 ? far : usual;
}
