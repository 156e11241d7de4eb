// SPDX-License-Identifier: Apache-2.0
// value.c: expressions of the source as polynomials in loops and in what does not change
// while the function runs: its integer arguments, macros that are numbers, variables that
// are given a value once.
//
// Signed numbers do not overflow, since a program where they do means nothing; unsigned
// ones that are narrower than an address may wrap around where something is subtracted,
// so there nothing is known.
#include <string.h>

#include "front/kernel/kernel.h"
#include "suggest/suggest.h"

enum { MAX_DEPTH = 32 };

static struct slice value_text_of(const struct model *m, TSNode n) {
  return node_text(&m->b, n);
}

// Unsigned numbers of 4 bytes are in E.
static bool may_wrap(const struct model *m, TSNode e, const struct iter *scope) {
  return model_unsigned(m, e, scope) == 4;
}

// An `int`, or what holds all of its numbers.
static bool value_is_wide(const struct model *m, struct slice type) {
  struct integer_type t = model_type(m, type);
  return t.known && t.size >= 4 && !(t.is_unsigned && t.size == 4);
}

static bool has_negative(struct poly p) {
  for (unsigned i = 0; i < p.n; i++)
    if (p.terms[i].c < 0)
      return true;
  return false;
}

static struct poly value_symbol(struct model *m, struct slice name) {
  for (unsigned i = 0; i < m->n_atoms; i++)
    if (!m->is_loop[i] && slices_same(m->atoms[i], name))
      return poly_atom(i);
  if (m->n_atoms == MAX_ATOMS)
    return poly_unknown;
  m->atoms[m->n_atoms] = name;
  return poly_atom(m->n_atoms++);
}

// Of `a[n]`, `*a`, `(*a)[n]`, `a = 1`; null: D is none of these.
static TSNode inner_declarator(TSNode d) {
  if (!node_is_type(d, "parenthesized_declarator"))
    return node_field(d, "declarator");
  uint32_t i = 0;
  while (i < ts_node_named_child_count(d) &&
         node_is_type(ts_node_named_child(d, i), "comment"))
    i++;
  return ts_node_named_child(d, i);
}

// What N assigns, or may by its address; a null node: nothing.
static TSNode assigned_in(TSNode n) {
  TSNode target = node_is_type(n, "assignment_expression") ? node_field(n, "left")
      : node_is_type(n, "update_expression") || node_is_type(n, "pointer_expression")
      ? node_field(n, "argument")
      : (TSNode){ 0 };
  while (node_is_type(target, "parenthesized_expression"))
    target = ts_node_named_child(target, 0);
  return target;
}

void model_index(struct model *m, TSNode n) {
  bool declares = node_is_type(n, "declaration") ||
      node_is_type(n, "parameter_declaration");
  TSNode target = assigned_in(n);
  while (node_is_type(target, "subscript_expression"))
    target = node_field(target, "argument");
  m->calls |= node_is_type(n, "call_expression");
  if (node_is_type(target, "identifier"))
    *GROW(m->changed, m->n_changed) = (struct mention){ value_text_of(m, target), n };
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++) {
    TSNode child = ts_node_named_child(n, i), d = child;
    while (declares && !ts_node_is_null(inner_declarator(d)))
      d = inner_declarator(d);
    if (declares && node_is_type(d, "identifier"))
      *GROW(m->declared, m->n_declared) = (struct mention){ value_text_of(m, d), child };
    model_index(m, child);
  }
}

static bool value_assigned(const struct model *m, TSNode n, struct slice name) {
  for (unsigned i = 0; i < m->n_changed; i++)
    if (slices_same(m->changed[i].name, name) && node_within(m->changed[i].node, n))
      return true;
  return false;
}

struct nodes {
  TSNode *list;
  unsigned n;
};

// The declarators in N that declare NAME.
static void find_declarators(const struct model *m, TSNode n, struct slice name,
                             struct nodes *found) {
  for (unsigned i = 0; i < m->n_declared; i++)
    if (slices_same(m->declared[i].name, name) && node_within(m->declared[i].node, n))
      *GROW(found->list, found->n) = m->declared[i].node;
}

// How many there are; the first in *FOUND.
static unsigned value_declarators(const struct model *m, TSNode n, struct slice name,
                                  TSNode *found) {
  struct nodes all = { 0 };
  find_declarators(m, n, name, &all);
  *found = all.n ? all.list[0] : (TSNode){ 0 };
  return all.n;
}

bool model_declares(const struct model *m, TSNode node, struct slice name) {
  TSNode found;
  return value_declarators(m, node, name, &found) > 0;
}

bool model_declared(const struct model *m, TSNode node, struct slice name, TSNode *type) {
  TSNode found = { 0 };
  if (value_declarators(m, node, name, &found) != 1)
    return false;
  *type = node_field(ts_node_parent(found), "type");
  return !ts_node_is_null(*type);
}

