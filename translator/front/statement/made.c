// SPDX-License-Identifier: Apache-2.0
// made.c: variables that macros declare, which the text of a function does not show. The
// preprocessor's output shows them; pragmas of ours keep their places in it.
#include <string.h>

#include "statement.h"

// Returns a copy of TEXT in which lines with directives are blank.
static char *made_blank(struct slice text) {
  char *copy = arena_copy(text.data, text.size);
  struct lexer l = lexer_of((struct slice){ copy, text.size }), rest;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (!t.first || !slice_is(t.text, "#"))
      continue;
    lex_directive(&l, &rest);
    for (char *p = copy + (t.text.data - copy); p < l.p; p++)
      *p = *p == '\n' ? '\n' : ' ';
  }
  return copy;
}

// Returns the declaration of X with the pragma of ST, and sets *AT to its offset there.
static const struct item *made_item(const struct statement *st, size_t *at) {
  const char *mark = arena_printf("\n" FEED_MARK "%zu\n", st->p->offset);
  size_t size = strlen(mark);
  for (unsigned i = 0; i < st->x->items.n; i++) {
    const struct item *item = &st->x->items.list[i];
    const char *found = item->kind == ITEM_CODE
        ? memmem(item->text.data, item->text.size, mark, size)
        : NULL;
    if (found) {
      *at = (size_t)(found - item->text.data) + size - 1;
      return item;
    }
  }
  return NULL;
}

// Returns the offset of the line in which ITEM begins; SIZE_MAX: it is not known, or
// holds something else, too.
static size_t made_begin(const struct statement *st, const struct item *item) {
  for (unsigned i = 0; i < st->x->items.n; i++) {
    const struct item *other = &st->x->items.list[i];
    if (other != item && other->end && other->start <= item->start &&
        item->start < other->end)
      return SIZE_MAX;
  }
  return item->end ? item->start : SIZE_MAX;
}

const char *made_target(const struct statement *st) {
  struct text out = { 0 };
  struct slice head = { 0 };
  if (st->made && node_is(st->made_function, "function_definition"))
    head = (struct slice){ st->made->text,
                           ts_node_start_byte(node_field(st->made_function, "body")) };
  struct lexer l = lexer_of(head);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (!is_attribute(t.text))
      continue;
    const char *from = l.p, *end = skip_brackets(&l);
    struct slice text = { from, (size_t)(end - from) };
    if (lex_mentions(text, slice_of("target")) ||
        lex_mentions(text, slice_of("__target__")))
      text_printf(&out, "__attribute__%.*s ", (int)text.size, text.data);
    l.p = end;
  }
  return out.size ? out.data : "";
}

void made_read(struct statement *st) {
  const struct item *item = made_item(st, &st->made_at);
  st->order = st->begin = SIZE_MAX;
  if (!item)
    return;
  st->order = (size_t)(item->text.data - st->x->text.data) + st->made_at;
  st->begin = made_begin(st, item);
  st->made = source_of(st->s->path, made_blank(item->text), item->text.size);
  source_parse(st->made, st->s->language);
  TSNode root = ts_tree_root_node(st->made->tree),
         n = ts_node_descendant_for_byte_range(root, (uint32_t)st->made_at,
                                               (uint32_t)st->made_at + 1);
  while (!ts_node_is_null(n) && !node_is(n, "function_definition"))
    n = ts_node_parent(n);
  st->made_function = ts_node_is_null(n) ? root : n;
  st->made_usage = usage_of(st->made, &st->f, st->made_function);
}

// Returns the innermost of the declarations of NAME in U that hold at AT, and how many
// they are.
static TSNode made_innermost(const struct usage *u, struct slice name, size_t at,
                             unsigned *n) {
  TSNode best = { 0 };
  uint32_t start = 0;
  *n = 0;
  for (unsigned i = 0; i < u->n_declared; i++) {
    TSNode d = u->declared[i].node, scope = captures_scope(d);
    if (!slices_same(u->declared[i].name, name) || ts_node_is_null(scope) ||
        ts_node_start_byte(d) > at || ts_node_start_byte(scope) > at ||
        at >= ts_node_end_byte(scope))
      continue;
    ++*n;
    if (ts_node_start_byte(scope) >= start) {
      start = ts_node_start_byte(scope);
      best = d;
    }
  }
  return best;
}

