// SPDX-License-Identifier: Apache-2.0
// declare.c: reads one declaration at file scope of preprocessed C: its specifiers, the
// tags and enumerators in them, its declarators. Skips bodies and initialisers.
#include <string.h>

#include "unit.h"

// Linemarkers and macro definitions may stand within declarations, so they are skipped.
struct token declare_lex(struct lexer *l) {
  struct token t;
  struct lexer rest;
  while ((t = lex(l)).first && slice_is(t.text, "#"))
    lex_directive(l, &rest);
  return t;
}

// Moves L past the group that opens at its next token, if any.
static void declare_skip_group(struct lexer *l) {
  struct lexer ahead = *l;
  if (lex_bracket(declare_lex(&ahead).text) <= 0)
    return;
  cut_skip_group(&ahead);
  *l = ahead;
}

struct declaration {
  struct expansion *x;
  struct item *item;
  unsigned index;
};

static void declare_name(const struct declaration *d, enum name_space space,
                         struct slice text) {
  if (d->x)
    names_add(&d->x->items.names, space, text, d->index);
}

static void read_tag(const struct declaration *d, struct lexer *l, bool is_enum);

// Reads the members of `struct {…}` or `enum {…}`, with L after '{': tags and enumerators
// in them have file scope.
static void declare_read_members(const struct declaration *d, struct lexer *l,
                                 bool is_enum) {
  bool expect = true; // an enumerator is next
  unsigned depth = 0; // depth of brackets in an enumerator's value
  for (struct token t;
       (t = declare_lex(l)).kind != TOKEN_END && !slice_is(t.text, "}");) {
    if (word_of_c(t.text) & WORD_TAG)
      read_tag(d, l, slice_is(t.text, "enum"));
    else if (is_enum && expect && t.kind == TOKEN_WORD)
      declare_name(d, NAME_ORDINARY, t.text);
    if (is_enum)
      depth += (unsigned)lex_bracket(t.text);
    expect = slice_is(t.text, ",") && depth == 0;
  }
}

// Reads a tag, with L after `struct`, `union` or `enum`.
static void read_tag(const struct declaration *d, struct lexer *l, bool is_enum) {
  struct slice tag = { 0 };
  for (;;) {
    struct lexer save = *l;
    struct token t = declare_lex(l);
    if (word_of_c(t.text) & WORD_ATTRIBUTE) {
      declare_skip_group(l);
    } else if (t.kind == TOKEN_WORD && !tag.size && !word_of_c(t.text)) {
      tag = t.text;
    } else if (slice_is(t.text, "{")) {
      if (tag.size)
        declare_name(d, NAME_TAG, tag);
      declare_read_members(d, l, is_enum);
      return;
    } else {
      *l = save;
      return;
    }
  }
}

static void declare_storage(struct item *item, struct slice w) {
  item->is_typedef |= slice_is(w, "typedef");
  item->is_static |= slice_is(w, "static");
  item->is_extern |= slice_is(w, "extern");
  item->is_inline |= w.size >= 6 && memmem(w.data, w.size, "inline", 6);
  item->is_thread |= memmem(w.data, w.size, "hread", 5) != NULL; // thread or Thread
}

static void declare_attribute(struct item *item, struct lexer *l) {
  const char *start = l->p;
  declare_skip_group(l);
  item->vector |= memmem(start, (size_t)(l->p - start), "vector_size", 11) != NULL;
}

// Reads the specifiers. Leaves L before the first declarator.
static void read_specifiers(const struct declaration *d, struct lexer *l) {
  struct item *item = d->item;
  for (bool typed = false;;) {
    struct lexer save = *l;
    struct token t = declare_lex(l);
    unsigned kind = word_of_c(t.text);
    if (t.kind != TOKEN_WORD || (!kind && typed)) {
      item->specifiers.size = (size_t)(t.text.data - item->specifiers.data);
      *l = save;
      return;
    }
    struct lexer behind = *l;
    typed |= !(kind & (WORD_STORAGE | WORD_ATTRIBUTE)) && kind != WORD_QUALIFIER &&
        (!slice_is(t.text, "_Atomic") || slice_is(declare_lex(&behind).text, "("));
    item->is_const |= slice_is(t.text, "const") || slice_is(t.text, "__const");
    item->integer |= kind & WORD_INTEGER || slice_is(t.text, "enum") ||
        slice_is(t.text, "_BitInt");
    item->real |= (kind & WORD_REAL) != 0;
    if (kind & WORD_STORAGE)
      declare_storage(item, t.text);
    else if (kind & WORD_ATTRIBUTE)
      declare_attribute(item, l);
    else if (kind & WORD_TYPEOF)
      declare_skip_group(l);
    else if (kind & WORD_TAG)
      read_tag(d, l, slice_is(t.text, "enum"));
    else if (!kind)
      item->type_name = t.text;
  }
}

