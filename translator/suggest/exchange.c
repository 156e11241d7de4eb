// SPDX-License-Identifier: Apache-2.0
// exchange.c: exchanges the loops below the author's `#pragma omp parallel for` where
// another one is better shared: threads that share columns of a matrix of rows all go
// through all of its memory. The author's order is the default.
#include <string.h>

#include "suggest.h"

// True if the clauses LINE make NAME private.
static bool exchange_is_private(struct slice line, struct slice name) {
  struct lexer l = lexer_of(line);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (!slice_is(t.text, "private"))
      continue;
    struct lexer list = l;
    const char *end = skip_brackets(&l);
    if (lex_mentions((struct slice){ list.p, (size_t)(end - list.p) }, name))
      return true;
  }
  return false;
}

// True if each iteration of any order of B's loops has its own variables, as far as LINE,
// the author's directive, makes them private.
static bool exchange_is_private_all(const struct band *b, struct slice line) {
  static const char *const others[] = { "lastprivate", "linear",   "reduction",
                                        "ordered",     "collapse", "copyin" };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (lex_mentions(line, slice_of(others[i])))
      return false;
  for (unsigned i = 0; i < b->n; i++) {
    const struct dim *d = &b->loops[i]->dim;
    TSNode init = node_field(b->loops[i]->node, "initializer");
    if (!node_is(init, "declaration") && !exchange_is_private(line, d->var))
      return false;
  }
  for (unsigned i = 0; i < b->n_own; i++)
    if (!exchange_is_private(line, b->own[i].name))
      return false;
  return b->n_sums == 0;
}

bool exchange_propose(struct model *m, struct iter *const *chain, unsigned n,
                      struct plan *plan) {
  struct band b = { .n = n };
  const char *words = "", *why = NULL;
  struct slice line = { 0 };
  TSNode at;
  size_t place = n ? model_offset(m, chain[0]->node, NULL) : 0;
  unsigned found = n > 1 ? openmp_nearest(m->source, place, &words, &line) : 0;
  for (unsigned i = 0; i < plan->n_around; i++) // nothing may stand between those
    if (plan->around[i].line.offset == place)
      return false;
  if (found != (OPENMP_PARALLEL | OPENMP_FOR) || plan_jumps(chain[0]->node) ||
      lex_mentions((struct slice){ m->source->text, m->source->size },
                   slice_of("threadprivate")))
    return false;
  memcpy(b.loops, chain, n * sizeof *chain);
  if (!band_fill(m, &b, false, &why, &at) || !b.parallel || b.n_orders == 0 ||
      order_is_identity(b.orders[0], n) || !exchange_is_private_all(&b, line))
    return false;
  struct text t = { 0 };
  text_printf(&t, "%s#pragma autotune interchange permutation(",
              patch_indent(m->source, place));
  for (unsigned i = 0; i < n; i++)
    text_printf(&t, "%s%u", i ? "," : "(", b.orders[0][i] + 1);
  text_printf(&t, ")) optional\n");
  *GROW(plan->list, plan->n) = (struct insertion){ place, t.data, .below = true };
  return true;
}
