// SPDX-License-Identifier: Apache-2.0
// usage.c: finds where the names of a function are declared and changed. One walk makes
// two lists, which answer all queries about scalars.
#include "analysis.h"

TSNode declarator_inner(TSNode d) {
  if (!node_is(d, "parenthesized_declarator") && !node_is(d, "reference_declarator"))
    return node_field(d, "declarator");
  uint32_t i = 0;
  while (i < ts_node_named_child_count(d) &&
         node_is(ts_node_named_child(d, i), "comment"))
    i++;
  return ts_node_named_child(d, i);
}

TSNode declarator_of_function(TSNode function) {
  TSNode d = node_field(function, "declarator");
  while (!ts_node_is_null(d) && !node_is(d, "function_declarator"))
    d = declarator_inner(d);
  return d;
}

TSNode declarator_name(TSNode d) {
  while (!ts_node_is_null(d) && !node_is(d, "identifier"))
    d = declarator_inner(d);
  return d;
}

// ---- the walk -----------------------------------------------------------------------

// True if N, the initialiser of a `for`, gives a variable its first value.
static bool usage_is_counter(const struct source *s, TSNode n) {
  TSNode loop = ts_node_parent(n);
  return node_is(n, "assignment_expression") && node_is(loop, "for_statement") &&
      ts_node_eq(node_field(loop, "initializer"), n) &&
      slice_is(source_slice(s, node_field(n, "operator")), "=");
}

// Fills C from N. False unless N is an assignment, `++`, `--`, `&` or `*` of a variable.
static bool read_change(const struct source *s, TSNode n, struct change *c) {
  TSNode target = node_field(n, "argument");
  *c = (struct change){ .node = n, .how = BY_ASSIGNMENT };
  if (node_is(n, "assignment_expression")) {
    target = node_field(n, "left");
    c->counter = usage_is_counter(s, n);
  } else if (node_is(n, "pointer_expression")) {
    c->how = slice_is(source_slice(s, node_field(n, "operator")), "&") ? BY_ADDRESS
                                                                       : BY_POINTER;
  } else if (node_is(n, "init_declarator") &&
             node_is(node_field(n, "declarator"), "reference_declarator")) {
    target = node_field(n, "value"); // of C++: another name for the variable
    c->how = BY_ADDRESS;
  } else if (!node_is(n, "update_expression")) {
    return false;
  }
  for (;;) {
    if (node_is(target, "parenthesized_expression")) {
      target = ts_node_named_child(target, 0);
    } else if (node_is(target, "subscript_expression")) {
      c->part = PART_ELEMENT;
      target = node_field(target, "argument");
    } else if (node_is(target, "field_expression") &&
               slice_is(source_slice(s, node_field(target, "operator")), ".")) {
      c->part = c->part == PART_ELEMENT ? PART_ELEMENT : PART_MEMBER;
      target = node_field(target, "argument");
    } else {
      break;
    }
  }
  c->name = node_is(target, "identifier") ? source_slice(s, target) : (struct slice){ 0 };
  return c->name.size > 0;
}

// True if CHILD of the declaration N may be a declarator. The others of these kinds of
// C++ are expressions.
static bool usage_is_declarator(TSNode n, TSNode child) {
  bool expressions = node_is(n, "optional_parameter_declaration") ||
      node_is(n, "for_range_loop");
  return !expressions || ts_node_eq(child, node_field(n, "declarator"));
}

static void usage_collect(struct usage *u, TSNode n) {
  static const char *const declaring[] = { "declaration", "parameter_declaration",
                                           "optional_parameter_declaration",
                                           "for_range_loop", NULL };
  bool declares = node_is_any(n, declaring);
  struct change c;
  if (read_change(u->s, n, &c))
    *GROW(u->changes, u->n_changes) = c;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++) {
    TSNode child = ts_node_named_child(n, i),
           name = declares && usage_is_declarator(n, child) ? declarator_name(child)
                                                            : (TSNode){ 0 };
    if (!ts_node_is_null(name))
      *GROW(u->declared, u->n_declared) =
          (struct declared){ source_slice(u->s, name), child };
    usage_collect(u, child);
  }
}

struct usage usage_of(const struct source *s, const struct function *f, TSNode from) {
  struct usage u = { .s = s, .f = f };
  usage_collect(&u, from);
  return u;
}

// ---- queries ------------------------------------------------------------------------

bool usage_changes(const struct usage *u, TSNode node, struct slice name) {
  for (unsigned i = 0; i < u->n_changes; i++)
    if (slices_same(u->changes[i].name, name) && node_within(u->changes[i].node, node))
      return true;
  return false;
}

unsigned usage_declarators(const struct usage *u, TSNode node, struct slice name,
                           TSNode *first) {
  unsigned n = 0;
  *first = (TSNode){ 0 };
  for (unsigned i = 0; i < u->n_declared; i++) {
    const struct declared *d = &u->declared[i];
    if (!slices_same(d->name, name) || !node_within(d->node, node))
      continue;
    *first = n++ ? *first : d->node;
  }
  return n;
}

TSNode body_next(struct body b, TSNode n) {
  return ts_node_eq(n, b.last) ? (TSNode){ 0 } : ts_node_next_named_sibling(n);
}

bool body_covers(struct body b, TSNode n) {
  return ts_node_start_byte(n) >= ts_node_start_byte(b.first) &&
      ts_node_end_byte(n) <= ts_node_end_byte(b.last);
}

bool usage_declares(const struct usage *u, TSNode node, struct slice name) {
  TSNode first;
  return usage_declarators(u, node, name, &first) > 0;
}

struct slice usage_type(const struct usage *u, TSNode node, struct slice name) {
  struct slice type = { 0 };
  bool any = false;
  for (unsigned i = 0; i < u->n_declared; i++) {
    const struct declared *d = &u->declared[i];
    if (!slices_same(d->name, name) || !node_within(d->node, node))
      continue;
    struct slice other = source_slice(u->s, node_field(ts_node_parent(d->node), "type"));
    if (any && !slices_same(type, other))
      return (struct slice){ 0 };
    type = other;
    any = true;
  }
  return type;
}

bool usage_is_pointer(const struct usage *u, struct slice name) {
  for (unsigned i = 0; i < u->n_declared; i++)
    for (TSNode d = u->declared[i].node;
         slices_same(u->declared[i].name, name) && !ts_node_is_null(d);
         d = declarator_inner(d))
      if (node_is(d, "pointer_declarator") || node_is(d, "array_declarator"))
        return true;
  return false;
}

bool usage_keeps(const struct source *s, TSNode declaration) {
  struct slice text = source_slice(s, declaration);
  for (uint32_t i = 0; i < ts_node_named_child_count(declaration); i++) {
    TSNode c = ts_node_named_child(declaration, i);
    struct slice word = source_slice(s, c);
    if (node_is(c, "storage_class_specifier") && !slice_is(word, "register") &&
        !slice_is(word, "auto"))
      return !slice_is(word, "static") || !lex_mentions(text, slice_of("const"));
  }
  return false;
}
