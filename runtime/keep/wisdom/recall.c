// SPDX-License-Identifier: Apache-2.0
// recall.c: finds what is known of a call before anything is measured: the store's
// winner, otherwise wisdom's. A winner holds while its own text, its values and the
// compiler are unchanged. It is a point that must be compiled and checked first if its
// code is not here, or if it was checked under other sections or another tolerance.
//
// In mode locked with wisdom, only wisdom counts, since a store differs from machine to
// machine. The store then only saves the compilation, if it has the same winner.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/kernel.h"
#include "model/objective/objective.h"
#include "model/value.h"
#include "model/variant.h"
#include "wisdom.h"

enum {
  MOST_COUNTED = 400,
  MOST_ENDED = 3,    // times that processes may end in their first call of a winner …
  LATELY = 24 * 3600 // … within so many seconds of each other
};

#define SAY(out, ...) snprintf((out)->why, sizeof(out)->why, __VA_ARGS__)

// ---- timings that an edit keeps -----------------------------------------------------

static bool recall_holds(const struct autotune_kernel *k, const struct identity *id,
                         const struct record *r) {
  choice point[MAX_PARAMS];
  bool ours = r->maker == MAKER_BUILT_IN && id->toolchain;
  return identity_point(k, r->values, point) &&
      (!ours || strcmp(r->compiler, id->toolchain) == 0) &&
      identity_variant(k, point, r->values, r->compiler) == r->variant;
}

// Appends "; 61 of 64 timings still hold" to WHY.
static void recall_count_held(struct store *s, const struct autotune_kernel *k,
                              const struct identity *id, char *why, size_t size) {
  struct record r;
  unsigned held = 0, all = 0;
  sqlite3_stmt *q = store_select(s, &kind_record, "WHERE problem = ?1");
  sqlite3_bind_int64(q, 1, problem_id(id));
  while (all < MOST_COUNTED && store_next(q, &kind_record, &r) == SQLITE_ROW)
    if (r.status == STATUS_OK && r.n_samples > 0) {
      held += r.contract == id->contract && recall_holds(k, id, &r);
      all++;
    }
  sqlite3_finalize(q);
  size_t n = strlen(why);
  if (all)
    snprintf(why + n, size - n, "; %s%u of %u timings still hold",
             all == MOST_COUNTED ? "of the first, " : "", held, all);
}

// ---- a winner -----------------------------------------------------------------------

// True if M still holds; fills OUT->point. Otherwise OUT->why says why not. A body from
// outside holds with the text around it.
static bool recall_is_current(const struct autotune_kernel *k, const struct summary *m,
                              struct recall *out) {
  const char *within = variant_without_body(m->values);
  if (!identity_point(k, within ? within : m->values, out->point)) {
    SAY(out, "parameters changed, and what was best is not a valid value any more");
    return false;
  }
  if (m->text && identity_text(k, out->point) != m->text) {
    SAY(out, "the text of what was best changed");
    return false;
  }
  return true;
}

static void recall_take(struct recall *out, enum recall_kind kind,
                        const struct summary *m, char *path) {
  out->kind = kind;
  out->summary = *m;
  out->path = path;
}

// True if M's winner may run without another check. Otherwise OUT->why says why not.
static bool recall_is_checked(const struct autotune_kernel *k, const struct identity *id,
                              const struct summary *m, bool locked, struct recall *out) {
  bool checked = m->verified || k->verify == AUTOTUNE_VERIFY_OFF;
  bool strict = kernel_refuses_unchecked(k);
  if (m->contract == 0)
    SAY(out, "it is not known how it was checked");
  else if (m->contract != id->contract)
    SAY(out, "sections, tolerance or the default's compiler changed since the tuning");
  else if (strict && !checked)
    SAY(out, "its answers were never compared, and --auto runs no variant unchecked");
  else if (locked && !checked)
    SAY(out,
        "its answers were never compared: write out(…), or verify(off) to run it "
        "unchecked");
  return m->contract == id->contract && (checked || !(locked || strict));
}

