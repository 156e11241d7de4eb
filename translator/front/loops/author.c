// SPDX-License-Identifier: Apache-2.0
// author.c: loops under their author's `#pragma omp parallel for`, where no directive of
// ours stands. They stay as written, but in a function of their own (outline.c), so that
// compilers know as much of their variables as in the kernel.
#include "loops.h"

// Adds the variables of the loops that A's pragma is about to those that are private.
static bool author_counters(const struct usage *u, struct author *a) {
  struct region *r = arena_alloc(sizeof *r);
  struct slice collapse = slice_of(a->region->share);
  struct lexer l = lexer_of(collapse);
  struct token t = lex(&l);
  TSNode loop = a->loop, at;
  const char *why;
  *r = *a->region;
  a->region = r;
  while (t.kind != TOKEN_END && !slice_is(t.text, "collapse"))
    t = lex(&l);
  unsigned long n = 1;
  if (t.kind != TOKEN_END) {
    lex(&l);
    t = lex(&l);
    if (t.kind != TOKEN_NUMBER || t.text.size != 1)
      return false;
    n = (unsigned long)(*t.text.data - '0');
  }
  for (; n > 0; n--, loop = nest_inner(u, loop)) {
    struct dim d = { 0 };
    if (!node_is(loop, "for_statement") || !dim_parse(u, loop, &d, &why, &at))
      return false;
    struct slice *own = arena_alloc((r->n_own + 1) * sizeof *own);
    for (unsigned i = 0; i < r->n_own; i++)
      own[i] = r->own[i];
    own[r->n_own] = d.var;
    r->own = own;
    r->n_own += d.type.size == 0;
  }
  return true;
}

// True if a directive of ours stands on LOOP.
static bool author_has_ours(const struct function *f, TSNode loop) {
  unsigned n;
  directives_on(f, loop, &n);
  return n > 0;
}

struct author *authors_of(const struct source *s, const struct function *f,
                          const struct usage *u, unsigned *n) {
  struct author *all = NULL;
  struct lexer l = { s->text + f->body_at, s->text + f->end, true };
  *n = 0;
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    if (!t.first || !slice_is(t.text, "#"))
      continue;
    const char *end = lex_line_end(t.text.data, l.end);
    struct author a = { .from = (size_t)(t.text.data - s->text) };
    l = (struct lexer){ end, l.end, true };
    struct lexer next = l;
    a.start = (size_t)(lex(&next).text.data - s->text);
    a.region = region_of((struct slice){ t.text.data, (size_t)(end - t.text.data) });
    a.loop = a.region ? node_for_at(f->node, a.start) : (TSNode){ 0 };
    if (ts_node_is_null(a.loop) || author_has_ours(f, a.loop) || !author_counters(u, &a))
      continue;
    a.end = ts_node_end_byte(a.loop);
    *GROW(all, *n) = a;
  }
  return all;
}

void author_write(struct builder *b, const struct author *a, struct slice loop,
                  struct text *out) {
  struct moved m = { 0 };
  if (!b->functions || !outline(b, a->loop, NULL, 0, a->region, &m)) {
    text_add(out, b->s->text + a->from, a->start - a->from);
    text_add(out, loop.data, loop.size);
    return;
  }
  struct text body = { 0 };
  const char *name = outline_name(b);
  text_printf(out, "\n%s%s(%s);\n", a->region->team, name, m.args.data);
  text_printf(&body, "static __attribute__((__noinline__)) void %s(%s)\n{\n%s", name,
              m.params.data, m.begin.size ? m.begin.data : "");
  text_printf(&body, "%s", a->region->share);
  write_line(b, &body, a->start);
  text_add(&body, loop.data, loop.size);
  text_printf(&body, "\n%s}\n", m.end.size ? m.end.data : "");
  text_add(b->functions, body.data, body.size);
}
