// SPDX-License-Identifier: Apache-2.0
// declared.c: the types of variables as the function around a statement declares them.
#include <string.h>

#include "statement.h"

// ---- types of the function's own ----------------------------------------------------

// Returns the declaration in the function, but outside of the statement, that makes a
// type or an enumeration constant called NAME; null: there is none.
static TSNode declared_local_type(const struct statement *st, TSNode n,
                                  struct slice name) {
  static const char *const tagged[] = { "struct_specifier", "union_specifier",
                                        "enum_specifier", NULL };
  if (ts_node_eq(n, st->node))
    return (TSNode){ 0 };
  bool tag = node_is_any(n, tagged) && !ts_node_is_null(node_field(n, "body"));
  if (tag && slices_same(statement_text(st, node_field(n, "name")), name))
    return n;
  if (node_is(n, "enumerator") &&
      slices_same(statement_text(st, node_field(n, "name")), name))
    return n;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++) {
    TSNode child = ts_node_named_child(n, i), d = child;
    if (node_is(n, "type_definition")) {
      while (!ts_node_is_null(d) && !node_is(d, "type_identifier"))
        d = declarator_inner(d);
      if (!ts_node_eq(child, node_field(n, "type")) && !ts_node_is_null(d) &&
          slices_same(statement_text(st, d), name))
        return n;
    }
    TSNode found = declared_local_type(st, child, name);
    if (!ts_node_is_null(found))
      return found;
  }
  return (TSNode){ 0 };
}

// Diagnoses a type or constant NAME that only the function around the statement knows.
void captures_check_name(struct statement *st, struct slice name) {
  TSNode body = node_field(st->function, "body"),
         local = declared_local_type(st, body, name);
  if (st->fine && !ts_node_is_null(local))
    statement_refuse(st, arena_printf("declare it before '%s'", st->of),
                     "'%.*s' on line %u is declared in the function, and the kernel "
                     "needs it outside",
                     (int)name.size, name.data, statement_line(st, local));
}

// ---- declarations -------------------------------------------------------------------

// Appends the words of TEXT that belong to a type.
static struct slice declared_specifiers(struct slice text) {
  struct text out = { 0 };
  struct lexer l = lexer_of(text);
  text_add(&out, "", 0);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    const char *end = l.p;
    if (is_attribute(t.text)) {
      skip_brackets(&l);
      continue;
    }
    if (is_typeof(t.text)) {
      end = skip_brackets(&l);
      l.p = end;
    }
    if (!is_storage(t.text) && !slice_is(t.text, "__auto_type"))
      text_printf(&out, "%s%.*s", out.size ? " " : "", (int)(end - t.text.data),
                  t.text.data);
  }
  return (struct slice){ out.data, out.size };
}

// Returns the first declarator in DECLARATION: its specifiers end there.
static TSNode declared_first(TSNode declaration) {
  for (uint32_t i = 0; i < ts_node_named_child_count(declaration); i++) {
    TSNode c = ts_node_named_child(declaration, i);
    if (!ts_node_is_null(declarator_name(c)))
      return c;
  }
  return declaration;
}

// Reads D, a declarator with parentheses after the name. In C++ those of a variable hold
// its initialiser, which the grammar takes for parameters.
static void declared_function(const struct statement *st, struct capture *c, TSNode d,
                              bool parameter) {
  c->shape = SHAPE_FUNCTION;
  if (!st->cplusplus || parameter)
    return;
  c->declarator.size = (size_t)(c->at + c->name.size - c->declarator.data);
  c->shape = node_is(ts_node_parent(d), "pointer_declarator") ? SHAPE_POINTER
                                                              : SHAPE_PLAIN;
}

// True if the argument D has no declaration: see capture_untyped.
static bool declared_is_untyped(TSNode d) {
  return node_is(ts_node_parent(d), "parameter_list");
}

// True if DECLARATION is an argument's, of a prototype or between the head of a function
// of old C and its body.
static bool declared_is_argument(TSNode declaration) {
  return node_is(declaration, "parameter_declaration") ||
      node_is(ts_node_parent(declaration), "function_definition");
}

