// SPDX-License-Identifier: Apache-2.0
// loops_final.c: an iteration variable that is declared outside of its loop is private to the nest that is
// written; after it, it gets the value that the loops as written would have left in it.
#include "loops.h"

// D's chain of loops, outermost first; each runs to its last iteration, D itself to its end.
static void write_final(struct builder *b, const struct dim *d, struct text *out)
{
  const struct dim *chain[MAX_IDS];
  unsigned n = 0;
  for (const struct dim *o = d; o; o = o->outer)
    chain[n++] = o;
  text_printf(out, "{\n");
  for (unsigned i = n; i-- > 0;) {
    struct dim copy = *chain[i];
    struct loop l = loop_of(&copy);
    range_make(b, &l);
    text_printf(out, "%s", l.setup);
    if (i == 0)
      text_printf(out, "%s = %s;\n", l.var, range_at(&l, l.count));
    else
      text_printf(out, "if (%s) {\n%s %s = %s;\n", l.count, l.type, l.var,
                  range_at(&l, arena_printf("%s - 1", l.count)));
  }
  for (unsigned i = 0; i < n; i++)
    text_printf(out, "}\n");
}

void finals_write(struct builder *b, const struct nest *n, struct text *out)
{
  for (unsigned i = 0; i < n->n_dims; i++)
    if (n->dims[i]->affected && n->dims[i]->type.size == 0)
      write_final(b, n->dims[i], out);
}
