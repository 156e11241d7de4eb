// SPDX-License-Identifier: Apache-2.0
// written.c: the kernel as written, made by the compiler of the variants. The default is
// made by the program's compiler, with the program's flags; a variant that only fuses a
// multiplication and an addition has other digits. This difference is no variant's fault,
// so it is measured before any variant is judged. At the end it is timed against the
// winner: a gain over the default may be no more than that of the variants' flags.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "model/variant.h"
#include "run/outputs.h"
#include "tune.h"

static const uint64_t written_ticket = UINT64_MAX; // of the compilation

// True if the compiler crashed on it in an earlier tuner.
static bool written_is_suspect(const struct tuning *t, uint64_t mark) {
  for (unsigned i = 0; i < t->host->n_suspects; i++)
    if (t->host->suspects[i] == mark)
      return true;
  return false;
}

// Compiles the kernel as written. OUT->data NULL: it cannot be compiled.
static void written_compile(struct tuning *t, struct object *out) {
  char *text = variant_text(t->kernel, NULL);
  uint64_t mark = text ? XXH3_64bits(text, strlen(text)) | 1 : 1;
  struct compiled got = { 0 };
  free(text);
  if (!written_is_suspect(t, mark))
    object_compile_alone(t, NULL, written_ticket, mark, &got);
  if (got.ticket && got.status != 0) {
    log_message(AUTOTUNE_DEBUG, "%s: as written it does not compile on its own: %.200s",
                t->kernel->name, got.object.message ? got.object.message : "");
    object_free(&got.object);
  }
  *out = got.object;
}

// True if an output of K is compared with a tolerance that is measured. Without sections
// these are all that it changes.
static bool written_is_compared(const struct autotune_kernel *k) {
  return outputs_need_scale(k) ||
      (!kernel_has_sections(k) && verify_needs_scale(verify_allowed(k, AUTOTUNE_F32)));
}

bool written_matters(const struct tuning *t) {
  return t->target->written && variant_has_written(t->kernel) &&
      written_is_compared(t->kernel);
}

// True if the kernel as written can be timed like a variant.
static bool written_may_be_timed(const struct tuning *t) {
  return t->target->times_written && variant_has_written(t->kernel) &&
      t->plan->kind != PLAN_CHECK;
}

bool written_measure(struct tuning *t) {
  const struct autotune_kernel *k = t->kernel;
  double seconds = t->original_seconds;
  struct trial_plan plan = { .objective = t->id->objective,
                             .limit = 1 + 20 * seconds,
                             .min_samples = 1,
                             .max_samples = 1 };
  struct object object = { 0 };
  struct trial trial = { 0 };
  if (!t->pool || !(written_matters(t) || written_may_be_timed(t)))
    return true;
  if (t->as_written.data)
    object = t->as_written;
  else
    written_compile(t, &object);
  if (written_may_be_timed(t))
    t->as_written = object;
  if (!object.data || !written_matters(t) || t->unmeasured)
    return !role_stopping();
  tune_report(t, tune_silence(&plan));
  int rc = t->target->written(t->workers, object.data, object.size, &plan, &trial);
  if (trial.note[0])
    log_message(AUTOTUNE_INFO,
                "%s: made by the compiler of the variants, the kernel as written already "
                "differs (%s); where that is rounding, variants may differ as much",
                k->name, trial.note);
  free(trial.samples);
  if (!t->as_written.data)
    object_free(&object);
  return rc == 0;
}

// ---- its time -----------------------------------------------------------------------

enum { WRITTEN_SAMPLES = 12 };
static const double written_share = 0.05; // of the budget
static const double clearly_slower = 0.9; // less than this

struct written_side {
  struct candidate *candidate; // NULL: the kernel as written
  double samples[WRITTEN_SAMPLES];
  unsigned n;
};

// Adds samples to SIDE. False: it failed.
static bool written_run(struct tuning *t, struct written_side *side, double seconds) {
  unsigned n = seconds > 0.03 ? 1 : 3;
  struct trial_plan plan = { .objective = t->id->objective,
                             .limit = 1 + 20 * t->original_seconds,
                             .budget = 0.1 + 4 * seconds,
                             .min_samples = n,
                             .max_samples = n,
                             .verify = side->n == 0 };
  struct trial trial = { .status = STATUS_PENDING };
  tune_report(t, tune_silence(&plan));
  if (side->candidate)
    tune_try(t, side->candidate, &plan, &trial);
  else if (t->target->try(t->workers, TICKET_WRITTEN, t->as_written.data,
                          t->as_written.size, &plan, &trial) != 0)
    t->lost = true;
  t->summary.time_seconds += trial.time_seconds;
  for (unsigned i = 0; i < trial.n_samples && side->n < WRITTEN_SAMPLES; i++)
    side->samples[side->n++] = trial.samples[i];
  free(trial.samples);
  return !t->lost && trial.status == STATUS_OK && side->n > 0;
}

// True if K has directives, and the variants never omit all of them.
static bool written_lacks(const struct autotune_kernel *k) {
  bool directives = false;
  for (unsigned p = 0; p < k->n_params; p++) {
    if (strcmp(k->params[p].name, "directives") == 0)
      return false;
    directives |= strchr(k->params[p].name, '@') != NULL;
  }
  return directives;
}

void written_time(struct tuning *t, int winner) {
  struct written_side written = { .candidate = NULL }, best = { .candidate = NULL };
  double now = sys_now(), end = now + written_share * t->budget;
  if (winner != NONE && t->unmeasured && !t->hurried && !role_stopping())
    written_measure(t); // only makes it
  if (winner == NONE || t->live ||
      2 * t->original_seconds > fmax(t->deadline, end) - now || !t->as_written.data)
    return;
  best.candidate = &t->candidates[winner];
  do {
    throttle_keep(t);
    if (role_stopping() || !written_run(t, &written, t->original_seconds) ||
        !written_run(t, &best, t->original_seconds))
      return;
  } while (sys_now() < end && written.n < WRITTEN_SAMPLES);
  double ratio = stats_median(written.samples, written.n).median /
      stats_median(best.samples, best.n).median;
  if (!isfinite(ratio) || ratio <= 0)
    return;
  t->summary.as_written = ratio * t->summary.best.median;
  if (ratio < clearly_slower && written_lacks(t->kernel))
    log_once_of(
        AUTOTUNE_WARN, t->kernel->name, "as-written",
        "%s: without its directives and with the same flags the kernel takes %.2g "
        "of the winner's time: with `#pragma autotune kernel optional …` that can "
        "win",
        t->kernel->name, ratio);
}
