// SPDX-License-Identifier: Apache-2.0
// live.c: may each iteration of a loop have a variable of its own that is declared
// outside of it? Where none reads what another has left there, and nothing does behind
// the loop.
#include "suggest/suggest.h"

enum first {
  FIRST_NONE,
  FIRST_MAY,
  FIRST_WRITES,
  FIRST_READS
}; // MAY: writes now and then, reads after that

static enum first first_of(const struct model *m, TSNode n, struct slice name);

// A, then B.
static enum first live_then(enum first a, enum first b) {
  return a == FIRST_WRITES || a == FIRST_READS || b == FIRST_NONE ? a : b;
}

static enum first live_either(enum first a, enum first b) {
  if (a == FIRST_READS || b == FIRST_READS)
    return FIRST_READS;
  return a == b ? a : FIRST_MAY;
}

static enum first first_of_assignment(const struct model *m, TSNode n,
                                      struct slice name) {
  TSNode left = node_field(n, "left");
  bool plain = slice_is(node_text(&m->b, node_field(n, "operator")), "=");
  if (node_mentions(&m->b, node_field(n, "right"), name) || !plain ||
      !node_is_type(left, "identifier"))
    return FIRST_READS;
  return FIRST_WRITES;
}

static enum first first_of_for(const struct model *m, TSNode n, struct slice name) {
  enum first init = first_of(m, node_field(n, "initializer"), name);
  enum first body = first_of(m, node_field(n, "body"), name);
  bool read = node_mentions(&m->b, node_field(n, "condition"), name) ||
      (body != FIRST_WRITES && node_mentions(&m->b, node_field(n, "update"), name));
  return live_then(init, read ? FIRST_READS : live_either(FIRST_NONE, body));
}

static enum first first_of(const struct model *m, TSNode n, struct slice name) {
  enum first found = FIRST_NONE;
  if (ts_node_is_null(n) || !node_mentions(&m->b, n, name))
    return FIRST_NONE;
  if (node_is_type(n, "assignment_expression"))
    return first_of_assignment(m, n, name);
  if (node_is_type(n, "for_statement"))
    return first_of_for(m, n, name);
  if (node_is_type(n, "if_statement"))
    return live_then(first_of(m, node_field(n, "condition"), name),
                     live_either(first_of(m, node_field(n, "consequence"), name),
                                 first_of(m, node_field(n, "alternative"), name)));
  if (!node_is_type(n, "compound_statement") &&
      !node_is_type(n, "expression_statement") && !node_is_type(n, "else_clause") &&
      !node_is_type(n, "comma_expression"))
    return FIRST_READS;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    found = live_then(found, first_of(m, ts_node_named_child(n, i), name));
  return found;
}

// What comes behind NODE in the block around it.
static enum first first_behind(const struct model *m, TSNode node, struct slice name) {
  enum first found = FIRST_NONE;
  for (TSNode n = ts_node_next_named_sibling(node); !ts_node_is_null(n);
       n = ts_node_next_named_sibling(n))
    found = live_then(found, first_of(m, n, name));
  return found;
}

// May what LOOP leaves in NAME be read?
static bool is_read_behind(const struct model *m, TSNode loop, struct slice name) {
  TSNode function = m->b.f->node;
  for (TSNode n = loop; !ts_node_eq(n, function); n = ts_node_parent(n)) {
    TSNode around = ts_node_parent(n);
    enum first found = FIRST_NONE;
    if (node_is_type(around, "compound_statement"))
      found = first_behind(m, n, name);
    else if (node_is_type(around, "for_statement")) // the next of its iterations
      found = live_either(
          FIRST_NONE,
          live_then(node_mentions(&m->b, node_field(around, "condition"), name) ||
                            node_mentions(&m->b, node_field(around, "update"), name)
                        ? FIRST_READS
                        : FIRST_NONE,
                    first_of(m, node_field(around, "body"), name)));
    else if (!node_is_type(around, "if_statement") &&
             !node_is_type(around, "else_clause") &&
             !node_is_type(around, "function_definition"))
      found = FIRST_READS;
    if (found == FIRST_READS)
      return true;
    if (found == FIRST_WRITES)
      return false;
  }
  return false;
}

static bool holds_label(TSNode n) {
  if (node_is_type(n, "labeled_statement"))
    return true;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (holds_label(ts_node_named_child(n, i)))
      return true;
  return false;
}

bool live_may_be_private(const struct model *m, TSNode loop, struct slice name) {
  TSNode body = node_field(m->b.f->node, "body"), type;
  if (!model_declared(m, body, name, &type) || model_keeps(m, ts_node_parent(type)) ||
      holds_label(body) || is_read_behind(m, loop, name))
    return false;
  return first_of(m, node_field(loop, "body"), name) != FIRST_READS;
}
