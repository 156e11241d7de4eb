// SPDX-License-Identifier: Apache-2.0
// value.c: reads expressions of the source as polynomials in loops and in values that do
// not change while the function runs: its integer arguments, macros that are numbers,
// variables that are assigned once.
//
// Signed numbers are assumed not to overflow, since that is undefined in C. Unsigned
// numbers narrower than an address may wrap around in a subtraction, whose value is then
// unknown.
#include <string.h>

#include "analysis.h"
#include "front/kernel/kernel.h"
#include "front/reach/unit.h"

// An expression that is read, and its place.
struct value_reading {
  struct reading reading;
  struct model *m;
  struct iter *scope; // the innermost loop around it, or NULL
};

// True if E holds unsigned numbers of 4 bytes.
static bool value_wraps(const struct reading *r, TSNode e) {
  const struct value_reading *v = r->of;
  return model_unsigned(v->m, e, v->scope) == 4;
}

// True for `int` and types that hold all values of `int`.
static bool value_is_wide(const struct model *m, struct slice type) {
  struct integer_type t = model_type(m, type);
  return t.known && t.size >= 4 && !(t.is_unsigned && t.size == 4);
}

bool model_number(const struct model *m, struct slice name, long long *value) {
  for (unsigned i = 0; i < m->k->n_stand_ins; i++)
    if (slices_same(m->k->stand_ins[i].name, name))
      return false; // each instance has its own
  struct slice type,
      macro = m->x ? view_number(m->x, m->function, name) : (struct slice){ 0 };
  if (macro.size)
    return read_integer(macro, value);
  return m->x && constant_of(m->x, name, value, &type) && value_is_wide(m, type);
}

struct poly value_known(const struct model *m, struct poly p) {
  long long number;
  for (unsigned i = 0; i < m->n_atoms; i++)
    if (!m->is_loop[i] && poly_has(p, i) && model_number(m, m->atoms[i], &number))
      p = poly_replace(p, i, poly_int(number));
  return p;
}

static struct poly value_symbol(struct model *m, struct slice name) {
  for (unsigned i = 0; i < m->n_atoms; i++)
    if (!m->is_loop[i] && slices_same(m->atoms[i], name))
      return poly_atom(i);
  if (m->n_atoms == MAX_ATOMS)
    return poly_unknown;
  long long number;
  m->atoms[m->n_atoms] = name;
  m->is_natural[m->n_atoms] = kernel_arg(m->k, name) < 0 &&
      model_number(m, name, &number) && number >= 0;
  m->is_positive[m->n_atoms] = m->is_natural[m->n_atoms] && number > 0;
  return poly_atom(m->n_atoms++);
}

static struct poly value_at(struct model *m, TSNode e, struct iter *scope,
                            unsigned depth);

// Returns the type with which the function's body declares NAME, if it does so once.
// *FOUND: it has a declaration.
static struct slice type_in_body(const struct model *m, struct slice name,
                                 TSNode *found) {
  unsigned n = usage_declarators(&m->u, node_field(m->u.f->node, "body"), name, found);
  return n == 1 ? model_text(m, node_field(ts_node_parent(*found), "type"))
                : (struct slice){ 0 };
}

// Returns the value that the only assignment to a variable in SCOPE gives it, `k = i + n
// * j;`. It is a statement of a block around AT, before AT.
static struct poly value_assigned(struct model *m, TSNode at, struct iter *scope,
                                  unsigned depth) {
  TSNode body = scope ? node_field(scope->node, "body") : (TSNode){ 0 }, set = { 0 };
  struct slice name = model_text(m, at);
  unsigned n = 0;
  for (unsigned i = 0; i < m->u.n_changes && scope; i++) {
    const struct change *c = &m->u.changes[i];
    if (!slices_same(c->name, name))
      continue;
    if (c->how == BY_ADDRESS)
      return poly_unknown;
    n += node_within(c->node, scope->node);
    set = node_within(c->node, body) ? c->node : set;
  }
  if (n != 1 || !node_is(set, "assignment_expression") ||
      !node_is(node_field(set, "left"), "identifier") ||
      !slice_is(model_text(m, node_field(set, "operator")), "=") ||
      node_holds(body, "labeled_statement") || node_holds(body, "case_statement"))
    return poly_unknown;
  TSNode statement = ts_node_parent(set), block = ts_node_parent(statement);
  if (!node_is(statement, "expression_statement") ||
      !node_is(block, "compound_statement") || !node_within(at, block) ||
      ts_node_start_byte(at) < ts_node_end_byte(statement))
    return poly_unknown;
  m->in_variable++;
  struct poly value = value_at(m, node_field(set, "right"), scope, depth + 2);
  m->in_variable--;
  return value;
}

