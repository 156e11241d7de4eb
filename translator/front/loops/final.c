// SPDX-License-Identifier: Apache-2.0
// final.c: an iteration variable that is declared outside of its loop is private to
// the nest that is written. After the nest it gets the value that the loops as written
// would have left in it.
#include "loops.h"

// From D's outermost loop inwards, finds the last iteration that reaches D's loop. If
// bounds depend on outer loops, that need not be their last one.
static void write_final(struct builder *b, const struct dim *d, struct text *out) {
  const struct dim *chain[MAX_IDS];
  unsigned n = 0;
  for (const struct dim *o = d; o; o = o->outer)
    chain[n++] = o;
  text_printf(out, "{\nint autotune_done = 0;\n");
  for (unsigned i = n; i-- > 0;) {
    struct dim copy = *chain[i];
    struct loop l = loop_of(&copy);
    const char *rest = arena_printf("autotune_i%u", l.id);
    range_make(b, &l);
    text_printf(out, "%s", l.setup);
    if (i == 0)
      text_printf(out, "%s = %s;\nautotune_done = 1;\n", l.var, range_at(&l, l.count));
    else
      text_printf(
          out,
          "for (unsigned long long %1$s = %2$s; %1$s-- > 0 && !autotune_done;) {\n%3$s %4$s = %5$s;\n",
          rest, l.count, l.type, l.var, range_at(&l, rest));
  }
  for (unsigned i = 0; i < n; i++)
    text_printf(out, "}\n");
}

void finals_write(struct builder *b, const struct nest *n, struct text *out) {
  for (unsigned i = 0; i < n->n_dims; i++)
    if (n->dims[i]->affected && n->dims[i]->type.size == 0)
      write_final(b, n->dims[i], out);
}
