// SPDX-License-Identifier: Apache-2.0
// once.c: finds functions that only set up data: their loops fill arrays, and a program
// runs them once. Tuning them takes more time than they ever will.
#include "front/kernel/kernel.h"
#include "suggest.h"

enum { MAX_CALLERS = 16 };

struct once {
  const struct source *s;
  struct slice name; // of the function that is looked for
  TSNode call;       // the only one
  unsigned n_calls, n_others;
};

// Counts the calls of O's function in N, and what else refers to it.
static void once_count(struct once *o, TSNode n) {
  if (node_is(n, "identifier") && slices_same(source_slice(o->s, n), o->name)) {
    TSNode parent = ts_node_parent(n);
    bool called = node_is(parent, "call_expression") &&
        ts_node_eq(node_field(parent, "function"), n);
    if (called)
      o->call = parent;
    o->n_calls += called;
    o->n_others += !called && !node_is(parent, "function_declarator");
  }
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    once_count(o, ts_node_named_child(n, i));
}

// Returns the function around N; null: a loop is between them, or there is no function.
static TSNode once_caller(TSNode n) {
  while (!ts_node_is_null(n) && !node_is(n, "function_definition")) {
    if (node_is(n, "for_statement") || node_is(n, "while_statement") ||
        node_is(n, "do_statement"))
      return (TSNode){ 0 };
    n = ts_node_parent(n);
  }
  return n;
}

// Returns the name that D, a declarator of a function, declares.
static struct slice once_name(const struct source *s, TSNode d) {
  while (!ts_node_is_null(d) && !node_is(d, "identifier"))
    d = node_field(d, "declarator");
  return ts_node_is_null(d) ? (struct slice){ 0 } : source_slice(s, d);
}

// True if `main` runs the function NAME once.
static bool once_runs(const struct source *s, struct slice name) {
  for (unsigned i = 0; i < MAX_CALLERS && name.size; i++) {
    struct once o = { .s = s, .name = name };
    if (slice_is(name, "main"))
      return true;
    once_count(&o, ts_tree_root_node(s->tree));
    TSNode caller = o.n_calls == 1 && !o.n_others ? once_caller(o.call) : (TSNode){ 0 };
    name = ts_node_is_null(caller) ? (struct slice){ 0 }
                                   : once_name(s, node_field(caller, "declarator"));
  }
  return false;
}

bool once_at(const struct source *s, TSNode n) {
  TSNode f = once_caller(ts_node_parent(n));
  return !ts_node_is_null(f) && once_runs(s, once_name(s, node_field(f, "declarator")));
}

bool once_sets_up(const struct source *s, const struct model *m) {
  bool writes = false, reads = m->n_refusals > 0;
  for (unsigned i = 0; i < m->n_arrays; i++) {
    writes = writes || m->arrays[i]->written;
    reads = reads || m->arrays[i]->read;
  }
  for (unsigned i = 0; i < m->n_accesses; i++) {
    const struct access *x = &m->accesses[i];
    unsigned loops = 0;
    for (const struct iter *l = x->loop; l; l = l->outer)
      loops++;
    reads = reads || loops > x->n; // it computes before it stores
  }
  return writes && !reads && once_runs(s, slice_of(m->function->name));
}
