// SPDX-License-Identifier: Apache-2.0
// places.c: which memory a piece of a function reads and writes, as far as the text shows
// it. A place is a name and how often its value is followed: `a[i]` is a, once;
// `row[j]` after `double *row = x[i]` is x, twice. Two places may be the same memory
// where both agree. Different arguments and variables of the file count as apart, as
// everywhere else.
#include <ctype.h>
#include <string.h>

#include "analysis.h"

enum { DEEPEST = 16 };

// ---- names --------------------------------------------------------------------------

// Returns the declarator of NAME that is in force at AT; null: there is none in sight.
static TSNode place_declared(const struct usage *u, TSNode at, struct slice name) {
  TSNode found = { 0 };
  for (unsigned i = 0; i < u->n_declared; i++) {
    TSNode scope = ts_node_parent(ts_node_parent(u->declared[i].node));
    if (slices_same(u->declared[i].name, name) && !ts_node_is_null(scope) &&
        (node_within(at, scope) || node_is(scope, "parameter_list")))
      found = u->declared[i].node; // the innermost is the last one
  }
  return found;
}

// True if D, a declarator, stands outside of functions.
static bool place_is_of_file(TSNode d) {
  TSNode n = ts_node_parent(d);
  while (!ts_node_is_null(n) && !node_is(n, "function_definition"))
    n = ts_node_parent(n);
  return ts_node_is_null(n);
}

static bool place_is_volatile(struct slice text) {
  return memmem(text.data, text.size, "volatile", 8) ||
      memmem(text.data, text.size, "_Atomic", 7);
}

// True if the text of a macro is a number or a name, and computes at most.
static bool place_macro_is_plain(struct slice text) {
  static const char *const effects[] = { "=",  "++", "--",  "+=",  "-=", "*=",
                                         "/=", "%=", "&=",  "|=",  "^=", "?",
                                         ",",  "{",  "<<=", ">>=", NULL };
  struct lexer l = lexer_of(text);
  bool name = false;
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    if (slice_in(t.text, effects) || (name && slice_is(t.text, "(")))
      return false;
    name = t.kind == TOKEN_WORD;
  }
  return true;
}

// True if the text that begins after "define" does not define NAME as a macro with
// effects. END: of the file.
static bool place_definition_is_plain(const char *at, const char *end,
                                      struct slice name) {
  while (at < end && (*at == ' ' || *at == '\t'))
    at++;
  if ((size_t)(end - at) <= name.size || memcmp(at, name.data, name.size) != 0 ||
      isalnum((unsigned char)at[name.size]) || at[name.size] == '_')
    return true;
  const char *from = at += name.size;
  while (at < end && (*at != '\n' || at[-1] == '\\'))
    at++;
  return place_macro_is_plain((struct slice){ from, (size_t)(at - from) });
}

static bool place_macros_are_plain(const struct source *s, struct slice name) {
  const char *end = s->text + s->size, *at = s->text;
  while ((at = memmem(at, (size_t)(end - at), "define", 6)) != NULL) {
    at += 6;
    if (!place_definition_is_plain(at, end, name))
      return false;
  }
  return true;
}

bool places_plain(const struct usage *u, TSNode e) {
  for (uint32_t i = 0; i < ts_node_named_child_count(e); i++)
    if (!places_plain(u, ts_node_named_child(e, i)))
      return false;
  if (!node_is(e, "identifier"))
    return true;
  struct slice name = source_slice(u->s, e);
  TSNode d = place_declared(u, e, name);
  if (ts_node_is_null(d))
    return !place_is_volatile((struct slice){ u->s->bare, u->s->size }) &&
        place_macros_are_plain(u->s, name);
  for (unsigned i = 0; i < u->n_changes; i++)
    if (u->changes[i].how == BY_ADDRESS && u->changes[i].part != PART_ELEMENT &&
        slices_same(u->changes[i].name, name))
      return false;
  return !node_is(d, "reference_declarator") && !node_holds(d, "reference_declarator") &&
      !place_is_volatile(source_slice(u->s, ts_node_parent(d)));
}

// ---- places -------------------------------------------------------------------------

static bool place_read(const struct usage *u, TSNode e, unsigned depth,
                       struct memory_place *p);

// True if the function gives the pointer NAME no other value than its first one.
static bool place_is_set_once(const struct usage *u, struct slice name) {
  for (unsigned i = 0; i < u->n_changes; i++) {
    const struct change *c = &u->changes[i];
    if (slices_same(c->name, name) && c->part == PART_WHOLE && c->how != BY_POINTER)
      return false;
  }
  return true;
}

