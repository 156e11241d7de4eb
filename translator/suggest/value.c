// SPDX-License-Identifier: Apache-2.0
// value.c: expressions of the source as polynomials in loops and in what does not change while the function
// runs: its integer arguments, macros that are numbers, variables that are given a value once.
//
// Signed numbers do not overflow, since a program where they do means nothing; unsigned ones that are
// narrower than an address may wrap around where something is subtracted, so there nothing is known.
#include <string.h>

#include "kernel/kernel.h"
#include "suggest.h"

enum { MAX_DEPTH = 32 };

static struct slice text_of(const struct model *m, TSNode n) { return node_text(&m->b, n); }

static bool is_narrow_unsigned(struct slice type)
{
  struct lexer l = lexer_of(type);
  bool is_unsigned = false, is_long = false, narrow = false;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    is_unsigned |= slice_is(t.text, "unsigned");
    is_long |= slice_is(t.text, "long");
    narrow |= slice_is(t.text, "uint32_t") || slice_is(t.text, "uint16_t") ||
              slice_is(t.text, "uint8_t");
  }
  return narrow || (is_unsigned && !is_long);
}

static bool may_wrap(const struct model *m, TSNode e, const struct iter *scope)
{
  struct slice name = text_of(m, e);
  if (node_is_type(e, "identifier")) {
    int arg = kernel_arg(m->k, name);
    for (; scope; scope = scope->outer)
      if (slices_same(scope->dim.var, name) && is_narrow_unsigned(scope->dim.type))
        return true;
    return arg >= 0 && is_narrow_unsigned(m->k->args[arg].specifiers);
  }
  for (uint32_t i = 0; i < ts_node_named_child_count(e); i++)
    if (may_wrap(m, ts_node_named_child(e, i), scope))
      return true;
  return false;
}

// What `#define NAME …` says in the file is a number, wherever it does.
static bool is_number_macro(const struct model *m, struct slice name)
{
  struct lexer l = lexer_of((struct slice){ m->b.s->text, m->b.s->size });
  unsigned found = 0;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (!t.first || !slice_is(t.text, "#"))
      continue;
    struct lexer line = { l.p, lex_line_end(l.p, l.end), false };
    l = (struct lexer){ line.end, l.end, true };
    struct slice word = lex(&line).text;
    if (slice_is(word, "undef") && slices_same(lex(&line).text, name))
      return false;
    if (!slice_is(word, "define") || !slices_same(lex(&line).text, name))
      continue;
    struct token value = lex(&line);
    bool bracket = slice_is(value.text, "(");
    value = bracket ? lex(&line) : value;
    if (value.kind != TOKEN_NUMBER || (bracket && !slice_is(lex(&line).text, ")")) ||
        lex(&line).kind != TOKEN_END)
      return false;
    found++;
  }
  return found > 0;
}

static struct poly symbol(struct model *m, struct slice name)
{
  for (unsigned i = 0; i < m->n_atoms; i++)
    if (!m->is_loop[i] && slices_same(m->atoms[i], name))
      return poly_atom(i);
  if (m->n_atoms == MAX_ATOMS)
    return poly_unknown;
  m->atoms[m->n_atoms] = name;
  return poly_atom(m->n_atoms++);
}

static bool assigned(const struct model *m, TSNode n, struct slice name)
{
  TSNode target = node_is_type(n, "assignment_expression") ? node_field(n, "left")
                  : node_is_type(n, "update_expression") || node_is_type(n, "pointer_expression")
                    ? node_field(n, "argument") : (TSNode){ 0 };
  while (node_is_type(target, "parenthesized_expression"))
    target = ts_node_named_child(target, 0);
  if (node_is_type(target, "identifier") && slices_same(text_of(m, target), name))
    return true;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (assigned(m, ts_node_named_child(n, i), name))
      return true;
  return false;
}