// Reads up to the declarator's name; the tokens before the name decide what it declares.
static void read_name(struct declarator *r, struct lexer *l, bool is_const) {
  unsigned nested = 0;
  bool star_nested = false;
  r->constant = is_const;
  for (struct token t; (t = declare_lex(l)).kind != TOKEN_END;) {
    unsigned kind = word_of_c(t.text);
    if (kind & WORD_ATTRIBUTE) {
      declare_skip_group(l);
    } else if (slice_is(t.text, "*") || slice_is(t.text, "^")) {
      r->indirect = true;
      r->constant = false;
      star_nested |= nested > 0;
    } else if (slice_is(t.text, "(")) {
      nested++;
    } else if (slice_is(t.text, "const")) {
      r->constant = true;
    } else if (t.kind == TOKEN_WORD && !kind) {
      r->name = t.text;
      break;
    } else if (!(kind & (WORD_QUALIFIER | WORD_STORAGE))) {
      return; // not a known form of declarator
    }
  }
  struct lexer save = *l;
  struct token t = declare_lex(l);
  while (nested && !star_nested && slice_is(t.text, ")"))
    t = declare_lex(l);
  r->function = slice_is(t.text, "(") && !star_nested;
  if (slice_is(t.text, "["))
    r->unsized = slice_is(declare_lex(l).text, "]");
  r->indirect |= slice_is(t.text, "(") || slice_is(t.text, "[");
  *l = save;
}

// Reads up to the ',' or ';' or '{' that ends the declarator; the initialiser is part of
// it. Returns that token.
static struct slice read_rest(struct declarator *r, struct lexer *l) {
  const char *value = NULL;
  unsigned depth = 0;
  for (;;) {
    const char *before = l->p;
    struct token t = declare_lex(l);
    bool ends = t.kind == TOKEN_END ||
        (depth == 0 &&
         (slice_is(t.text, ",") || slice_is(t.text, ";") ||
          (slice_is(t.text, "{") && !value)));
    if (depth == 0 && slice_is(t.text, "=") && !value) {
      value = l->p;
      r->text.size = (size_t)(t.text.data - r->text.data);
    }
    if (ends && value)
      r->value = (struct slice){ value, (size_t)(t.text.data - value) };
    else if (ends)
      r->text.size = (size_t)(t.text.data - r->text.data);
    if (ends)
      return t.text;
    if (lex_bracket(t.text) > 0)
      depth++;
    if (lex_bracket(t.text) < 0) {
      if (depth == 0) { // closes a group that was opened before the call
        l->p = before;
        return (struct slice){ before, 0 };
      }
      depth--;
    }
  }
}

bool declare_is_assertion(struct slice first) {
  return slice_is(first, "_Static_assert") || slice_is(first, "static_assert");
}

void declare_item(struct expansion *x, struct item *item, unsigned index) {
  struct declaration d = { x, item, index };
  struct slice head = item->text;
  if (item->untyped.size)
    head.size = (size_t)(item->untyped.data - head.data) + item->untyped.size;
  else if (item->body)
    head.size = (size_t)(item->body - head.data) + 1;
  struct lexer l = lexer_of(head);
  struct lexer start = l;
  struct slice first = declare_lex(&start).text; // after #pragma omp declare simd
  item->specifiers.data = first.data;
  if (declare_is_assertion(first))
    return;
  read_specifiers(&d, &l);
  if (item->untyped.size && item->type_name.size &&
      declare_lex(&(struct lexer){ l.p, l.end, false }).text.data == item->untyped.data) {
    item->implicit = item->integer = true; // its name was taken for a type
    l.p = item->type_name.data;
    item->specifiers.size = (size_t)(l.p - item->specifiers.data);
    item->type_name = (struct slice){ 0 };
  }
  for (struct slice end = { ",", 1 }; slice_is(end, ",");) {
    struct declarator r = { .text = { l.p, 0 } };
    struct lexer save = l;
    read_name(&r, &l, item->is_const);
    l = save;
    end = read_rest(&r, &l);
    if (!r.name.size)
      continue;
    declare_name(&d, NAME_ORDINARY, r.name);
    *GROW(item->names, item->n_names) = r;
  }
  if (!item->n_names) { // `struct point;`
    struct lexer t = lexer_of(item->specifiers);
    for (struct token w; (w = declare_lex(&t)).kind == TOKEN_WORD;)
      if (word_of_c(w.text) & WORD_TAG) {
        while (word_of_c((w = declare_lex(&t)).text) & WORD_ATTRIBUTE)
          declare_skip_group(&t);
        declare_name(&d, NAME_TAG, w.text);
      }
  }
}