// NAME as a pointer or array, or as a number (*P has depth 0).
static bool place_of_name(const struct usage *u, TSNode e, unsigned depth,
                          struct memory_place *p) {
  struct slice name = source_slice(u->s, e);
  TSNode d = place_declared(u, e, name), inner = d;
  *p = (struct memory_place){ .name = name };
  p->global = ts_node_is_null(d) || place_is_of_file(d);
  if (ts_node_is_null(d))
    return true;
  if (node_is(d, "init_declarator"))
    inner = node_field(d, "declarator");
  p->pointer = node_is(inner, "pointer_declarator") || node_is(inner, "array_declarator");
  if (node_is(inner, "identifier") || (p->global && p->pointer))
    return true;
  if (!p->pointer || !place_is_set_once(u, name))
    return false;
  if (!node_is(inner, "pointer_declarator") || !node_is(ts_node_parent(d), "declaration"))
    return true; // an array or an argument
  return node_is(d, "init_declarator") &&
      place_read(u, node_field(d, "value"), depth + 1, p);
}

static bool place_of_sum(const struct usage *u, TSNode e, unsigned depth,
                         struct memory_place *p) {
  struct memory_place right;
  struct slice operator = source_slice(u->s, node_field(e, "operator"));
  TSNode sides[] = { node_field(e, "left"), node_field(e, "right") };
  bool first = place_read(u, sides[0], depth + 1, p) && (p->pointer || p->global);
  bool second = place_read(u, sides[1], depth + 1, &right) &&
      (right.pointer || right.global);
  if (!slice_is(operator, "+") && !slice_is(operator, "-"))
    return false;
  if (second && !first)
    *p = right;
  return first != second || (first && p->pointer && !right.pointer && right.depth == 0);
}

// Reads E, a variable or a pointer. False: it is not known what it is or leads to.
static bool place_read(const struct usage *u, TSNode e, unsigned depth,
                       struct memory_place *p) {
  if (depth > DEEPEST)
    return false;
  if (node_is(e, "identifier"))
    return place_of_name(u, e, depth, p);
  if (node_is(e, "parenthesized_expression"))
    return place_read(u, ts_node_named_child(e, 0), depth + 1, p);
  if (node_is(e, "cast_expression"))
    return place_read(u, node_field(e, "value"), depth + 1, p);
  if (node_is(e, "binary_expression"))
    return place_of_sum(u, e, depth, p);
  struct slice operator = source_slice(u->s, node_field(e, "operator"));
  bool field = node_is(e, "field_expression"),
       element = node_is(e, "subscript_expression");
  bool pointer = node_is(e, "pointer_expression");
  if ((!field && !element && !pointer) ||
      !place_read(u, node_field(e, "argument"), depth + 1, p))
    return false;
  if (field && slice_is(operator, "."))
    return true;
  if (pointer && slice_is(operator, "&")) {
    p->depth--;
    p->pointer = true;
    return true;
  }
  p->depth++;
  return p->pointer || p->global; // what a typedef points to is not known
}

static bool places_add(const struct usage *u, TSNode e, struct memory_places *all) {
  struct memory_place p;
  if (!place_read(u, e, 0, &p))
    return false;
  if (p.depth != 0 || p.global)
    *GROW(all->list, all->n) = p;
  return true;
}

bool places_read(const struct usage *u, TSNode e, struct memory_places *all) {
  static const char *const kinds[] = { "identifier", "subscript_expression",
                                       "field_expression", "pointer_expression", NULL };
  if (node_is(e, "pointer_expression") &&
      slice_is(source_slice(u->s, node_field(e, "operator")), "&"))
    e = node_field(e, "argument"); // the address is computed, and nothing is read there
  else if (node_is_any(e, kinds) && !places_add(u, e, all))
    return false;
  for (uint32_t i = 0; i < ts_node_named_child_count(e); i++) {
    TSNode c = ts_node_named_child(e, i);
    bool base = ts_node_eq(c, node_field(e, "argument")) &&
        !node_is(c, "parenthesized_expression");
    // The name in `a[i]` is not read as a variable of its own, but the one in `x[i][j]`
    // is.
    if (!(base && node_is(c, "identifier")) && !places_read(u, c, all))
      return false;
  }
  return true;
}

bool places_written(const struct usage *u, TSNode n, struct memory_places *all) {
  static const char *const unknown[] = { "gnu_asm_expression",
                                         "new_expression",
                                         "delete_expression",
                                         "lambda_expression",
                                         "co_await_expression",
                                         "throw_statement",
                                         NULL };
  TSNode target = node_is(n, "assignment_expression") ? node_field(n, "left")
      : node_is(n, "update_expression")               ? node_field(n, "argument")
                                                      : (TSNode){ 0 };
  TSNode called = node_field(n, "function");
  if (node_is_any(n, unknown) || node_is(n, "reference_declarator"))
    return false;
  if (node_is(n, "call_expression") &&
      !(node_is(called, "identifier") && model_is_pure(source_slice(u->s, called))))
    return false;
  if (!ts_node_is_null(target) && !places_add(u, target, all))
    return false;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (!places_written(u, ts_node_named_child(n, i), all))
      return false;
  return true;
}

bool places_meet(const struct memory_places *all, const struct memory_places *others) {
  for (unsigned i = 0; i < all->n; i++)
    for (unsigned j = 0; j < others->n; j++)
      if (slices_same(all->list[i].name, others->list[j].name) &&
          all->list[i].depth == others->list[j].depth)
        return true;
  return false;
}
