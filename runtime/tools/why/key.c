// SPDX-License-Identifier: Apache-2.0
// key.c: what would run for one key of a kernel here and now, and if there is no winner,
// how the nearest result differs.
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "model/value.h"
#include "tools/common/clean.h"
#include "key.h"

bool why_is_ours(const struct why_options *o, const struct problem *p) {
  return strcmp(p->cpu, o->cpu) == 0 && strcmp(p->isa, o->isa) == 0 &&
      p->threads == o->threads;
}

// ---- what still holds ---------------------------------------------------------------

static bool key_has_changed_compiler(const struct why *w, const char *toolchain) {
  return *toolchain && strcmp(toolchain, w->o->toolchain) != 0;
}

static bool key_holds(const struct why *w, const struct record *r) {
  bool offered = !w->asked.block || offered_all(w->asked.params, r->values);
  // The versions of external compilers are not asked for here.
  return offered &&
      (r->maker != MAKER_BUILT_IN || strcmp(r->compiler, w->o->toolchain) == 0);
}

static void key_print_held(const struct why *w, const struct listed *item) {
  unsigned all = 0, held = 0;
  for (unsigned i = 0; i < item->n_records; i++)
    if (item->records[i].status == STATUS_OK && item->records[i].n_samples) {
      all++;
      held += key_holds(w, &item->records[i]);
    }
  if (all)
    fprintf(w->out, "; %u of %u timing%s still hold", held, all, all == 1 ? "" : "s");
}

static bool key_has_changed_space(const struct why *w, const struct summary *m) {
  return w->asked.block && w->asked.space && m->space && w->asked.space != m->space;
}

// ---- one key ------------------------------------------------------------------------

void why_print_values(FILE *out, const char *values) {
  const char *at = values;
  for (struct named_value s; value_next(&at, &s);) {
    if (!value_matters(values, &s))
      continue;
    char *one = value_text(&s, ""), *clean = clean_text(one ? one : "?");
    fprintf(out, "%s%s", s.name > values ? "  " : "", clean);
    clean_free(clean);
    free(one);
  }
}

static void key_print_borrowed(const struct why *w, const struct listed *item) {
  char *source = clean_text(item->summary.source);
  why_print_values(w->out, item->summary.values);
  fprintf(w->out, "; %s%s\n", source, summary_borrowed_until(&item->summary));
  clean_free(source);
}

// Prints WHAT and NOTE, unless NOTE is NULL or empty.
static void key_print_note(const struct why *w, const char *what, const char *note) {
  if (!note || !*note)
    return;
  char *text = clean_text(note);
  fprintf(w->out, "; %s %s", what, text);
  clean_free(text);
}

static void key_print_winner(const struct why *w, const struct listed *item) {
  const struct summary *m = &item->summary;
  char text[64], own[96], *source = clean_text(m->source);
  if (m->ended == ENDED_UNCHECKED)
    fprintf(w->out, "the %s", refusal_words[REFUSED_UNCHECKED].text);
  else if (m->ended == ENDED_SLOWER)
    fprintf(w->out, "the default: what won is not clearly faster in the program: %s",
            own_calls_text(&m->own, own, sizeof own));
  else if (!m->winner && m->tried == 1)
    fprintf(w->out, "the default: the only variant tried did not beat it");
  else if (!m->winner)
    fprintf(w->out, "the default: none of %u variants beat it", m->tried);
  else
    why_print_values(w->out, m->values);
  if (m->winner && m->best.median > 0)
    fprintf(w->out, ": %s, %.2f x over the default",
            objective_show(item->problem.objective, text, sizeof text, m->best.median),
            m->original.median / m->best.median);
  if (m->winner && m->best.median > 0 && m->as_written > 0)
    fprintf(w->out, ", %.2f x over the same code with the same flags",
            m->as_written / m->best.median);
  if (item->usage.share > 0 && item->refused == REFUSED_NOT)
    fprintf(w->out, "; hot: %.0f %% of the program's time before",
            100 * item->usage.share);
  fprintf(w->out, "; %s%s", *source ? "from " : "found ", source);
  if (!*source)
    fputs(clean_moment(text, m->when), w->out);
  if (m->winner && m->body && *m->body)
    fprintf(w->out, "; its body came from outside: autotune report shows it");
  if (m->winner && !m->object)
    fprintf(w->out, "; compiled and checked at its next call");
  if (m->winner) {
    key_print_note(w, "largest deviation", m->deviation);
    key_print_note(w, "constants:", m->constants);
    key_print_note(w, "compiled strictly:", m->strict);
    key_print_note(w, "provisional:", m->weak);
  }
  if (m->winner && m->own.pairs)
    fprintf(w->out, "; %s%s", own_calls_text(&m->own, own, sizeof own),
            own_calls_judge(&m->own) == OWN_CALLS_MORE ? ", so far" : "");
  if (summary_is_cold(m)) {
    char number[32];
    units_seconds(number, sizeof number, m->cold);
    fprintf(w->out,
            "; page faults took about %s of the tuned call, and no trial has them",
            number);
  }
  clean_free(source);
  char *covered = clean_text(m->covered);
  fprintf(w->out, "%s%s\n", *covered ? "\n      " : "", covered);
  clean_free(covered);
}

