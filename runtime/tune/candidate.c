// SPDX-License-Identifier: Apache-2.0
// candidate.c: the variants of one tuning, from the proposal to the result: in the store,
// in the counts and for the strategy.
#include <stdlib.h>
#include <string.h>

#include "model/value.h"
#include "model/variant.h"
#include "tune.h"

struct candidate *candidate_add(struct tuning *t, const choice *point) {
  if (t->n == t->capacity) {
    unsigned capacity = t->capacity ? 2 * t->capacity : 64;
    struct candidate *more = sys_realloc(t->candidates, capacity * sizeof *more);
    if (!more)
      return NULL;
    t->candidates = more;
    t->capacity = capacity;
  }
  size_t size = t->kernel->n_params * sizeof *point;
  struct candidate *c = &t->candidates[t->n];
  *c = (struct candidate){ .point = sys_malloc(size),
                           .status = STATUS_PENDING,
                           .condemned = NONE };
  for (unsigned r = 0; r < PRUNE_RULES; r++)
    c->sibling[r] = NONE;
  features_clear(&c->features);
  c->values = space_values(t->kernel, point);
  c->unasked = NONE;
  if (!c->point || !c->values) {
    free(c->point);
    free(c->values);
    return NULL;
  }
  memcpy(c->point, point, size);
  t->n++;
  return c;
}

struct candidate *candidate_add_body(struct tuning *t, const choice *point, char *body,
                                     unsigned number) {
  struct candidate *c = candidate_add(t, point);
  char *values = c ? variant_values(t->kernel, point, variant_body_hash(body)) : NULL;
  if (!values) {
    t->n -= c != NULL;
    free(body);
    return NULL;
  }
  free(c->values);
  c->values = values;
  c->body = body;
  c->body_number = number;
  return c;
}

struct candidate *candidate_give(struct tuning *t, const choice *point,
                                 const char *from) {
  struct candidate *c = candidate_add(t, point);
  if (c) {
    c->from = sys_strdup(from);
    c->unasked = t->unasked;
    t->unasked = (int)(c - t->candidates);
  }
  return c;
}

bool candidate_given(const struct tuning *t, const choice *point) {
  for (int i = t->unasked; i != NONE; i = t->candidates[i].unasked)
    if (space_equal(&t->space, t->candidates[i].point, point))
      return true;
  return false;
}

bool candidate_identify(const struct tuning *t, struct candidate *c) {
  const char *name = variant_compiler(t->kernel, c->point);
  const struct backend *backend = backend_find(name);
  const char *version = backend ? backend->version(name) : NULL;
  c->compiler = version ? version : name;
  c->maker = backend && backend->built_in ? MAKER_BUILT_IN : MAKER_PROGRAM;
  c->variant = identity_variant(t->kernel, c->point, c->values, c->compiler);
  return c->variant != 0;
}

struct record candidate_record(const struct candidate *c) {
  return (struct record){ .variant = c->variant,
                          .values = c->values,
                          .compiler = c->compiler,
                          .maker = c->maker,
                          .status = c->status,
                          .message = "",
                          .compile_seconds = c->compile_seconds,
                          .verify_seconds = c->verify_seconds,
                          .time_seconds = c->time_seconds,
                          .features = &c->features,
                          .features_size = sizeof c->features };
}

struct estimate candidate_measured(const struct candidate *c) {
  return stats_scaled(c->e, c->slowdown > 0 ? c->slowdown : 1);
}

// ---- what came of a variant ---------------------------------------------------------

void candidate_find_best(struct tuning *t) {
  t->best = NONE;
  for (unsigned i = 0; i < t->n; i++) {
    const struct candidate *c = &t->candidates[i];
    if (c->done && c->status == STATUS_OK && c->e.n > 0 &&
        (t->best == NONE || c->e.median < t->candidates[t->best].e.median))
      t->best = (int)i;
  }
}

void candidate_note(struct tuning *t, struct candidate *c, const char *why) {
  int i = (int)(c - t->candidates);
  t->summary.tried += !c->done && c->status != STATUS_DROPPED;
  c->done = true;
  t->summary.failed[c->status] += c->status != STATUS_OK;
  if (c->status == STATUS_OK &&
      (t->best == NONE || c->e.median < t->candidates[t->best].e.median))
    t->best = i;
  struct estimate best = tune_best(t);
  if (!c->body)
    prune_relate(t->candidates, t->n, t->kernel->n_params, (unsigned)i);
  prune_learn(&t->pruning, t->candidates, c, best);
  struct observation observation = { .status = c->status,
                                     .features = &c->features,
                                     .cost = c->status == STATUS_OK ? c->e.median
                                         : c->status == STATUS_DROPPED
                                         ? prune_guess(t->candidates, c, best)
                                         : 0,
                                     .measured = c->e,
                                     .why = why,
                                     .body = c->body_number };
  (c->body ? t->class->tell_body : t->class->tell)(t->strategy, c->point, &observation);
}