// Returns the variable NAME that a macro declares before ST; null: there is none, or the
// function's text declares it.
static TSNode made_declared(const struct statement *st, struct slice name,
                            bool *also_written) {
  unsigned written, all;
  *also_written = false;
  if (!st->made)
    return (TSNode){ 0 };
  TSNode made = made_innermost(&st->made_usage, name, st->made_at, &all);
  if (all == 0)
    return made;
  made_innermost(&st->usage, name, st->p->offset, &written);
  *also_written = written > 0 || !ts_node_is_null(captures_resolve(st, name, st->node));
  return written < all && !(*also_written && written == 0) ? made : (TSNode){ 0 };
}

// True if an #if of the function before ST may depend on a parameter of ST.
static bool made_varies(const struct statement *st) {
  struct slice text = { st->s->text, statement_end(st) },
               pragma = slice_of(st->p->blanked);
  struct directive d;
  for (size_t at = st->f.start; directive_next(text, &at, &d);) {
    struct lexer l = lexer_of(d.rest);
    for (struct token t;
         line_is_conditional(line_kind(d.word)) && (t = lex(&l)).kind != TOKEN_END;)
      if (t.kind == TOKEN_WORD && lex_mentions(pragma, t.text))
        return true;
  }
  return false;
}

bool made_away(const struct statement *st, struct slice name) {
  return st->made && !ts_node_has_error(st->made_function) && !made_varies(st) &&
      !lex_mentions(source_slice(st->made, st->made_function), name);
}

// Replaces the bounds of C, an array of one dimension whose bounds only the function
// knows, by a pointer. False: C has more dimensions.
static bool made_decay(struct capture *c) {
  const char *behind = c->at + c->name.size,
             *end = c->declarator.data + c->declarator.size;
  struct lexer l = { behind, end, false };
  if (c->at != c->declarator.data || !slice_is(lex(&l).text, "[") ||
      memchr(l.p, '[', (size_t)(end - l.p)))
    return false;
  c->declarator = slice_of(arena_printf("*%.*s", (int)c->name.size, c->name.data));
  c->at = c->declarator.data + 1;
  c->shape = SHAPE_POINTER;
  return true;
}

// True if TEXT, of the declaration of C, mentions variables of the function.
static bool made_depends(const struct statement *st, const struct capture *c,
                         struct slice text) {
  struct lexer l = lexer_of(text);
  unsigned n;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (t.kind == TOKEN_WORD && !slices_same(t.text, c->name) &&
        !ts_node_is_null(made_innermost(&st->made_usage, t.text, st->made_at, &n)))
      return true;
  return false;
}

// Returns why C, which MADE declares, cannot be passed; NULL: it can.
static const char *made_refused(struct statement *st, struct capture *c, TSNode made) {
  TSNode declaration = ts_node_parent(made);
  TSNode storage = node_child(declaration, "storage_class_specifier");
  bool external = !ts_node_is_null(storage) &&
      slice_is(source_slice(st->made, storage), "extern");
  if (st->cplusplus)
    return "a macro declares it";
  if (ts_node_has_error(declaration) || external || !c->specifiers.size ||
      memchr(c->specifiers.data, '{', c->specifiers.size) ||
      made_depends(st, c, c->specifiers) || c->shape == SHAPE_FUNCTION)
    return "a macro makes its declaration";
  if (made_depends(st, c, c->declarator) && (c->shape != SHAPE_ARRAY || !made_decay(c)))
    return "a macro declares an array whose bounds only the function knows";
  return NULL;
}

bool made_capture(struct statement *st, struct slice name, struct capture **out) {
  bool also;
  TSNode made = made_declared(st, name, &also);
  *out = captures_named(st, name);
  if (ts_node_is_null(made))
    return false;
  if (*out && ts_node_eq((*out)->declared, made))
    return true;
  struct capture c = { .name = name, .declared = made, .made = true };
  struct statement other = *st;
  other.s = st->made;
  captures_read_type(&other, &c);
  const char *why = *out || also ? "a macro declares another variable of this name"
                                 : made_refused(st, &c, made);
  *out = NULL;
  if (why) {
    captures_unknown(st, &c, "declare it without a macro", why);
    return true;
  }
  struct lexer l = lexer_of(c.specifiers);
  for (struct token t; st->fine && (t = lex(&l)).kind != TOKEN_END;)
    if (t.kind == TOKEN_WORD && !is_tag(t.text) && !is_type_word(t.text))
      captures_check_name(st, t.text);
  if (!st->fine)
    return true;
  *out = GROW(st->captures, st->n_captures);
  **out = c;
  return true;
}
