// SPDX-License-Identifier: Apache-2.0
// shared.c: a warning where threads write one variable: it is declared outside of the
// loop that they share out, assigned in it, and in no clause. OpenMP means what is
// written there, and so do we; a variant with several threads is then wrong now and then,
// which its verification need not see.
#include "loops.h"

static bool shares_out(enum directive_kind kind) {
  return kind == DIR_PARALLEL_FOR || kind == DIR_FOR || kind == DIR_PARALLEL_FOR_SIMD ||
      kind == DIR_FOR_SIMD || kind == DIR_PARALLEL_LOOP || kind == DIR_LOOP;
}

// The variable that NODE assigns or counts; size 0: none.
static struct slice shared_written(const struct builder *b, TSNode node) {
  TSNode target = node_is_type(node, "assignment_expression") ? node_field(node, "left")
      : node_is_type(node, "update_expression") ? node_field(node, "argument")
                                                : (TSNode){ 0 };
  return !ts_node_is_null(target) && node_is_type(target, "identifier")
      ? node_text(b, target)
      : (struct slice){ 0 };
}

static bool shared_declares(const struct builder *b, TSNode node, struct slice name) {
  if (node_is_type(node, "identifier"))
    return slices_same(node_text(b, node), name);
  for (uint32_t i = 0; i < ts_node_named_child_count(node); i++) {
    TSNode child = ts_node_named_child(node, i);
    TSNode value = node_field(node, "value"), size = node_field(node, "size");
    if (!ts_node_eq(child, value) && !ts_node_eq(child, size) &&
        shared_declares(b, child, name))
      return true;
  }
  return false;
}

// Is NAME declared in NODE, but for what stands in EXCEPT? `static` is meant to be
// shared.
static bool declared_in(const struct builder *b, TSNode node, struct slice name,
                        TSNode except) {
  if (ts_node_eq(node, except))
    return false;
  if (node_is_type(node, "declaration"))
    return shared_declares(b, node, name) &&
        !lex_mentions(node_text(b, node), slice_of("static"));
  for (uint32_t i = 0; i < ts_node_named_child_count(node); i++)
    if (declared_in(b, ts_node_named_child(node, i), name, except))
      return true;
  return false;
}

static bool in_clauses(const struct loop_directive *d, struct slice name) {
  for (unsigned i = 0; i < d->pragma->n_clauses; i++)
    if (lex_mentions(d->pragma->clauses[i].body, name))
      return true;
  return false;
}

// A variable of some loop in NODE is private or diagnosed elsewhere.
static bool counts_loop(const struct builder *b, TSNode node, struct slice name) {
  if (node_is_type(node, "for_statement") &&
      slices_same(shared_written(b, node_field(node, "initializer")), name))
    return true;
  for (uint32_t i = 0; i < ts_node_named_child_count(node); i++)
    if (counts_loop(b, ts_node_named_child(node, i), name))
      return true;
  return false;
}

struct found {
  struct slice *names;
  unsigned n;
};

static void shared_look(const struct builder *b, const struct loop_directive *d,
                        TSNode node, struct found *found) {
  struct slice name = shared_written(b, node);
  for (unsigned i = 0; i < found->n; i++)
    if (slices_same(found->names[i], name))
      name.size = 0;
  if (name.size && !in_clauses(d, name) &&
      !declared_in(b, d->loop, name, (TSNode){ 0 }) &&
      declared_in(b, b->f->node, name, d->loop) && !counts_loop(b, d->loop, name)) {
    *GROW(found->names, found->n) = name;
    diag_warning(b->s, ts_node_start_byte(node),
                 ts_node_end_byte(node) - ts_node_start_byte(node),
                 arena_printf("declare it in the loop, or add private(%.*s)",
                              (int)name.size, name.data),
                 "threads of '%s' share '%.*s', which the loop assigns",
                 directive_name(d->kind), (int)name.size, name.data);
  }
  for (uint32_t i = 0; i < ts_node_named_child_count(node); i++)
    shared_look(b, d, ts_node_named_child(node, i), found);
}

void shared_check(const struct builder *b) {
  for (unsigned i = 0; i < b->f->n_directives; i++) {
    const struct loop_directive *d = &b->f->directives[i];
    struct found found = { 0 };
    // Directives of OpenMP's own in the loop (atomic, critical) may be what makes it
    // right.
    if (shares_out(d->kind) && !lex_mentions(node_text(b, d->loop), slice_of("omp")))
      shared_look(b, d, d->loop, &found);
  }
}
