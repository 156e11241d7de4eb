// SPDX-License-Identifier: Apache-2.0
// items.c: cuts a file of C++ or a header into declarations at namespace scope and lines
// of the preprocessor.
#include <string.h>

#include "cut.h"

struct file {
  const struct source *s;
  struct cutter c;
  struct items items;
};

// Adds I, which ends where the cutter is. Returns its place in the list.
static struct item *items_add(struct file *f, struct item i) {
  i.text.size = (size_t)(f->c.l.p - i.text.data);
  i.s = f->s;
  i.start = (size_t)(i.text.data - f->s->text);
  i.end = i.start + i.text.size;
  if (!i.head_end)
    i.head_end = f->c.l.p;
  struct item *added = GROW(f->items.list, f->items.n);
  *added = i;
  return added;
}

// Adds a line of the preprocessor whose `#` is T.
static void items_directive(struct file *f, struct token t) {
  static const enum item_kind kinds[] = {
    [LINE_IF] = ITEM_IF,        [LINE_ELSE] = ITEM_ELSE,
    [LINE_ENDIF] = ITEM_ENDIF,  [LINE_DEFINE] = ITEM_DEFINE,
    [LINE_UNDEF] = ITEM_UNDEF,  [LINE_INCLUDE] = ITEM_INCLUDE,
    [LINE_OTHER] = ITEM_OTHER,  [LINE_INCLUDE_NEXT] = ITEM_OTHER,
    [LINE_PRAGMA] = ITEM_OTHER,
  };
  struct lexer line;
  enum item_kind kind = kinds[lex_directive(&f->c.l, &line)];
  struct item *i = items_add(f, (struct item){ .kind = kind, .text = t.text });
  if (kind == ITEM_DEFINE || kind == ITEM_UNDEF)
    GROW(i->names, i->n_names)->name = lex(&line).text;
}

// Skips the text after `#if 0`, which need not be code, up to its #else, #elif or #endif.
static void items_skip_disabled(struct file *f) {
  const struct item *i = &f->items.list[f->items.n - 1];
  struct lexer l = lexer_of(i->text), *rest = &f->c.l;
  lex(&l), lex(&l);
  if (i->kind != ITEM_IF || !slice_is(lex(&l).text, "0") || lex(&l).kind != TOKEN_END)
    return;
  for (unsigned depth = 1; rest->p < rest->end;) {
    const char *end = lex_line_end(rest->p, rest->end);
    struct lexer line = { rest->p, end, true };
    bool directive = slice_is(lex(&line).text, "#");
    enum line kind = directive ? line_kind(lex(&line).text) : LINE_TEXT;
    if (kind == LINE_IF)
      depth++;
    else if (kind == LINE_ENDIF || (kind == LINE_ELSE && depth == 1))
      depth--;
    if (depth == 0)
      return;
    *rest = (struct lexer){ end < rest->end ? end + 1 : end, rest->end, true };
  }
}

bool cut_scope(struct cutter *c, struct token t, struct item *open) {
  struct lexer ahead = c->l;
  *open = (struct item){ .kind = ITEM_OPEN, .text = t.text };
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
        cut_skip_group(&ahead);
      else if (u.kind == TOKEN_WORD && !word_of_cplusplus(u.text))
        GROW(open->names, open->n_names)->name = u.text;
    }
  }
  c->l = ahead;
  open->text.size = (size_t)(c->l.p - open->text.data);
  return true;
}

static bool items_open(struct file *f, struct token t) {
  struct item open;
  if (!cut_scope(&f->c, t, &open))
    return false;
  items_add(f, open);
  return true;
}

// Adds the declaration that begins with T. If an #if around its first words ends within
// it, as in `#ifdef A __device__ #endif int x;`, it begins with the #if.
static void items_declaration(struct file *f, struct token t) {
  struct item i = cut_declaration(&f->c, t);
  if (i.type && !f->c.complete && f->c.l.p == f->c.l.end && i.head_end < f->c.l.end) {
    f->c.l.p = i.head_end + 1; // its `{` stands in two #ifs: take what is in it by itself
    return;
  }
  for (; f->c.closed && f->items.n && f->items.list[f->items.n - 1].kind == ITEM_IF;
       f->c.closed--)
    i.text.data = f->items.list[--f->items.n].text.data;
  items_add(f, i);
}

struct items items_cut(const struct source *s) {
  struct file f = {
    .s = s, .c = { lexer_of((struct slice){ s->text, s->size }), true, true, 0 }
  };
  if (s->size >= 3 && memcmp(s->text, "\xef\xbb\xbf", 3) == 0)
    f.c.l.p += 3; // the mark of UTF-8
  for (struct token t; (t = lex(&f.c.l)).kind != TOKEN_END;) {
    if (t.first && slice_is(t.text, "#")) {
      items_directive(&f, t);
      items_skip_disabled(&f);
    } else if (slice_is(t.text, "}")) {
      items_add(&f, (struct item){ .kind = ITEM_CLOSE, .text = t.text });
    } else if (!slice_is(t.text, ";") && !items_open(&f, t)) {
      items_declaration(&f, t);
    }
  }
  return f.items;
}

void items_nest(struct items *items) {
  int scope = -1, chain = -1;
  for (unsigned n = 0; n < items->n; n++) {
    struct item *i = &items->list[n];
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

void items_complete(struct items *items) {
  items_nest(items);
  for (unsigned n = items->n; n-- > 0;)
    for (unsigned k = 0; items->list[n].kind != ITEM_OPEN && k < items->list[n].n_names;
         k++)
      names_add(&items->names, NAME_ORDINARY, items->list[n].names[k].name, n);
}

const struct item *items_named(const struct items *items, enum name_space space,
                               struct slice name, const struct name **n) {
  *n = names_find(&items->names, space, name, *n);
  return *n ? &items->list[(*n)->index] : NULL;
}

const char *items_namespaces(const struct items *items, const struct item *i) {
  const char *path = "";
  for (int scope = i->scope; scope >= 0; scope = items->list[scope].scope) {
    const struct item *open = &items->list[scope];
    for (unsigned n = open->n_names; n-- > 0;)
      path = arena_printf("%.*s%s%s", (int)open->names[n].name.size,
                          open->names[n].name.data, *path ? "::" : "", path);
  }
  return path;
}

struct slice item_head(const struct item *i) {
  return (struct slice){ i->text.data, (size_t)(i->head_end - i->text.data) };
}
