// SPDX-License-Identifier: Apache-2.0
// stored.c: what is stored of a key that is not decided: its winner, or that the default
// is best. A winner whose code is stored runs as it is; another one is checked first.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "keep/wisdom/wisdom.h"
#include "confirm.h"
#include "site.h"

// True if nobody has compared the answers of M's winner with the default's.
static bool stored_is_unchecked(const struct site *s, const struct summary *m) {
  return m->winner != 0 &&
      (s->kernel->verify == AUTOTUNE_VERIFY_OFF ||
       (m->contract == site_facts(s).contract && !m->verified));
}

// Returns what is to be said of how M's winner was checked.
static const char *stored_checked_how(const struct site *s, const struct summary *m) {
  if (stored_is_unchecked(s, m))
    return s->kernel->verify == AUTOTUNE_VERIFY_OFF
        ? ", unchecked: verify(off)"
        : ", unchecked: no outputs to compare";
  return m->contract != site_facts(s).contract ? ", checked here" : "";
}

bool stored_adopt(struct site *s, struct node *n, const struct recall *known) {
  const struct summary *m = &known->summary;
  if (stored_is_unchecked(s, m) && kernel_refuses_unchecked(s->kernel))
    return false;
  double speedup = m->best.median > 0 ? m->original.median / m->best.median : 0;
  bool elsewhere = known->source[0] != '\0';
  bool timed = objective_get(objective_of(s->kernel))->is_seconds;
  static const struct own_calls none;
  char why[320];
  if (known->kind == RECALL_DEFAULT && m->ended == ENDED_UNCHECKED) {
    decide_default(n, refusal_words[REFUSED_UNCHECKED].text);
    return true;
  }
  if (known->kind == RECALL_DEFAULT && m->ended == ENDED_SLOWER) {
    char own[96];
    snprintf(
        why, sizeof why,
        "default: what won an earlier tuning is not clearly faster in the program: %s",
        own_calls_text(&m->own, own, sizeof own));
    decide_default(n, why);
    doubt_begin(n, timed ? m->original.median : 0);
    return true;
  }
  if (known->kind == RECALL_DEFAULT) {
    snprintf(why, sizeof why, "default: %s%s found nothing better (%u variant%s)",
             elsewhere ? "the tuning in " : "an earlier run", known->source, m->tried,
             m->tried == 1 ? "" : "s");
    decide_default(n, why);
    doubt_begin(n, timed && !elsewhere ? m->original.median : 0);
    rest_begin(n, elsewhere ? 0 : rest_stored(m));
    return true;
  }
  if (summary_is_provisional(m))
    snprintf(why, sizeof why, "%s: it is right for this key, and nothing is tuned here",
             known->source);
  else if (m->origin == ORIGIN_AGREED)
    snprintf(why, sizeof why, "%s%s", known->source,
             stored_is_unchecked(s, m) ? stored_checked_how(s, m)
                 : known->trusted      ? ""
                                       : "; compared with the default for this key");
  else
    snprintf(why, sizeof why,
             "%s%s: %.3g x over the default, found in %s (%u variant%s)%s",
             elsewhere ? "from " : "stored", known->source, speedup,
             elsewhere ? "another run" : "an earlier run", m->tried,
             m->tried == 1 ? "" : "s", stored_checked_how(s, m));
  if (!known->path ||
      !decide_install(s, n, known->path, m->values, known->service.variant, why))
    return false;
  if (!elsewhere && m->origin == ORIGIN_HERE)
    confirm_begin(n, m->contract == site_facts(s).contract ? &m->own : &none, 0);
  double rest = m->ended == ENDED_RACED ? watch_pause() - ((double)time(NULL) - m->when)
                                        : 0;
  watch_begin(n, elsewhere || !timed ? 0 : m->best.median, rest);
  doubt_begin(n, elsewhere || !timed ? 0 : m->original.median);
  reverify_install(n, &known->service, true, timed ? m->original.median : 0,
                   timed ? m->best.median : 0);
  rest_begin(n, elsewhere ? 0 : rest_stored(m));
  return true;
}

void stored_free(struct node *n) {
  if (n->known)
    recall_free(n->known);
  free(n->known);
  n->known = NULL;
  atomic_store(&n->has_known, false);
}

// Returns how important it is why KNOWN is no winner. A key may have another value in
// each call.
static enum autotune_level stored_level(const struct site *s,
                                        const struct recall *known) {
  enum { SAID = 16 }; // keys of a kernel in one process
  return known->revoked || known->suspect ? AUTOTUNE_WARN
      : atomic_load(&s->n_nodes) <= SAID  ? AUTOTUNE_INFO
                                          : AUTOTUNE_DEBUG;
}

bool stored_ask(struct site *s, struct node *n) {
  struct identity id = node_identity(n);
  enum tuning_mode mode = decide_mode(s->kernel);
  bool hurries = mode == MODE_BACKGROUND || mode == MODE_ONLINE;
  struct recall *known = n->known = sys_calloc(1, sizeof *known);
  bool adopted = false;
  double start = sys_now();
  if (known) {
    recall_find(s->kernel, &id, decide_why_not(mode) != REFUSED_NOT,
                hurries ? 0.001 : STORE_WAIT, known);
    adopted = (known->kind == RECALL_DEFAULT || known->kind == RECALL_OBJECT) &&
        stored_adopt(s, n, known);
    if (known->why[0])
      log_message(stored_level(s, known), "%s: %s", s->kernel->name, known->why);
    if (adopted && stored_is_unchecked(s, &known->summary))
      log_message(AUTOTUNE_INFO, "%s: %s", s->kernel->name, atomic_load(&n->why)->text);
    if (known->why[0] && !adopted)
      site_note(&n->why, known->why);
    n->others = known->keys;
    if (known->found > 1) // its part of the time is not known yet
      atomic_store(&n->found, (1 - 1 / known->found) / fmax(1, known->keys));
    if (known->kind == RECALL_PROVISIONAL)
      provisional_known(n, known);
    if (known->kind != RECALL_POINT)
      stored_free(n);
    atomic_store(&n->has_known, n->known != NULL);
  }
  atomic_store(&n->asked, true);
  hot_asked(sys_now() - start);
  return adopted;
}
