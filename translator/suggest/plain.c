// SPDX-License-Identifier: Apache-2.0
// plain.c: what may be proposed in C++: functions and loops that the grammar of C reads
// (view.c takes it for them), and in which no operator or call may be one of the
// program's own: all of their variables are numbers, arrays or structs of numbers.
#include <string.h>

#include "front/lang/language.h"
#include "front/reach/unit.h"
#include "suggest.h"

static const char plain_only[] =
    "only numbers, arrays and structs of them are followed in C++";

// True if N, the type of a declaration or of a cast, is a number, or a struct as in C.
static bool plain_is_type(const struct model *m, TSNode n) {
  if (node_is(n, "primitive_type") || node_is(n, "sized_type_specifier"))
    return true;
  struct ctype t;
  struct slice words = source_slice(m->u.s, n);
  if (node_is(n, "struct_specifier"))
    return ts_node_is_null(node_field(n, "body")) && member_struct(m->x, words, &t);
  if (!node_is(n, "type_identifier"))
    return false;
  t = type_of_name(m->x, words);
  return (t.base == BASE_NUMBER && t.n == 0) || member_struct(m->x, words, &t);
}

// True if the program may have a function NAME of its own.
static bool plain_is_own(const struct model *m, struct slice name) {
  const struct item *item;
  for (const struct name *n = NULL;
       (item = items_named(&m->x->items, NAME_ORDINARY, name, &n)) != NULL;)
    if (!item->system)
      return true;
  return false;
}

// Returns what in N may mean something else than in C, and its place; NULL: nothing.
static const char *plain_find(const struct model *m, TSNode n, TSNode *at) {
  static const char *const typed[] = { "declaration", "parameter_declaration",
                                       "type_descriptor", NULL };
  TSNode type = node_field(n, "type"), called = node_field(n, "function");
  *at = n;
  if (node_is_any(n, typed) && !plain_is_type(m, type))
    return plain_only;
  if (node_is(n, "call_expression") && node_is(called, "identifier") &&
      plain_is_own(m, source_slice(m->u.s, called)))
    return "it is not known what this call does";
  const char *why = NULL;
  for (uint32_t i = 0; !why && i < ts_node_named_child_count(n); i++)
    why = plain_find(m, ts_node_named_child(n, i), at);
  return why;
}

const char *plain_check(struct model *m, TSNode *at) {
  if (!m->source->language->cplusplus)
    return NULL;
  *at = m->u.f->node;
  const char *why = m->k->generic                   ? m->k->generic
      : !m->view || ts_node_has_error(m->u.f->node) ? plain_only
                                                    : plain_find(m, m->u.f->node, at);
  if (why)
    model_refuse(m, *at, why);
  return why;
}

size_t plain_start(TSNode function) {
  TSNode n = function;
  while (node_is(ts_node_parent(n), "template_declaration"))
    n = ts_node_parent(n);
  return ts_node_start_byte(n);
}

// True if FUNCTION is defined in a class.
static bool plain_in_class(TSNode function) {
  static const char *const classes[] = { "class_specifier", "struct_specifier",
                                         "union_specifier", NULL };
  for (TSNode n = function; !ts_node_is_null(n); n = ts_node_parent(n))
    if (node_is_any(n, classes))
      return true;
  return false;
}

bool plain_is_member(const struct source *s, TSNode function) {
  TSNode d = declarator_of_function(function);
  return s->language->cplusplus &&
      (plain_in_class(function) ||
       (!ts_node_is_null(d) &&
        node_is(node_field(d, "declarator"), "qualified_identifier")));
}
