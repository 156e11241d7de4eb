// SPDX-License-Identifier: Apache-2.0
// calls.c: which functions of a file call which.
#include "suggest.h"

enum { MAX_CHAIN = 8 };

// Returns the name that F, a function, declares; empty: another form.
static struct slice calls_name(const struct source *s, TSNode f) {
  TSNode d = node_field(f, "declarator");
  while (!ts_node_is_null(d) && !node_is(d, "function_declarator"))
    d = declarator_inner(d);
  return ts_node_is_null(d) ? (struct slice){ 0 }
                            : source_slice(s, node_field(d, "declarator"));
}

static bool calls_walk(const struct candidates *c, TSNode n, struct slice name,
                       unsigned depth) {
  TSNode f = node_field(n, "function");
  if (node_is(n, "call_expression") && node_is(f, "identifier")) {
    struct slice called = source_slice(c->s, f);
    if (slices_same(called, name))
      return true;
    for (unsigned i = 0; i < c->n_seen && depth; i++)
      if (slices_same(calls_name(c->s, c->seen[i]), called) &&
          calls_walk(c, node_field(c->seen[i], "body"), name, depth - 1))
        return true;
  }
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (calls_walk(c, ts_node_named_child(n, i), name, depth))
      return true;
  return false;
}

bool calls_reach(const struct candidates *c, TSNode n, const char *name) {
  return calls_walk(c, n, slice_of(name), MAX_CHAIN);
}

static unsigned calls_chain(const struct candidates *c, struct slice name,
                            unsigned depth) {
  unsigned longest = 0;
  for (unsigned i = 0; i < c->n_seen && depth; i++) {
    struct slice caller = calls_name(c->s, c->seen[i]);
    if (slices_same(caller, name) || !calls_walk(c, c->seen[i], name, 0))
      continue;
    unsigned chain = 1 + calls_chain(c, caller, depth - 1);
    longest = chain > longest ? chain : longest;
  }
  return longest;
}

unsigned calls_depth(const struct candidates *c, const char *name) {
  return calls_chain(c, slice_of(name), MAX_CHAIN / 2);
}

static bool calls_parallel(const struct candidates *c, TSNode n, const char *name) {
  size_t first;
  if ((node_is(n, "for_statement") || node_is(n, "compound_statement")) &&
      (openmp_above(c->s, ts_node_start_byte(n), &first) & OPENMP_PARALLEL))
    return calls_reach(c, n, name);
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (calls_parallel(c, ts_node_named_child(n, i), name))
      return true;
  return false;
}

bool calls_shared(const struct candidates *c, const char *name) {
  for (unsigned i = 0; i < c->n_seen; i++)
    if (lex_mentions(source_slice(c->s, c->seen[i]), slice_of("omp")) &&
        calls_parallel(c, c->seen[i], name))
      return true;
  return false;
}
