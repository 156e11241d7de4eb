// SPDX-License-Identifier: Apache-2.0
// owned.c: finds arrays that are objects of their own because the function allocates
// them: nothing else can overlap these.
#include "front/lang/language.h"
#include "front/reach/unit.h"
#include "suggest.h"

struct owned {
  const struct candidates *c;
  const struct expansion *x;
  TSNode function;
  struct usage usage;
};

// True if N is a new object: `(double *)malloc(…)`; or a null pointer.
static bool owned_is_new(const struct owned *o, TSNode n) {
  static const char *const names[] = { "malloc", "calloc", "aligned_alloc", NULL };
  while (node_is(n, "cast_expression") || node_is(n, "parenthesized_expression"))
    n = node_is(n, "cast_expression") ? node_field(n, "value")
                                      : ts_node_named_child(n, 0);
  if (node_is(n, "null"))
    return true;
  struct slice called = node_is(n, "call_expression")
      ? source_slice(o->c->s, node_field(n, "function"))
      : (struct slice){ 0 };
  return called.size && slice_in(called, names) &&
      !names_find(&o->x->items.names, NAME_MACRO, called, NULL);
}

// True if a macro in N, which looks like a call, mentions NAME and could assign to it.
static bool owned_in_macro(const struct owned *o, TSNode n, struct slice name) {
  TSNode f = node_field(n, "function");
  if (node_is(n, "call_expression") && node_mentions(o->c->s, n, name) &&
      names_find(&o->x->items.names, NAME_MACRO, source_slice(o->c->s, f), NULL))
    return true;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (owned_in_macro(o, ts_node_named_child(n, i), name))
      return true;
  return false;
}

// True if the pointer NAME of the function is only ever set to objects that are new.
static bool owned_pointer(const struct owned *o, struct slice name) {
  TSNode d;
  if (usage_declarators(&o->usage, o->function, name, &d) != 1 ||
      !node_is(ts_node_parent(d), "declaration") ||
      usage_keeps(o->c->s, ts_node_parent(d)) ||
      (node_is(d, "init_declarator") && !owned_is_new(o, node_field(d, "value"))))
    return false;
  for (unsigned i = 0; i < o->usage.n_changes; i++) {
    const struct change *h = &o->usage.changes[i];
    if (!slices_same(h->name, name) || h->part != PART_WHOLE || h->how == BY_POINTER)
      continue;
    if (h->how != BY_ASSIGNMENT || !node_is(h->node, "assignment_expression") ||
        !slice_is(source_slice(o->c->s, node_field(h->node, "operator")), "=") ||
        !owned_is_new(o, node_field(h->node, "right")))
      return false;
  }
  return !owned_in_macro(o, o->function, name);
}

bool owned_all(const struct candidates *c, const struct expansion *x, TSNode loop,
               const struct model *m) {
  struct owned o = { .c = c, .x = x, .function = loop };
  while (!ts_node_is_null(o.function) && !node_is(o.function, "function_definition"))
    o.function = ts_node_parent(o.function);
  if (ts_node_is_null(o.function) || !x || c->s->language->cplusplus)
    return false;
  struct function f = { .node = o.function };
  o.usage = usage_of(c->s, &f, o.function);
  for (unsigned i = 0; i < m->n_arrays; i++) {
    const struct array *a = m->arrays[i];
    if (!a->local && (a->read || a->written) &&
        (a->global || a->rows || !owned_pointer(&o, a->name)))
      return false;
  }
  return true;
}
