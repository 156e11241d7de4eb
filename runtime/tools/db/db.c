// SPDX-License-Identifier: Apache-2.0
// db.c: `autotune db list`, `forget` and `export`.
#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "model/key.h"
#include "tools/common/clean.h"
#include "tools/common/grid.h"

// ---- list ---------------------------------------------------------------------------

static char *db_cost(const struct wisdom_entry *e, double cost) {
  char text[64];
  return sys_strdup(objective_show(e->problem.objective, text, sizeof text, cost));
}

// True if a kernel in another file has the same name as the INDEX-th one.
static bool has_namesake(const struct wisdom *w, unsigned index) {
  const struct problem *p = &w->entries[index].problem;
  for (unsigned i = 0; i < w->n; i++)
    if (strcmp(w->entries[i].problem.kernel, p->kernel) == 0 &&
        strcmp(w->entries[i].problem.file, p->file) != 0)
      return true;
  return false;
}

static void db_add_winner(struct grid *g, const struct wisdom *w, unsigned index) {
  const struct wisdom_entry *e = &w->entries[index];
  const struct summary *m = &e->summary;
  char when[CLEAN_MOMENT];
  grid_add(g,
           has_namesake(w, index)
               ? sys_printf("%s (%s)", e->problem.kernel, e->problem.file)
               : sys_strdup(e->problem.kernel));
  grid_add(g, results_key(&e->problem));
  grid_add(g, results_machine(e->problem.cpu));
  grid_add(g, sys_printf("%u", e->problem.threads));
  grid_add(g, db_cost(e, m->original.median));
  grid_add(g, m->winner ? db_cost(e, m->best.median) : sys_strdup("(default)"));
  grid_add(g,
           m->winner && m->best.median > 0
               ? sys_printf("%.2f x", m->original.median / m->best.median)
               : sys_strdup(""));
  grid_add(g, sys_strdup(clean_moment(when, m->when)));
  const char *told = *m->source ? m->source : m->verified ? "" : "unverified";
  grid_add(g,
           e->stale ? sys_printf("stale: %s%s%s", stale_words[e->stale],
                                 *told ? "; " : "", told)
                    : sys_strdup(told));
}

// Prints how many results of L are stale.
static void db_say_stale(const struct listing *l) {
  if (l->n_stale)
    printf("%u %s; `autotune db prune --stale` takes %s out\n", l->n_stale,
           l->n_stale == 1 ? "result is stale" : "results are stale",
           l->n_stale == 1 ? "it" : "them");
}

int db_list(const struct arguments *a) {
  const struct db_options *o = a->options;
  static const char *const heading[] = { "kernel",   "for",     "machine",
                                         "threads",  "default", "best",
                                         "speed-up", "when",    "" };
  struct loaded l = { 0 };
  char *path = results_folder(o->folder);
  int status = path ? results_load(path, &l) : -1;
  struct grid g = { .columns = sizeof heading / sizeof *heading, .right = "lllrrrrll" };
  for (unsigned i = 0; i < g.columns; i++)
    grid_add(&g, sys_strdup(heading[i]));
  for (int stale = 0; stale < 2; stale++)
    for (unsigned i = 0; i < l.wisdom.n; i++)
      if ((l.wisdom.entries[i].stale != STALE_NOT) == stale)
        db_add_winner(&g, &l.wisdom, i);
  if (l.wisdom.n)
    grid_print(&g);
  else if (status == 0)
    printf("%s: no kernel was tuned to an end\n", path);
  db_say_stale(&l.listing);
  if (l.listing.damaged)
    printf("%u damaged row%s ignored; `autotune db prune` takes them out\n",
           l.listing.damaged, l.listing.damaged == 1 ? " was" : "s were");
  grid_free(&g);
  int n = (int)l.wisdom.n;
  results_unload(&l);
  free(path);
  return status != 0 ? 2 : n == 0;
}

// ---- forget -------------------------------------------------------------------------

int db_forget(const struct arguments *a) {
  const struct db_options *o = a->options;
  const char *kernel = a->words[0];
  struct store *s = results_open(o->folder, false);
  struct listing l = { 0 };
  long long numbers[MAX_KEYS];
  unsigned forgotten = 0;
  if (!s)
    return 2;
  int status = store_list(s, kernel, &l);
  for (unsigned i = 0; i < l.n && status == 0; i++)
    if (results_key_matches(&l.items[i].problem, o->key)) {
      unsigned n = key_read(l.items[i].problem.key, numbers, MAX_KEYS);
      status = n > MAX_KEYS
          ? -1
          : store_forget(s, kernel, l.items[i].problem.unit, numbers, n);
      forgotten++;
    }
  store_list_free(&l);
  store_close(s);
  if (status != 0)
    fprintf(stderr, "autotune db: the rows could not be taken out\n");
  else if (forgotten)
    printf("%s: %u forgotten\n", kernel, forgotten);
  else
    printf("%s: nothing is known%s\n", kernel, o->key ? " for that key" : "");
  return status != 0 ? 2 : forgotten == 0;
}

// ---- export -------------------------------------------------------------------------

int db_export(const struct arguments *a) {
  const struct db_options *o = a->options;
  struct store *s = results_open(o->folder, false);
  struct listing l = { 0 };
  struct wisdom w = { 0 };
  if (!s)
    return 2;
  int status =
      store_list(s, NULL, &l) == 0 && wisdom_add_listing(&w, &l, a->words, a->n) ? 0 : 2;
  if (status != 0)
    fprintf(stderr, "autotune db: the results could not be read to their end\n");
  wisdom_sort(&w);
  if (status == 0 && w.n == 0) {
    fprintf(stderr, "autotune db: there is no winner to export\n");
    status = 1;
  }
  unsigned stale = 0;
  for (unsigned i = 0; i < w.n; i++)
    stale += w.entries[i].stale != STALE_NOT;
  if (status == 0 && stale)
    fprintf(stderr,
            "autotune db: %u of %u winners %s stale; `autotune db prune --stale` takes "
            "stale results out of the store\n",
            stale, w.n, stale == 1 ? "is" : "are");
  if (status == 0)
    status = results_write(&w, o->output);
  wisdom_free(&w);
  store_list_free(&l);
  store_close(s);
  return status;
}
