// SPDX-License-Identifier: Apache-2.0
// met.c: conditions that hold whenever the loops around them run, as `if (j - 1 >= 0)` in
// `for (j = i + 1; …)`.
#include "analysis.h"

// True if A <= B - GAP wherever S holds. Both are positive then, so that unsigned numbers
// compare alike.
static bool met_order(const struct system *s, struct poly a, struct poly b, int gap) {
  return a.known && b.known && system_implies(s, a) &&
      system_implies(s, poly_add(poly_add(b, a, -1), poly_int(gap), -1));
}

// True if E, in LOOP, is true wherever S holds.
static bool met_always(struct model *m, TSNode e, struct iter *loop,
                       const struct system *s) {
  while (node_is(e, "parenthesized_expression") && ts_node_named_child_count(e) == 1)
    e = ts_node_named_child(e, 0);
  if (!node_is(e, "binary_expression"))
    return false;
  TSNode left = node_field(e, "left"), right = node_field(e, "right");
  struct slice op = model_text(m, node_field(e, "operator"));
  if (slice_is(op, "&&"))
    return met_always(m, left, loop, s) && met_always(m, right, loop, s);
  bool less = slice_is(op, "<"), most = slice_is(op, "<="), more = slice_is(op, ">"),
       least = slice_is(op, ">=");
  if (!less && !most && !more && !least)
    return false;
  struct poly a = value_of_expression(m, left, loop),
              b = value_of_expression(m, right, loop);
  return less || most ? met_order(s, a, b, less) : met_order(s, b, a, more);
}

// True if N, a `for`, is a loop around X whose range is known.
static bool met_loop(const struct access *x, TSNode n) {
  const struct iter *loop = x->loop;
  while (loop && !ts_node_eq(loop->node, n))
    loop = loop->outer;
  return loop && loop->left.known;
}

bool condition_is_met(struct model *m, const struct access *x) {
  struct system s = { 0 };
  if (m->jumps)
    return false;
  model_facts(m, x->loop, &s);
  for (TSNode n = x->node, up; !ts_node_is_null(up = ts_node_parent(n)); n = up) {
    static const char *const others[] = { "while_statement", "do_statement",
                                          "switch_statement", "case_statement", NULL };
    bool tested = node_is(up, "if_statement") || node_is(up, "conditional_expression");
    TSNode test = node_field(up, "condition");
    if (tested && !ts_node_eq(n, test) &&
        (!ts_node_eq(n, node_field(up, "consequence")) ||
         !met_always(m, test, x->loop, &s)))
      return false;
    if (node_is(up, "for_statement") && !ts_node_eq(n, node_field(up, "initializer")) &&
        !ts_node_eq(n, test) && !met_loop(x, up))
      return false;
    struct slice op = node_is(up, "binary_expression")
        ? model_text(m, node_field(up, "operator"))
        : (struct slice){ 0 };
    if (node_is_any(up, others) ||
        ((slice_is(op, "&&") || slice_is(op, "||")) &&
         !ts_node_eq(n, node_field(up, "left"))))
      return false;
  }
  return true;
}
