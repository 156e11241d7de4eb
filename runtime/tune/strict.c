// SPDX-License-Identifier: Apache-2.0
// strict.c: a winner and the kernel as written, both compiled once more by one compiler
// so that each operation is rounded as the text says, and compared bit for bit. A
// tolerance allows rounding, so it also allows what is wrong by no more than that: a
// kernel that changes its data by little in each call (a step of a solver) hides it.
// Directives and parameters that keep the order of operations give the same bits here, so
// only rounding by the compiler is left. Where the bits differ, the parameters of the
// winner or its directives change what is computed, or only the order of sums.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "model/variant.h"
#include "tune.h"

static const double part = 0.08;    // of the time that the tuning has taken
static const double least = 0.25;   // seconds, however short it was
static const double compiles = 0.1; // seconds, where that is not known
enum { RUNS = 6 };                  // of a variant, with what a worker needs for them

// ---- which texts may add in another order ---------------------------------------------

// True if threads share sums in TEXT, or it asks which of them runs it.
static bool strict_shares(const char *text) {
  static const char *const words[] = { "reduction", "atomic",       "critical",
                                       "omp_get_",  "omp_set_lock", "__sync_" };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strstr(text, words[i]))
      return true;
  return false;
}

// ---- builds -------------------------------------------------------------------------

struct strict {
  struct tuning *t;
  struct pool *pool;
  const char *text;                  // in which sums are looked for
  choice winner[MAX_PARAMS];         // by the first compiler
  choice without[MAX_PARAMS];        // the same with the parameters as written
  choice plain[MAX_PARAMS];          // besides without directives that are optional
  unsigned n_named;                  // parameters that differ
  char names[64];                    // of them
  struct object reference, compared; // the kernel as written or PLAIN; WINNER
  bool written;                      // the reference is the kernel as written
};

static bool strict_is_suspect(const struct tuning *t, uint64_t mark) {
  for (unsigned i = 0; i < t->host->n_suspects; i++)
    if (t->host->suspects[i] == mark)
      return true;
  return false;
}

// Compiles POINT; NULL: the kernel as written. BODY: in the place of the kernel's, or
// NULL. False: it does not compile.
static bool strict_compile(struct strict *s, const choice *point, const char *body,
                           struct object *out) {
  struct tuning *t = s->t;
  struct compiled got = { .status = -1 };
  char *text = variant_text_with(t->kernel, point, body);
  uint64_t mark = text ? XXH3_64bits_withSeed(text, strlen(text), 1) | 1 : 1;
  bool waiting = text && !strict_is_suspect(t, mark) &&
      pool_submit_body(s->pool, point, body, true, 1, mark) == 0;
  free(text);
  while (waiting && !role_stopping()) {
    tune_report(t, tune_silence(NULL));
    waiting = !pool_take(s->pool, &got, 0.25);
  }
  free(got.point);
  if (got.status != 0) {
    object_free(&got.object);
    got.object = (struct object){ 0 };
  }
  *out = got.object;
  return got.status == 0;
}

// Sets the point without what the source does not have.
static void strict_plain(struct strict *s) {
  const struct autotune_kernel *k = s->t->kernel;
  memcpy(s->plain, s->winner, sizeof s->plain);
  for (unsigned i = 0; i < k->n_params; i++) {
    const struct autotune_param *p = &k->params[i];
    if (p->when >= 0 && k->params[p->when].values[s->plain[p->when]].i == 0)
      s->plain[i] = 0; // it does not matter
    else if (p->macro && p->original < p->n_values)
      s->plain[i] = (choice)p->original;
  }
}

static bool strict_same(const struct strict *s, const choice *a, const choice *b) {
  return memcmp(a, b, s->t->kernel->n_params * sizeof *a) == 0;
}

