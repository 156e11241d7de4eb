// SPDX-License-Identifier: Apache-2.0
// why.c: `autotune why KERNEL`: for each known key, the variant that would run here and
// now. If there is no winner: how the nearest result differs, and how many of its timings
// still hold.
//
// The store notes each request that found no winner, with the parameters that the program
// offered. The newest such note tells which parameters the program has today.
#include <stdlib.h>
#include <string.h>

#include "model/agree.h"
#include "model/value.h"
#include "tools/common/results.h"
#include "run/target.h"
#include "tools/common/clean.h"
#include "why.h"

struct why {
  const struct why_options *o;
  struct why_options target; // replaces O if the kernel runs on a device
  struct store *store;
  struct listing list; // of one file
  uint64_t unit;       // of the text that was seen last
  struct asked asked;  // the last request with that text; block NULL: there is none
  FILE *out;
};

static bool why_is_ours(const struct why_options *o, const struct problem *p) {
  return strcmp(p->cpu, o->cpu) == 0 && strcmp(p->isa, o->isa) == 0 &&
      p->threads == o->threads;
}

static double why_last_seen(struct why *w, const struct listed *item) {
  struct asked asked;
  double when = results_last_seen(item);
  if (store_find_asked(w->store, item->problem.id, &asked))
    when = asked.when > when ? asked.when : when;
  free(asked.block);
  return when;
}

// Finds the text that was seen last, and the newest request with it.
static void find_newest(struct why *w) {
  double newest = -1;
  for (unsigned i = 0; i < w->list.n; i++) {
    double when = why_last_seen(w, &w->list.items[i]);
    if (when > newest)
      w->unit = w->list.items[i].problem.unit;
    newest = when > newest ? when : newest;
  }
  for (unsigned i = 0; i < w->list.n; i++) {
    struct asked asked;
    if (w->list.items[i].problem.unit != w->unit ||
        !store_find_asked(w->store, w->list.items[i].problem.id, &asked))
      continue;
    struct asked *old = !w->asked.block || asked.when > w->asked.when ? &w->asked
                                                                      : &asked;
    free(old->block);
    if (old == &w->asked)
      w->asked = asked;
  }
}

// ---- the machine of the kernel's results --------------------------------------------

// If the kernel runs on a device, looks for results of the device that is here, not of
// this processor and compiler.
static void set_target(struct why *w) {
  struct target_identity here = { .cpu = NULL };
  const char *toolchain = NULL;
  for (unsigned i = 0; i < w->list.n; i++) {
    const struct problem *p = &w->list.items[i].problem;
    for (const struct target *const *t = targets; *t && p->unit == w->unit; t++)
      if ((*t)->identify_like && (*t)->identify_like(p, &here))
        toolchain = here.toolchain ? here.toolchain : p->toolchain;
  }
  if (!here.cpu || w->o->threads == 0)
    return; // not on a device, or a test has set the machine
  w->target = *w->o;
  w->target.cpu = here.cpu;
  w->target.isa = here.isa;
  w->target.threads = here.threads;
  w->target.toolchain = toolchain;
  w->o = &w->target;
}

// ---- what still holds ---------------------------------------------------------------

static bool has_changed_compiler(const struct why *w, const char *toolchain) {
  return *toolchain && strcmp(toolchain, w->o->toolchain) != 0;
}

static bool why_holds(const struct why *w, const struct record *r) {
  bool offered = !w->asked.block || offered_all(w->asked.params, r->values);
  // The versions of external compilers are not asked for here.
  return offered &&
      (r->maker != MAKER_BUILT_IN || strcmp(r->compiler, w->o->toolchain) == 0);
}

static void print_held(const struct why *w, const struct listed *item) {
  unsigned all = 0, held = 0;
  for (unsigned i = 0; i < item->n_records; i++)
    if (item->records[i].status == STATUS_OK && item->records[i].n_samples) {
      all++;
      held += why_holds(w, &item->records[i]);
    }
  if (all)
    fprintf(w->out, "; %u of %u timing%s still hold", held, all, all == 1 ? "" : "s");
}

