// SPDX-License-Identifier: Apache-2.0
// strict.c: the tuner's side of a comparison of two strict builds.
#include <stdlib.h>
#include <string.h>

#include "sandbox.h"

enum { REFERENCE = 1, OTHER }; // tickets, in a worker of its own

int worker_strict(struct worker_pool *w, const struct strict_pair *pair,
                  const struct trial_plan *plan, struct trial *out) {
  struct command first = { pair->written ? TICKET_WRITTEN : REFERENCE,
                           pair->reference_size, .plan = *plan,
                           .measures = MEASURE_STRICT_REFERENCE };
  struct command second = { OTHER, pair->size, .plan = *plan,
                            .measures = MEASURE_STRICT };
  *out = (struct trial){ .status = STATUS_PENDING };
  if (!worker_can_repeat(w)) {
    snprintf(out->message, sizeof out->message, "what it writes cannot be put back");
    return 0;
  }
  worker_end(w);
  int rc = worker_trial(w, &first, pair->reference, out);
  bool repeats = rc == 0 && out->status == STATUS_OK;
  free(out->samples);
  out->samples = NULL;
  if (repeats)
    rc = worker_trial(w, &second, pair->object, out);
  free(out->samples);
  out->samples = NULL;
  out->n_samples = 0;
  if (!repeats || (out->status != STATUS_OK && out->status != STATUS_WRONG))
    out->status = STATUS_PENDING;
  worker_end(w);
  return rc;
}