// Sets the points of S. False: the winner is another algorithm than the kernel.
static bool strict_points(struct strict *s, const struct candidate *c) {
  const struct autotune_kernel *k = s->t->kernel;
  size_t n = 0;
  memcpy(s->winner, c->point, k->n_params * sizeof *c->point);
  for (unsigned i = 0; i < k->n_params; i++) {
    const struct autotune_param *p = &k->params[i];
    for (unsigned v = 0; p->kind == AUTOTUNE_COMPILER && v < p->n_values; v++)
      if (strcmp(p->values[v].text, k->units[0].compiler) == 0)
        s->winner[i] = (choice)v;
    if (p->kind == AUTOTUNE_CHOICE && strcmp(p->name, "algorithm") == 0 && s->winner[i])
      return false;
  }
  memcpy(s->without, s->winner, sizeof s->without);
  strict_plain(s);
  for (unsigned i = 0; i < k->n_params; i++) {
    const struct autotune_param *p = &k->params[i];
    bool named = p->macro && strcmp(p->name, p->macro) == 0;
    if (!named || p->original >= p->n_values || s->winner[i] == p->original)
      continue;
    s->without[i] = (choice)p->original;
    if (n < sizeof s->names)
      n += (size_t)snprintf(s->names + n, sizeof s->names - n, "%s%s",
                            s->n_named ? ", " : "", p->name);
    s->n_named++;
  }
  return true;
}

// Compares OBJECT with the reference of S.
static enum status strict_compare(struct strict *s, const struct object *object,
                                  struct trial *out) {
  struct tuning *t = s->t;
  struct trial_plan plan = tune_once(tune_limit(t));
  const struct strict_pair pair = { .reference = s->reference.data,
                                    .reference_size = s->reference.size,
                                    .object = object->data,
                                    .size = object->size,
                                    .written = s->written };
  plan.objective = t->id->objective;
  tune_report(t, tune_silence(&plan));
  t->lost = t->target->strict(t->workers, &pair, &plan, out) != 0 || t->lost;
  return out->status;
}

// True if it is the parameters that make the difference: the winner's directives alone
// make none.
static bool strict_is_param(struct strict *s) {
  struct object object = { 0 };
  struct trial trial;
  bool directives = (s->written || !strict_same(s, s->plain, s->without)) &&
      s->n_named > 0 && space_allows(&s->t->space, s->without) &&
      strict_compile(s, s->without, NULL, &object) &&
      strict_compare(s, &object, &trial) == STATUS_WRONG;
  object_free(&object);
  return s->n_named > 0 && !directives;
}

// ---- what it means --------------------------------------------------------------------

static void strict_warn(const struct strict *s, const struct trial *trial) {
  const char *name = s->t->kernel->name;
  log_once_of(
      AUTOTUNE_WARN, name, "strict",
      "%s: the parameter%s %s change%s the answer itself, not only its rounding by "
      "the compiler (%.160s; at most %.100s): check the end result of the program, "
      "and write verify(rtol: …) if that is meant, as in sums by blocks",
      name, s->n_named > 1 ? "s" : "", s->names, s->n_named > 1 ? "" : "s",
      trial->message, trial->deviation);
}

// Notes that C, whose bits differ as TRIAL says, is wrong.
static void strict_refuse(struct strict *s, struct candidate *c, struct trial *trial) {
  char why[sizeof trial->message];
  memcpy(why, trial->message, sizeof why);
  trial->status = STATUS_WRONG;
  snprintf(trial->message, sizeof trial->message,
           "%s the answer itself: compiled strictly, as is the kernel %s, %.160s",
           c->body ? "its body changes" : "its directives change",
           s->written ? "as written" : "without them", why);
  s->t->strict_wrong++;
  c->differs = true;
  candidate_settle(s->t, c, trial, c->object.seconds);
}

// Judges C, whose bits differ as TRIAL says. False: it is wrong.
static bool strict_judge(struct strict *s, struct candidate *c, struct trial *trial) {
  bool consent = s->t->kernel->verify == AUTOTUNE_VERIFY_TOLERANCE;
  size_t size = sizeof c->strict;
  if (strict_shares(s->text)) {
    snprintf(c->strict, size, "threads share sums: %.120s", trial->deviation);
  } else if (!c->body && strict_is_param(s)) {
    snprintf(c->strict, size, "%s change%s the answer itself: %.120s", s->names,
             s->n_named > 1 ? "" : "s", trial->deviation);
    if (!consent)
      strict_warn(s, trial);
  } else if (consent || sums_reorder(s->text, s->t->kernel->name)) {
    snprintf(c->strict, size, "operations in another order: %.120s", trial->deviation);
  } else {
    strict_refuse(s, c, trial);
    return false;
  }
  return true;
}

