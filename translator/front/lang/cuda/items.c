// SPDX-License-Identifier: Apache-2.0
// items.c: cuts a .cu file or a header into declarations at namespace scope and lines of
// the preprocessor, by tokens alone.
#include <string.h>

#include "items.h"

size_t items_offset(const struct cutter *c, const char *p) {
  return (size_t)(p - c->s->text);
}

// Adds a line of the preprocessor whose `#` is T.
static void cut_directive(struct cutter *c, struct token t) {
  static const enum item_kind kinds[] = {
    [LINE_IF] = ITEM_IF,        [LINE_ELSE] = ITEM_ELSE,
    [LINE_ENDIF] = ITEM_ENDIF,  [LINE_DEFINE] = ITEM_DEFINE,
    [LINE_UNDEF] = ITEM_UNDEF,  [LINE_INCLUDE] = ITEM_INCLUDE,
    [LINE_OTHER] = ITEM_OTHER,  [LINE_INCLUDE_NEXT] = ITEM_OTHER,
    [LINE_PRAGMA] = ITEM_OTHER,
  };
  struct lexer line;
  struct cuda_item *i = GROW(c->items.list, c->items.n);
  enum item_kind kind = kinds[lex_directive(&c->l, &line)];
  *i = (struct cuda_item){ .kind = kind,
                           .s = c->s,
                           .start = items_offset(c, t.text.data),
                           .end = items_offset(c, c->l.p),
                           .head_end = items_offset(c, c->l.p) };
  if (kind == ITEM_DEFINE || kind == ITEM_UNDEF)
    *GROW(i->names, i->n_names) = lex(&line).text;
}

// Skips the text after `#if 0`, which need not be code, up to its #else, #elif or #endif.
static void skip_disabled(struct cutter *c) {
  const struct cuda_item *i = &c->items.list[c->items.n - 1];
  struct lexer l = lexer_of(item_text(i));
  lex(&l), lex(&l);
  if (i->kind != ITEM_IF || !slice_is(lex(&l).text, "0") || lex(&l).kind != TOKEN_END)
    return;
  for (unsigned depth = 1; c->l.p < c->l.end;) {
    const char *end = lex_line_end(c->l.p, c->l.end);
    struct lexer line = { c->l.p, end, true };
    bool directive = slice_is(lex(&line).text, "#");
    enum line kind = directive ? line_kind(lex(&line).text) : LINE_TEXT;
    if (kind == LINE_IF)
      depth++;
    else if (kind == LINE_ENDIF || (kind == LINE_ELSE && depth == 1))
      depth--;
    if (depth == 0)
      return;
    c->l = (struct lexer){ end < c->l.end ? end + 1 : end, c->l.end, true };
  }
}

// Handles `namespace a::b {`, `inline namespace {` and `extern "C" {` at T, up to the
// brace.
static bool cut_open(struct cutter *c, struct token t) {
  struct lexer ahead = c->l;
  struct slice *names = NULL;
  unsigned n = 0;
  struct token u = t;
  if (slice_is(u.text, "inline"))
    u = lex(&ahead);
  if (slice_is(u.text, "extern")) {
    if (lex(&ahead).kind != TOKEN_STRING || !slice_is(lex(&ahead).text, "{"))
      return false;
  } else if (!slice_is(u.text, "namespace")) {
    return false;
  } else {
    while (!slice_is((u = lex(&ahead)).text, "{")) {
      if (u.kind == TOKEN_END || slice_is(u.text, ";") || slice_is(u.text, "="))
        return false;
      if (slice_is(u.text, "("))
        items_skip_group(&ahead);
      else if (u.kind == TOKEN_WORD && !word_of_cplusplus(u.text))
        *GROW(names, n) = u.text;
    }
  }
  c->l = ahead;
  *GROW(c->items.list, c->items.n) =
      (struct cuda_item){ .kind = ITEM_OPEN,
                          .s = c->s,
                          .start = items_offset(c, t.text.data),
                          .end = items_offset(c, c->l.p),
                          .names = names,
                          .n_names = n };
  return true;
}

struct cuda_items items_cut(const struct source *s) {
  struct cutter c = { .s = s, .l = lexer_of((struct slice){ s->text, s->size }) };
  for (struct token t; (t = lex(&c.l)).kind != TOKEN_END;) {
    if (t.first && slice_is(t.text, "#")) {
      cut_directive(&c, t);
      skip_disabled(&c);
    } else if (slice_is(t.text, "}")) {
      *GROW(c.items.list, c.items.n) =
          (struct cuda_item){ .kind = ITEM_CLOSE,
                              .s = s,
                              .start = items_offset(&c, t.text.data),
                              .end = items_offset(&c, c.l.p) };
    } else if (!slice_is(t.text, ";") && !cut_open(&c, t)) {
      items_declaration(&c, t);
    }
  }
  return c.items;
}

void items_nest(struct cuda_items *items) {
  int scope = -1, chain = -1;
  for (unsigned n = 0; n < items->n; n++) {
    struct cuda_item *i = &items->list[n];
    i->opener = -1;
    if (i->kind == ITEM_CLOSE) {
      i->opener = scope;
      scope = scope >= 0 ? items->list[scope].scope : -1;
    } else if (i->kind == ITEM_ELSE || i->kind == ITEM_ENDIF) {
      i->opener = chain;
      if (i->kind == ITEM_ENDIF)
        chain = chain >= 0 ? items->list[chain].chain : -1;
    }
    i->scope = scope;
    i->chain = chain;
    if (i->kind == ITEM_OPEN)
      scope = (int)n;
    else if (i->kind == ITEM_IF)
      chain = (int)n;
  }
}

const char *items_namespaces(const struct cuda_items *items, const struct cuda_item *i) {
  const char *path = "";
  for (int scope = i->scope; scope >= 0; scope = items->list[scope].scope) {
    const struct cuda_item *open = &items->list[scope];
    for (unsigned n = open->n_names; n-- > 0;)
      path = arena_printf("%.*s%s%s", (int)open->names[n].size, open->names[n].data,
                          *path ? "::" : "", path);
  }
  return path;
}

struct slice item_text(const struct cuda_item *i) {
  return (struct slice){ i->s->text + i->start, i->end - i->start };
}

struct slice item_head(const struct cuda_item *i) {
  return (struct slice){ i->s->text + i->start, i->head_end - i->start };
}