// Prints why the tuning of this key does not count now. False, and prints nothing: it
// counts.
static bool key_print_stale(const struct why *w, const struct listed *item) {
  const char *sep = "";
  bool compiler = key_has_changed_compiler(w, item->problem.toolchain);
  bool space = key_has_changed_space(w, &item->summary);
  if (!compiler && !space)
    return false;
  fprintf(w->out, "the default, until it is tuned again: ");
  if (compiler) {
    char *theirs = clean_text(item->problem.toolchain);
    fprintf(w->out, "compiler %s → %s", theirs, w->o->toolchain), sep = "; ";
    clean_free(theirs);
  }
  if (space)
    fprintf(w->out, "%sparameters, candidates or the constraint changed", sep);
  key_print_held(w, item);
  fputc('\n', w->out);
  return true;
}

static unsigned key_differences(const struct why *w, const struct problem *p) {
  return (p->unit != w->unit) +
      2 * (strcmp(p->cpu, w->o->cpu) || strcmp(p->isa, w->o->isa)) +
      4 * (p->threads != w->o->threads);
}

bool why_is_for(const struct listed *item, const struct problem *key) {
  return strcmp(item->problem.key, key->key) == 0 &&
      strcmp(item->problem.key_names, key->key_names) == 0;
}

static bool key_is_current(const struct why *w, const struct listed *item,
                           const struct problem *key) {
  return item->problem.unit == w->unit && why_is_ours(w->o, &item->problem) &&
      why_is_for(item, key);
}

// Returns how many variants were tried for this key, with the newest text on this
// machine.
static unsigned key_count_tried(const struct why *w, const struct problem *key) {
  unsigned n = 0;
  for (unsigned i = 0; i < w->list.n; i++)
    if (key_is_current(w, &w->list.items[i], key))
      n += w->list.items[i].n_records;
  return n;
}

// Prints why a program with the newest text did not tune this key when it was called
// last, if it did not.
static void key_print_refusal(const struct why *w, const struct problem *key) {
  struct asked asked, newest = { .block = NULL };
  for (unsigned i = 0; i < w->list.n; i++)
    if (key_is_current(w, &w->list.items[i], key) &&
        store_find_asked(w->store, w->list.items[i].problem.id, &asked)) {
      struct asked *old = !newest.block || asked.when > newest.when ? &newest : &asked;
      free(old->block);
      if (old == &newest)
        newest = asked;
    }
  if (newest.block && newest.refused != REFUSED_NOT) {
    char *clean =
        clean_text(*newest.why ? newest.why : refusal_words[newest.refused].text);
    fprintf(w->out, "\n      its last call ran the %s", clean);
    clean_free(clean);
  }
  free(newest.block);
}