// Returns the value of a variable that is set once, `int m = n - 1;`, never assigned, and
// visible at AT.
static struct poly of_variable(struct model *m, TSNode at, struct iter *scope,
                               unsigned depth) {
  TSNode d = { 0 }, body = node_field(m->u.f->node, "body");
  struct slice name = model_text(m, at), type = type_in_body(m, name, &d);
  if (type.size && value_is_wide(m, type) && usage_changes(&m->u, body, name) &&
      node_is(d, "identifier"))
    return value_assigned(m, at, scope, depth);
  if (!type.size || !node_is(d, "init_declarator") || !value_is_wide(m, type) ||
      !node_is(node_field(d, "declarator"), "identifier") ||
      usage_changes(&m->u, body, name))
    return poly_unknown;
  if (!node_within(at, ts_node_parent(ts_node_parent(d))) ||
      ts_node_start_byte(at) < ts_node_end_byte(d))
    return poly_unknown;
  while (scope && !node_within(d, scope->node))
    scope = scope->outer;
  m->in_variable++;
  struct poly value = value_at(m, node_field(d, "value"), scope, depth + 2);
  m->in_variable--;
  return value;
}

// True if an argument may point to an integer of the file.
static bool points_to_integers(const struct model *m) {
  for (unsigned i = 0; i < m->k->n_args; i++) {
    const struct kernel_arg *a = &m->k->args[i];
    if (a->pointer && !lex_mentions(a->specifiers, slice_of("const")) &&
        model_type(m, a->specifiers).known)
      return true;
  }
  return false;
}

// True if NAME, an integer of the file or an array of them, is not changed by the
// function. Functions that it calls may change NAME, but not within a loop for which
// anything is proven. So after calls NAME proves nothing about the values that variables
// got before.
static bool is_steady(const struct model *m, struct slice name, bool array) {
  TSNode root = ts_tree_root_node(m->u.s->tree), d;
  if (!m->view || usage_declarators(&m->u, root, name, &d) != 1 ||
      (m->in_variable && m->calls) || usage_changes(&m->u, root, name) ||
      points_to_integers(m))
    return false;
  TSNode type = node_field(ts_node_parent(d), "type"),
         inner = array ? declarator_inner(d) : d;
  return node_is(inner, "identifier") && array == node_is(d, "array_declarator") &&
      value_is_wide(m, model_text(m, type));
}

// True if NAME is a constant parameter of the template that the kernel is.
static bool value_is_parameter(const struct model *m, struct slice name) {
  for (unsigned i = 0; i < m->k->n_stand_ins; i++)
    if (slices_same(m->k->stand_ins[i].name, name))
      return m->k->stand_ins[i].constant.size &&
          value_is_wide(m, m->k->stand_ins[i].constant);
  return false;
}

static struct poly value_of_name(struct model *m, TSNode at, struct iter *scope,
                                 unsigned depth) {
  struct slice name = model_text(m, at);
  TSNode body = node_field(m->u.f->node, "body");
  for (struct iter *i = scope; i; i = i->outer)
    if (slices_same(i->dim.var, name))
      return usage_declares(&m->u, node_field(i->node, "body"), name) ? poly_unknown
                                                                      : i->value;
  int arg = kernel_arg(m->k, name);
  if (kernel_param(m->k, name) >= 0)
    return poly_unknown; // it differs between variants
  if (arg >= 0 &&
      (!m->k->args[arg].integer || m->k->args[arg].pointer ||
       usage_declares(&m->u, body, name) || usage_changes(&m->u, body, name)))
    return poly_unknown;
  long long number;
  if (arg >= 0)
    return value_symbol(m, name);
  return usage_declares(&m->u, body, name) ? of_variable(m, at, scope, depth)
      : value_is_parameter(m, name)        ? value_symbol(m, name)
      : model_number(m, name, &number)     ? value_symbol(m, name)
      : is_steady(m, name, false)          ? value_symbol(m, name)
                                           : poly_unknown;
}

