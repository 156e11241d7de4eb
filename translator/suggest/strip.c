// SPDX-License-Identifier: Apache-2.0
// strip.c: blocks of one loop outermost, among threads, and the loops in another order
// inside.
//
// Threads need an outermost loop whose iterations are independent; caches and vectors
// need an innermost loop that visits neighbours. Often one loop is both, as j in
//
//     for (i …) for (j …) y[j] += A[i][j] * x[i];
//
// So that loop is cut into blocks. It carries no dependence, so its blocks may go
// outermost, whatever the other loops do. (Strip mining and interchange: Allen and
// Kennedy, Optimizing Compilers for Modern Architectures, 2001, section 5.9.)
#include <string.h>

#include "suggest.h"

// True if LOOP's range is the same in all iterations of B's other loops.
static bool strip_has_own_range(const struct band *b, unsigned loop) {
  for (unsigned i = 0; i < b->n; i++)
    if (i != loop && band_bounds_mention(b->loops[loop], b->loops[i]))
      return false;
  return true;
}

bool strip_find(const struct model *m, const struct band *b, struct strip *s) {
  struct band free = *b;
  if (b->n < 2 || !b->separate)
    return false;
  free.n_orders = 0;
  free.parallel = false;
  band_find_all_orders(m, &free);
  unsigned inner = free.orders[0][b->n - 1];
  bool better = !b->parallel || !b->n_orders || free.cost < b->cost;
  if (!free.n_orders || !better || !band_is_independent(b, inner) ||
      !strip_has_own_range(b, inner) || !b->loops[inner]->dim.unit_step)
    return false;
  *s = (struct strip){ .loop = inner };
  memcpy(s->order, free.orders[0], sizeof s->order);
  return true;
}

// Appends "permutation((…))" of the blocks, the loop and the others, in which the loops
// are in the order of S.
static void strip_put_order(const struct band *b, const struct strip *s, struct text *t) {
  text_printf(t, "permutation((1");
  for (unsigned i = 0; i < b->n; i++) {
    unsigned loop = s->order[i], at = loop < s->loop ? loop + 3 : loop + 2;
    text_printf(t, ",%u", loop == s->loop ? 2 : at);
  }
  text_printf(t, "))\n");
}

void strip_put(const struct band *b, const struct strip *s, const char *indent,
               struct text *t) {
  text_printf(t, "%s#pragma autotune interchange ", indent);
  strip_put_order(b, s, t);
  text_printf(t, "%s#pragma autotune tile sizes({64, 256, 1024})\n", indent);
  if (s->loop == 0)
    return;
  text_printf(t, "%s#pragma autotune interchange permutation((%u", indent, s->loop + 1);
  for (unsigned i = 0; i < b->n; i++)
    if (i != s->loop)
      text_printf(t, ",%u", i + 1);
  text_printf(t, "))\n");
}
