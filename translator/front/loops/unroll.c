// SPDX-License-Identifier: Apache-2.0
// unroll.c: turns `unroll` into a hint for the compiler, which unrolls the loop.
#include <string.h>

#include "loops.h"

static bool unroll_applies(struct builder *b, const struct nest *n,
                           const struct loop_directive *d) {
  const struct dir_clause *partial = directive_clause(d, "partial");
  if (!nest_has(b, n, d, 1))
    return false;
  if (n->loops[0].hint)
    return FAIL_AT(b, d, NULL, "this loop is unrolled already");
  if (partial && directive_clause(d, "full"))
    return FAIL(b, partial->offset, strlen("partial"), NULL,
                "'partial' and 'full' exclude each other");
  return !partial || !partial->n_args ||
      arg_is_positive(b, d->pragma, &partial->args[0], "a factor");
}

static void unroll_make(struct builder *b, struct nest *n,
                        const struct loop_directive *d) {
  const struct dir_clause *partial = directive_clause(d, "partial");
  struct loop *l = &n->loops[0];
  nest_touch(n, 0, 1);
  l->hint = directive_clause(d, "full") ? HINT_FULL
      : partial && partial->n_args      ? HINT_PARTIAL
                                        : HINT_AUTO;
  if (l->hint == HINT_PARTIAL)
    l->factor = arg_text(b, &partial->args[0]);
}

const struct transformation transform_unroll = { .applies = unroll_applies,
                                                 .make = unroll_make };
