// SPDX-License-Identifier: Apache-2.0
// written.c: the kernel as written, made by the compiler of the variants. The default is
// made by the program's compiler, with the program's flags; a variant that only fuses a
// multiplication and an addition has other digits. This difference is no variant's fault,
// so it is measured before any variant is judged.
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
  bool waiting = !written_is_suspect(t, mark) &&
      pool_submit(t->pool, NULL, written_ticket, mark) == 0;
  free(text);
  while (waiting && !role_stopping()) {
    tune_report(t, tune_silence(NULL));
    waiting = !pool_take(t->pool, &got, 0.25);
  }
  t->summary.compile_seconds += got.object.seconds;
  if (got.ticket && got.status != 0) {
    log_message(AUTOTUNE_DEBUG, "%s: as written it does not compile on its own: %.200s",
                t->kernel->name, got.object.message ? got.object.message : "");
    object_free(&got.object);
  }
  *out = got.object;
}

// True if an output of K is compared with a tolerance that is measured. Without sections
// a launched kernel's are the memory that its arguments lead to.
static bool written_is_compared(const struct autotune_kernel *k) {
  return outputs_need_scale(k) ||
      (kernel_is_launched(k) && !kernel_has_sections(k) &&
       verify_needs_scale(verify_allowed(k, AUTOTUNE_F32)));
}

bool written_matters(const struct tuning *t) {
  return t->target->written && variant_has_written(t->kernel) &&
      written_is_compared(t->kernel);
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
  if (!t->pool || !written_matters(t))
    return true;
  written_compile(t, &object);
  if (!object.data)
    return !role_stopping();
  tune_report(t, tune_silence(&plan));
  int rc = t->target->written(t->workers, object.data, object.size, &plan, &trial);
  if (trial.note[0])
    log_message(AUTOTUNE_INFO,
                "%s: made by the compiler of the variants, the kernel as written already "
                "differs (%s); where that is rounding, variants may differ as much",
                k->name, trial.note);
  free(trial.samples);
  object_free(&object);
  return rc == 0;
}