// Returns the integer N, `p.n` or `g->n`, of an argument.
static struct poly value_of_member(struct model *m, TSNode n) {
  struct ctype type;
  struct slice path;
  bool fine = member_read(m, n, &type, &path) && type.n == 0 &&
      value_is_wide(m, type.name) && !points_to_integers(m) &&
      !(m->in_variable && m->calls);
  return fine ? value_symbol(m, path) : poly_unknown;
}

static struct poly value_leaf(const struct reading *r, TSNode e, unsigned depth) {
  const struct value_reading *v = r->of;
  struct model *m = v->m;
  if (node_is(e, "identifier"))
    return value_of_name(m, e, v->scope, depth);
  if (node_is(e, "field_expression"))
    return value_of_member(m, e);
  if (node_is(e, "subscript_expression") &&
      node_is(node_field(e, "index"), "number_literal") &&
      is_steady(m, model_text(m, node_field(e, "argument")), true))
    return value_symbol(m, model_text(m, e));
  if (node_is(e, "cast_expression") &&
      value_is_wide(m, model_text(m, node_field(e, "type"))))
    return poly_read(r, node_field(e, "value"), depth);
  return poly_unknown;
}

static struct poly value_at(struct model *m, TSNode e, struct iter *scope,
                            unsigned depth) {
  struct value_reading v = { { m->u.s, value_leaf, value_wraps, &v }, m, scope };
  return poly_read(&v.reading, e, depth);
}

struct poly value_of_expression(struct model *m, TSNode e, struct iter *scope) {
  return value_at(m, e, scope, 0);
}

// ---- loops --------------------------------------------------------------------------

static bool is_member_operator(struct slice text) {
  return slice_is(text, ".") || slice_is(text, "->");
}

// True if a name in TEXT is assigned in BODY. Members were found not to change.
static bool value_changes(const struct model *m, TSNode body, struct slice text) {
  struct lexer l = lexer_of(text);
  bool member = false;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    struct lexer ahead = l;
    bool whole = !member && !is_member_operator(lex(&ahead).text);
    if (t.kind == TOKEN_WORD && whole && usage_changes(&m->u, body, t.text))
      return true;
    member = is_member_operator(t.text);
  }
  return false;
}

// Returns the node of T, a part of the header of I's loop.
static TSNode value_part(const struct model *m, const struct iter *i, struct slice t) {
  uint32_t at = (uint32_t)(t.data - m->u.s->text);
  TSNode n = ts_node_named_descendant_for_byte_range(i->node, at, at + (uint32_t)t.size);
  return ts_node_start_byte(n) == at && ts_node_end_byte(n) == at + t.size
      ? n
      : (TSNode){ 0 };
}

struct slice declared_type(const struct model *m, struct slice name) {
  TSNode d;
  int arg = kernel_arg(m->k, name);
  bool local = usage_declares(&m->u, node_field(m->u.f->node, "body"), name);
  return arg >= 0 && !local ? m->k->args[arg].specifiers : type_in_body(m, name, &d);
}

// True unless I's loop compares unsigned numbers one of which may be negative: -1 < 2u is
// false. The number that a loop counts up to is assumed not to be negative: such a loop
// would count up to 4 billion.
static bool value_compares(struct model *m, const struct iter *i, struct poly low,
                           struct poly bound) {
  struct system s = { 0 };
  bool is_unsigned = model_type(m, i->dim.type).is_unsigned ||
      model_unsigned(m, node_field(i->node, "condition"), i->outer);
  model_facts(m, i->outer, &s);
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
    return "its variable is not a plain integer";
  if (usage_changes(&m->u, body, d->var) || value_changes(m, body, d->low) ||
      value_changes(m, body, d->bound))
    return "its variable or its bounds are changed in it";
  if (!d->unit_step && !read_integer(d->step, &step))
    return "its step is not a number";
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
