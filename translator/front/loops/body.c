// SPDX-License-Identifier: Apache-2.0
// body.c: what the body of a nest must not hold when directives change its order or its
// copies: jumps into and out of it, changes of the iteration variables and of the bounds.
#include <string.h>

#include "loops.h"

struct scan {
  struct builder *b;
  struct nest *nest;
  struct part *part;
  bool leaves; /* `break` and `continue` here mean the innermost loop of the nest */
  bool in_switch;
  bool nested; /* in another nest of the body, whose labels are its own affair */
};

static bool is_loop(TSNode n) {
  return node_is_type(n, "for_statement") || node_is_type(n, "while_statement") ||
      node_is_type(n, "do_statement");
}

static bool innermost_affected(const struct nest *n) {
  return n->n_dims > 0 && n->dims[n->n_dims - 1]->affected;
}

static bool body_refuse(struct scan *c, TSNode at, const char *hint,
                        const char *message) {
  size_t start = ts_node_start_byte(at), size = ts_node_end_byte(at) - start;
  return FAIL(c->b, start, size, hint, "%s", message);
}

// The labeled statement in NODE whose label is NAME.
static bool has_label(const struct builder *b, TSNode node, struct slice name) {
  if (node_is_type(node, "labeled_statement")) {
    struct slice label = node_text(b, node_field(node, "label"));
    if (label.size == name.size && memcmp(label.data, name.data, name.size) == 0)
      return true;
  }
  for (uint32_t i = 0; i < ts_node_named_child_count(node); i++)
    if (has_label(b, ts_node_named_child(node, i), name))
      return true;
  return false;
}

static bool body_within(TSNode node, TSNode outer) {
  return ts_node_start_byte(node) >= ts_node_start_byte(outer) &&
      ts_node_end_byte(node) <= ts_node_end_byte(outer);
}

static bool check_jump(struct scan *c, TSNode n) {
  const char *hint = "loops that directives act on run to their end";
  if (node_is_type(n, "return_statement"))
    return body_refuse(c, n, hint, "this leaves the loops that a directive stands on");
  if (node_is_type(n, "break_statement") && c->leaves && innermost_affected(c->nest))
    return body_refuse(c, n, hint, "this leaves a loop that a directive acts on");
  if (node_is_type(n, "case_statement") && !c->in_switch)
    return body_refuse(c, n, NULL,
                       "this case belongs to a switch around the loops of a directive");
  if (node_is_type(n, "goto_statement")) {
    struct slice label = node_text(c->b, node_field(n, "label"));
    if (!has_label(c->b, c->part->body, label))
      return body_refuse(c, n, hint, "this leaves the loops that a directive stands on");
  }
  return true;
}

// The variable that N, an assignment or the like, may change; size 0: none.
static struct slice body_changed(const struct builder *b, TSNode n, TSNode *at) {
  if (node_is_type(n, "assignment_expression"))
    *at = node_field(n, "left");
  else if (node_is_type(n, "update_expression"))
    *at = node_field(n, "argument");
  else if (node_is_type(n, "pointer_expression") &&
           slice_is(node_text(b, node_field(n, "operator")), "&"))
    *at = node_field(n, "argument");
  else
    return (struct slice){ 0 };
  while (node_is_type(*at, "parenthesized_expression"))
    *at = ts_node_named_child(*at, 0);
  return node_is_type(*at, "identifier") ? node_text(b, *at) : (struct slice){ 0 };
}

// True when BODY declares a variable of its own called NAME.
static bool body_declares(const struct builder *b, TSNode node, struct slice name) {
  if (node_is_type(node, "declaration"))
    for (uint32_t i = 0; i < ts_node_named_child_count(node); i++) {
      TSNode d = ts_node_named_child(node, i);
      while (!ts_node_is_null(node_field(d, "declarator")))
        d = node_field(d, "declarator");
      if (node_is_type(d, "identifier") && slices_same(node_text(b, d), name))
        return true;
    }
  for (uint32_t i = 0; i < ts_node_named_child_count(node); i++)
    if (body_declares(b, ts_node_named_child(node, i), name))
      return true;
  return false;
}

