// SPDX-License-Identifier: Apache-2.0
// feed.c: prepares the file for the preprocessor. Leaves out definitions of params, so
// that every mention of a param stays an identifier; only #if sees params, at their
// defaults. Lines keep their numbers.
#include <string.h>

#include "front/include.h"
#include "unit.h"

struct chain { // #if … #endif
  size_t start, end;
  bool depends; // on a param
};
struct scan {
  const struct source *s;
  const struct kernel *kernels;
  unsigned n_kernels;
  struct slice *tainted; // macros that mention a param, directly or not
  unsigned n_tainted;
  struct chain *chains;
  unsigned n_chains;
  unsigned depth,
      touched; // number of groups open at the place of writing; the innermost with our
               // own lines in it
};

// Returns the kind of the logical line, and sets *REST to the text after its directive's
// word.
static enum line feed_kind(struct slice line, struct slice *rest) {
  struct lexer l = lexer_of(line), r;
  if (!slice_is(lex(&l).text, "#"))
    return LINE_TEXT;
  enum line kind = lex_directive(&l, &r);
  *rest = (struct slice){ r.p, (size_t)(r.end - r.p) };
  return kind;
}

static bool is_definition(enum line kind) {
  return kind == LINE_DEFINE || kind == LINE_UNDEF;
}

static bool is_include(enum line kind) {
  return kind == LINE_INCLUDE || kind == LINE_INCLUDE_NEXT;
}

static struct slice feed_line_at(const struct source *s, size_t at, size_t end) {
  const char *p = s->text + at, *q = lex_line_end(p, s->text + end);
  return (struct slice){ p, (size_t)(q - p) };
}

const struct param *feed_param(const struct kernel *kernels, unsigned n,
                               struct slice name) {
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < kernels[i].n_params; j++) {
      const struct param *p = &kernels[i].params[j];
      if (p->named && p->macro && slice_is(name, p->macro))
        return p;
    }
  return NULL;
}

static bool feed_depends(const struct scan *c, struct slice text) {
  struct lexer l = lexer_of(text);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (t.kind != TOKEN_WORD)
      continue;
    if (feed_param(c->kernels, c->n_kernels, t.text))
      return true;
    for (unsigned i = 0; i < c->n_tainted; i++)
      if (slices_same(c->tainted[i], t.text))
        return true;
  }
  return false;
}

// Finds the chains and marks those that depend on a param; `tainted` grows while it
// reads.
static void find_chains(struct scan *c) {
  unsigned *open = NULL, n_open = 0;
  const struct source *s = c->s;
  struct directive d;
  for (size_t at = 0; directive_next((struct slice){ s->text, s->size }, &at, &d);)
    switch (line_kind(d.word)) {
    case LINE_IF:
      *GROW(open, n_open) = c->n_chains;
      *GROW(c->chains, c->n_chains) =
          (struct chain){ d.offset, s->size, feed_depends(c, d.rest) };
      break;
    case LINE_ELSE:
      if (n_open && feed_depends(c, d.rest))
        c->chains[open[n_open - 1]].depends = true;
      break;
    case LINE_ENDIF:
      if (n_open)
        c->chains[open[--n_open]].end = d.end;
      break;
    case LINE_DEFINE:
    case LINE_UNDEF: {
      struct lexer l = lexer_of(d.rest);
      struct slice name = lex(&l).text;
      if (feed_depends(c, (struct slice){ l.p, (size_t)(l.end - l.p) }))
        *GROW(c->tainted, c->n_tainted) = name;
      break;
    }
    default:
      break;
    }
}

const char *feed_default(const struct source *s, const struct kernel *k,
                         const struct param *p) {
  if (p->original < p->n_values)
    return p->values[p->original].define;
  for (unsigned i = 0; i < k->main.pragma->n_clauses; i++) { // param(NAME = v: …)
    const struct clause *c = &k->main.pragma->clauses[i];
    struct lexer l = lexer_of(c->body);
    if (strcmp(c->name, "param") != 0 || !slice_is(lex(&l).text, p->name) ||
        !slice_is(lex(&l).text, "="))
      continue;
    const char *start = l.p;
    struct token t;
    while ((t = lex(&l)).kind != TOKEN_END && !slice_is(t.text, ":"))
      ;
    struct slice v = slice_trim((struct slice){ start, (size_t)(t.text.data - start) });
    return arena_copy(v.data, v.size);
  }
  struct directive d;
  for (size_t at = 0; directive_next((struct slice){ s->text, s->size }, &at, &d);) {
    struct lexer l = lexer_of(d.rest);
    l.end -= d.rest.size && l.end[-1] == '\n';
    if (is_definition(line_kind(d.word)) && slice_is(lex(&l).text, p->macro) &&
        l.p < l.end)
      return lex_blank(l.p, (size_t)(l.end - l.p));
  }
  return p->n_values ? p->values[0].define : "";
}

static void feed_definitions(const struct scan *c, bool define, struct text *out) {
  for (unsigned i = 0; i < c->n_kernels; i++)
    for (unsigned j = 0; j < c->kernels[i].n_params; j++) {
      const struct param *p = &c->kernels[i].params[j];
      if (!p->named || !p->macro)
        continue;
      text_printf(out, "#undef %s\n", p->macro);
      if (define)
        text_printf(out, "#define %s %s\n", p->macro,
                    feed_default(c->s, &c->kernels[i], p));
    }
}

