// SPDX-License-Identifier: Apache-2.0
// stale.c: finds results that programs do not use any more, as far as the store can tell.
//
// A text of a kernel is stale if the store has seen nothing of it since another text of
// that kernel appeared: one of the same name, in a file of the same name. A program that
// finds its winner writes nothing, but for the checks of it in later calls. Texts that
// take turns are therefore current, and a text that was only recalled for some time may
// be called stale. So nothing is deleted for this reason without being asked for.
#include <stdlib.h>
#include <string.h>

#include "model/identity.h"
#include "tables.h"

const char *const stale_words[STALE_REASONS] = {
  [STALE_NOT] = "",
  [STALE_TEXT] = "the kernel was changed",
  [STALE_COMPILER] = "the compiler was changed",
};

void listed_see(struct listed *item, double when) {
  if (when <= 0)
    return;
  item->first = item->first > 0 && item->first < when ? item->first : when;
  item->last = item->last > when ? item->last : when;
}

// The time in which a text was seen.
struct span {
  const struct problem *of;
  double first, last;
};

// True if P and Q are of one file on one machine: others have builds of their own.
static bool stale_is_place(const struct problem *p, const struct problem *q) {
  return p->device == q->device && strcmp(p->cpu, q->cpu) == 0 &&
      strcmp(p->isa, q->isa) == 0 &&
      strcmp(sys_file_name(p->file), sys_file_name(q->file)) == 0;
}

static bool span_is_of(const struct span *s, const struct problem *p) {
  return s->of->unit == p->unit && stale_is_place(s->of, p);
}

static unsigned stale_add_span(struct span *spans, unsigned n,
                               const struct listed *item) {
  unsigned i = 0;
  while (i < n && !span_is_of(&spans[i], &item->problem))
    i++;
  if (i == n)
    spans[n++] = (struct span){ &item->problem, item->first, item->last };
  if (item->first > 0 && item->first < spans[i].first)
    spans[i].first = item->first;
  if (item->last > spans[i].last)
    spans[i].last = item->last;
  return n;
}

// True if another of SPANS, texts of the kernel of P, began when P's had ended.
static bool stale_is_text(const struct span *spans, unsigned n, const struct problem *p) {
  const struct span *own = NULL;
  for (unsigned i = 0; i < n && !own; i++)
    own = span_is_of(&spans[i], p) ? &spans[i] : NULL;
  for (unsigned i = 0; i < n; i++)
    if (own && spans[i].of->unit != p->unit && spans[i].first > own->last &&
        stale_is_place(spans[i].of, p))
      return true;
  return false;
}

// True if ITEM's variants were made by another version of the compiler than this one.
static bool stale_is_compiler(const struct listed *item) {
  const struct machine *m = machine_identity();
  const struct problem *p = &item->problem;
  return item->finished && p->device == DEVICE_PROCESSOR && *item->summary.toolchain &&
      strcmp(p->cpu, m->cpu) == 0 && strcmp(p->isa, m->isa) == 0 &&
      strcmp(item->summary.toolchain, identity_toolchain()) != 0;
}

// Marks the N results at ITEMS, which are of kernels of one name.
static void stale_mark_kernel(struct listed *items, unsigned n) {
  struct span *spans = sys_malloc((n + 1) * sizeof *spans);
  unsigned n_spans = 0;
  for (unsigned i = 0; spans && i < n; i++)
    n_spans = stale_add_span(spans, n_spans, &items[i]);
  for (unsigned i = 0; spans && i < n; i++)
    items[i].stale = stale_is_text(spans, n_spans, &items[i].problem) ? STALE_TEXT
        : stale_is_compiler(&items[i])                                ? STALE_COMPILER
                                                                      : STALE_NOT;
  free(spans);
}

// Moves stale results behind all others, without changing the order among each.
static void stale_move(struct listing *l) {
  struct listed *sorted = sys_malloc((l->n + 1) * sizeof *sorted);
  unsigned n = 0;
  for (int stale = 0; sorted && stale < 2; stale++)
    for (unsigned i = 0; i < l->n; i++)
      if ((l->items[i].stale != STALE_NOT) == stale)
        sorted[n++] = l->items[i];
  l->n_stale = 0;
  for (unsigned i = 0; i < l->n; i++)
    l->n_stale += l->items[i].stale != STALE_NOT;
  if (sorted && n)
    memcpy(l->items, sorted, n * sizeof *sorted);
  free(sorted);
}

void store_mark_stale(struct listing *l) {
  for (unsigned begin = 0, end; begin < l->n; begin = end) {
    const char *kernel = l->items[begin].problem.kernel;
    for (end = begin + 1; end < l->n; end++)
      if (strcmp(l->items[end].problem.kernel, kernel) != 0)
        break;
    stale_mark_kernel(l->items + begin, end - begin);
  }
  stale_move(l);
}