// ---- how winners have done ----------------------------------------------------------

struct serving {
  const struct identity *id;
  uint64_t variant;   // 0: any
  const char *values; // NULL: any
  struct recall *out;
};

// Says in OUT that V is revoked.
static void recall_say_revoked(const struct service *v, struct recall *out) {
  char *name = value_line(v->values), clock[32] = "";
  time_t at = (time_t)v->when;
  struct tm when;
  if (localtime_r(&at, &when))
    strftime(clock, sizeof clock, "%F %H:%M", &when);
  SAY(out, "the variant %.120s was revoked on %s, because it %s: %.240s",
      name ? name : "", clock, revoked_words[v->revoked], v->why);
  free(name);
}

static void recall_see_service(const struct service *v, void *data) {
  const struct serving *s = data;
  bool revoked = service_is_revoked(v, s->id);
  if ((s->variant && v->variant != s->variant) ||
      (s->values && strcmp(v->values, s->values) != 0) ||
      (!s->variant && !s->values && !revoked))
    return;
  if (revoked)
    recall_say_revoked(v, s->out);
  s->out->revoked |= revoked;
  s->out->service = *v;
  s->out->service.values = s->out->service.why = NULL;
}

// Finds how VARIANT (0: the one with VALUES) has done. False: it was revoked, and
// OUT->why says so.
static bool recall_serves(struct store *s, const struct identity *id, uint64_t variant,
                          const char *values, struct recall *out) {
  struct serving serving = { id, variant, variant ? NULL : values, out };
  out->service = (struct service){ .variant = variant };
  if (s)
    store_services(s, id, recall_see_service, &serving);
  return !out->revoked;
}

// Revokes the winner with VALUES, in whose first call one process after another has
// ended.
static void recall_revoke(struct store *s, const struct identity *id, const char *values,
                          struct recall *out) {
  struct service v = out->service;
  char why[80];
  snprintf(why, sizeof why, "%u times processes ended in their first call of it",
           v.ended);
  v.values = values;
  v.revoked = REVOKED_ENDED;
  v.why = why;
  v.when = sys_unix();
  recall_say_revoked(&v, out);
  out->revoked = true;
  store_revoke(s, id, &v);
}

// Finds out if processes have ended in their first call of M's winner. False: it is
// revoked. Where out->suspect is set, it must be checked before it runs.
static bool recall_survives(struct store *s, const struct identity *id,
                            const struct summary *m, struct recall *out) {
  const char *values = m->values;
  struct service *v = &out->service;
  double seconds = objective_get(id->objective)->is_seconds ? m->best.median : 0;
  unsigned ended = entered_ended(id, v->variant, seconds);
  if (ended == 0 && v->revoked != REVOKED_IN_DOUBT)
    return true;
  v->ended = (sys_unix() - v->when < LATELY ? v->ended : 0) + (ended > 0); // together
  if (v->ended >= MOST_ENDED) {
    recall_revoke(s, id, values, out);
    return false;
  }
  v->revoked = REVOKED_IN_DOUBT; // until a check has come to its end
  struct service row = *v;
  row.values = values;
  row.why = "";
  if (ended > 0)
    store_served(s, id, &row);
  out->suspect = true;
  SAY(out,
      "a process ended in its first call of the stored winner, which is checked before it "
      "runs again");
  return true;
}

// True if "the default is best" still holds: no variant was found wrong that a tolerance
// of today might allow.
static bool recall_keeps_default(const struct identity *id, const struct summary *m,
                                 struct recall *out) {
  bool same = m->contract == id->contract;
  bool holds = same || (m->failed[STATUS_WRONG] == 0 && m->ended != ENDED_UNCHECKED);
  if (!holds && m->ended == ENDED_UNCHECKED)
    SAY(out, "sections or tolerance changed, and nothing was compared before");
  else if (!holds)
    SAY(out,
        "sections, tolerance or the default's compiler changed, and %u variants "
        "were wrong before",
        m->failed[STATUS_WRONG]);
  return holds;
}