void captures_read_type(struct statement *st, struct capture *c) {
  TSNode declaration = ts_node_parent(c->declared), d = c->declared;
  if (declared_is_untyped(d)) {
    c->specifiers = slice_of("int");
    c->declarator = statement_text(st, d);
    c->at = c->declarator.data;
    c->shape = SHAPE_PLAIN;
    return;
  }
  size_t start = ts_node_start_byte(declaration),
         end = ts_node_start_byte(declared_first(declaration));
  if (node_is(declaration, "for_range_loop"))
    start = ts_node_end_byte(node_child(declaration, "("));
  struct slice specifiers = { st->s->text + start, end - start };
  c->specifiers = st->cplusplus ? kinds_specifiers(st, specifiers)
                                : declared_specifiers(specifiers);
  c->deduced = st->cplusplus && lex_mentions(c->specifiers, slice_of("auto"));
  if (c->deduced)
    kinds_note(st, specifiers, d);
  if (node_is(d, "init_declarator"))
    d = node_field(d, "declarator");
  if (node_is(d, "attributed_declarator"))
    d = ts_node_named_child(d, 0);
  c->declarator = statement_text(st, d);
  TSNode name = declarator_name(d), outer = ts_node_parent(name);
  c->at = st->s->text + ts_node_start_byte(name);
  c->shape = SHAPE_PLAIN;
  if (ts_node_eq(name, d))
    return;
  while (node_is(outer, "parenthesized_declarator") && !ts_node_eq(outer, d))
    outer = ts_node_parent(outer);
  bool parameter = declared_is_argument(declaration);
  if (node_is(outer, "reference_declarator"))
    c->shape = SHAPE_REFERENCE;
  else if (node_is(outer, "array_declarator"))
    c->shape = parameter ? SHAPE_POINTER : SHAPE_ARRAY;
  else if (node_is(outer, "function_declarator"))
    declared_function(st, c, outer, parameter);
  else if (node_is(outer, "pointer_declarator"))
    c->shape = SHAPE_POINTER;
}

void captures_unknown(struct statement *st, const struct capture *c, const char *hint,
                      const char *why) {
  statement_refuse(st, hint,
                   "the type of '%.*s', which the kernel uses, is not known: %s",
                   (int)c->name.size, c->name.data, why);
}

// Diagnoses a declaration that cannot be repeated outside of the function.
void captures_check_type(struct statement *st, const struct capture *c) {
  TSNode declaration = ts_node_parent(c->declared);
  struct slice storage =
      statement_text(st, node_child(declaration, "storage_class_specifier"));
  struct lexer l = lexer_of(c->specifiers);
  bool member = false, word = false;
  if (slice_is(storage, "extern") ||
      (c->shape == SHAPE_FUNCTION && !declared_is_argument(declaration))) {
    captures_unknown(st, c, "declare it at file scope", "it is declared in the function");
    return;
  }
  if (memchr(c->specifiers.data, '{', c->specifiers.size)) {
    captures_unknown(st, c, arena_printf("declare the type before '%s'", st->of),
                     "its declaration makes a type of its own");
    return;
  }
  for (struct token t; st->fine && st->cplusplus && (t = lex(&l)).kind != TOKEN_END;)
    if (t.kind == TOKEN_WORD)
      captures_check_name(st, t.text);
  if (st->cplusplus)
    return;
  for (struct token t; st->fine && (t = lex(&l)).kind != TOKEN_END;) {
    word = word || (t.kind == TOKEN_WORD && !is_qualifier(t.text));
    if (t.kind == TOKEN_WORD && !is_tag(t.text) && !is_type_word(t.text))
      captures_check_name(st, t.text);
    if (is_typeof(t.text))
      for (struct token u; (u = lex(&l)).kind != TOKEN_END;) {
        member = member ||
            (u.kind == TOKEN_WORD &&
             !ts_node_is_null(captures_resolve(st, u.text, c->declared)));
      }
  }
  if (st->fine && (!word || member))
    captures_unknown(st, c, "write its type out", "only the compiler can tell it");
}
