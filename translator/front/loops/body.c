// SPDX-License-Identifier: Apache-2.0
// body.c: rejects bodies that do not allow directives to reorder or copy them: those with
// jumps into or out of the body, or changes of the iteration variables or bounds.
#include <string.h>

#include "loops.h"

struct scan {
  struct builder *b;
  struct nest *nest;
  struct part *part;
  bool leaves; /* `break` and `continue` here act on the innermost loop of the nest */
  bool in_switch;
  bool nested; /* within another nest of the body, which handles its own labels */
};

static bool innermost_affected(const struct nest *n) {
  return n->n_dims > 0 && n->dims[n->n_dims - 1]->affected;
}

static bool body_refuse(struct scan *c, TSNode at, const char *hint,
                        const char *message) {
  size_t start = ts_node_start_byte(at), size = ts_node_end_byte(at) - start;
  return FAIL(c->b, start, size, hint, "%s", message);
}

// True if NODE holds a labeled statement whose label is NAME.
static bool has_label(const struct builder *b, TSNode node, struct slice name) {
  if (node_is(node, "labeled_statement")) {
    struct slice label = source_slice(b->s, node_field(node, "label"));
    if (label.size == name.size && memcmp(label.data, name.data, name.size) == 0)
      return true;
  }
  for (uint32_t i = 0; i < ts_node_named_child_count(node); i++)
    if (has_label(b, ts_node_named_child(node, i), name))
      return true;
  return false;
}

static bool part_has_label(const struct builder *b, const struct part *p,
                           struct slice name) {
  bool has = false;
  for (TSNode n = p->body.first; !has && !ts_node_is_null(n); n = body_next(p->body, n))
    has = has_label(b, n, name);
  return has;
}

static bool check_jump(struct scan *c, TSNode n) {
  const char *hint = "loops that directives act on run to their end";
  if (node_is(n, "return_statement"))
    return body_refuse(c, n, hint, "this leaves the loops that a directive is for");
  if (node_is(n, "break_statement") && c->leaves && innermost_affected(c->nest))
    return body_refuse(c, n, hint, "this leaves a loop that a directive acts on");
  if (node_is(n, "case_statement") && !c->in_switch)
    return body_refuse(c, n, NULL,
                       "this case belongs to a switch around the loops of a directive");
  if (node_is(n, "goto_statement")) {
    struct slice label = source_slice(c->b->s, node_field(n, "label"));
    if (!part_has_label(c->b, c->part, label))
      return body_refuse(c, n, hint, "this leaves the loops that a directive is for");
  }
  return true;
}

// True if C is in BODY and changes a variable as a whole, or takes its address.
static bool is_change_in(const struct change *c, struct body body) {
  return c->part == PART_WHOLE && c->how != BY_POINTER && body_covers(body, c->node);
}

static bool part_declares(const struct usage *u, const struct part *p,
                          struct slice name) {
  bool declares = false;
  for (TSNode n = p->body.first; !declares && !ts_node_is_null(n);
       n = body_next(p->body, n))
    declares = usage_declares(u, n, name);
  return declares;
}

static bool bounds_mention(const struct dim *d, struct slice name) {
  return lex_mentions(d->low, name) || lex_mentions(d->bound, name) ||
      lex_mentions(d->step, name);
}

static bool check_change(struct scan *s, const struct change *c, const struct dim *d) {
  size_t start = ts_node_start_byte(c->node), size = ts_node_end_byte(c->node) - start;
  bool address = c->how == BY_ADDRESS;
  if (slices_same(c->name, d->var))
    return FAIL(
        s->b, start, size, NULL,
        address
            ? "the address of '%.*s' is taken, the variable of a loop that a "
              "directive acts on"
            : "the variable '%.*s' of a loop that a directive acts on is changed here",
        (int)c->name.size, c->name.data);
  return address || !bounds_mention(d, c->name) ||
      FAIL(s->b, start, size, "copy the bound into a variable before the loops",
           "'%.*s', a bound of a loop that a directive acts on, is changed here",
           (int)c->name.size, c->name.data);
}