static void recall_from_store(struct store *s, const struct autotune_kernel *k,
                              const struct identity *id, bool locked,
                              struct recall *out) {
  struct summary *m = &out->stored;
  char *why = NULL;
  enum winner_state state = store_find_winner(s, id, m, &why);
  if (why)
    SAY(out, "%s", why);
  if (state == WINNER_OF_OTHER_COMPILER)
    recall_count_held(s, k, id, out->why, sizeof out->why);
  free(why);
  if (state == WINNER_NONE) // or it is revoked
    recall_serves(s, id, 0, NULL, out);
  if (state != WINNER_FOUND)
    return;
  if (summary_is_provisional(m) && !locked)
    return;
  bool other = m->space && id->space && m->space != id->space;
  if (other && (!locked || !m->winner)) { // an added candidate may be better
    SAY(out, "parameters, candidates or the constraint changed");
    recall_count_held(s, k, id, out->why, sizeof out->why);
  } else if (!m->winner) {
    if (recall_keeps_default(id, m, out))
      recall_take(out, RECALL_DEFAULT, m, NULL);
  } else if (recall_is_current(k, m, out) && recall_serves(s, id, m->winner, NULL, out) &&
             recall_survives(s, id, m, out)) {
    bool checked = recall_is_checked(k, id, m, locked, out);
    char *path = checked && !out->suspect && m->object ? objects_find(m->object) : NULL;
    if (!path && variant_without_body(m->values))
      SAY(out, "the code of what was best is not here, and its body came from outside");
    else if (checked || m->contract != id->contract)
      recall_take(out, path ? RECALL_OBJECT : RECALL_POINT, m, path);
  }
}

// Takes what a glance at the store shows, if it runs as it is: a winner with its code
// that nothing speaks against, or the default. False: OUT says nothing, and a connection
// is needed, which is ten times as slow to open.
static bool recall_at_a_glance(const struct autotune_kernel *k, const struct identity *id,
                               bool locked, struct recall *out) {
  struct summary *m = &out->stored;
  struct glance *g = glance_open();
  bool found = g && glance_winner(g, id, m) && !summary_is_provisional(m) &&
      (!m->space || !id->space || m->space == id->space);
  struct serving serving = { id, m->winner, NULL, out };
  out->service = (struct service){ .variant = m->winner };
  if (found && m->winner)
    glance_services(g, id, recall_see_service, &serving);
  bool good = glance_close(g) && found && !out->revoked && !out->service.revoked;
  if (good && !m->winner && recall_keeps_default(id, m, out))
    recall_take(out, RECALL_DEFAULT, m, NULL);
  else if (good && m->winner && m->object && !entered_doubts(m->winner) &&
           recall_is_current(k, m, out) && recall_is_checked(k, id, m, locked, out))
    recall_take(out, RECALL_OBJECT, m, objects_find(m->object));
  if (out->kind != RECALL_NOTHING && (out->path || !m->winner))
    return true;
  store_summary_free(m);
  *out = (struct recall){ .kind = RECALL_NOTHING };
  return false;
}

// Takes E's winner. The store may have compiled and checked it already.
static void recall_from_entry(struct store *s, const struct autotune_kernel *k,
                              const struct identity *id, const struct wisdom_entry *e,
                              struct recall *out) {
  struct summary *m = &out->stored;
  char *path = NULL;
  out->entry = e;
  if (!e->summary.winner)
    return recall_take(out, RECALL_DEFAULT, &e->summary, NULL);
  if (variant_without_body(e->summary.values)) {
    SAY(out, "the body of what was best elsewhere came from outside");
    return;
  }
  if (!recall_is_current(k, &e->summary, out) ||
      !recall_serves(s, id, 0, e->summary.values, out))
    return;
  store_summary_free(m);
  if (s && store_find_summary(s, problem_id(id), m) && m->object &&
      strcmp(m->values, e->summary.values) == 0 &&
      strcmp(m->toolchain, e->problem.toolchain) == 0 &&
      m->text == identity_text(k, out->point) && m->contract == id->contract &&
      (m->verified || k->verify == AUTOTUNE_VERIFY_OFF))
    path = objects_find(m->object);
  if (path) {
    out->service.variant = m->winner;
    if (!recall_survives(s, id, m, out)) {
      free(path);
      return;
    }
  }
  if (out->suspect) {
    free(path);
    path = NULL;
  }
  recall_take(out, path ? RECALL_OBJECT : RECALL_POINT, &e->summary, path);
}

