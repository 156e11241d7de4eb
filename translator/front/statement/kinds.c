// SPDX-License-Identifier: Apache-2.0
// kinds.c: how the variables of a function of C++ are passed. Only the compiler knows
// what many of their types are: a variable that is not certain to be a number or a
// pointer is passed by reference, and `auto` becomes a parameter of a template.
#include <string.h>

#include "statement.h"

enum { KINDS_DEEP = 8 }; // typedefs of typedefs that are followed

// ---- declarations -------------------------------------------------------------------

static bool kinds_is_number(const struct statement *st, struct slice text,
                            unsigned depth);

// True unless only a `using` of the function may make a name in the type WORDS known.
static bool kinds_is_known(const struct statement *st, struct slice words) {
  struct lexer l = lexer_of(words);
  bool qualified = false;
  if (!*st->usings || kinds_is_number(st, words, 0))
    return true;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;
       qualified = slice_is(t.text, ":")) {
    const struct item *item;
    bool known = t.kind != TOKEN_WORD || word_of_cplusplus(t.text) || qualified ||
        (l.p < l.end && *l.p == ':') || scope_is_parameter(st, t.text);
    for (const struct name *n = NULL; !known &&
         (item = items_named(&st->x->items, NAME_ORDINARY, t.text, &n)) != NULL;)
      known = item->scope < 0;
    if (!known)
      return false;
  }
  return true;
}

struct slice kinds_specifiers(const struct statement *st, struct slice text) {
  struct text out = { 0 };
  struct lexer l = lexer_of(text);
  const char *before = NULL;
  text_add(&out, "", 0);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END; before = l.p) {
    unsigned role = word_of_cplusplus(t.text);
    if (slice_is(t.text, "[") || (role & WORD_ATTRIBUTE)) {
      l.p = slice_is(t.text, "[") ? t.text.data : l.p;
      skip_brackets(&l);
      continue;
    }
    if (role & WORD_TYPEOF)
      return slice_of("auto");
    bool constant = slice_is(t.text, "constexpr"), kept = slice_is(t.text, "auto");
    if ((role & WORD_STORAGE) && !constant && !kept)
      continue;
    struct slice word = constant ? slice_of("const") : t.text;
    text_printf(&out, "%s%.*s", out.size && before != t.text.data ? " " : "",
                (int)word.size, word.data);
  }
  struct slice words = { out.data, out.size };
  return kinds_is_known(st, words) ? words : slice_of("auto");
}

static void kinds_add_words(struct statement *st, struct slice text) {
  st->words = arena_printf("%s %.*s", st->words, (int)text.size, text.data);
}

// Notes the words of types that the expression N may have.
static void kinds_note_value(struct statement *st, TSNode n) {
  const struct item *item;
  struct slice name = statement_text(st, n);
  if (node_is(n, "type_identifier"))
    kinds_add_words(st, name);
  if (node_is(n, "identifier")) {
    TSNode d = captures_resolve(st, name, n);
    if (!ts_node_is_null(d))
      kinds_add_words(st, statement_text(st, node_field(ts_node_parent(d), "type")));
    for (const struct name *next = NULL; ts_node_is_null(d) &&
         (item = items_named(&st->x->items, NAME_ORDINARY, name, &next)) != NULL;)
      if (item->n_names && item->names[0].name.data > item->text.data)
        kinds_add_words(
            st,
            (struct slice){ item->text.data,
                            (size_t)(item->names[0].name.data - item->text.data) });
  }
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    kinds_note_value(st, ts_node_named_child(n, i));
}

void kinds_note(struct statement *st, struct slice specifiers, TSNode declarator) {
  TSNode value = node_is(ts_node_parent(declarator), "for_range_loop")
      ? node_field(ts_node_parent(declarator), "right")
      : node_field(declarator, "value");
  kinds_add_words(st, specifiers);
  if (!ts_node_is_null(value))
    kinds_note_value(st, value);
}

// ---- types --------------------------------------------------------------------------

// True if the name that TEXT is stands for a number by a macro, typedef or alias.
static bool kinds_named(const struct statement *st, struct slice name, unsigned depth) {
  const struct macro *m = expand_macro(st->x, name, SIZE_MAX);
  const struct item *item, *found = NULL;
  unsigned n_found = 0;
  if (depth == KINDS_DEEP || scope_is_parameter(st, name))
    return false;
  if (m && !m->function && !m->undefined)
    return kinds_is_number(st, slice_after(m->text, m->name), depth + 1);
  for (const struct name *n = NULL;
       (item = items_named(&st->x->items, NAME_ORDINARY, name, &n)) != NULL;) {
    found = item;
    n_found++;
  }
  if (n_found != 1)
    return false;
  struct lexer l = lexer_of(found->text);
  struct slice first = lex(&l).text, text = found->text;
  if (slice_is(first, "typedef")) {
    text.size = (size_t)(found->names[found->n_names - 1].name.data - l.p);
    text.data = l.p;
    struct slice tail = slice_after(found->text, found->names[found->n_names - 1].name);
    return found->n_names == 1 && slice_is(slice_trim(tail), ";") &&
        kinds_is_number(st, text, depth + 1);
  }
  if (slice_is(first, "using")) {
    const char *from = memchr(text.data, '=', text.size);
    text.size = from ? (size_t)(text.data + text.size - from) - 2 : 0;
    return from && kinds_is_number(st, (struct slice){ from + 1, text.size }, depth + 1);
  }
  return slice_is(first, "enum");
}

