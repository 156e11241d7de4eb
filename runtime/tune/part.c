// SPDX-License-Identifier: Apache-2.0
// part.c: compares variants by parts of a run, where a whole run takes long. In such a
// trial the kernel's outermost loops do only their first iterations, in the order of the
// source (translator/front/loops/cut.c). So all variants do the same work, and their
// times compare them. Nothing is compared with the default in such a trial: only whole
// runs are, in the final race, which takes more finalists therefore.
//
// Times of parts become estimates of whole runs by one factor. It is measured with the
// best of the first few variants, which is also run as a whole. If a part turns out to be
// hardly shorter than all of it, as where an outermost loop has few iterations, whole
// runs go on.
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
enum { LARGEST = 1 << 20 };

void part_setup(struct tuning *t) {
  double seconds = tune_seconds(t, NULL).median;
  bool can = t->plan->kind == PLAN_SEARCH && !t->online && t->plan->team < 2 &&
      objective_get(t->id->objective)->is_seconds && variant_has_parts(t->kernel);
  if (can && seconds > longest)
    t->part.divisor = (unsigned)fmin(ceil(seconds / wanted), LARGEST);
}

unsigned part_of(const struct tuning *t, const struct candidate *c) {
  return c->from ? 0 : t->part.divisor; // what was good elsewhere is verified at once
}

double part_seconds(const struct tuning *t) {
  double whole = tune_seconds(t, NULL).median;
  return t->part.divisor ? whole / t->part.divisor : whole;
}

struct trial_plan part_plan(const struct tuning *t) {
  const struct part *p = &t->part;
  double best = p->ratio > 0 ? p->ratio * tune_best_seconds(t).high : 0;
  return (struct trial_plan){
    .limit = best > 0 ? fmax(2 * best, best + started) : tune_limit(t),
    .budget = fmax(2 * best, shortest),
    .stop_above = 1.05 * best,
    .min_samples = 1,
    .max_samples = 5,
    .precision = 0.02,
    .part = true,
  };
}

// ---- the factor ---------------------------------------------------------------------

// Compiles C as a whole. False: it is not done in time.
static bool part_compile(struct tuning *t, struct candidate *c) {
  struct compiled got = { .status = -1 };
  double end = sys_now() + tune_silence(NULL);
  if (!t->part.pool && !(t->part.pool = pool_new(t->kernel, 1)))
    return false;
  bool waits = pool_submit(t->part.pool, c->point, 1, c->variant) == 0;
  while (waits && sys_now() < end && !role_stopping()) {
    tune_report(t, tune_silence(NULL));
    waits = !pool_take(t->part.pool, &got, 0.25);
  }
  free(got.point);
  if (got.status != 0)
    object_free(&got.object);
  else
    c->object = got.object;
  c->in_part = false;
  t->summary.compile_seconds += got.object.seconds;
  return got.status == 0;
}

// Estimates what was tried in part by the factor RATIO from now on.
static void part_rescale(struct tuning *t, double ratio) {
  for (unsigned i = 0; i < t->n; i++) {
    struct candidate *c = &t->candidates[i];
    if (c->part <= 0)
      continue;
    c->e = stats_scaled(c->e, c->part / ratio);
    c->run_seconds *= c->part / ratio;
    c->part = ratio;
  }
  t->part.ratio = ratio;
}

static double part_cost(const struct trial *trial) {
  double sorted[MEASURE_MAX];
  unsigned n = trial->n_samples < MEASURE_MAX ? trial->n_samples : MEASURE_MAX;
  memcpy(sorted, trial->samples, n * sizeof *sorted);
  return stats_median(sorted, n).median;
}

// Runs C, a part of which was tried as TRIAL says, as a whole, and settles that in place
// of TRIAL. False: it was not run.
static bool part_run_whole(struct tuning *t, struct candidate *c, struct trial *trial) {
  struct trial_plan plan = tune_once(tune_limit(t));
  struct trial whole = { .status = STATUS_PENDING };
  double part = part_cost(trial);
  if (!part_compile(t, c))
    return false;
  plan.budget = shortest;
  tune_report(t, tune_silence(&plan));
  pool_pause(t->pool, t->quiet);
  tune_try(t, c, &plan, &whole);
  pool_pause(t->pool, false);
  if (whole.status == STATUS_PENDING)
    return false;
  t->summary.time_seconds += whole.time_seconds;
  t->summary.verify_seconds += whole.verify_seconds;
  c->part = 0;
  if (whole.status == STATUS_OK && whole.n_samples) {
    part_rescale(t, part / part_cost(&whole));
    t->part.best = part;
  }
  free(trial->samples);
  *trial = (struct trial){ .status = STATUS_PENDING };
  candidate_settle(t, c, &whole, c->compile_seconds);
  return true;
}

static double held_cost(const struct held *h) {
  return h->trial.status == STATUS_OK ? part_cost(&h->trial) : INFINITY;
}

// Runs the best of those held as a whole, or the next one if that is wrong.
static void part_measure(struct tuning *t) {
  struct part *p = &t->part;
  for (unsigned i = 0; i < p->n_held && p->ratio <= 0 && !t->lost; i++) {
    struct held *best = &p->held[0];
    for (unsigned j = 1; j < p->n_held; j++)
      if (held_cost(&p->held[j]) < held_cost(best))
        best = &p->held[j];
    if (isinf(held_cost(best)) ||
        !part_run_whole(t, &t->candidates[best->candidate], &best->trial))
      return;
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
    if (trial->status == STATUS_OK && p->ratio > 0) {
      c->part = p->ratio;
      candidate_settle(t, c, trial, c->compile_seconds);
    } else {
      free(trial->samples); // nothing is known of a whole run
    }
  }
  p->n_held = 0;
  if (p->ratio > worthwhile)
    p->divisor = 0;
  if (p->ratio > 0)
    log_message(AUTOTUNE_DEBUG, "%s: a part takes %.3g of a run%s", t->kernel->name,
                p->ratio, p->divisor ? "" : ": whole runs go on");
}

bool part_hold(struct tuning *t, struct candidate *c, struct trial *trial) {
  struct part *p = &t->part;
  c->compile_seconds = c->object.seconds;
  object_free(&c->object); // the winner is made anew, as a whole
  if (trial->status != STATUS_OK || trial->n_samples == 0)
    return false;
  c->part = p->ratio;
  if (p->ratio > 0) // others are ended by the best's time: it must be right
    return part_cost(trial) < better * p->best && part_run_whole(t, c, trial);
  p->held[p->n_held++] = (struct held){ (unsigned)(c - t->candidates), *trial };
  if (p->n_held == PARTS_HELD)
    part_settle_held(t);
  return true;
}

// ---- the finalists ------------------------------------------------------------------

double part_margin(const struct candidate *c, double usual) {
  return c->part > 0 ? far : usual;
}