void feed_newlines(struct slice line, struct text *out) {
  for (size_t i = 0; i < line.size; i++)
    if (line.data[i] == '\n')
      text_add(out, "\n", 1);
}

// True if the line is not for the compiler: `#pragma autotune`, or a definition of a
// param.
static bool feed_is_ours(const struct kernel *kernels, unsigned n, enum line kind,
                         struct slice rest) {
  struct lexer l = lexer_of(rest);
  struct slice word = lex(&l).text;
  return (kind == LINE_PRAGMA && slice_is(word, "autotune")) ||
      (is_definition(kind) && feed_param(kernels, n, word));
}

void feed_raw(const struct source *s, const struct kernel *kernels, unsigned n,
              size_t start, size_t end, struct text *out) {
  for (size_t at = start; at < end;) {
    struct slice line = feed_line_at(s, at, end), rest = { 0 };
    enum line kind = feed_kind(line, &rest);
    if (feed_is_ours(kernels, n, kind, rest))
      feed_newlines(line, out);
    else
      text_add(out, line.data, line.size);
    at += line.size + 1;
    text_add(out, "\n", at <= end ? 1 : 0);
  }
}

// True if a line ends a group with our lines in it. The preprocessor skips our #line
// directives in a group that it skips, but their lines still count.
static bool ends_touched(struct scan *c, enum line kind) {
  bool ends = (kind == LINE_ELSE || kind == LINE_ENDIF) && c->touched > 0 &&
      c->touched >= c->depth;
  c->depth += kind == LINE_IF;
  c->depth -= c->depth > 0 && kind == LINE_ENDIF;
  c->touched = c->touched > c->depth ? c->depth : c->touched;
  return ends;
}

static void feed_write_line(struct scan *c, struct slice line, bool in_chain,
                            struct text *out) {
  struct slice rest = { 0 };
  enum line kind = feed_kind(line, &rest);
  size_t next = (size_t)(line.data - c->s->text) + line.size + 1;
  bool conditional = line_is_conditional(kind);
  if (feed_is_ours(c->kernels, c->n_kernels, kind, rest)) {
    const char *at = memchr(line.data, '#', line.size);
    if (c->s->marked && kind == LINE_PRAGMA && at)
      text_printf(out, FEED_MARK "%zu", (size_t)(at - c->s->text));
    feed_newlines(line, out);
    text_add(out, "\n", 1);
    return;
  }
  if (in_chain && kind == LINE_IF) {
    feed_definitions(c, true, out);
    source_resume(c->s, (size_t)(line.data - c->s->text), out);
  }
  text_add(out, line.data, line.size);
  text_add(out, "\n", 1);
  bool ends = ends_touched(c, kind);
  if ((in_chain && conditional) || is_include(kind)) {
    feed_definitions(c, false, out);
    c->touched = c->depth;
  }
  if ((in_chain && conditional) || is_include(kind) || ends)
    source_resume(c->s, next, out);
}

// True if the chain of the conditional at AT, or one around it, depends on a param.
static bool in_dependent(const struct scan *c, size_t at) {
  for (unsigned i = 0; i < c->n_chains; i++)
    if (c->chains[i].depends && c->chains[i].start <= at && at < c->chains[i].end)
      return true;
  return false;
}

static bool holds_include(const struct source *s, size_t start, size_t end) {
  struct directive d;
  for (size_t at = start; directive_next((struct slice){ s->text, end }, &at, &d);)
    if (is_include(line_kind(d.word)))
      return true;
  return false;
}

// Keeps the outermost chains that depend on a param and contain no kernel and no other
// file.
static void keep_chains(const struct scan *c, struct feed *f) {
  size_t last = 0;
  for (unsigned i = 0; i < c->n_chains; i++) {
    const struct chain *h = &c->chains[i];
    bool holds = false;
    for (unsigned j = 0; j < c->n_kernels; j++)
      holds |= h->start <= c->kernels[j].main.start && c->kernels[j].main.start < h->end;
    if (!h->depends || holds || h->start < last)
      continue;
    last = h->end;
    bool usable = !holds_include(c->s, h->start, h->end);
    *GROW(f->chains, f->n_chains) = (struct piece){ h->start, h->end, SIZE_MAX, usable };
  }
}

struct feed feed_make(const struct source *s, const struct kernel *kernels, unsigned n) {
  struct scan c = { .s = s, .kernels = kernels, .n_kernels = n };
  struct feed f = { 0 };
  find_chains(&c);
  keep_chains(&c, &f);
  feed_definitions(&c, false, &f.text); // -include may have defined one
  source_resume(s, 0, &f.text);
  f.top = headers_end(s);
  for (size_t at = 0; at < s->size;) {
    struct slice line = feed_line_at(s, at, s->size);
    f.below = at == f.top ? f.text.size : f.below;
    feed_write_line(&c, line, in_dependent(&c, at), &f.text);
    at += line.size + 1;
  }
  return f;
}
