// SPDX-License-Identifier: Apache-2.0
// outside.c: variants whose bodies a program of the user's has written. They are tried as
// any other, and besides
//   - they may only call what the kernel calls, and keep nothing from call to call;
//   - they are never tried in the program's own calls, and run in no program before the
//     tuning has ended;
//   - they cannot win unless they were right, and fast, on other data than this call's.
#include <math.h>
#include <stdlib.h>

#include "model/variant.h"
#include "tune.h"

const char *outside_no_bodies(const struct tuning *t) {
  choice point[MAX_PARAMS];
  double flops, bytes;
  bool verified, has = space_first(&t->space, point);
  t->target->call(t->workers, &flops, &bytes, &verified);
  return !verified          ? "no bodies are taken: outputs are not compared"
      : !t->target->imagine ? "no bodies are taken: there is no made-up data here"
      : t->online           ? "no bodies are taken in mode online"
      : !has || !variant_takes_bodies(t->kernel, point)
      ? "no bodies are taken: they are for kernels in C without alternatives"
      : NULL;
}

struct candidate *outside_asked(struct tuning *t, const choice *point) {
  unsigned number;
  char *body = t->class->body_asked ? t->class->body_asked(t->strategy, &number) : NULL;
  return body ? candidate_add_body(t, point, body, number) : NULL;
}

struct candidate *outside_earlier(struct tuning *t) {
  struct summary m;
  choice point[MAX_PARAMS];
  struct candidate *c = NULL;
  if (t->earlier || t->plan->kind != PLAN_RACE || !t->store)
    return NULL;
  t->earlier = true;
  if (!store_winner(t->store, t->id, &m, NULL))
    return NULL;
  const char *values = variant_without_body(m.values);
  char *body = values && identity_point(t->kernel, values, point) &&
          space_allows(&t->space, point) && !outside_no_bodies(t)
      ? sys_strdup(m.body)
      : NULL;
  if (body && (c = candidate_add_body(t, point, body, 0)) &&
      (!candidate_identify(t, c) || c->variant != m.winner))
    c = NULL;
  store_summary_free(&m);
  return c;
}

bool outside_waits(struct tuning *t) {
  bool idle = t->in_flight == 0;
  if (!t->class->waits || t->plan->kind == PLAN_RACE || tune_asked(t) >= t->max_variants)
    return false;
  if (idle)
    part_settle_held(t); // the next point may depend on them
  tune_report(t, tune_silence(NULL));
  return t->class->waits(t->strategy, idle ? t->online ? 0.001 : 0.1 : 0);
}

void outside_look(const struct tuning *t, const struct candidate *c,
                  struct compiled *compiled) {
  struct object *o = &compiled->object;
  char *why = c->body && compiled->status == 0
      ? outside_refuses(t->kernel, c->point, o->data, o->size)
      : NULL;
  if (!why)
    return;
  double seconds = o->seconds;
  object_free(o);
  *o = (struct object){ .message = why, .seconds = seconds };
  compiled->status = -1;
}

// True if C is fast for this call's data only: it may know them and their answers. There
// it was timed in a few runs only, so it must be twice as fast here, and hardly faster
// there. A run of the default may have been disturbed, so it counts as no slower than
// here.
static bool outside_knows_data(const struct tuning *t, const struct candidate *c) {
  const double shortest = 20e-6; // seconds of a run that one run can tell
  double usual = fmin(c->made_up_original, t->original.median),
         here = c->e.median / t->original.median;
  return objective_get(t->id->objective)->is_seconds && here < 0.5 && usual > shortest &&
      c->made_up_seconds > fmax(sqrt(here), 0.25) * usual;
}

bool outside_may_win(const struct tuning *t, const struct candidate *c) {
  const char *why = !c->body     ? NULL
      : c->made_up == 0          ? "there was no other data to compare it on"
      : outside_knows_data(t, c) ? "it is so fast for this call's data only"
                                 : NULL;
  if (why)
    log_once_of(AUTOTUNE_WARN, t->kernel->name, why,
                "%s: a body from outside was faster, and cannot win: %s", t->kernel->name,
                why);
  return !why;
}
