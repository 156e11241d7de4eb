// SPDX-License-Identifier: Apache-2.0
// places.c: which memory a piece of a function reads and writes, as far as the text shows
// it. A place is the name of an array or pointer and how often its value is followed:
// `a[i]` is a, once; `row[j]` after `double *row = x[i]` is x, twice. Two different
// arguments, or variables of the file, are taken to be different memory. The answer for a
// spelling that is not understood is "unknown".
#include <ctype.h>
#include <string.h>

#include "analysis.h"
#include "front/lang/language.h"

enum { DEEPEST = 16, DEEPEST_MACRO = 4 };

// ---- declarations -------------------------------------------------------------------

// Returns the declarator of NAME that is in force at AT in the function; or null.
static TSNode place_local(const struct usage *u, TSNode at, struct slice name) {
  TSNode found = { 0 };
  for (unsigned i = 0; i < u->n_declared; i++) {
    TSNode scope = ts_node_parent(ts_node_parent(u->declared[i].node));
    if (slices_same(u->declared[i].name, name) && !ts_node_is_null(scope) &&
        (node_within(at, scope) || node_is(scope, "parameter_list")))
      found = u->declared[i].node; // the innermost is the last one
  }
  return found;
}

// Returns the declarator of NAME below the node at C, outside of functions; or null.
static TSNode place_of_file(const struct source *s, TSTreeCursor *c, struct slice name) {
  static const char *const around[] = {
    "translation_unit", "preproc_if",           "preproc_ifdef",
    "preproc_else",     "preproc_elif",         "linkage_specification",
    "declaration_list", "namespace_definition", NULL
  };
  TSNode n = ts_tree_cursor_current_node(c), found = { 0 };
  for (uint32_t i = 0; node_is(n, "declaration") && i < ts_node_named_child_count(n);
       i++) {
    TSNode d = ts_node_named_child(n, i), own = declarator_name(d);
    if (!ts_node_is_null(own) && slices_same(source_slice(s, own), name))
      found = d;
  }
  if (!node_is_any(n, around) || !ts_tree_cursor_goto_first_child(c))
    return found;
  do
    found = place_of_file(s, c, name);
  while (ts_node_is_null(found) && ts_tree_cursor_goto_next_sibling(c));
  ts_tree_cursor_goto_parent(c);
  return found;
}

// Returns the declarator of NAME that is in force at AT; null: there is none in sight.
// *GLOBAL: it is not in the function.
static TSNode place_declared(const struct usage *u, TSNode at, struct slice name,
                             bool *global) {
  TSNode d = place_local(u, at, name), up = d;
  while (!ts_node_is_null(up) && !node_is(up, "function_definition"))
    up = ts_node_parent(up);
  *global = ts_node_is_null(up);
  if (ts_node_is_null(d)) {
    TSTreeCursor c = ts_tree_cursor_new(ts_tree_root_node(u->s->tree));
    d = place_of_file(u->s, &c, name);
    ts_tree_cursor_delete(&c);
  }
  return d;
}

static bool place_is_number(TSNode d) {
  TSNode type = node_field(ts_node_parent(d), "type");
  return node_is(type, "primitive_type") || node_is(type, "sized_type_specifier");
}

// ---- names --------------------------------------------------------------------------

static bool place_macros_are_plain(const struct source *s, struct slice name,
                                   unsigned depth, bool *any);

// True if the text of a macro computes with numbers, and with macros that do the same.
static bool place_macro_is_plain(const struct source *s, struct slice text,
                                 unsigned depth) {
  static const char *const fine[] = { "+",     "-",      "*",   "/",    "%",
                                      "(",     ")",      "int", "long", "unsigned",
                                      "float", "double", NULL };
  struct lexer l = lexer_of(text);
  bool any;
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l))
    if (t.kind != TOKEN_NUMBER && !slice_in(t.text, fine) &&
        !(t.kind == TOKEN_WORD && depth < DEEPEST_MACRO &&
          place_macros_are_plain(s, t.text, depth + 1, &any) && any))
      return false;
  return true;
}

// Returns the text of the macro if "define" before AT defines NAME; empty: it does not.
static struct slice place_definition(const char *at, const char *end, struct slice name) {
  while (at < end && (*at == ' ' || *at == '\t'))
    at++;
  if ((size_t)(end - at) <= name.size || memcmp(at, name.data, name.size) != 0 ||
      isalnum((unsigned char)at[name.size]) || at[name.size] == '_')
    return (struct slice){ 0 };
  const char *from = at += name.size;
  while (at < end &&
         (*at != '\n' || at[-1] == '\\' || (at[-1] == '\r' && at[-2] == '\\')))
    at++;
  return (struct slice){ from, (size_t)(at - from) };
}