static void recall_from_wisdom(struct store *s, const struct autotune_kernel *k,
                               const struct identity *id, struct recall *out) {
  char *why = NULL;
  const struct wisdom_entry *e = wisdom_find(id, &why);
  if (e)
    recall_from_entry(s, k, id, e, out);
  else if (why)
    SAY(out, "%s", why);
  free(why);
}

// Takes the provisional winner that an earlier process left, if nothing was tuned since.
static void recall_from_provisional(const struct autotune_kernel *k,
                                    const struct identity *id, struct recall *out) {
  struct summary *m = &out->stored;
  if (!m->values || !summary_is_provisional(m) || m->contract != id->contract ||
      !recall_is_current(k, m, out))
    return;
  char *path = objects_find(m->object);
  if (path)
    recall_take(out, RECALL_PROVISIONAL, m, path);
}

// ---- finding ------------------------------------------------------------------------

static void recall_say_source(struct recall *out) {
  const struct wisdom_entry *e = out->entry;
  if (e)
    snprintf(out->source, sizeof out->source, "wisdom %.80s", sys_file_name(e->origin));
  else
    snprintf(out->source, sizeof out->source, "%.190s",
             out->kind != RECALL_NOTHING ? out->summary.source : "");
}

// Counts OUT for `autotune db stats`, unless it comes from a file of wisdom alone.
static void recall_count(const struct recall *out) {
  static const enum lookup kinds_of[] = { [RECALL_NOTHING] = LOOKUP_NOTHING,
                                          [RECALL_DEFAULT] = LOOKUP_DEFAULT,
                                          [RECALL_OBJECT] = LOOKUP_CODE,
                                          [RECALL_POINT] = LOOKUP_COMPILED,
                                          [RECALL_PROVISIONAL] = LOOKUP_CODE };
  if (!out->entry || out->path)
    counts_add(kinds_of[out->kind]);
}

void recall_find(const struct autotune_kernel *k, const struct identity *id, bool locked,
                 double wait, struct recall *out) {
  char *message = NULL;
  *out = (struct recall){ .kind = RECALL_NOTHING };
  bool only_wisdom = locked && wisdom_given();
  if (!only_wisdom && recall_at_a_glance(k, id, locked, out)) {
    recall_count(out);
    return recall_say_source(out);
  }
  struct store *s = store_open_within(wait, &message);
  if (s && !only_wisdom)
    recall_from_store(s, k, id, locked, out);
  if (out->kind == RECALL_NOTHING && wisdom_given() && k->n_params <= MAX_PARAMS)
    recall_from_wisdom(s, k, id, out);
  if (out->kind == RECALL_NOTHING && !locked)
    recall_from_provisional(k, id, out);
  if (s && out->kind == RECALL_NOTHING) {
    out->keys = store_count_keys(s, id);
    out->found = locked || !kernel_when_hot(k) ||
            !objective_get(id->objective)->is_seconds
        ? 0
        : store_found(s, id);
  }
  if (s) {
    recall_count(out);
    store_close(s);
  }
  free(message);
  recall_say_source(out);
}

void recall_free(struct recall *k) {
  store_summary_free(&k->stored);
  free(k->path);
  *k = (struct recall){ 0 };
}