static bool check_change(struct scan *c, TSNode n) {
  TSNode at;
  struct slice var = body_changed(c->b, n, &at);
  bool address = node_is_type(n, "pointer_expression");
  for (unsigned i = 0; var.size && i < c->nest->n_dims; i++) {
    const struct dim *d = c->nest->dims[i];
    if (!d->affected || body_declares(c->b, c->part->body, var))
      continue;
    size_t start = ts_node_start_byte(n), size = ts_node_end_byte(n) - start;
    if (slices_same(var, d->var))
      return FAIL(
          c->b, start, size, NULL,
          address
              ? "the address of '%.*s' is taken, the variable of a loop that a "
                "directive acts on"
              : "the variable '%.*s' of a loop that a directive acts on is changed here",
          (int)var.size, var.data);
    if (!address &&
        (lex_mentions(d->low, var) || lex_mentions(d->bound, var) ||
         lex_mentions(d->step, var)))
      return FAIL(
          c->b, start, size, "copy the bound into a variable before the loops",
          "'%.*s', which a loop runs by that a directive acts on, is changed here",
          (int)var.size, var.data);
  }
  return true;
}

static bool body_scan(struct scan c, TSNode n) {
  if (!check_jump(&c, n) || !check_change(&c, n))
    return false;
  struct part *part = c.part;
  unsigned n_directives;
  directives_on(c.b, n, &n_directives);
  c.nested = c.nested || (n_directives && !ts_node_eq(n, part->body));
  if (node_is_type(n, "labeled_statement") && !c.nested) {
    struct slice label = node_text(c.b, node_field(n, "label"));
    part->labels = arena_printf("%s%s%.*s", part->labels ? part->labels : "",
                                part->labels ? ", " : "", (int)label.size, label.data);
  }
  bool into_switch = node_is_type(n, "switch_statement");
  c.leaves = c.leaves && !is_loop(n) && !into_switch;
  c.in_switch = c.in_switch || into_switch;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (!body_scan(c, ts_node_named_child(n, i)))
      return false;
  return true;
}

// A goto outside of the body to one of its labels.
static bool check_entries(struct scan *c, TSNode n) {
  if (body_within(n, c->part->body) && ts_node_end_byte(n) > ts_node_start_byte(n))
    return true;
  if (node_is_type(n, "goto_statement") &&
      has_label(c->b, c->part->body, node_text(c->b, node_field(n, "label"))))
    return body_refuse(c, n, NULL, "this jumps into loops that a directive stands on");
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (!check_entries(c, ts_node_named_child(n, i)))
      return false;
  return true;
}

bool body_check(struct builder *b, struct nest *n) {
  for (unsigned i = 0; i < n->n_parts; i++) {
    struct scan c = { b, n, &n->parts[i], true, false, false };
    n->parts[i].labels = NULL;
    if (!body_scan(c, n->parts[i].body))
      return false;
    if (n->parts[i].labels && !check_entries(&c, b->f->node))
      return false;
  }
  return true;
}

bool body_holds_continue(TSNode body) {
  if (node_is_type(body, "continue_statement"))
    return true;
  if (is_loop(body))
    return false;
  for (uint32_t i = 0; i < ts_node_named_child_count(body); i++)
    if (body_holds_continue(ts_node_named_child(body, i)))
      return true;
  return false;
}

static bool loops_body_changes(const struct builder *b, TSNode n, const struct dim *d,
                               bool breaks) {
  TSNode at;
  struct slice var = body_changed(b, n, &at);
  if (var.size &&
      (slices_same(var, d->var) || lex_mentions(d->low, var) ||
       lex_mentions(d->bound, var) || lex_mentions(d->step, var)))
    return true;
  if (breaks && node_is_type(n, "break_statement"))
    return true;
  breaks = breaks && !is_loop(n) && !node_is_type(n, "switch_statement");
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (loops_body_changes(b, ts_node_named_child(n, i), d, breaks))
      return true;
  return false;
}

bool body_changes(const struct builder *b, const struct nest *n, const struct dim *d) {
  for (unsigned i = 0; i < n->n_parts; i++)
    if (loops_body_changes(b, n->parts[i].body, d, d == n->dims[n->n_dims - 1]))
      return true;
  return false;
}