// The declarators in N that declare NAME; the last of them in *FOUND.
static unsigned declarators(const struct model *m, TSNode n, struct slice name, TSNode *found)
{
  unsigned count = 0;
  bool declares = node_is_type(n, "declaration") || node_is_type(n, "parameter_declaration");
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++) {
    TSNode child = ts_node_named_child(n, i), d = child;
    while (declares && !ts_node_is_null(node_field(d, "declarator")))
      d = node_field(d, "declarator");
    if (declares && node_is_type(d, "identifier") && slices_same(text_of(m, d), name)) {
      *found = child;
      count++;
    }
    count += declarators(m, child, name, found);
  }
  return count;
}

bool model_declares(const struct model *m, TSNode node, struct slice name)
{
  TSNode found;
  return declarators(m, node, name, &found) > 0;
}

static struct poly value_at(struct model *m, TSNode e, struct iter *scope, unsigned depth);

// `int m = n - 1;`, once, and never assigned.
static struct poly of_variable(struct model *m, struct slice name, struct iter *scope,
                               unsigned depth)
{
  TSNode d = { 0 };
  TSNode body = node_field(m->b.f->node, "body");
  if (declarators(m, body, name, &d) != 1 || !node_is_type(d, "init_declarator") ||
      !node_is_type(node_field(d, "declarator"), "identifier") || assigned(m, body, name))
    return poly_unknown;
  TSNode declaration = ts_node_parent(d);
  struct slice type = text_of(m, node_field(declaration, "type"));
  struct lexer l = lexer_of(type);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (!is_integer_word(t.text) || is_narrow_unsigned(type))
      return poly_unknown;
  while (scope && !node_within(d, scope->node))
    scope = scope->outer;
  return value_at(m, node_field(d, "value"), scope, depth);
}

static struct poly of_name(struct model *m, struct slice name, struct iter *scope, unsigned depth)
{
  TSNode body = node_field(m->b.f->node, "body");
  for (struct iter *i = scope; i; i = i->outer)
    if (slices_same(i->dim.var, name))
      return model_declares(m, node_field(i->node, "body"), name) ? poly_unknown : i->value;
  int arg = kernel_arg(m->k, name);
  if (kernel_param(m->k, name) >= 0)
    return poly_unknown; // differs between variants
  if (arg >= 0 && (!m->k->args[arg].integer || m->k->args[arg].pointer ||
                   model_declares(m, body, name) || assigned(m, body, name)))
    return poly_unknown;
  if (arg >= 0)
    return symbol(m, name);
  return model_declares(m, body, name) ? of_variable(m, name, scope, depth)
         : is_number_macro(m, name)    ? symbol(m, name)
                                       : poly_unknown;
}

static struct poly of_binary(struct model *m, TSNode e, struct iter *scope, unsigned depth)
{
  struct slice op = text_of(m, node_field(e, "operator"));
  struct poly left = value_at(m, node_field(e, "left"), scope, depth);
  struct poly right = value_at(m, node_field(e, "right"), scope, depth);
  if (slice_is(op, "+"))
    return poly_add(left, right, 1);
  if (slice_is(op, "*"))
    return poly_mul(left, right);
  return slice_is(op, "-") && !may_wrap(m, e, scope) ? poly_add(left, right, -1) : poly_unknown;
}

static bool is_wide_type(struct slice type)
{
  static const char *const words[] = { "int", "long", "signed", "size_t", "ssize_t", "ptrdiff_t",
                                       "int64_t", "uint64_t", "intptr_t", "uintptr_t" };
  struct lexer l = lexer_of(type);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    size_t i = 0;
    while (i < sizeof words / sizeof *words && !slice_is(t.text, words[i]))
      i++;
    if (i == sizeof words / sizeof *words)
      return false;
  }
  return true;
}

