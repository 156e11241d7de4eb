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
#include "tune.h"

static const double longest = 0.2; // seconds of the default that are no reason for parts
static const double wanted = 0.05; // seconds of the default's part
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
  t->summary.compile_seconds += got.object.seconds;
  return got.status == 0;
}

// Runs C, whose part is known as PART, as a whole. False: it is not right, or was not
// compiled.
static bool part_run_whole(struct tuning *t, struct candidate *c, struct trial *part) {
  struct trial_plan plan = tune_once(tune_limit(t));
  struct trial trial = { .status = STATUS_PENDING };
  if (!part_compile(t, c))
    return false;
  plan.budget = shortest;
  tune_report(t, tune_silence(&plan));
  pool_pause(t->pool, t->quiet);
  tune_try(t, c, &plan, &trial);
  pool_pause(t->pool, false);
  if (trial.status == STATUS_PENDING)
    return false;
  c->part = 0;
  if (trial.status == STATUS_OK && trial.n_samples)
    t->part.ratio = stats_median(part->samples, part->n_samples).median /
        stats_median(trial.samples, trial.n_samples).median;
  free(part->samples);
  *part = (struct trial){ .status = STATUS_PENDING };
  candidate_settle(t, c, &trial, c->compile_seconds);
  return trial.status == STATUS_OK;
}

static double held_cost(const struct trial *trial) {
  return trial->status == STATUS_OK && trial->n_samples ? trial->samples[0] : INFINITY;
}

// Measures the factor with the best of those held, or the next one if that is wrong.
static void part_measure(struct tuning *t) {
  struct part *p = &t->part;
  for (unsigned i = 0; i < p->n_held && p->ratio <= 0 && !t->lost; i++) {
    unsigned best = 0;
    for (unsigned j = 1; j < p->n_held; j++)
      if (held_cost(&p->held[j].trial) < held_cost(&p->held[best].trial))
        best = j;
    struct held *h = &p->held[best];
    if (isinf(held_cost(&h->trial)))
      break;
    if (!part_run_whole(t, &t->candidates[h->candidate], &h->trial) &&
        h->trial.status == STATUS_OK)
      break; // it was not compiled: the next ones would not be
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
  if (p->ratio > worthwhile || !isfinite(p->ratio))
    p->divisor = 0;
  if (p->ratio > 0)
    log_message(AUTOTUNE_DEBUG, "%s: a part takes %.3g of a run%s", t->kernel->name,
                p->ratio, p->divisor ? "" : ": whole runs go on");
}

bool part_hold(struct tuning *t, struct candidate *c, const struct trial *trial) {
  struct part *p = &t->part;
  object_free(&c->object); // the winner is made anew, as a whole
  c->part = p->ratio;
  if (p->ratio > 0 || trial->status != STATUS_OK)
    return false;
  c->compile_seconds = c->object.seconds;
  p->held[p->n_held++] = (struct held){ (unsigned)(c - t->candidates), *trial };
  if (p->n_held == PARTS_HELD)
    part_settle_held(t);
  return true;
}

// ---- the finalists ------------------------------------------------------------------

double part_margin(const struct candidate *c, double usual) {
  return c->part > 0 ? far : usual;
}
