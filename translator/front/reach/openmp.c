// SPDX-License-Identifier: Apache-2.0
// openmp.c: finds out whether the functions that a kernel reaches use OpenMP. Functions
// that are not copied into the unit are followed, too: the variants call them.
#include <string.h>

#include "unit.h"

bool openmp_is_on(const struct compile_options *o) {
  bool on = false;
  for (const char *const *a = o->args; a && *a; a++)
    if (strncmp(*a, "-fopenmp", 8) == 0)
      on = strncmp(*a, "-fopenmp-", 9) != 0 || on;
    else if (strcmp(*a, "-fno-openmp") == 0)
      on = false;
  return on;
}

struct follow {
  const struct expansion *x;
  bool *seen; // items that were queued
  unsigned *queue, n;
};

static void openmp_follow(struct follow *f, unsigned index) {
  if (f->seen[index] || !f->x->items.list[index].body)
    return;
  f->seen[index] = true;
  *GROW(f->queue, f->n) = index;
}

// True if function ITEM has a directive or a call of OpenMP's. Queues what it mentions.
static bool openmp_scan(struct follow *f, const struct item *item) {
  struct lexer l = lexer_of(item->text);
  struct slice before = { NULL, 0 };
  l.p = item->body;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END; before = t.text) {
    if (t.kind != TOKEN_WORD)
      continue;
    if ((t.text.size > 4 && memcmp(t.text.data, "omp_", 4) == 0) ||
        (slice_is(t.text, "omp") && slice_is(before, "pragma")))
      return true;
    for (const struct name *n = NULL;
         (n = names_find(&f->x->items.names, NAME_ORDINARY, t.text, n)) != NULL;)
      openmp_follow(f, n->index);
  }
  return false;
}

bool reach_uses_openmp(const struct reach *r) {
  struct follow f = { .x = r->x, .seen = arena_alloc(r->x->items.n + 1) };
  for (unsigned i = 0; i < r->x->items.n; i++)
    if (r->how[i] != HOW_NOT)
      openmp_follow(&f, i);
  for (unsigned i = 0; i < f.n; i++)
    if (openmp_scan(&f, &r->x->items.list[f.queue[i]]))
      return true;
  return false;
}