struct slice model_type_of(const struct model *m, TSNode node, struct slice name) {
  struct nodes all = { 0 };
  struct slice type = { 0 };
  find_declarators(m, node, name, &all);
  for (unsigned i = 0; i < all.n; i++) {
    struct slice other =
        value_text_of(m, node_field(ts_node_parent(all.list[i]), "type"));
    if (i > 0 && !slices_same(type, other))
      return (struct slice){ 0 };
    type = other;
  }
  return type;
}

static struct poly value_at(struct model *m, TSNode e, struct iter *scope,
                            unsigned depth);

// The type of what declares NAME, if that is once in the function's body; *FOUND, if
// there is one.
static struct slice type_in_body(const struct model *m, struct slice name,
                                 TSNode *found) {
  unsigned n = value_declarators(m, node_field(m->b.f->node, "body"), name, found);
  return n == 1 ? value_text_of(m, node_field(ts_node_parent(*found), "type"))
                : (struct slice){ 0 };
}

// `int m = n - 1;`, once, never assigned, and AT is where it is seen.
static struct poly of_variable(struct model *m, TSNode at, struct iter *scope,
                               unsigned depth) {
  TSNode d = { 0 }, body = node_field(m->b.f->node, "body");
  struct slice name = value_text_of(m, at), type = type_in_body(m, name, &d);
  if (!type.size || !node_is_type(d, "init_declarator") || !value_is_wide(m, type) ||
      !node_is_type(node_field(d, "declarator"), "identifier") ||
      value_assigned(m, body, name))
    return poly_unknown;
  if (!node_within(at, ts_node_parent(ts_node_parent(d))) ||
      ts_node_start_byte(at) < ts_node_end_byte(d))
    return poly_unknown;
  while (scope && !node_within(d, scope->node))
    scope = scope->outer;
  m->in_variable++;
  struct poly value = value_at(m, node_field(d, "value"), scope, depth);
  m->in_variable--;
  return value;
}

// Does an argument point to what a number of the file may be stored in?
static bool points_to_integers(const struct model *m) {
  for (unsigned i = 0; i < m->k->n_args; i++) {
    const struct kernel_arg *a = &m->k->args[i];
    if (a->pointer && !lex_mentions(a->specifiers, slice_of("const")) &&
        model_type(m, a->specifiers).known)
      return true;
  }
  return false;
}

// An integer of the file, or of an array of such, that the function leaves as it is. What
// it calls may change it; but not in a loop that anything is proven of, and what a
// variable has been given before is no proof.
static bool is_steady(const struct model *m, struct slice name, bool array) {
  TSNode root = ts_tree_root_node(m->b.s->tree), d;
  if (!m->view || value_declarators(m, root, name, &d) != 1 ||
      (m->in_variable && m->calls) || value_assigned(m, root, name) ||
      points_to_integers(m))
    return false;
  TSNode type = node_field(ts_node_parent(d), "type"),
         inner = array ? inner_declarator(d) : d;
  return node_is_type(inner, "identifier") &&
      array == node_is_type(d, "array_declarator") &&
      value_is_wide(m, value_text_of(m, type));
}

static struct poly value_of_name(struct model *m, TSNode at, struct iter *scope,
                                 unsigned depth) {
  struct slice name = value_text_of(m, at);
  TSNode body = node_field(m->b.f->node, "body");
  for (struct iter *i = scope; i; i = i->outer)
    if (slices_same(i->dim.var, name))
      return model_declares(m, node_field(i->node, "body"), name) ? poly_unknown
                                                                  : i->value;
  int arg = kernel_arg(m->k, name);
  if (kernel_param(m->k, name) >= 0)
    return poly_unknown; // differs between variants
  if (arg >= 0 &&
      (!m->k->args[arg].integer || m->k->args[arg].pointer ||
       model_declares(m, body, name) || value_assigned(m, body, name)))
    return poly_unknown;
  if (arg >= 0)
    return value_symbol(m, name);
  return model_declares(m, body, name) ? of_variable(m, at, scope, depth)
      : m->x && view_number(m->x, m->function, name).size ? value_symbol(m, name)
      : is_steady(m, name, false)                         ? value_symbol(m, name)
                                                          : poly_unknown;
}

static struct poly of_binary(struct model *m, TSNode e, struct iter *scope,
                             unsigned depth) {
  struct slice op = value_text_of(m, node_field(e, "operator"));
  struct poly left = value_at(m, node_field(e, "left"), scope, depth);
  struct poly right = value_at(m, node_field(e, "right"), scope, depth);
  bool minus = slice_is(op, "-"), times = slice_is(op, "*");
  if ((!minus && !times && !slice_is(op, "+")) ||
      ((minus || has_negative(left) || has_negative(right)) && may_wrap(m, e, scope)))
    return poly_unknown;
  return times ? poly_mul(left, right) : poly_add(left, right, minus ? -1 : 1);
}

