// SPDX-License-Identifier: Apache-2.0
// live.c: decides whether the value that a variable has before a piece of a function is
// read in it, and whether the value that a loop leaves in it is read later. If neither
// is, each iteration of the loop may have a variable of its own.
#include "analysis.h"

// The first use of a variable. MAY: some runs write it first, and it is read only after
// that.
enum first { FIRST_NONE, FIRST_MAY, FIRST_WRITES, FIRST_READS };

static enum first first_of(const struct usage *u, TSNode n, struct slice name);

// Returns the first use in A followed by B.
static enum first live_then(enum first a, enum first b) {
  return a == FIRST_WRITES || a == FIRST_READS || b == FIRST_NONE ? a : b;
}

static enum first live_either(enum first a, enum first b) {
  if (a == FIRST_READS || b == FIRST_READS)
    return FIRST_READS;
  return a == b ? a : FIRST_MAY;
}

// True if a jump in N may skip the code after N in its block. A `return` does not count:
// no variable is read after it.
static bool jumps_out(TSNode n, bool in_loop, bool in_switch) {
  if (node_is(n, "goto_statement") ||
      (node_is(n, "break_statement") && !in_loop && !in_switch) ||
      (node_is(n, "continue_statement") && !in_loop))
    return true;
  in_loop = in_loop || node_is_loop(n);
  in_switch = in_switch || node_is(n, "switch_statement");
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (jumps_out(ts_node_named_child(n, i), in_loop, in_switch))
      return true;
  return false;
}

// Returns the first use in N and its siblings after it. Cases of a `switch` are entered
// separately; code that a jump may skip is written in some runs only.
static enum first first_of_siblings(const struct usage *u, TSNode n, struct slice name) {
  enum first found = FIRST_NONE;
  bool skipped = false, leaves = false;
  for (; !ts_node_is_null(n); n = ts_node_next_named_sibling(n)) {
    enum first next = first_of(u, n, name);
    skipped = skipped || (leaves && found != FIRST_WRITES && next == FIRST_WRITES);
    found = node_is(n, "case_statement") ? live_either(found, next)
                                         : live_then(found, next);
    leaves = leaves || jumps_out(n, false, false);
  }
  return skipped && found == FIRST_WRITES ? FIRST_MAY : found;
}

static enum first first_of_assignment(const struct usage *u, TSNode n,
                                      struct slice name) {
  bool plain = slice_is(source_slice(u->s, node_field(n, "operator")), "=");
  bool whole = plain && node_is(node_field(n, "left"), "identifier");
  return whole && !node_mentions(u->s, node_field(n, "right"), name) ? FIRST_WRITES
                                                                     : FIRST_READS;
}

// Returns the first use in another iteration of LOOP.
static enum first first_of_iteration(const struct usage *u, TSNode loop,
                                     struct slice name) {
  enum first body = first_of(u, node_field(loop, "body"), name);
  bool read = node_mentions(u->s, node_field(loop, "condition"), name) ||
      (body != FIRST_WRITES && node_mentions(u->s, node_field(loop, "update"), name));
  return read ? FIRST_READS : live_either(FIRST_NONE, body);
}

static enum first first_of_if(const struct usage *u, TSNode n, struct slice name) {
  return live_then(first_of(u, node_field(n, "condition"), name),
                   live_either(first_of(u, node_field(n, "consequence"), name),
                               first_of(u, node_field(n, "alternative"), name)));
}

// True if the parts of N run in the order of the source.
static bool is_sequence(TSNode n) {
  static const char *const types[] = { "compound_statement", "expression_statement",
                                       "else_clause",        "comma_expression",
                                       "case_statement",     NULL };
  return node_is_any(n, types);
}