static bool strict_look(struct strict *s, struct candidate *c) {
  const struct autotune_kernel *k = s->t->kernel;
  struct trial trial = { .status = STATUS_PENDING };
  s->written = k->replay != NULL;
  s->text = k->replay ? k->replay : k->units[0].text;
  if (!strict_points(s, c))
    return true;
  if (!s->written && !space_allows(&s->t->space, s->plain))
    memcpy(s->plain, s->without, sizeof s->plain);
  if ((!s->written && !c->body && strict_same(s, s->plain, s->winner)) ||
      (!s->written && !space_allows(&s->t->space, s->plain)) ||
      !strict_compile(s, s->written ? NULL : s->plain, NULL, &s->reference) ||
      !strict_compile(s, s->winner, c->body, &s->compared))
    return true;
  switch (strict_compare(s, &s->compared, &trial)) {
  case STATUS_OK:
    snprintf(c->strict, sizeof c->strict, "the same bits as %s",
             s->written ? "the kernel as written"
                 : strict_same(s, s->plain, s->without)
                 ? "with the parameters as written"
                 : "without its optional directives");
    return true;
  case STATUS_WRONG:
    return strict_judge(s, c, &trial);
  default:
    log_message(AUTOTUNE_DEBUG, "%s: strict builds are not compared: %.200s", k->name,
                trial.message);
    return true;
  }
}

// ---- when -----------------------------------------------------------------------------

// True if strict builds of C's kernel can be compared, and a difference means anything.
static bool strict_can(const struct tuning *t) {
  const struct autotune_kernel *k = t->kernel;
  return t->target->strict && k->n_units > 0 && kernel_has_sections(k) &&
      k->verify != AUTOTUNE_VERIFY_OFF && k->verify != AUTOTUNE_VERIFY_EXACT;
}

// Once a variant was wrong more is spent, because the next one may have the same mistake.
static bool strict_has_time(const struct tuning *t, const struct candidate *c) {
  double compiling = c->object.seconds > 0 ? c->object.seconds : compiles;
  double expected = 2 * compiling + RUNS * tune_seconds(t, NULL).median;
  double one = fmax(part * (tune_taken(t) - t->strict_seconds), least);
  return expected <= (t->strict_wrong ? 4 : 1) * one - t->strict_seconds;
}

// Notes that C, which wins, was not compared: for the report, and once for the log.
static void strict_skip(const struct tuning *t, struct candidate *c) {
  const char *name = t->kernel->name;
  snprintf(c->strict, sizeof c->strict, "not compared, the tuning was too short");
  log_once_of(AUTOTUNE_DEBUG, name, "strict time",
              "%s: strict builds are not compared: with a larger budget there would be "
              "time for it",
              name);
}

bool strict_agrees(struct tuning *t, struct candidate *c) {
  struct strict s = { .t = t };
  double start = sys_now();
  if (!strict_can(t) || c->strictly || t->lost)
    return !c->differs;
  if (!strict_has_time(t, c)) {
    strict_skip(t, c);
    return t->strict_wrong == 0;
  }
  s.pool = pool_new(t->kernel, 1);
  if (!s.pool)
    return true;
  struct shared_memory *shared = t->host->shared;
  pool_watch(s.pool, shared ? shared->compiling : NULL, COMPILING);
  c->strictly = true;
  bool right = strict_look(&s, c);
  object_free(&s.reference);
  object_free(&s.compared);
  pool_free(s.pool);
  t->strict_seconds += sys_now() - start;
  t->summary.verify_seconds += sys_now() - start;
  if (*c->strict)
    log_message(AUTOTUNE_DEBUG, "%6.2f s  %s: compiled strictly: %s",
                sys_now() - t->began, t->kernel->name, c->strict);
  return right;
}