static bool check_changes(struct scan *s) {
  const struct usage *u = &s->b->u;
  for (unsigned i = 0; i < u->n_changes; i++) {
    const struct change *c = &u->changes[i];
    bool ours = is_change_in(c, s->part->body) && !part_declares(u, s->part, c->name);
    for (unsigned j = 0; ours && j < s->nest->n_dims; j++)
      if (s->nest->dims[j]->affected && !check_change(s, c, s->nest->dims[j]))
        return false;
  }
  return true;
}

static bool body_scan(struct scan c, TSNode n) {
  if (!check_jump(&c, n))
    return false;
  struct part *part = c.part;
  unsigned n_directives;
  directives_on(c.b->f, n, &n_directives);
  c.nested = c.nested || (n_directives && !ts_node_eq(n, part->body.first));
  if (node_is(n, "labeled_statement") && !c.nested) {
    struct slice label = source_slice(c.b->s, node_field(n, "label"));
    part->labels = arena_printf("%s%s%.*s", part->labels ? part->labels : "",
                                part->labels ? ", " : "", (int)label.size, label.data);
  }
  bool into_switch = node_is(n, "switch_statement");
  c.leaves = c.leaves && !node_is_loop(n) && !into_switch;
  c.in_switch = c.in_switch || into_switch;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (!body_scan(c, ts_node_named_child(n, i)))
      return false;
  return true;
}

// Rejects a goto from outside of the body to one of its labels.
static bool check_entries(struct scan *c, TSNode n) {
  if (body_covers(c->part->body, n) && ts_node_end_byte(n) > ts_node_start_byte(n))
    return true;
  if (node_is(n, "goto_statement") &&
      part_has_label(c->b, c->part, source_slice(c->b->s, node_field(n, "label"))))
    return body_refuse(c, n, NULL, "this jumps into the loops that a directive is for");
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (!check_entries(c, ts_node_named_child(n, i)))
      return false;
  return true;
}

bool body_check(struct builder *b, struct nest *n) {
  for (unsigned i = 0; i < n->n_parts; i++) {
    struct part *p = &n->parts[i];
    struct scan c = { b, n, p, true, false, false };
    p->labels = NULL;
    for (TSNode s = p->body.first; !ts_node_is_null(s); s = body_next(p->body, s))
      if (!body_scan(c, s))
        return false;
    if (!check_changes(&c))
      return false;
    if (p->labels && !check_entries(&c, b->f->node))
      return false;
  }
  return true;
}

bool body_holds_continue(TSNode body) {
  if (node_is(body, "continue_statement"))
    return true;
  if (node_is_loop(body))
    return false;
  for (uint32_t i = 0; i < ts_node_named_child_count(body); i++)
    if (body_holds_continue(ts_node_named_child(body, i)))
      return true;
  return false;
}

static bool holds_break(TSNode n) {
  if (node_is(n, "break_statement"))
    return true;
  if (node_is_loop(n) || node_is(n, "switch_statement"))
    return false;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (holds_break(ts_node_named_child(n, i)))
      return true;
  return false;
}

bool body_changes(const struct builder *b, const struct nest *n, const struct dim *d) {
  for (unsigned i = 0; i < n->n_parts; i++) {
    struct body body = n->parts[i].body;
    for (TSNode s = body.first; !ts_node_is_null(s); s = body_next(body, s))
      if (d == n->dims[n->n_dims - 1] && holds_break(s))
        return true;
    for (unsigned j = 0; j < b->u.n_changes; j++) {
      const struct change *c = &b->u.changes[j];
      if (is_change_in(c, body) &&
          (slices_same(c->name, d->var) || bounds_mention(d, c->name)))
        return true;
    }
  }
  return false;
}
