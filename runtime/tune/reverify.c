// SPDX-License-Identifier: Apache-2.0
// reverify.c: compares a winner that a program runs with the default, on the data of one
// of its later calls. The image of the program has the winner's code, so nothing is
// compiled, unless the winner seems to be wrong: the kernel as written, by the variants'
// compiler, may then show that it is not (written.c).
//
// All rules of a trial hold: sections, changes besides them, the state that is left. A
// difference counts only where the default repeats its own results on this call, so that
// a kernel that reads the clock revokes nothing.
#include <stdlib.h>
#include <string.h>

#include "tune.h"

enum { FIRST_LOOKS = 5, OFTEN = 60 /* seconds between two rows */ };

// Opens the store, and makes none: the program may end before the check, and its user may
// remove the folder.
static void reverify_open(struct tuning *t) {
  char *message = NULL;
  t->store = store_open_within(0.99 * STORE_WAIT, &message);
  free(message);
}

static bool reverify_start(struct tuning *t, bool compiles, struct outcome *out) {
  const struct executor_wish wish = { .background = true,
                                      .team = t->plan->team,
                                      .nests = t->plan->nests,
                                      .loaded = t->plan->loaded,
                                      .prepared = compiles };
  char *why = NULL;
  t->target = target_of(t->kernel);
  if (t->plan->gentle)
    throttle_yield(NICE_TO_ALL); // its workers, too: nothing is timed
  bool ready = !compiles || !t->target->prepare || t->target->prepare(t->kernel, &why);
  t->workers = ready ? t->target->start(t->kernel, t->call, &wish, &why) : NULL;
  if (!t->plan->gentle)
    throttle_yield(NICE_TO_PROGRAM);
  if (!t->workers)
    SAY(out, "%s", why ? why : "no memory");
  free(why);
  reverify_open(t); // after the zygote was forked
  return t->workers && (!compiles || setup_pool(t, out));
}

// Returns what TRIAL, of the winner, says of it. A process that was killed or took too
// long says nothing: the machine may be short of memory or of time.
static enum verdict reverify_judge(const struct trial *trial) {
  switch (trial->status) {
  case STATUS_OK:
    return VERDICT_RIGHT;
  case STATUS_WRONG:
    return VERDICT_WRONG;
  case STATUS_EXIT:
    return VERDICT_ENDED;
  case STATUS_CRASH:
    return strncmp(trial->message, "SIGKILL", 7) == 0 ? VERDICT_NONE : VERDICT_ENDED;
  default:
    return VERDICT_NONE;
  }
}

// Runs one checked run of the winner (TICKET 1) or of the default (TICKET 0).
static enum verdict reverify_run(struct tuning *t, uint64_t ticket, struct outcome *out) {
  struct trial_plan plan = tune_once(tune_limit(t));
  struct trial trial;
  plan.objective = t->id->objective;
  tune_report(t, tune_silence(&plan));
  int rc = t->target->try(t->workers, ticket, NULL, 0, &plan, &trial);
  SAY(out, "%.400s", trial.message);
  free(trial.samples);
  return rc == 0 ? reverify_judge(&trial) : VERDICT_NONE;
}

// True if there are outputs to compare, as far as that is known by now.
static bool reverify_compares(const struct tuning *t) {
  double flops, bytes;
  bool verified;
  t->target->call(t->workers, &flops, &bytes, &verified);
  return verified;
}

// COMPILES: the kernel as written counts as right, too.
static enum verdict reverify_look(struct tuning *t, bool compiles, struct outcome *out) {
  struct outcome second = { .fd = -1 };
  if (!reverify_start(t, compiles, out) || !tune_default(t, out))
    return VERDICT_NONE;
  if (!reverify_compares(t))
    return VERDICT_NOTHING;
  enum verdict found = reverify_run(t, 1, out);
  if (found == VERDICT_RIGHT && !reverify_compares(t))
    return VERDICT_NOTHING;
  if (found != VERDICT_WRONG && found != VERDICT_ENDED)
    return found;
  enum verdict again = reverify_run(t, 0, &second);
  if (again == VERDICT_RIGHT)
    return found;
  SAY(out, "%.400s", second.why);
  return again == VERDICT_WRONG ? VERDICT_RESTLESS : VERDICT_NONE;
}

static enum verdict reverify_compare(struct tuning *t, struct outcome *out) {
  enum verdict found = reverify_look(t, false, out);
  if (found != VERDICT_WRONG || !written_matters(t))
    return found;
  out->verdict = found;
  t->host->provisional(t->host->data, out); // the second look takes a while
  t->target->stop(t->workers);
  t->workers = NULL;
  store_close(t->store);
  t->store = NULL;
  return reverify_look(t, true, out);
}

// Clears the mark of a result that was found on weak data: these data say more.
static void reverify_strengthen(struct tuning *t) {
  struct summary m;
  if (t->weak_text[0] || !store_winner(t->store, t->id, &m, NULL))
    return;
  if (*m.weak && m.winner == t->plan->service->variant && m.contract == t->id->contract) {
    m.weak = "";
    store_summary(t->store, t->id, &m);
  }
  store_summary_free(&m);
}

// Writes the row of a winner that was right: at first each time, then now and then.
static void reverify_seen(struct tuning *t) {
  struct service v = *t->plan->service;
  double now = sys_unix(), before = v.seen;
  v.seen = now;
  v.looks++;
  if (!t->store)
    return;
  reverify_strengthen(t);
  if (v.looks <= FIRST_LOOKS || now - before >= OFTEN || now < before)
    store_served(t->store, t->id, &v);
}

static void reverify_revoke(struct tuning *t, enum verdict verdict, const char *why) {
  struct service v = *t->plan->service;
  v.revoked = verdict == VERDICT_WRONG ? REVOKED_WRONG : REVOKED_ENDED;
  v.why = why;
  if (t->store && store_revoke(t->store, t->id, &v) != 0)
    log_message(AUTOTUNE_WARN, "%s: that a variant is revoked cannot be kept",
                t->kernel->name);
}

int reverify(struct tuning *t, struct outcome *out) {
  out->verdict = reverify_compare(t, out);
  if (out->verdict == VERDICT_RIGHT)
    reverify_seen(t);
  else if (out->verdict == VERDICT_WRONG || out->verdict == VERDICT_ENDED)
    reverify_revoke(t, out->verdict, out->why);
  return out->verdict == VERDICT_NONE ? -1 : 0;
}

void reverify_suspect(struct tuning *t, const struct candidate *c,
                      const struct trial *trial) {
  bool ends = trial->status == STATUS_CRASH || trial->status == STATUS_EXIT ||
      trial->status == STATUS_TIMEOUT;
  bool right = trial->status == STATUS_OK;
  struct service v = *t->plan->service;
  v.variant = c->variant;
  v.values = c->values;
  v.revoked = right ? REVOKED_NOT : ends ? REVOKED_ENDED : REVOKED_WRONG;
  v.why = right ? "" : trial->message;
  if (right && t->store)
    store_served(t->store, t->id, &v);
  else if ((ends || trial->status == STATUS_WRONG) && t->store)
    store_revoke(t->store, t->id, &v);
}

bool reverify_refuses(const struct tuning *t, uint64_t variant) {
  struct service v;
  void *block = NULL;
  bool revoked = t->store && store_service(t->store, t->id, variant, &v, &block) &&
      service_is_revoked(&v, t->id);
  free(block);
  return revoked;
}
