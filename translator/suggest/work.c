// SPDX-License-Identifier: Apache-2.0
// work.c: estimates how many operations a loop takes, from above, where all bounds are
// numbers, or the arrays that its variable is a subscript of have no more elements.
// Requires a model; knows nothing of caches or vectors.
#include <math.h>

#include "front/kernel/kernel.h"
#include "suggest.h"

enum { CALL = 20 }; // operations in a function of math.h

// The values that a polynomial can have; infinite: not known.
struct range {
  double low, high;
};
static const struct range unbounded = { -INFINITY, INFINITY };

static struct range work_range(const struct model *m, struct poly p);

static bool work_within(const struct iter *loop, const struct iter *i) {
  while (loop && loop != i)
    loop = loop->outer;
  return loop != NULL;
}

static bool work_has_loop(const struct model *m, struct poly p) {
  for (unsigned a = 0; a < m->n_atoms; a++)
    if (m->is_loop[a] && poly_has(p, a))
      return true;
  return false;
}

// Sets *VALUE to that of BOUND, of an array. False: it is not known.
static bool work_bound(const struct model *m, struct slice bound, long long *value) {
  struct lexer l = lexer_of(bound);
  struct text known = { 0 };
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (t.kind == TOKEN_WORD && model_number(m, t.text, value))
      text_printf(&known, " (%lld)", *value);
    else
      text_printf(&known, " %.*s", (int)t.text.size, t.text.data);
  return known.size && constant_value(m->x, slice_of(known.data), value) && *value > 0;
}

// Returns how many iterations of I subscript D of X allows, as its array is declared;
// infinite: any number. The first subscript of an argument, or of an array at the end of
// a struct, may exceed what is declared.
static double work_fit(const struct model *m, const struct access *x, unsigned d,
                       const struct iter *i) {
  const struct array *a = x->array;
  struct poly rest, c = poly_coefficient(x->index[d], i->atom, &rest);
  int64_t step;
  long long length;
  if ((d == 0 && (a->arg >= 0 || a->member)) || !poly_is_int(c, &step) || step == 0 ||
      work_has_loop(m, rest) || !work_bound(m, a->bounds[d], &length))
    return INFINITY;
  return floor((double)(length - 1) / fabs((double)step)) + 1;
}

// Returns how many iterations of I the arrays in it allow.
static double work_room(const struct model *m, const struct iter *i) {
  double room = INFINITY;
  for (unsigned k = 0; k < m->n_accesses && m->x && !m->jumps; k++) {
    const struct access *x = &m->accesses[k];
    if (x->why || x->conditional || x->array->rows || x->n != x->array->rank ||
        !work_within(x->loop, i))
      continue;
    for (unsigned d = 0; d < x->n; d++)
      room = fmin(room, work_fit(m, x, d, i));
  }
  return room;
}

static double work_iterations(const struct model *m, const struct iter *i) {
  struct poly left = poly_replace(i->left, i->atom, i->from);
  double room = work_room(m, i);
  long long step = 1;
  if (!i->dim.unit_step && (!read_integer(i->dim.step, &step) || step < 1))
    return room;
  double n = floor(work_range(m, left).high / (double)step) + 1;
  return n > 0 ? fmin(n, room) : 0;
}

// Returns the values of ATOM: a loop's iteration, a macro that is a number, or a name.
static struct range work_atom(const struct model *m, unsigned atom) {
  long long number;
  for (unsigned i = 0; i < m->n_iters && m->is_loop[atom]; i++)
    if (m->iters[i]->atom == atom) {
      struct range from = work_range(m, m->iters[i]->from);
      double n = work_iterations(m, m->iters[i]);
      return (struct range){ from.low, from.high + (n > 0 ? n - 1 : 0) };
    }
  bool known = !m->is_loop[atom] && kernel_arg(m->k, m->atoms[atom]) < 0 &&
      model_number(m, m->atoms[atom], &number);
  return known ? (struct range){ (double)number, (double)number } : unbounded;
}

static struct range work_product(struct range a, struct range b) {
  double all[] = { a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high };
  struct range r = { all[0], all[0] };
  for (unsigned i = 0; i < 4; i++) {
    if (isnan(all[i]))
      return unbounded;
    r.low = fmin(r.low, all[i]);
    r.high = fmax(r.high, all[i]);
  }
  return r;
}

static struct range work_range(const struct model *m, struct poly p) {
  struct range sum = { 0, 0 };
  for (unsigned i = 0; i < p.n && p.known; i++) {
    struct range r = { (double)p.terms[i].c, (double)p.terms[i].c };
    for (monomial rest = p.terms[i].m; rest; rest >>= 8)
      if (rest & 0xff)
        r = work_product(r, work_atom(m, (unsigned)(rest & 0xff) - 1));
    sum = (struct range){ sum.low + r.low, sum.high + r.high };
  }
  return p.known ? sum : unbounded;
}

double work_trips(const struct model *m, TSNode loop) {
  const struct iter *i = model_iter(m, loop);
  return i ? work_iterations(m, i) : INFINITY;
}

// Returns the operations in the function that CALL names; infinite: its text is not
// known.
static double work_call(const struct model *m, TSNode call) {
  for (unsigned i = 0; i < m->n_refusals; i++)
    if (ts_node_eq(m->refusals[i].at, call))
      return INFINITY;
  return CALL;
}

// True if N, `a[i]` of `a[i][j]`, is a part of an address.
static bool work_is_row(TSNode n) {
  TSNode up = ts_node_parent(n);
  return node_is(n, "subscript_expression") && node_is(up, "subscript_expression") &&
      ts_node_eq(n, node_field(up, "argument"));
}

double work_of(const struct model *m, TSNode n) {
  static const char *const operations[] = {
    "binary_expression",     "unary_expression",
    "assignment_expression", "update_expression",
    "subscript_expression",  "conditional_expression",
    "init_declarator",       NULL
  };
  static const char *const endless[] = { "while_statement", "do_statement",
                                         "goto_statement", NULL };
  const char *type = ts_node_type(n);
  if (!focus_holds(&m->u, n))
    return 0;
  if (slice_in(slice_of(type), endless))
    return INFINITY;
  if (node_is(n, "for_statement")) {
    double trips = work_trips(m, n);
    return trips > 0 ? trips * (1 + work_of(m, node_field(n, "body"))) : 1;
  }
  bool operation = slice_in(slice_of(type), operations) && !work_is_row(n);
  double sum = operation ? 1 : node_is(n, "call_expression") ? work_call(m, n) : 0;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    sum += work_of(m, ts_node_named_child(n, i));
  return sum;
}
