// SPDX-License-Identifier: Apache-2.0
// live.c: decides whether the value that a variable has before a piece of a function is
// read in it, and whether the value that a loop leaves in it is read later. If neither
// is, each iteration of the loop may have a variable of its own.
#include "analysis.h"

// The variable that is looked for. Members of a struct are looked for one by one: each
// may be written before it is read, though nothing assigns to all of them.
struct sought {
  const struct usage *u;
  struct slice name;
  struct slice member; // "": the whole variable; ".": members that nothing names
};
// The first use of a variable. MAY: some runs write it first, and it is read only after
// that.
enum first { FIRST_NONE, FIRST_MAY, FIRST_WRITES, FIRST_READS };

static enum first first_of(const struct sought *v, TSNode n);

// True if N, an identifier, is the variable itself, of which FIELD is a member: `x.y`.
static bool live_is_member(const struct source *s, TSNode n, TSNode *field) {
  TSNode up = ts_node_parent(n);
  if (!node_is(up, "field_expression") || !ts_node_eq(node_field(up, "argument"), n) ||
      !slice_is(source_slice(s, node_field(up, "operator")), "."))
    return false;
  *field = node_field(up, "field");
  return true;
}

// True if N, an identifier, names V, and not only another member of it.
static bool live_names(const struct sought *v, TSNode n) {
  TSNode field;
  return slices_same(source_slice(v->u->s, n), v->name) &&
      (v->member.size == 0 || !live_is_member(v->u->s, n, &field) ||
       slices_same(source_slice(v->u->s, field), v->member));
}

static bool live_mentions(const struct sought *v, TSNode n) {
  if (ts_node_is_null(n))
    return false;
  if (node_is(n, "identifier") && live_names(v, n))
    return true;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (live_mentions(v, ts_node_named_child(n, i)))
      return true;
  return false;
}

// True if N, the left side of an assignment, is all of V.
static bool live_is_whole(const struct sought *v, TSNode n) {
  bool part = v->member.size > 0 && node_is(n, "field_expression");
  TSNode base = part ? node_field(n, "argument") : n, field;
  return node_is(base, "identifier") && live_names(v, base) &&
      (!part || live_is_member(v->u->s, base, &field));
}

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
static enum first first_of_siblings(const struct sought *v, TSNode n) {
  enum first found = FIRST_NONE;
  bool skipped = false, leaves = false;
  for (; !ts_node_is_null(n); n = ts_node_next_named_sibling(n)) {
    enum first next = first_of(v, n);
    skipped = skipped || (leaves && found != FIRST_WRITES && next == FIRST_WRITES);
    found = node_is(n, "case_statement") ? live_either(found, next)
                                         : live_then(found, next);
    leaves = leaves || jumps_out(n, false, false);
  }
  return skipped && found == FIRST_WRITES ? FIRST_MAY : found;
}

static enum first first_of_assignment(const struct sought *v, TSNode n) {
  bool plain = slice_is(source_slice(v->u->s, node_field(n, "operator")), "=");
  bool whole = plain && live_is_whole(v, node_field(n, "left"));
  if (!live_mentions(v, node_field(n, "left")))
    return first_of(v, node_field(n, "right"));
  return whole && !live_mentions(v, node_field(n, "right")) ? FIRST_WRITES : FIRST_READS;
}

// Returns the first use in another iteration of LOOP.
static enum first first_of_iteration(const struct sought *v, TSNode loop) {
  enum first body = first_of(v, node_field(loop, "body"));
  bool read = live_mentions(v, node_field(loop, "condition")) ||
      (body != FIRST_WRITES && live_mentions(v, node_field(loop, "update")));
  return read ? FIRST_READS : live_either(FIRST_NONE, body);
}

static enum first first_of_if(const struct sought *v, TSNode n) {
  return live_then(first_of(v, node_field(n, "condition")),
                   live_either(first_of(v, node_field(n, "consequence")),
                               first_of(v, node_field(n, "alternative"))));
}

// True if the parts of N run in the order of the source.
static bool is_sequence(TSNode n) {
  static const char *const types[] = { "compound_statement", "expression_statement",
                                       "else_clause",        "comma_expression",
                                       "case_statement",     NULL };
  return node_is_any(n, types);
}

static enum first first_of(const struct sought *v, TSNode n) {
  enum first found = FIRST_NONE;
  if (ts_node_is_null(n) || !focus_holds(v->u, n) || !live_mentions(v, n))
    return FIRST_NONE;
  if (node_is(n, "identifier"))
    return FIRST_READS;
  if (node_is(n, "assignment_expression"))
    return first_of_assignment(v, n);
  if (node_is(n, "for_statement") || node_is(n, "while_statement"))
    return live_then(first_of(v, node_field(n, "initializer")), first_of_iteration(v, n));
  if (node_is(n, "do_statement"))
    return live_then(first_of(v, node_field(n, "body")),
                     first_of(v, node_field(n, "condition")));
  if (node_is(n, "if_statement"))
    return first_of_if(v, n);
  if (is_sequence(n))
    return first_of_siblings(v, ts_node_named_child(n, 0));
  for (uint32_t i = 0; i < ts_node_named_child_count(n);
       i++) // in any order, or not at all
    found = live_either(found,
                        live_either(FIRST_NONE, first_of(v, ts_node_named_child(n, i))));
  return found;
}