static enum first first_of(const struct usage *u, TSNode n, struct slice name) {
  enum first found = FIRST_NONE;
  if (ts_node_is_null(n) || !node_mentions(u->s, n, name))
    return FIRST_NONE;
  if (node_is(n, "identifier"))
    return FIRST_READS;
  if (node_is(n, "assignment_expression"))
    return first_of_assignment(u, n, name);
  if (node_is(n, "for_statement") || node_is(n, "while_statement"))
    return live_then(first_of(u, node_field(n, "initializer"), name),
                     first_of_iteration(u, n, name));
  if (node_is(n, "do_statement"))
    return live_then(first_of(u, node_field(n, "body"), name),
                     first_of(u, node_field(n, "condition"), name));
  if (node_is(n, "if_statement"))
    return first_of_if(u, n, name);
  if (is_sequence(n))
    return first_of_siblings(u, ts_node_named_child(n, 0), name);
  for (uint32_t i = 0; i < ts_node_named_child_count(n);
       i++) // in any order, or not at all
    found = live_either(
        found, live_either(FIRST_NONE, first_of(u, ts_node_named_child(n, i), name)));
  return found;
}

// ---- queries ------------------------------------------------------------------------

bool live_reads_first(const struct usage *u, TSNode node, struct slice name) {
  return first_of(u, node, name) == FIRST_READS;
}

// True for statements that contain others and do nothing themselves.
static bool is_block(TSNode n) {
  static const char *const types[] = {
    "compound_statement", "else_clause",       "case_statement",      "switch_statement",
    "if_statement",       "preproc_if",        "preproc_ifdef",       "preproc_else",
    "preproc_elif",       "labeled_statement", "function_definition", NULL
  };
  return node_is_any(n, types);
}

// Returns the first use after N within AROUND, which contains N.
static enum first first_after(const struct usage *u, TSNode n, TSNode around,
                              struct slice name) {
  if (node_is_loop(around))
    return live_either(FIRST_NONE, first_of_iteration(u, around, name));
  if (!is_block(around))
    return FIRST_READS;
  if (node_is(around, "if_statement")) // the other branch does not run after N
    return FIRST_NONE;
  enum first found = first_of_siblings(u, ts_node_next_named_sibling(n), name);
  return node_is(around, "compound_statement") ? found : live_either(FIRST_NONE, found);
}

bool live_read_after(const struct usage *u, TSNode loop, struct slice name) {
  for (TSNode n = loop; !ts_node_eq(n, u->f->node); n = ts_node_parent(n)) {
    enum first found = first_after(u, n, ts_node_parent(n), name);
    if (found == FIRST_READS || found == FIRST_WRITES)
      return found == FIRST_READS;
  }
  return false;
}

bool live_may_be_private(const struct usage *u, TSNode loop, struct slice name) {
  TSNode body = node_field(u->f->node, "body"), found;
  return usage_declarators(u, body, name, &found) == 1 &&
      !ts_node_is_null(node_field(ts_node_parent(found), "type")) &&
      !usage_keeps(u->s, ts_node_parent(found)) &&
      !node_holds(body, "labeled_statement") && !live_read_after(u, loop, name) &&
      !live_reads_first(u, node_field(loop, "body"), name);
}

bool live_is_counter(const struct usage *u, TSNode nest, TSNode body, struct slice name) {
  bool counts = false;
  for (unsigned i = 0; i < u->n_changes && !counts; i++)
    counts = u->changes[i].counter && slices_same(u->changes[i].name, name) &&
        node_within(u->changes[i].node, body);
  return counts && !live_reads_first(u, body, name) && !live_read_after(u, nest, name);
}

struct slice *live_counters(const struct usage *u, TSNode nest, TSNode body,
                            unsigned *n) {
  struct slice *all = NULL;
  *n = 0;
  for (unsigned i = 0; i < u->n_changes; i++) {
    struct slice name = u->changes[i].name;
    bool known = !u->changes[i].counter || !node_within(u->changes[i].node, body);
    for (unsigned j = 0; j < *n; j++)
      known = known || slices_same(all[j], name);
    if (!known && live_is_counter(u, nest, body, name))
      *GROW(all, *n) = name;
  }
  return all;
}