static struct poly value_at(struct model *m, TSNode e, struct iter *scope,
                            unsigned depth) {
  long long number;
  if (ts_node_is_null(e) || depth > MAX_DEPTH)
    return poly_unknown;
  if (node_is_type(e, "number_literal"))
    return read_integer(value_text_of(m, e), &number) ? poly_int(number) : poly_unknown;
  if (node_is_type(e, "identifier"))
    return value_of_name(m, e, scope, depth + 1);
  if (node_is_type(e, "parenthesized_expression") && ts_node_named_child_count(e) == 1)
    return value_at(m, ts_node_named_child(e, 0), scope, depth + 1);
  if (node_is_type(e, "subscript_expression"))
    return node_is_type(node_field(e, "index"), "number_literal") &&
            is_steady(m, value_text_of(m, node_field(e, "argument")), true)
        ? value_symbol(m, value_text_of(m, e))
        : poly_unknown;
  if (node_is_type(e, "binary_expression"))
    return of_binary(m, e, scope, depth + 1);
  if (node_is_type(e, "cast_expression") &&
      value_is_wide(m, value_text_of(m, node_field(e, "type"))))
    return value_at(m, node_field(e, "value"), scope, depth + 1);
  if (node_is_type(e, "unary_expression") &&
      slice_is(value_text_of(m, node_field(e, "operator")), "-") &&
      !may_wrap(m, e, scope))
    return poly_add(poly_int(0), value_at(m, node_field(e, "argument"), scope, depth + 1),
                    -1);
  return poly_unknown;
}

struct poly value_of_expression(struct model *m, TSNode e, struct iter *scope) {
  return value_at(m, e, scope, 0);
}

// ---- loops --------------------------------------------------------------------------

// Is a name that stands in TEXT assigned in BODY?
static bool value_changes(const struct model *m, TSNode body, struct slice text) {
  struct lexer l = lexer_of(text);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (t.kind == TOKEN_WORD && value_assigned(m, body, t.text))
      return true;
  return false;
}

// The node of T, a part of the header of I's loop.
static TSNode value_part(const struct model *m, const struct iter *i, struct slice t) {
  uint32_t at = (uint32_t)(t.data - m->b.s->text);
  TSNode n = ts_node_named_descendant_for_byte_range(i->node, at, at + (uint32_t)t.size);
  return ts_node_start_byte(n) == at && ts_node_end_byte(n) == at + t.size
      ? n
      : (TSNode){ 0 };
}

struct slice declared_type(const struct model *m, struct slice name) {
  TSNode d;
  int arg = kernel_arg(m->k, name);
  bool local = model_declares(m, node_field(m->b.f->node, "body"), name);
  return arg >= 0 && !local ? m->k->args[arg].specifiers : type_in_body(m, name, &d);
}

// -1 < 2u does not hold: where unsigned numbers are compared, none may be negative. That
// the one which a loop counts up to is not is left to the program, which would count up
// to 4 billion.
static bool value_compares(struct model *m, const struct iter *i, struct poly low,
                           struct poly bound) {
  struct system s = { 0 };
  bool is_unsigned = model_type(m, i->dim.type).is_unsigned ||
      model_unsigned(m, node_field(i->node, "condition"), i->outer);
  model_facts(i->outer, &s);
  for (unsigned a = 0; a < m->k->n_args; a++)
    if (m->k->args[a].integer && model_type(m, m->k->args[a].specifiers).is_unsigned)
      system_add(&s, value_symbol(m, slice_of(m->k->args[a].name)), false);
  return !is_unsigned ||
      (system_implies(&s, low) && (!i->dim.down || system_implies(&s, bound)));
}

const char *value_range(struct model *m, struct iter *i) {
  struct dim *d = &i->dim;
  TSNode body = node_field(i->node, "body");
  long long step = 1;
  if (!d->type.size)
    d->type = declared_type(m, d->var);
  struct integer_type type = model_type(m, d->type);
  if (d->pointer || !type.known || type.size < 4)
    return "its variable is no plain integer";
  if (value_assigned(m, body, d->var) || value_changes(m, body, d->low) ||
      value_changes(m, body, d->bound))
    return "its variable or its bounds are changed in it";
  if (!d->unit_step && !read_integer(d->step, &step))
    return "its step is no number";
  struct poly low = value_of_expression(m, value_part(m, i, d->low), i->outer);
  struct poly bound = value_of_expression(m, value_part(m, i, d->bound), i->outer);
  if (!low.known || !bound.known || step < 1)
    return "its bounds are not affine";
  if (!value_compares(m, i, low, bound))
    return "its bounds may be negative, where unsigned numbers are compared";
  if (m->n_atoms == MAX_ATOMS)
    return "there are too many loops";
  i->atom = m->n_atoms++;
  m->atoms[i->atom] = d->var;
  m->is_loop[i->atom] = true;
  bool inclusive = d->relation == LESS_EQUAL || d->relation == GREATER_EQUAL;
  struct poly atom = poly_atom(i->atom), first = d->down ? bound : low;
  struct poly span =
      poly_add(poly_add(d->down ? low : bound, first, -1), poly_int(!inclusive), -1);
  bool plain = !d->down && step == 1;
  i->value = plain ? atom : poly_add(low, atom, d->down ? -step : step);
  i->from = plain ? low : poly_int(0);
  i->to = step != 1 ? poly_unknown : plain ? poly_add(low, span, 1) : span;
  i->left = plain ? poly_add(i->to, atom, -1) : poly_add(span, atom, -step);
  return NULL;
}
