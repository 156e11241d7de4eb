// SPDX-License-Identifier: Apache-2.0
// reference.c: in the tuner: what the default variant makes of the call. It fills the
// reference outputs, must repeat them, and shows how far rounding moves them.
#include <stdlib.h>

#include "sandbox.h"

static const double quick = 0.25; // seconds

// Runs the default once more and only once, in a worker of its own, with a pattern in its
// workspaces if SCRATCH.
static int worker_repeat(struct worker_pool *w, const struct trial_plan *plan,
                         bool scratch, struct trial *out) {
  struct command c = {
    .reference = true, .repeat = true, .scratch = scratch, .plan = *plan
  };
  c.plan.max_samples = c.plan.min_samples = 1;
  c.plan.budget = 0;
  int rc = worker_trial(w, &c, NULL, out);
  free(out->samples);
  out->samples = NULL;
  worker_end(w);
  return rc;
}

// Writes into OUT that the default reads what was in its workspaces, unless it does not
// repeat itself anyway. PATTERN: its run with a pattern there, which failed.
static int worker_blame_scratch(struct worker_pool *w, const struct trial_plan *plan,
                                const struct trial *pattern, struct trial *out) {
  struct trial again;
  char names[96];
  int rc = worker_repeat(w, plan, false, &again);
  if (rc != 0 || again.status != STATUS_OK) {
    out->status = again.status;
    snprintf(out->message, sizeof out->message, "%s", again.message);
    return rc;
  }
  out->status = STATUS_WRONG;
  out->n_samples = 0; // so that it is no matter of two runs that differ
  snprintf(out->message, sizeof out->message,
           "%s is declared scratch, but the kernel reads what was in it (%.120s)",
           kernel_scratch_names(worker_kernel(w), names, sizeof names), pattern->message);
  return 0;
}

// Has a worker of its own measure rounding by C. What it cannot measure, because the run
// crashes or does not end, stays unknown.
static int worker_measure(struct worker_pool *w, const struct command *c,
                          const void *object, struct trial *out) {
  worker_end(w);
  int rc = worker_trial(w, c, object, out);
  worker_end(w);
  return worker_is_lost(w) ? rc : 0;
}

// Returns PLAN for one run of the default more, which took SECONDS.
static struct trial_plan worker_once(const struct trial_plan *plan, double seconds) {
  double limit = 1 + 20 * seconds;
  return (struct trial_plan){ .objective = plan->objective,
                              .limit = limit < plan->limit ? limit : plan->limit,
                              .min_samples = 1,
                              .max_samples = 1 };
}

int worker_written(struct worker_pool *w, const void *object, size_t size,
                   const struct trial_plan *plan, struct trial *out) {
  struct command c = { TICKET_WRITTEN, size, .plan = *plan, .measures = MEASURE_WRITTEN };
  int rc = worker_measure(w, &c, object, out);
  return rc == 0 && !worker_seal(w, false) ? -1 : rc;
}

// Carries out C, the run of the default that others are compared with. Where that starts
// threads, for which the C library allocates, it runs once more after these have started.
static int worker_default(struct worker_pool *w, const struct command *c,
                          struct trial *out) {
  int rc = worker_trial(w, c, NULL, out);
  if (rc != 0 || !worker_grew(w))
    return rc;
  free(out->samples);
  worker_end(w);
  return worker_trial(w, c, NULL, out);
}

// Measures rounding after the run OUT of the default: of its outputs, and of what else it
// changes, which may be all that there is.
static int worker_move(struct worker_pool *w, const struct trial_plan *plan,
                       const struct trial *out) {
  const struct autotune_kernel *k = worker_kernel(w);
  const bool unnamed = out->unwatched &&
      verify_needs_scale(verify_allowed(k, AUTOTUNE_F64));
  const struct {
    enum measure_of what;
    bool wanted;
  } list[] = { { MEASURE_NUDGED, outputs_need_scale(k) || unnamed },
               { MEASURE_UP,
                 unnamed || (outputs_need_scale(k) && out->run_seconds < quick) },
               { MEASURE_DOWN, unnamed && out->run_seconds < quick } };
  int rc = 0;
  for (size_t i = 0; i < sizeof list / sizeof *list && rc == 0; i++) {
    struct command c = { .plan = worker_once(plan, out->run_seconds),
                         .measures = list[i].what };
    struct trial trial = { .samples = NULL };
    rc = list[i].wanted ? worker_measure(w, &c, NULL, &trial) : 0;
    free(trial.samples);
  }
  return rc;
}

int worker_rounding(struct worker_pool *w, const struct trial_plan *plan,
                    double seconds) {
  const struct trial reference = { .run_seconds = seconds };
  int rc = worker_move(w, plan, &reference);
  return rc == 0 && !worker_seal(w, false) ? -1 : rc;
}

int worker_reference(struct worker_pool *w, const struct trial_plan *plan,
                     struct trial *out) {
  const struct autotune_kernel *k = worker_kernel(w);
  struct command c = { .reference = true, .plan = *plan };
  c.plan.verify = true; // it must repeat itself
  int rc = worker_default(w, &c, out);
  worker_end(w); // it could write to the copies that the others will be compared with
  struct trial trial;
  if (rc == 0 && out->status == STATUS_OK && out->unwatched) {
    rc = worker_repeat(w, &c.plan, false, &trial);
    snprintf(out->note, sizeof out->note, "%s", trial.note);
  }
  if (rc == 0 && kernel_has_scratch(k)) {
    rc = worker_repeat(w, &c.plan, true, &trial);
    if (rc == 0 && trial.status != STATUS_OK)
      rc = worker_blame_scratch(w, &c.plan, &trial, out);
  }
  out->unmeasured = plan->defer && outputs_need_scale(k) && !out->unwatched &&
      out->run_seconds >= quick;
  if (rc == 0 && out->status == STATUS_OK && !out->unmeasured)
    rc = worker_move(w, plan, out);
  if (rc == 0 && !worker_seal(w, out->unmeasured))
    rc = -1;
  if (!worker_can_repeat(w))
    *worker_sets(w) = 0; // nothing can be put back, or compared
  return rc;
}