// True if the specifiers TEXT say a number, with or without `const`.
static bool kinds_is_number(const struct statement *st, struct slice text,
                            unsigned depth) {
  struct lexer l = lexer_of(text);
  bool number = false, named = false;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    t.text = word_after_std(&l, t.text);
    unsigned role = is_integer_word(t.text) && !slice_is(t.text, "enum")
        ? WORD_INTEGER // also size_t and the like
        : word_of_cplusplus(t.text);
    if (t.kind != TOKEN_WORD || (role & WORD_TAG) || (role & WORD_TYPE) ||
        slice_is(t.text, "volatile"))
      return false;
    if (role & (WORD_INTEGER | WORD_REAL)) {
      number = true;
    } else if (!(role & (WORD_QUALIFIER | WORD_STORAGE))) {
      if (named || number || !kinds_named(st, t.text, depth))
        return false;
      named = true;
    }
  }
  return number || named;
}

bool kinds_number(const struct statement *st, struct slice text) {
  return kinds_is_number(st, text, 0);
}

// True if C is certain to be a number or a pointer.
static bool kinds_is_scalar(const struct statement *st, const struct capture *c) {
  if ((c->member && c->deduced) || lex_mentions(c->specifiers, slice_of("volatile")))
    return false;
  if (c->shape == SHAPE_POINTER)
    return true;
  if (c->shape != SHAPE_PLAIN && c->shape != SHAPE_REFERENCE)
    return false;
  if (!c->deduced)
    return kinds_is_number(st, c->specifiers, 0);
  TSNode value = node_field(c->declared, "value");
  return node_is(value, "number_literal");
}

// ---- uses ---------------------------------------------------------------------------

TSNode kinds_mention(const struct statement *st, size_t at) {
  TSNode n = ts_node_descendant_for_byte_range(st->node, (uint32_t)at, (uint32_t)at + 1);
  TSNode up = ts_node_parent(n); // this->n
  return node_is(up, "field_expression") && node_is(n, "field_identifier") ? up : n;
}

// True if a parameter of the function called NAME may be a reference that it writes to.
static bool kinds_takes_reference(const struct statement *st, TSNode called) {
  struct slice name = statement_text(st, called);
  const struct item *item;
  struct lexer l = lexer_of(name);
  struct slice first = word_after_std(&l, lex(&l).text);
  bool any = false, whole = l.p == l.end;
  if (node_is(called, "primitive_type") || slice_is(first, "static_cast") ||
      (whole && model_is_pure(first)))
    return false;
  if (!node_is(called, "identifier"))
    return true;
  const struct macro *m = expand_macro(st->x, name, SIZE_MAX);
  if (m && m->function)
    return false; // macros_assign_arguments knows
  for (const struct name *n = NULL;
       (item = items_named(&st->x->items, NAME_ORDINARY, name, &n)) != NULL;) {
    struct slice head = { item->text.data, (size_t)(item->head_end - item->text.data) };
    any = true;
    if (!item->function || memchr(head.data, '&', head.size))
      return true;
  }
  return !any && strncmp(name.data, "__builtin_", 10) != 0;
}

struct uses {
  bool plain;    /* it is only read and assigned, like a number */
  bool assigned; /* in the statement */
  bool bound;    /* a reference may be bound to it */
};

// Adds the use at N to U.
static void kinds_use(const struct statement *st, TSNode n, struct uses *u) {
  static const char *const harmless[] = {
    "binary_expression", "subscript_argument_list", "conditional_expression",
    "init_declarator",   "condition_clause",        "unary_expression",
    "cast_expression",   "assignment_expression",   "update_expression",
    "for_statement",     "while_statement",         "expression_statement",
    "comma_expression",  "array_declarator",        NULL
  };
  TSNode up = ts_node_parent(n);
  while (node_is(up, "parenthesized_expression")) {
    n = up;
    up = ts_node_parent(up);
  }
  bool left = node_is(up, "assignment_expression") &&
      ts_node_eq(node_field(up, "left"), n);
  u->assigned = u->assigned || left || node_is(up, "update_expression");
  if (node_is(up, "argument_list")) {
    TSNode called = node_field(ts_node_parent(up), "function");
    bool call = node_is(ts_node_parent(up), "call_expression");
    bool reference = !call || kinds_takes_reference(st, called);
    u->bound = u->bound || reference;
    u->plain = u->plain && call && !reference;
    return;
  }
  if (node_is(up, "binary_expression") && ts_node_eq(node_field(up, "right"), n) &&
      slice_is(statement_text(st, node_field(up, "operator")), ">>") &&
      node_is(ts_node_parent(up), "expression_statement"))
    u->bound = true; // stream >> x;
  if (node_is(up, "for_range_loop"))
    u->bound = true;
  if (node_is(up, "pointer_expression"))
    u->bound = u->bound || slice_is(statement_text(st, node_field(up, "operator")), "&");
  u->plain = u->plain && !u->bound && node_is_any(up, harmless);
}

