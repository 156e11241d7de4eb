// SPDX-License-Identifier: Apache-2.0
// conditionals.c: the #ifs of a file, with the lines of their branches.
#include "suggest.h"

struct conditionals_reading {
  const struct source *s;
  struct conditional *open;
  unsigned n_open;
  unsigned lines; // so far, of all
  int depth;
  struct conditionals found;
};

static void conditionals_line(struct conditionals_reading *r, enum line kind,
                              size_t start, size_t end) {
  if (kind == LINE_IF)
    *GROW(r->open, r->n_open) = (struct conditional){ .depth = r->depth };
  if (r->n_open == 0)
    return;
  struct conditional *c = &r->open[r->n_open - 1];
  *GROW(c->lines, c->n) = (struct conditional_line){ start, end, r->lines++ };
  if (kind != LINE_ENDIF) {
    r->depth = c->depth;
    return;
  }
  *GROW(r->found.list, r->found.n) = *c;
  r->n_open--;
}

struct conditionals conditionals_of(const struct source *s) {
  struct conditionals_reading r = { .s = s };
  struct lexer l = lexer_of((struct slice){ s->text, s->size }), rest;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (!t.first || !slice_is(t.text, "#")) {
      r.depth += slice_is(t.text, "{") ? 1 : slice_is(t.text, "}") ? -1 : 0;
      continue;
    }
    enum line kind = lex_directive(&l, &rest);
    if (kind == LINE_IF || kind == LINE_ELSE || kind == LINE_ENDIF)
      conditionals_line(&r, kind, (size_t)(t.text.data - s->text),
                        (size_t)(l.p - s->text));
  }
  r.found.n_lines = r.lines;
  return r.found;
}