// True if no definition of NAME in the file is anything but a number. *ANY: there is one.
static bool place_macros_are_plain(const struct source *s, struct slice name,
                                   unsigned depth, bool *any) {
  const char *end = s->text + s->size, *at = s->text;
  *any = false;
  while ((at = memmem(at, (size_t)(end - at), "define", 6)) != NULL) {
    at += 6;
    struct slice text = place_definition(at, end, name);
    *any = *any || text.data;
    if (text.data && !place_macro_is_plain(s, text, depth))
      return false;
  }
  return true;
}

static bool place_is_volatile(struct slice text) {
  return memmem(text.data, text.size, "volatile", 8) ||
      memmem(text.data, text.size, "_Atomic", 7);
}

static bool place_address_is_taken(const struct usage *u, struct slice name) {
  for (unsigned i = 0; i < u->n_changes; i++)
    if (u->changes[i].how == BY_ADDRESS && u->changes[i].part != PART_ELEMENT &&
        slices_same(u->changes[i].name, name))
      return true;
  return false;
}

static bool place_name_is_plain(const struct usage *u, TSNode e) {
  struct slice name = source_slice(u->s, e), file = { u->s->bare, u->s->size };
  bool global, any;
  TSNode d = place_declared(u, e, name, &global);
  if (ts_node_is_null(d))
    return place_macros_are_plain(u->s, name, 0, &any) && !place_is_volatile(file);
  TSNode inner = node_is(d, "init_declarator") ? node_field(d, "declarator") : d;
  // Another type than a number may be volatile by its definition, anywhere in the file.
  struct slice said = place_is_number(d) ? source_slice(u->s, ts_node_parent(d)) : file;
  return !place_is_volatile(said) && !place_address_is_taken(u, name) &&
      !node_is(inner, "reference_declarator") &&
      !node_holds(inner, "reference_declarator") &&
      (!u->s->language->cplusplus || !node_is(inner, "identifier") || place_is_number(d));
}

bool places_plain(const struct usage *u, TSNode e) {
  if (node_is(e, "identifier") && !place_name_is_plain(u, e))
    return false;
  for (uint32_t i = 0; i < ts_node_named_child_count(e); i++)
    if (!places_plain(u, ts_node_named_child(e, i)))
      return false;
  return true;
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

// Counts the stars and brackets around the name in D. False: there is something else.
static bool place_declarator(TSNode d, unsigned *stars, unsigned *brackets) {
  *stars = *brackets = 0;
  for (; !node_is(d, "identifier"); d = declarator_inner(d)) {
    *stars += node_is(d, "pointer_declarator");
    *brackets += node_is(d, "array_declarator");
    if (!node_is(d, "pointer_declarator") && !node_is(d, "array_declarator") &&
        !node_is(d, "parenthesized_declarator"))
      return false;
  }
  return true;
}

static bool place_of_name(const struct usage *u, TSNode e, unsigned depth,
                          struct memory_place *p) {
  struct slice name = source_slice(u->s, e);
  bool global;
  unsigned stars, brackets;
  TSNode d = place_declared(u, e, name, &global);
  *p = (struct memory_place){ .name = name, .global = global };
  if (ts_node_is_null(d)) { // a number, or a variable of a header
    p->pointer = true;
    return place_is_set_once(u, name);
  }
  TSNode inner = node_is(d, "init_declarator") ? node_field(d, "declarator") : d;
  if (!place_declarator(inner, &stars, &brackets))
    return false;
  p->pointer = stars + brackets > 0;
  p->rows = stars > 1 && brackets == 0;
  if (!p->pointer)
    return true;
  bool parameter = node_is(ts_node_parent(d), "parameter_declaration") ||
      node_is(ts_node_parent(d), "optional_parameter_declaration");
  if (!place_is_set_once(u, name))
    return false;
  if (global || parameter || stars == 0)
    return global || parameter || node_is(ts_node_parent(d), "declaration");
  return brackets == 0 && node_is(d, "init_declarator") &&
      place_read(u, node_field(d, "value"), depth + 1, p) && p->pointer;
}

// A pointer and a distance, `a + i`.
static bool place_of_sum(const struct usage *u, TSNode e, unsigned depth,
                         struct memory_place *p) {
  struct slice operator = source_slice(u->s, node_field(e, "operator"));
  return (slice_is(operator, "+") || slice_is(operator, "-")) &&
      place_read(u, node_field(e, "left"), depth + 1, p) && p->pointer;
}

// Reads E, a variable, an element or a pointer. False: it is not known.
static bool place_read(const struct usage *u, TSNode e, unsigned depth,
                       struct memory_place *p) {
  if (depth > DEEPEST)
    return false;
  if (node_is(e, "identifier"))
    return place_of_name(u, e, depth, p);
  if (node_is(e, "parenthesized_expression"))
    return place_read(u, ts_node_named_child(e, 0), depth + 1, p);
  if (node_is(e, "binary_expression"))
    return place_of_sum(u, e, depth, p);
  struct slice operator = source_slice(u->s, node_field(e, "operator"));
  bool field = node_is(e, "field_expression"), cast = node_is(e, "cast_expression");
  bool pointer = node_is(e, "pointer_expression"),
       element = node_is(e, "subscript_expression");
  TSNode inner = node_field(e, cast ? "value" : "argument");
  if ((!field && !element && !pointer && !cast) || !place_read(u, inner, depth + 1, p))
    return false;
  p->rows = p->rows && (element || (pointer && slice_is(operator, "*")));
  if (cast || (field && slice_is(operator, ".")))
    return true;
  if (!p->pointer) // what a typedef or a struct leads to is not known
    return false;
  p->depth += pointer && slice_is(operator, "&") ? -1 : 1;
  return true;
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
    // The name in `a[i]` is not read as a variable of its own; `x[i]` in `x[i][j]` is.
    bool base = ts_node_eq(c, node_field(e, "argument")) && node_is(c, "identifier");
    if (!base && !places_read(u, c, all))
      return false;
  }
  return true;
}