static struct uses kinds_uses(const struct statement *st, const struct capture *c) {
  struct uses u = { .plain = !c->in_macro, .assigned = c->macro_change };
  for (unsigned i = 0; i < c->n_mentions; i++)
    kinds_use(st, kinds_mention(st, c->mentions[i]), &u);
  return u;
}

// ---- how it is passed ---------------------------------------------------------------

// True if C is a number that the kernel may declare as the function does.
static bool kinds_is_constant(const struct statement *st, const struct capture *c) {
  if (c->member)
    return false;
  TSNode declaration = ts_node_parent(c->declared);
  struct slice text = statement_text(st, declaration);
  TSNode value = node_field(c->declared, "value");
  if (c->shape != SHAPE_PLAIN || c->in_clause || c->in_pragma || c->bound || c->deduced ||
      !node_is(declaration, "declaration") ||
      !lex_mentions(c->specifiers, slice_of("const")) || ts_node_is_null(value))
    return false;
  struct lexer l = lexer_of(statement_text(st, value));
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (t.kind == TOKEN_WORD &&
        !ts_node_is_null(captures_resolve(st, t.text, c->declared)))
      return false;
  return kinds_is_number(st, c->specifiers, 0) && text.size > 0;
}

// True if N calls what is no function of math.h.
static bool kinds_calls(const struct statement *st, TSNode n) {
  bool calls = node_is(n, "call_expression") &&
      !model_is_pure(statement_text(st, node_field(n, "function")));
  for (uint32_t i = 0; !calls && i < ts_node_named_child_count(n); i++)
    calls = kinds_calls(st, ts_node_named_child(n, i));
  return calls;
}

static enum pass kinds_choose(const struct statement *st, struct capture *c,
                              struct kinds_found f, bool private) {
  struct uses u = kinds_uses(st, c);
  bool scalar = kinds_is_scalar(st, c), thread = c->n_privates || c->shared;
  bool assigned = u.assigned || f.assigned, addressed = u.bound || f.addressed;
  c->changed = u.plain && (assigned || addressed);
  c->aliased = addressed || f.stored;
  if (c->shape == SHAPE_FUNCTION)
    return PASS_VALUE;
  if (c->shape == SHAPE_ARRAY)
    return addressed || c->sized || thread ? PASS_PLACE : PASS_VALUE;
  if (c->shape == SHAPE_REFERENCE) {
    c->constant = u.plain && scalar && !assigned && !addressed && !f.stored;
    return PASS_VALUE;
  }
  if (kinds_is_constant(st, c))
    return PASS_OWN_VALUE;
  if (!scalar) {
    bool read = u.plain && !assigned && !addressed && !f.stored;
    // Most likely a number: as a copy it is not read again after each store.
    if (read && (c->deduced || scope_is_parameter(st, c->specifiers)))
      return PASS_VALUE;
    struct ctype type;
    if (c->shape == SHAPE_PLAIN && !c->deduced && !assigned && !addressed && !f.stored &&
        member_struct(st->x, c->specifiers, &type))
      return PASS_VALUE; // as in C
    c->constant = read;
    return PASS_PLACE;
  }
  if (private && !c->deduced)
    return PASS_OWN;
  if (addressed || (f.stored && (assigned || c->shape == SHAPE_PLAIN)))
    return PASS_PLACE;
  if (!assigned)
    return PASS_VALUE;
  if (f.after) // what is called may use the object
    return (c->member || scope_captured(st, c)) && kinds_calls(st, st->node) ? PASS_PLACE
                                                                             : PASS_COPY;
  return f.before || c->bound || c->deduced ? PASS_VALUE : PASS_OWN;
}

enum pass kinds_pass(const struct statement *st, struct capture *c, struct kinds_found f,
                     bool private) {
  enum pass pass = kinds_choose(st, c, f, private);
  if (pass == PASS_PLACE && c->shape != SHAPE_POINTER && scope_copies(st, c))
    c->constant = true;
  return pass;
}
