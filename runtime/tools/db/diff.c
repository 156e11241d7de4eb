// SPDX-License-Identifier: Apache-2.0
// diff.c: `autotune db diff A B`: compares the winners of two stores or files of wisdom.
#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "model/value.h"
#include "tools/common/grid.h"

// True if both have the same winner, and times that differ by no more than noise.
static bool diff_agrees(const struct wisdom_entry *a, const struct wisdom_entry *b) {
  return strcmp(a->summary.values, b->summary.values) == 0 &&
      strcmp(a->problem.toolchain, b->problem.toolchain) == 0 &&
      a->summary.best.low <= b->summary.best.high &&
      b->summary.best.low <= a->summary.best.high;
}

static char *diff_cost(const struct wisdom_entry *e) {
  char text[64];
  return sys_strdup(
      e ? objective_show(e->problem.objective, text, sizeof text, e->summary.best.median)
        : "—");
}

// Returns the values of E that differ from OTHER's (all if OTHER is NULL), or "default"
// if the default stays; malloc'ed.
static char *values_of(const struct wisdom_entry *e, const struct wisdom_entry *other) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = e ? open_memstream(&text, &size) : NULL;
  if (!e)
    return sys_strdup("—");
  if (!f)
    return NULL;
  if (!e->summary.winner)
    fputs("default", f);
  struct named_value s, its;
  for (const char *values = e->summary.values; value_next(&values, &s);)
    if (!other || !value_find(other->summary.values, s.name, s.name_size, &its) ||
        its.size != s.size || memcmp(its.value, s.value, s.size) != 0)
      fprintf(f, "%s%.*s", ftell(f) > 0 ? "  " : "", (int)value_length(&s), s.name);
  if (other && ftell(f) == 0)
    fputs("the same", f);
  fclose(f);
  return text;
}

static void add_pair(struct grid *g, const struct wisdom_entry *a,
                     const struct wisdom_entry *b) {
  const struct problem *p = &(a ? a : b)->problem;
  grid_add(g, sys_strdup(p->kernel));
  grid_add(g, results_key(p));
  grid_add(g, results_machine(p->cpu));
  grid_add(g, sys_printf("%u", p->threads));
  grid_add(g, diff_cost(a));
  grid_add(g, diff_cost(b));
  bool both = a && b && a->summary.best.median > 0;
  grid_add(g,
           both ? sys_printf("%.3f", b->summary.best.median / a->summary.best.median)
                : sys_strdup(""));
  grid_add(g, values_of(a, b));
  grid_add(g, values_of(b, a));
}

// Compares A and B, which are sorted. Returns how many winners agree, and adds the others
// to G.
static unsigned diff_compare(const struct wisdom *a, const struct wisdom *b,
                             struct grid *g) {
  unsigned same = 0, i = 0, j = 0;
  while (i < a->n || j < b->n) {
    const struct wisdom_entry *x = i < a->n ? &a->entries[i] : NULL;
    const struct wisdom_entry *y = j < b->n ? &b->entries[j] : NULL;
    int c = !x ? 1 : !y ? -1 : wisdom_compare(x, y);
    if (c == 0 && diff_agrees(x, y))
      same++;
    else
      add_pair(g, c <= 0 ? x : NULL, c >= 0 ? y : NULL);
    i += c <= 0;
    j += c >= 0;
  }
  return same;
}

int db_diff(const struct arguments *a) {
  static const char *const heading[] = { "kernel", "for", "machine", "threads", "A",
                                         "B",      "B/A", "A has",   "B has" };
  struct loaded x, y = { 0 };
  struct grid g = { .columns = sizeof heading / sizeof *heading, .right = "lllrrrrll" };
  bool bad = results_load(a->words[0], &x) != 0;
  bad |= results_load(a->words[1], &y) != 0;
  for (unsigned i = 0; i < g.columns; i++)
    grid_add(&g, sys_strdup(heading[i]));
  unsigned same = bad ? 0 : diff_compare(&x.wisdom, &y.wisdom, &g);
  unsigned differ = g.n / g.columns - 1;
  if (!bad && differ)
    grid_print(&g);
  if (!bad)
    printf("%u the same, %u different\n", same, differ);
  grid_free(&g);
  results_unload(&x);
  results_unload(&y);
  return bad ? 2 : differ > 0;
}