static struct poly value_at(struct model *m, TSNode e, struct iter *scope, unsigned depth)
{
  long long number;
  if (ts_node_is_null(e) || depth > MAX_DEPTH)
    return poly_unknown;
  if (node_is_type(e, "number_literal"))
    return read_integer(text_of(m, e), &number) ? poly_int(number) : poly_unknown;
  if (node_is_type(e, "identifier"))
    return of_name(m, text_of(m, e), scope, depth + 1);
  if (node_is_type(e, "parenthesized_expression") && ts_node_named_child_count(e) == 1)
    return value_at(m, ts_node_named_child(e, 0), scope, depth + 1);
  if (node_is_type(e, "binary_expression"))
    return of_binary(m, e, scope, depth + 1);
  if (node_is_type(e, "cast_expression") && is_wide_type(text_of(m, node_field(e, "type"))))
    return value_at(m, node_field(e, "value"), scope, depth + 1);
  if (node_is_type(e, "unary_expression") && slice_is(text_of(m, node_field(e, "operator")), "-") &&
      !may_wrap(m, e, scope))
    return poly_add(poly_int(0), value_at(m, node_field(e, "argument"), scope, depth + 1), -1);
  return poly_unknown;
}

struct poly value_of_expression(struct model *m, TSNode e, struct iter *scope)
{
  return value_at(m, e, scope, 0);
}

// ---- loops -------------------------------------------------------------------------------------------

// Is a name that stands in TEXT assigned in BODY?
static bool changes(const struct model *m, TSNode body, struct slice text)
{
  struct lexer l = lexer_of(text);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (t.kind == TOKEN_WORD && assigned(m, body, t.text))
      return true;
  return false;
}

// The node of T, a part of the header of I's loop.
static TSNode part(const struct model *m, const struct iter *i, struct slice t)
{
  uint32_t at = (uint32_t)(t.data - m->b.s->text);
  TSNode n = ts_node_named_descendant_for_byte_range(i->node, at, at + (uint32_t)t.size);
  return ts_node_start_byte(n) == at && ts_node_end_byte(n) == at + t.size ? n : (TSNode){ 0 };
}

static bool is_integer_type(struct slice type)
{
  struct lexer l = lexer_of(type);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (is_real_word(t.text) || slice_is(t.text, "char") || slice_is(t.text, "short"))
      return false;
  return true;
}

// Of the variable NAME, which is declared somewhere in the function; empty: not known.
static struct slice declared_type(const struct model *m, struct slice name)
{
  TSNode d;
  int arg = kernel_arg(m->k, name);
  unsigned n = declarators(m, node_field(m->b.f->node, "body"), name, &d);
  if (n == 0 && arg >= 0)
    return m->k->args[arg].specifiers;
  return n == 1 ? text_of(m, node_field(ts_node_parent(d), "type")) : (struct slice){ 0 };
}

const char *value_range(struct model *m, struct iter *i)
{
  struct dim *d = &i->dim;
  TSNode body = node_field(i->node, "body");
  long long step = 1;
  if (!d->type.size)
    d->type = declared_type(m, d->var);
  if (d->pointer || !d->type.size || !is_integer_type(d->type))
    return "its variable is no plain integer";
  if (assigned(m, body, d->var) || changes(m, body, d->low) || changes(m, body, d->bound))
    return "its variable or its bounds are changed in it";
  if (!d->unit_step && !read_integer(d->step, &step))
    return "its step is no number";
  struct poly low = value_of_expression(m, part(m, i, d->low), i->outer);
  struct poly bound = value_of_expression(m, part(m, i, d->bound), i->outer);
  if (!low.known || !bound.known || step < 1)
    return "its bounds are not affine";
  if (m->n_atoms == MAX_ATOMS)
    return "there are too many loops";
  i->atom = m->n_atoms++;
  m->atoms[i->atom] = d->var;
  m->is_loop[i->atom] = true;
  bool inclusive = d->relation == LESS_EQUAL || d->relation == GREATER_EQUAL;
  struct poly atom = poly_atom(i->atom), first = d->down ? bound : low;
  struct poly span = poly_add(poly_add(d->down ? low : bound, first, -1), poly_int(!inclusive), -1);
  bool plain = !d->down && step == 1;
  i->value = plain ? atom : poly_add(low, atom, d->down ? -step : step);
  i->from = plain ? low : poly_int(0);
  i->to = step != 1 ? poly_unknown : plain ? poly_add(low, span, 1) : span;
  i->left = plain ? poly_add(i->to, atom, -1) : poly_add(span, atom, -step);
  return NULL;
}
