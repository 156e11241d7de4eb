// SPDX-License-Identifier: Apache-2.0
// outcomes.c: finds what programs that were built with suggestions have found out.
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "front/front.h"
#include "outcomes.h"
#include "tools/common/clean.h"
#include "tools/common/results.h"

struct outcomes {
  struct loaded all;
};

struct outcomes *outcomes_load(const char *folder) {
  struct outcomes *o = arena_alloc(sizeof *o);
  char *path = results_folder(folder);
  bool read = path && results_load(path, &o->all) == 0;
  free(path);
  return read ? o : NULL;
}

const char **outcomes_files(const struct outcomes *o, unsigned *n) {
  const struct listing *l = &o->all.listing;
  const char **files = NULL;
  *n = 0;
  for (unsigned i = 0; i < l->n; i++) {
    const struct listed *item = &l->items[i];
    bool known = item->usage.calls <= 0 || !results_is_here(&item->problem);
    for (unsigned j = 0; j < *n && !known; j++)
      known = strcmp(files[j], item->problem.file) == 0;
    if (!known)
      *GROW(files, *n) = item->problem.file;
  }
  return files;
}

// ---- one kernel ---------------------------------------------------------------------

// The results of one kernel, over all keys.
struct tally {
  unsigned n_tuned, n_won;   // keys
  unsigned tried;            // variants, of all tuned keys
  const struct listed *best; // the key that gained most; NULL: none
  const struct listed *cold; // the key in which most of the time was spent; NULL: none
  bool refused;              // a key was hot, and it is not tuned
};

// Returns how many times faster ITEM's winner is than the default; 0: it has none.
static double tally_gain(const struct listed *item) {
  const struct summary *m = &item->summary;
  bool won = item->finished && m->winner && m->best.median > 0 &&
      m->original.median > m->best.median;
  return won ? m->original.median / m->best.median : 0;
}

static void tally_add(struct tally *t, const struct listed *item) {
  bool cold = item->refused == REFUSED_COLD;
  t->n_tuned += item->finished;
  t->tried += item->finished ? item->summary.tried : 0;
  t->n_won += tally_gain(item) > 0;
  if (tally_gain(item) > (t->best ? tally_gain(t->best) : 0))
    t->best = item;
  if (cold && (!t->cold || item->usage.share > t->cold->usage.share))
    t->cold = item;
  t->refused |= !cold && item->refused != REFUSED_NOT;
}

// Returns " for n = 512" for the key of ITEM; "" if it has none.
static const char *tally_key(const struct listed *item) {
  char *key = results_key(&item->problem), *clean = clean_text(key ? key : "");
  const char *text = *clean ? arena_printf(" for %s", clean) : "";
  clean_free(clean);
  free(key);
  return text;
}

static const char *tally_gained(const struct tally *t) {
  return arena_printf(
      "%.2f x over the default%s%s", tally_gain(t->best), tally_key(t->best),
      t->n_tuned == 1 ? ""
                      : arena_printf(", faster for %u of %u keys", t->n_won, t->n_tuned));
}

// Returns why the kernel NAME has no winner.
static const char *tally_why_not(const struct tally *t, const char *name) {
  char call[32];
  if (t->n_tuned)
    return arena_printf("no variant of the %u that were tried won", t->tried);
  if (t->refused)
    return arena_printf("its calls run the default: `autotune why %s` says why", name);
  if (!t->cold)
    return "no result is known of it with this text: programs built with `autotune cc "
           "--auto` keep them";
  const struct usage *u = &t->cold->usage;
  units_seconds(call, sizeof call, u->seconds);
  return arena_printf("it is cold: about %.2g call%s, %s each, %.2g %% of the program's "
                      "time",
                      u->calls, u->calls < 1.5 ? "" : "s", call, 100 * u->share);
}

// Returns PATH without "./" and "../" before it.
static const char *outcomes_tail(const char *path) {
  while (strncmp(path, "./", 2) == 0 || strncmp(path, "../", 3) == 0)
    path += strcspn(path, "/") + 1;
  return path;
}

// True if two paths, perhaps from different folders, may be those of one file: the
// shorter one ends the longer one.
static bool outcomes_may_be(const char *a, const char *b) {
  a = outcomes_tail(a);
  b = outcomes_tail(b);
  size_t n = strlen(a), m = strlen(b);
  if (n < m)
    return outcomes_may_be(b, a);
  return strcmp(a + (n - m), b) == 0 && (n == m || a[n - m - 1] == '/');
}

// True if NAME is KERNEL, or the template that KERNEL is an instance of.
static bool outcomes_is_name(const char *kernel, const char *name) {
  size_t n = strlen(name);
  return strncmp(kernel, name, n) == 0 && (kernel[n] == '\0' || kernel[n] == '<');
}

struct outcome outcomes_find(const struct outcomes *o, const char *name,
                             const char *path) {
  const struct listing *l = &o->all.listing;
  struct tally t = { 0 };
  for (unsigned i = 0; i < l->n; i++) {
    const struct problem *p = &l->items[i].problem;
    if (outcomes_is_name(p->kernel, name) && outcomes_may_be(p->file, path) &&
        results_is_here(p))
      tally_add(&t, &l->items[i]);
  }
  return t.best ? (struct outcome){ true, tally_gained(&t), t.best->summary.when }
                : (struct outcome){ .text = tally_why_not(&t, name) };
}
