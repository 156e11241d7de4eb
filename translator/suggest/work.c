// SPDX-License-Identifier: Apache-2.0
// work.c: estimates how many operations a loop takes, from above, where all bounds are
// numbers. Requires a model; knows nothing of caches or vectors.
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

static double work_iterations(const struct model *m, const struct iter *i) {
  struct poly left = poly_replace(i->left, i->atom, i->from);
  long long step = 1;
  if (!i->dim.unit_step && (!read_integer(i->dim.step, &step) || step < 1))
    return INFINITY;
  double n = floor(work_range(m, left).high / (double)step) + 1;
  return n > 0 ? n : 0;
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
  if (slice_in(slice_of(type), endless))
    return INFINITY;
  if (node_is(n, "for_statement")) {
    double trips = work_trips(m, n);
    return trips > 0 ? trips * (1 + work_of(m, node_field(n, "body"))) : 1;
  }
  double sum = slice_in(slice_of(type), operations) ? 1
      : node_is(n, "call_expression")               ? work_call(m, n)
                                                    : 0;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    sum += work_of(m, ts_node_named_child(n, i));
  return sum;
}
