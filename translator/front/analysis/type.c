// SPDX-License-Identifier: Apache-2.0
// type.c: determines the sizes of the integers in an expression.
#include <string.h>

#include "analysis.h"
#include "front/kernel/kernel.h"
#include "front/reach/unit.h"

enum { MAX_DEPTH = 32 };

// ---- types --------------------------------------------------------------------------

// Adds a word to T. False: the word is not part of an integer type.
static bool add_word(struct slice w, struct integer_type *t) {
  static const struct {
    const char *word;
    unsigned size;
    bool is_unsigned;
  } words[] = {
    { "int", 0, false },     { "signed", 0, false },   { "unsigned", 0, true },
    { "char", 1, false },    { "short", 2, false },    { "long", 8, false },
    { "bool", 1, true },     { "_Bool", 1, true },     { "size_t", 8, true },
    { "ssize_t", 8, false }, { "intptr_t", 8, false }, { "uintptr_t", 8, true },
    { "int8_t", 1, false },  { "int16_t", 2, false },  { "int32_t", 4, false },
    { "int64_t", 8, false }, { "uint8_t", 1, true },   { "uint16_t", 2, true },
    { "uint32_t", 4, true }, { "uint64_t", 8, true },  { "ptrdiff_t", 8, false },
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (slice_is(w, words[i].word)) {
      t->size = words[i].size ? words[i].size : t->size;
      t->is_unsigned |= words[i].is_unsigned;
      return true;
    }
  return is_qualifier(w) || is_storage(w) || slice_is(w, "typedef");
}

static struct slice macro_body(const struct macro *macro) {
  return slice_trim(slice_after(macro->text, macro->name));
}

// Returns the text that W stands for as a macro or a typedef; empty: it is neither.
static struct slice type_meaning(const struct model *m, struct slice w) {
  const struct name *n = NULL;
  if (!m->x)
    return (struct slice){ 0 };
  if ((n = names_find(&m->x->items.names, NAME_MACRO, w, NULL)))
    return macro_body(&m->x->macros[n->index]);
  const struct item *i;
  while ((i = items_named(&m->x->items, NAME_ORDINARY, w, &n)) != NULL)
    if (i->is_typedef && i->n_names == 1 && !i->names[0].indirect)
      return i->specifiers;
  return (struct slice){ 0 };
}

static bool add_type(const struct model *m, struct slice type, struct integer_type *t,
                     unsigned depth) {
  struct lexer l = lexer_of(type);
  bool any = false;
  for (struct token w; (w = lex(&l)).kind != TOKEN_END; any = true) {
    w.text = word_after_std(&l, w.text);
    if (!add_word(w.text, t) &&
        (depth == MAX_DEPTH || w.kind != TOKEN_WORD ||
         !add_type(m, type_meaning(m, w.text), t, depth + 1)))
      return false;
  }
  return any;
}

struct integer_type model_type(const struct model *m, struct slice type) {
  struct integer_type t = { .size = 4 };
  t.known = add_type(m, type, &t, 0);
  return t;
}

// ---- unsigned numbers ---------------------------------------------------------------

static unsigned type_literal(struct slice text) {
  bool is_unsigned = false, is_long = false;
  for (; text.size && strchr("uUlL", text.data[text.size - 1]); text.size--) {
    is_unsigned |= (text.data[text.size - 1] | 32) == 'u';
    is_long |= (text.data[text.size - 1] | 32) == 'l';
  }
  return !is_unsigned ? 0 : is_long ? 8 : 4;
}

static unsigned of_type(const struct model *m, struct slice type) {
  struct integer_type t = model_type(m, type);
  return !t.known ? 4 : !t.is_unsigned ? 0 : t.size < 8 ? 4 : 8;
}

unsigned model_unsigned(const struct model *m, TSNode e, const struct iter *scope) {
  struct slice text = model_text(m, e);
  unsigned least = 0;
  if (node_is(e, "sizeof_expression"))
    return 8;
  if (node_is(e, "number_literal"))
    return type_literal(text);
  if (node_is(e, "identifier")) {
    int arg = kernel_arg(m->k, text);
    for (; scope; scope = scope->outer)
      if (slices_same(scope->dim.var, text))
        return of_type(m, scope->dim.type);
    struct slice type = arg >= 0 ? m->k->args[arg].specifiers : declared_type(m, text);
    long long value;
    if (!type.size && m->x && !constant_of(m->x, text, &value, &type))
      type.size = 0;
    return type.size ? of_type(m, type)
        : m->x       ? type_literal(view_number(m->x, m->function, text))
                     : 0;
  }
  struct ctype member;
  if (node_is(e, "field_expression") && member_read(m, e, &member, &text))
    return member.n ? 0 : of_type(m, member.name);
  if (node_is(e, "cast_expression"))
    least = of_type(m, model_text(m, node_field(e, "type")));
  for (uint32_t i = 0; i < ts_node_named_child_count(e); i++) {
    TSNode child = ts_node_named_child(e, i);
    unsigned size = node_is(child, "type_descriptor") ? 0
                                                      : model_unsigned(m, child, scope);
    least = size && (!least || size < least) ? size : least;
  }
  return least;
}