// ---- queries ------------------------------------------------------------------------

// Adds to MEMBERS, *N of them, the members of NAME that NODE names, each once.
static void live_members(const struct usage *u, TSNode node, struct slice name,
                         struct slice **members, unsigned *n) {
  TSNode field;
  if (node_is(node, "identifier") && slices_same(source_slice(u->s, node), name) &&
      live_is_member(u->s, node, &field)) {
    struct slice member = source_slice(u->s, field);
    bool known = false;
    for (unsigned i = 0; i < *n; i++)
      known = known || slices_same((*members)[i], member);
    if (!known)
      *GROW(*members, *n) = member;
  }
  for (uint32_t i = 0; i < ts_node_named_child_count(node); i++)
    live_members(u, ts_node_named_child(node, i), name, members, n);
}

// Asks TEST of the variable NAME; of a struct, of each member that the function names and
// of the rest, which only a mention of the whole reads.
static bool live_any(const struct usage *u, TSNode node, struct slice name,
                     bool (*test)(const struct sought *, TSNode)) {
  struct slice *members = NULL;
  unsigned n = 0;
  live_members(u, u->f->node, name, &members, &n);
  if (n == 0)
    return test(&(struct sought){ u, name, { 0 } }, node);
  for (unsigned i = 0; i < n; i++)
    if (test(&(struct sought){ u, name, members[i] }, node))
      return true;
  return test(&(struct sought){ u, name, slice_of(".") }, node);
}

static bool sought_reads_first(const struct sought *v, TSNode node) {
  return first_of(v, node) == FIRST_READS;
}

bool live_reads_first(const struct usage *u, TSNode node, struct slice name) {
  return live_any(u, node, name, sought_reads_first);
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
static enum first first_after(const struct sought *v, TSNode n, TSNode around) {
  if (node_is_loop(around))
    return live_either(FIRST_NONE, first_of_iteration(v, around));
  if (!is_block(around))
    return FIRST_READS;
  if (node_is(around, "if_statement")) // the other branch does not run after N
    return FIRST_NONE;
  enum first found = first_of_siblings(v, ts_node_next_named_sibling(n));
  return node_is(around, "compound_statement") ? found : live_either(FIRST_NONE, found);
}

// Returns the first use in the parts that run after the nest of LOOP, of which one is in
// focus.
static enum first first_of_later_parts(const struct sought *v, TSNode loop) {
  enum first found = FIRST_NONE;
  for (const struct focus *f = v->u->focus; f; f = f->outer) {
    struct usage u = *v->u;
    struct sought all = { &u, v->name, v->member };
    u.focus = f->outer;
    if (ts_node_eq(f->loop, loop))
      found =
          live_then(found, first_of_siblings(&all, ts_node_next_named_sibling(f->last)));
  }
  return found;
}

static bool sought_read_after(const struct sought *v, TSNode loop) {
  enum first later = first_of_later_parts(v, loop);
  if (later == FIRST_READS || later == FIRST_WRITES)
    return later == FIRST_READS;
  for (TSNode n = loop; !ts_node_eq(n, v->u->f->node); n = ts_node_parent(n)) {
    enum first found = first_after(v, n, ts_node_parent(n));
    if (found == FIRST_READS || found == FIRST_WRITES)
      return found == FIRST_READS;
  }
  return false;
}

bool live_read_after(const struct usage *u, TSNode loop, struct slice name) {
  return live_any(u, loop, name, sought_read_after);
}

bool live_may_be_private(const struct usage *u, TSNode loop, struct slice name) {
  TSNode body = node_field(u->f->node, "body"), found;
  return usage_declarators(u, body, name, &found) == 1 &&
      !ts_node_is_null(node_field(ts_node_parent(found), "type")) &&
      !usage_keeps(u->s, ts_node_parent(found)) &&
      !node_holds(body, "labeled_statement") && !live_read_after(u, loop, name) &&
      !live_reads_first(u, node_field(loop, "body"), name);
}

bool live_is_counter(const struct usage *u, TSNode nest, struct body body,
                     struct slice name) {
  bool counts = false;
  for (unsigned i = 0; i < u->n_changes && !counts; i++)
    counts = u->changes[i].counter && slices_same(u->changes[i].name, name) &&
        body_covers(body, u->changes[i].node);
  for (TSNode n = body.first; counts && !ts_node_is_null(n); n = body_next(body, n))
    counts = !live_reads_first(u, n, name);
  return counts && !live_read_after(u, nest, name);
}

struct slice *live_counters(const struct usage *u, TSNode nest, struct body body,
                            unsigned *n) {
  struct slice *all = NULL;
  *n = 0;
  for (unsigned i = 0; i < u->n_changes; i++) {
    struct slice name = u->changes[i].name;
    bool known = !u->changes[i].counter || !body_covers(body, u->changes[i].node);
    for (unsigned j = 0; j < *n; j++)
      known = known || slices_same(all[j], name);
    if (!known && live_is_counter(u, nest, body, name))
      *GROW(all, *n) = name;
  }
  return all;
}