// Frees the objects of variants that cannot win any more.
static void drop_losers(struct tuning *t) {
  struct estimate best = tune_best(t);
  double lost = t->online ? 2 : 1.3; // online real calls decide, not the sandbox
  for (unsigned i = 0; i < t->n; i++) {
    struct candidate *c = &t->candidates[i];
    if (c->done && c->object.data && !c->offered &&
        (c->status != STATUS_OK || c->e.low > lost * best.high))
      object_free(&c->object);
  }
}

static void candidate_tell(const struct tuning *t, const struct candidate *c,
                           const char *message) {
  if (!log_enabled(AUTOTUNE_DEBUG))
    return;
  char *point = c->body ? value_line(c->values) : space_describe(&t->space, c->point),
       *code = features_describe(&c->features);
  const char *sep = c->from && *c->from ? "  from " : "", *from = c->from ? c->from : "";
  if (c->status == STATUS_OK)
    log_message(AUTOTUNE_DEBUG, "%6.2f s  %s: %.4g %s (%u samples)  %s (%s)%s%s",
                sys_now() - t->began, t->kernel->name, candidate_measured(c).median,
                objective_get(t->id->objective)->unit(0)->name, c->e.n,
                point ? point : "", code ? code : "?", sep, from);
  else
    log_message(AUTOTUNE_DEBUG, "%6.2f s  %s: %s: %.200s  %s%s%s", sys_now() - t->began,
                t->kernel->name, status_words[c->status].name, message,
                point ? point : "", sep, from);
  free(point);
  free(code);
}

void candidate_keep_refusal(struct tuning *t, enum status status, const char *message) {
  if (status == STATUS_COMPILE && message && !t->compiler_text[0])
    snprintf(t->compiler_text, sizeof t->compiler_text, "%.*s",
             (int)strcspn(message, "\n"), message);
}

void candidate_settle(struct tuning *t, struct candidate *c, const struct trial *trial,
                      double compile_seconds) {
  c->compile_seconds = compile_seconds;
  c->verify_seconds = trial->verify_seconds;
  c->time_seconds = trial->time_seconds;
  c->slowdown = trial->slowdown;
  c->status = trial->status;
  struct record r = candidate_record(c);
  r.message = trial->message;
  candidate_keep_refusal(t, c->status, trial->message);
  r.samples = trial->samples; // before they are sorted
  r.n_samples = trial->n_samples;
  r.slowdown = trial->slowdown;
  r.part = c->part;
  if (t->store)
    store_finish(t->store, t->id, &r);
  bool tried = c->status != STATUS_DROPPED &&
      (trial->n_samples > 0 || trial->verify_seconds > 0 || compile_seconds > 0);
  if (t->store && !t->further && kernel_when_hot(t->kernel) && tried)
    earlier_further(t->kernel); // the next run goes on from here
  t->further = t->further || tried;
  c->samples = trial->samples;
  c->n_samples = trial->n_samples;
  double part = c->part > 0 ? c->part : 1;
  c->e = stats_scaled(stats_median(c->samples, c->n_samples),
                      1 / (part * (c->slowdown > 0 ? c->slowdown : 1)));
  c->run_seconds = trial->run_seconds / part;
  candidate_note(t, c, trial->message);
  drop_losers(t);
  candidate_tell(t, c, trial->message);
}

void candidate_failed(struct tuning *t, const struct candidate *c, enum status status,
                      const char *why) {
  struct record r = candidate_record(c);
  bool failed = status == STATUS_WRONG || status == STATUS_CRASH || status == STATUS_EXIT;
  r.status = status;
  r.message = why;
  if (t->store && failed)
    store_finish(t->store, t->id, &r);
}

// A record that ends without samples does not keep other processes from trying it.
void candidate_abandon(struct tuning *t) {
  for (unsigned i = 0; i < t->n; i++) {
    struct candidate *c = &t->candidates[i];
    struct record r = candidate_record(c);
    r.status = STATUS_OK;
    if (t->store && c->begun && !c->done)
      store_finish(t->store, t->id, &r);
  }
}