// True if N is understood. In C++ objects may have operators and constructors.
static bool place_is_known(const struct usage *u, TSNode n) {
  static const char *const unknown[] = { "gnu_asm_expression",  "new_expression",
                                         "delete_expression",   "lambda_expression",
                                         "co_await_expression", "throw_statement",
                                         "for_range_loop",      "reference_declarator",
                                         "try_statement",       NULL };
  TSNode called = node_field(n, "function");
  bool any;
  if (node_is(n, "call_expression"))
    return node_is(called, "identifier") && model_is_pure(source_slice(u->s, called));
  if (node_is(n, "identifier") &&
      ts_node_is_null(place_local(u, n, source_slice(u->s, n))))
    return place_macros_are_plain(u->s, source_slice(u->s, n), 0, &any);
  if (u->s->language->cplusplus && node_is(n, "declaration"))
    return place_is_number(ts_node_named_child(n, ts_node_named_child_count(n) - 1)) &&
        !node_is(ts_node_parent(n), "condition_clause");
  return !node_is_any(n, unknown);
}

static bool place_target_is_known(const struct usage *u, TSNode target) {
  bool global;
  if (!u->s->language->cplusplus || !node_is(target, "identifier"))
    return true;
  TSNode d = place_declared(u, target, source_slice(u->s, target), &global);
  return !ts_node_is_null(d) && place_is_number(d);
}

bool places_written(const struct usage *u, TSNode n, struct memory_places *all) {
  TSNode target = node_is(n, "assignment_expression") ? node_field(n, "left")
      : node_is(n, "update_expression")               ? node_field(n, "argument")
                                                      : (TSNode){ 0 };
  if (!place_is_known(u, n))
    return false;
  if (!ts_node_is_null(target) &&
      !(place_target_is_known(u, target) && places_add(u, target, all)))
    return false;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (!places_written(u, ts_node_named_child(n, i), all))
      return false;
  return true;
}

// A row and the pointers to rows are different memory, so depths are compared there. For
// other places depths prove nothing: `m->sum[i]` may follow one pointer or two.
bool places_meet(const struct memory_places *all, const struct memory_places *others) {
  for (unsigned i = 0; i < all->n; i++)
    for (unsigned j = 0; j < others->n; j++) {
      const struct memory_place *a = &all->list[i], *b = &others->list[j];
      if (slices_same(a->name, b->name) && !(a->rows && b->rows && a->depth != b->depth))
        return true;
    }
  return false;
}