static bool has_changed_space(const struct why *w, const struct summary *m) {
  return w->asked.block && w->asked.space && m->space && w->asked.space != m->space;
}

// ---- one key ------------------------------------------------------------------------

static void why_print_values(FILE *out, const char *values) {
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

static void print_borrowed(const struct why *w, const struct listed *item) {
  char *source = clean_text(item->summary.source);
  why_print_values(w->out, item->summary.values);
  fprintf(w->out, "; %s%s\n", source, summary_borrowed_until(&item->summary));
  clean_free(source);
}

static void why_print_winner(const struct why *w, const struct listed *item) {
  const struct summary *m = &item->summary;
  char text[64], *source = clean_text(m->source);
  if (!m->winner && m->tried == 1)
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
  if (m->winner && !m->object)
    fprintf(w->out, "; compiled and checked at its next call");
  if (m->winner && m->deviation && *m->deviation) {
    char *deviation = clean_text(m->deviation);
    fprintf(w->out, "; largest deviation %s", deviation);
    clean_free(deviation);
  }
  if (m->winner && m->strict && *m->strict) {
    char *strict = clean_text(m->strict);
    fprintf(w->out, "; compiled strictly: %s", strict);
    clean_free(strict);
  }
  if (m->winner && *m->weak) {
    char *weak = clean_text(m->weak);
    fprintf(w->out, "; provisional: %s", weak);
    clean_free(weak);
  }
  clean_free(source);
  char *covered = clean_text(m->covered);
  fprintf(w->out, "%s%s\n", *covered ? "\n      " : "", covered);
  clean_free(covered);
}

// Prints why the tuning of this key does not count now. False, and prints nothing: it
// counts.
static bool print_stale(const struct why *w, const struct listed *item) {
  const char *sep = "";
  bool compiler = has_changed_compiler(w, item->problem.toolchain);
  bool space = has_changed_space(w, &item->summary);
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
  print_held(w, item);
  fputc('\n', w->out);
  return true;
}

static unsigned why_differences(const struct why *w, const struct problem *p) {
  return (p->unit != w->unit) +
      2 * (strcmp(p->cpu, w->o->cpu) || strcmp(p->isa, w->o->isa)) +
      4 * (p->threads != w->o->threads);
}

static bool is_for(const struct listed *item, const struct problem *key) {
  return strcmp(item->problem.key, key->key) == 0 &&
      strcmp(item->problem.key_names, key->key_names) == 0;
}

static bool why_is_current(const struct why *w, const struct listed *item,
                           const struct problem *key) {
  return item->problem.unit == w->unit && why_is_ours(w->o, &item->problem) &&
      is_for(item, key);
}

// Returns how many variants were tried for this key, with the newest text on this
// machine.
static unsigned count_tried(const struct why *w, const struct problem *key) {
  unsigned n = 0;
  for (unsigned i = 0; i < w->list.n; i++)
    if (why_is_current(w, &w->list.items[i], key))
      n += w->list.items[i].n_records;
  return n;
}

// Prints why a program with the newest text did not tune this key when it was called
// last, if it did not.
static void print_refusal(const struct why *w, const struct problem *key) {
  struct asked asked, newest = { .block = NULL };
  for (unsigned i = 0; i < w->list.n; i++)
    if (why_is_current(w, &w->list.items[i], key) &&
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
static void print_miss(const struct why *w, const struct problem *key) {
  const struct listed *nearest = NULL;
  unsigned least = 0;
  for (unsigned i = 0; i < w->list.n; i++) {
    const struct listed *item = &w->list.items[i];
    unsigned d = why_differences(w, &item->problem);
    if (item->finished && is_for(item, key) &&
        (!nearest || __builtin_popcount(d) < __builtin_popcount(least))) {
      nearest = item;
      least = d;
    }
  }
  unsigned tried = count_tried(w, key);
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
  print_refusal(w, key);
  fputc('\n', w->out);
}

static void print_wisdom(const struct why *w, const struct problem *p) {
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
static const struct listed *find_current(const struct why *w, const struct problem *key) {
  for (unsigned i = 0; i < w->list.n; i++) {
    const struct listed *item = &w->list.items[i];
    if ((item->finished || item->provisional) && why_is_current(w, item, key))
      return item;
  }
  return NULL;
}

static void print_one_revoked(const struct service *v, void *data) {
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
static void print_revoked(const struct why *w, const struct problem *p) {
  long long key[MAX_KEYS];
  const char *names[MAX_KEYS];
  char *text = NULL;
  struct wisdom_entry like = { .problem = *p };
  struct identity id;
  if (results_identity(&like, key, names, &text, &id))
    store_services(w->store, &id, print_one_revoked, (void *)(uintptr_t)w);
  free(text);
}

static void why_print_key(const struct why *w, const struct problem *p) {
  struct problem here = *p;
  char *key = results_key(p), *clean = clean_text(key && *key ? key : "any call");
  const struct listed *item = find_current(w, p);
  fprintf(w->out, "  %-20s ", clean);
  if (!item)
    print_miss(w, p);
  else if (item->provisional)
    print_borrowed(w, item);
  else if (!print_stale(w, item))
    why_print_winner(w, item);
  here.unit = w->unit;
  here.cpu = w->o->cpu;
  here.isa = w->o->isa;
  here.threads = w->o->threads;
  here.toolchain = w->asked.block ? w->asked.toolchain : w->o->toolchain;
  print_wisdom(w, &here);
  print_revoked(w, &here);
  clean_free(clean);
  free(key);
}

// ---- parts of the key that are given up ---------------------------------------------

enum { MOST_AGREEMENTS = 8, MOST_ASKED = 64 };
struct why_agreed {
  struct agreement agreement;
  long long like[MAX_KEYS]; // the key that it was found for
  char text[192];
};

// Sets SEEN[N] to the agreement that holds for the key of ITEM, unless it is one of those
// before. OUT, which the caller frees, is its winner.
static bool why_find_agreement(const struct why *w, const struct listed *item,
                               struct why_agreed *seen, unsigned n, struct summary *out) {
  struct why_agreed *a = &seen[n];
  struct wisdom_entry like = { .problem = item->problem };
  const char *names[MAX_KEYS];
  struct identity id;
  char *block = NULL;
  bool known = !results_identity(&like, a->like, names, &block, &id);
  for (unsigned i = 0; i < n && !known; i++)
    known = agree_covers(&seen[i].agreement, seen[i].like, a->like, id.n_keys);
  id.space = item->summary.space;
  id.contract = item->summary.contract;
  bool found = !known &&
      store_agreed(w->store, &id, false, &a->agreement, out, a->text, sizeof a->text);
  free(block);
  for (unsigned i = 0; i < n && found && !known; i++)
    known = strcmp(seen[i].text, a->text) == 0;
  if (found && known)
    store_summary_free(out);
  return found && !known;
}

// Prints which parts of the key make no difference: a new value is not tuned.
static void why_print_agreements(const struct why *w) {
  struct why_agreed *seen = sys_calloc(MOST_AGREEMENTS, sizeof *seen);
  struct summary m;
  unsigned n = 0, asked = 0;
  for (unsigned i = 0; seen && i < w->list.n && n < MOST_AGREEMENTS; i++) {
    const struct listed *item = &w->list.items[i];
    if (item->finished && item->problem.unit == w->unit &&
        why_is_ours(w->o, &item->problem) && asked++ < MOST_ASKED &&
        why_find_agreement(w, item, seen, n, &m)) {
      char *clean = clean_text(seen[n++].text);
      fprintf(w->out, "  %s%s", clean, m.winner ? ": " : "");
      why_print_values(w->out, m.winner ? m.values : "");
      fputc('\n', w->out);
      clean_free(clean);
      store_summary_free(&m);
    }
  }
  free(seen);
}

// ---- a kernel -----------------------------------------------------------------------

// True if P's key was printed with an earlier problem.
static bool why_is_known(const struct why *w, unsigned index) {
  const struct problem *p = &w->list.items[index].problem;
  for (unsigned i = 0; i < index; i++)
    if (is_for(&w->list.items[i], p))
      return true;
  return false;
}

// Prints that the kernel, or the key, is unknown. (A program that ended before its tuner
// began notes nothing.)
static void print_nothing(const struct why *w) {
  const struct why_options *o = w->o;
  struct listing all = { 0 };
  const char *near = NULL;
  if (w->list.n == 0 && store_list(w->store, NULL, &all) == 0) {
    const char **names = sys_malloc((all.n + 1) * sizeof *names);
    for (unsigned i = 0; names && i <= all.n; i++)
      names[i] = i < all.n ? all.items[i].problem.kernel : NULL;
    near = names ? value_nearest(o->kernel, strlen(o->kernel), names) : NULL;
    fprintf(w->out, "%s: nothing is known of it", o->kernel);
    free(names);
  } else {
    fprintf(w->out, "%s: nothing is known of that key", o->kernel);
  }
  char *clean = near ? clean_text(near) : NULL;
  if (clean)
    fprintf(w->out, "; did you mean '%s'?\n", clean);
  else
    fprintf(w->out,
            ": no program has called it, or none that was built with `autotune cc`\n");
  clean_free(clean);
  store_list_free(&all);
}

// Prints the requested keys of W's list. Returns their number. FILE: NULL if all kernels
// of that name are in one file.
static unsigned why_print_list(struct why *w, const char *file) {
  unsigned n = 0;
  find_newest(w);
  set_target(w);
  for (unsigned i = 0; i < w->list.n; i++) {
    const struct problem *p = &w->list.items[i].problem;
    if (why_is_known(w, i) || !results_key_matches(p, w->o->key))
      continue;
    if (n++ == 0) {
      char *clean = file ? clean_text(file) : NULL;
      fprintf(w->out,
              clean ? "%s (%s) on %s, %u threads, %s\n" : "%s%s on %s, %u threads, %s\n",
              w->o->kernel, clean ? clean : "", w->o->cpu, w->o->threads,
              w->o->toolchain);
      clean_free(clean);
    }
    why_print_key(w, p);
  }
  if (!w->o->key)
    why_print_agreements(w);
  free(w->asked.block);
  return n;
}

// Prints the keys file by file: kernels of one name in two files are two kernels, but a
// file that was moved to another folder is the same file. Sorts ALL's items by file.
static unsigned print_files(const struct why *w, struct listing *all) {
  unsigned n = 0;
  for (unsigned begin = 0, end; begin < all->n; begin = end) {
    struct why one = *w;
    const char *file = sys_file_name(all->items[begin].problem.file);
    end = begin + 1;
    for (unsigned i = end; i < all->n; i++)
      if (strcmp(sys_file_name(all->items[i].problem.file), file) == 0) {
        struct listed found = all->items[i];
        memmove(&all->items[end + 1], &all->items[end], (i - end) * sizeof found);
        all->items[end++] = found;
      }
    one.list = (struct listing){ .items = all->items + begin, .n = end - begin };
    n += why_print_list(&one, end - begin < all->n ? file : NULL);
  }
  return n;
}

// Prints what is known of the kernel that W's options name. Returns the number of keys;
// -1: the store cannot be read.
static int why_print_kernel(struct why *w) {
  int status = store_list(w->store, w->o->kernel, &w->list);
  unsigned n = print_files(w, &w->list);
  return status == 0 ? (int)n : -1;
}

// Does the same for the kernels that stood at the place which W's options name.
static int why_print_place(const struct why *w) {
  char **names = place_kernels(w->store, w->o->kernel);
  int n = 0;
  for (unsigned i = 0; names && names[i] && n >= 0; i++) {
    struct why_options named = *w->o;
    struct why one = *w;
    named.kernel = names[i];
    one.o = &named;
    int found = why_print_kernel(&one);
    store_list_free(&one.list);
    n = found < 0 ? -1 : n + found;
  }
  place_free(names);
  return n;
}

int why_print(const struct why_options *o, FILE *out) {
  struct why w = { .o = o, .out = out, .store = results_open(o->folder, false) };
  if (!w.store)
    return 2;
  int n = why_print_kernel(&w);
  if (n == 0 && w.list.n == 0)
    n = why_print_place(&w);
  if (n == 0)
    print_nothing(&w);
  store_list_free(&w.list);
  store_close(w.store);
  return n < 0 ? 2 : n == 0;
}