// Prints how the nearest tuning of this key differs; for keys that were not tuned here.
static void key_print_miss(const struct why *w, const struct problem *key) {
  const struct listed *nearest = NULL;
  unsigned least = 0;
  for (unsigned i = 0; i < w->list.n; i++) {
    const struct listed *item = &w->list.items[i];
    unsigned d = key_differences(w, &item->problem);
    if (item->finished && why_is_for(item, key) &&
        (!nearest || __builtin_popcount(d) < __builtin_popcount(least))) {
      nearest = item;
      least = d;
    }
  }
  unsigned tried = key_count_tried(w, key);
  fprintf(w->out, "the default, until it is tuned: ");
  if (!nearest && tried)
    fprintf(w->out, "its tuning did not come to its end; %u variant%s tried so far",
            tried, tried == 1 ? "" : "s");
  else if (!nearest)
    fprintf(w->out, "never tuned for this key");
  const char *sep = "";
  if (least & 1)
    fprintf(w->out, "text or build flags changed"), sep = "; ";
  if (least & 2) {
    char *theirs = clean_text(nearest->problem.cpu);
    fprintf(w->out, "%smachine %s → %s", sep, theirs, w->o->cpu), sep = "; ";
    clean_free(theirs);
  }
  if (least & 4)
    fprintf(w->out, "%sthreads %u → %u", sep, nearest->problem.threads, w->o->threads);
  key_print_refusal(w, key);
  fputc('\n', w->out);
}

static void key_print_wisdom(const struct why *w, const struct problem *p) {
  long long key[MAX_KEYS];
  const char *names[MAX_KEYS];
  char *text = NULL, *why = NULL;
  struct wisdom_entry like = { .problem = *p };
  struct identity id;
  if (wisdom_given() && results_identity(&like, key, names, &text, &id)) {
    const struct wisdom_entry *e = wisdom_find(&id, &why);
    fprintf(w->out, "      wisdom: ");
    if (e) {
      fprintf(w->out, "%s:%u: ", e->origin, e->line);
      if (e->summary.winner)
        why_print_values(w->out, e->summary.values);
      else
        fputs("the default", w->out);
      fputc('\n', w->out);
    } else {
      char *clean = clean_text(why ? why : "no memory");
      fprintf(w->out, "%s\n", clean);
      clean_free(clean);
    }
  }
  free(why);
  free(text);
}

// Finds the tuned or provisional result for this key, for the newest text on this
// machine; NULL: nothing.
static const struct listed *key_find_current(const struct why *w,
                                             const struct problem *key) {
  for (unsigned i = 0; i < w->list.n; i++) {
    const struct listed *item = &w->list.items[i];
    if ((item->finished || item->provisional) && key_is_current(w, item, key))
      return item;
  }
  return NULL;
}

static void key_print_one_revoked(const struct service *v, void *data) {
  const struct why *w = data;
  char text[64], *values = value_line(v->values);
  char *clean = clean_text(values ? values : "?"), *why = clean_text(v->why);
  if (v->revoked == REVOKED_WRONG || v->revoked == REVOKED_ENDED)
    fprintf(w->out, "      revoked: %s, %s: it %s: %s\n", clean,
            clean_moment(text, v->when), revoked_words[v->revoked], why);
  else if (v->revoked == REVOKED_IN_DOUBT)
    fprintf(w->out, "      in doubt: %s, which %s\n", clean, revoked_words[v->revoked]);
  clean_free(clean);
  clean_free(why);
  free(values);
}

// Prints the variants that were winners for this key and are revoked.
static void key_print_revoked(const struct why *w, const struct problem *p) {
  long long key[MAX_KEYS];
  const char *names[MAX_KEYS];
  char *text = NULL;
  struct wisdom_entry like = { .problem = *p };
  struct identity id;
  if (results_identity(&like, key, names, &text, &id))
    store_services(w->store, &id, key_print_one_revoked, (void *)(uintptr_t)w);
  free(text);
}

void why_print_key(const struct why *w, const struct problem *p) {
  struct problem here = *p;
  char *key = results_key(p), *clean = clean_text(key && *key ? key : "any call");
  const struct listed *item = key_find_current(w, p);
  fprintf(w->out, "  %-20s ", clean);
  if (!item)
    key_print_miss(w, p);
  else if (item->provisional)
    key_print_borrowed(w, item);
  else if (!key_print_stale(w, item))
    key_print_winner(w, item);
  here.unit = w->unit;
  here.cpu = w->o->cpu;
  here.isa = w->o->isa;
  here.threads = w->o->threads;
  here.toolchain = w->asked.block ? w->asked.toolchain : w->o->toolchain;
  key_print_wisdom(w, &here);
  key_print_revoked(w, &here);
  clean_free(clean);
  free(key);
}
