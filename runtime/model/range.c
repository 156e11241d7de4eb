// SPDX-License-Identifier: Apache-2.0
// range.c: tells if a condition can still hold when some of its parameters are not chosen
// yet. Interval arithmetic over its steps (Moore, Interval Analysis, 1966): a chosen
// parameter is a number, another has the range of its values. "No" is certain; "yes" is
// not.
#include <math.h>

#include "path.h"

enum { DEPTH = 64 };
static const double exact = 0x1p53; // above it doubles skip integers

struct range {
  double low, high;
};

static const struct range anything = { -INFINITY, INFINITY }, truth = { 0, 1 };

struct stack {
  struct range top[DEPTH];
  unsigned n;
  bool wraps; // numbers below 0 may be unsigned ones, and wrap
};

static struct range range_known(const struct stack *st, struct range r) {
  bool sound = r.low <= r.high && r.low >= -exact && r.high <= exact &&
      !(st->wraps && r.low < 0);
  return sound ? r : anything;
}

static struct range range_hull(double a, double b, double c, double d) {
  return (struct range){ fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d)) };
}

static bool is_false(struct range r) {
  return r.low == 0 && r.high == 0;
}
static bool range_is_true(struct range r) {
  return r.low > 0 || r.high < 0;
}

static struct range range_decided(bool yes, bool no) {
  return yes ? (struct range){ 1, 1 } : no ? (struct range){ 0, 0 } : truth;
}

// Covers division of integers and of reals: the range with and without the fraction.
static struct range range_divide(struct range a, struct range b) {
  if (b.low <= 0 && b.high >= 0)
    return anything;
  struct range r =
      range_hull(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high);
  return (struct range){ r.low > 0 ? floor(r.low) : r.low,
                         r.high < 0 ? ceil(r.high) : r.high };
}

static struct range range_rest(struct range a, struct range b) {
  if (a.low < 0 || b.low <= 0)
    return anything;
  if (a.low == a.high && b.low == b.high)
    return (struct range){ fmod(a.low, b.low), fmod(a.low, b.low) };
  return a.high < b.low ? a : (struct range){ 0, fmin(a.high, b.high) };
}

static struct range range_binary(enum autotune_op op, struct range a, struct range b) {
  switch (op) {
  case AUTOTUNE_OP_MULTIPLY:
    return isfinite(a.low + a.high + b.low + b.high)
        ? range_hull(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high)
        : anything;
  case AUTOTUNE_OP_DIVIDE:
    return range_divide(a, b);
  case AUTOTUNE_OP_REMAINDER:
    return range_rest(a, b);
  case AUTOTUNE_OP_ADD:
    return (struct range){ a.low + b.low, a.high + b.high };
  case AUTOTUNE_OP_SUBTRACT:
    return (struct range){ a.low - b.high, a.high - b.low };
  case AUTOTUNE_OP_LESS:
    return range_decided(a.high < b.low, a.low >= b.high);
  case AUTOTUNE_OP_AT_MOST:
    return range_decided(a.high <= b.low, a.low > b.high);
  case AUTOTUNE_OP_EQUAL:
    return range_decided(a.low == a.high && b.low == b.high && a.low == b.low,
                         a.high < b.low || b.high < a.low);
  case AUTOTUNE_OP_AND:
    return range_decided(range_is_true(a) && range_is_true(b),
                         is_false(a) || is_false(b));
  case AUTOTUNE_OP_OR:
    return range_decided(range_is_true(a) || range_is_true(b),
                         is_false(a) && is_false(b));
  default:
    return anything;
  }
}

static struct range range_unary(enum autotune_op op, struct range a) {
  switch (op) {
  case AUTOTUNE_OP_NEGATE:
    return (struct range){ -a.high, -a.low };
  case AUTOTUNE_OP_NOT:
    return range_decided(is_false(a), range_is_true(a));
  case AUTOTUNE_OP_TO_INTEGER: // of 32 bits at least
    return a.low >= 0 && a.high < 0x1p31 ? (struct range){ floor(a.low), floor(a.high) }
                                         : anything;
  default:
    return anything;
  }
}

static struct range range_choose(struct range a, struct range b, struct range c) {
  if (range_is_true(a) || is_false(a))
    return range_is_true(a) ? b : c;
  return range_hull(b.low, b.high, c.low, c.high);
}

static unsigned range_operands(enum autotune_op op) {
  return op == AUTOTUNE_OP_CHOOSE  ? 3
      : op >= AUTOTUNE_OP_MULTIPLY ? 2
      : op >= AUTOTUNE_OP_NEGATE   ? 1
                                   : 0;
}

static double range_number(const struct space *s, unsigned param,
                           const struct autotune_value *v) {
  return s->kernel->params[param].kind == AUTOTUNE_REAL ? v->d : (double)v->i;
}

static struct range range_operand(const struct path *w, unsigned c, unsigned at,
                                  const struct autotune_step *step) {
  const struct space *s = w->space;
  if (step->op == AUTOTUNE_OP_NUMBER)
    return (struct range){ step->number, step->number };
  if (step->op == AUTOTUNE_OP_LEAF) {
    double leaf = s->leaves[s->first_leaf[c] + step->index];
    return (struct range){ leaf, leaf };
  }
  if (step->op != AUTOTUNE_OP_PARAM)
    return anything;
  unsigned p = step->index;
  if (s->place[p] > at)
    return (struct range){ s->low[p], s->high[p] };
  return (struct range){ range_number(s, p, w->values[p]),
                         range_number(s, p, w->values[p]) };
}

bool range_may_hold(const struct path *w, unsigned c, unsigned at) {
  const struct autotune_condition *condition = &w->space->kernel->conditions[c];
  struct stack st = { .wraps = condition->n_leaves > 0 };
  for (unsigned i = 0; i < condition->n_steps; i++) {
    const struct autotune_step *step = &condition->steps[i];
    unsigned n = range_operands(step->op);
    if (st.n < n || st.n == DEPTH)
      return true;
    struct range *top = &st.top[st.n - n], r;
    switch (n) {
    case 0:
      r = range_operand(w, c, at, step);
      break;
    case 1:
      r = range_unary(step->op, top[0]);
      break;
    case 2:
      r = range_binary(step->op, top[0], top[1]);
      break;
    default:
      r = range_choose(top[0], top[1], top[2]);
    }
    *top = range_known(&st, r);
    st.n += 1 - n;
  }
  return st.n != 1 || !is_false(st.top[0]);
}

void range_init(struct space *s) {
  const struct autotune_kernel *k = s->kernel;
  unsigned n = 0;
  for (unsigned p = 0; p < k->n_params; p++) {
    s->low[p] = INFINITY;
    s->high[p] = -INFINITY;
    for (unsigned v = 0; v < k->params[p].n_values; v++) {
      s->low[p] = fmin(s->low[p], range_number(s, p, &k->params[p].values[v]));
      s->high[p] = fmax(s->high[p], range_number(s, p, &k->params[p].values[v]));
    }
  }
  for (unsigned c = 0; c < k->n_conditions && c < EARLY_CONDITIONS; c++) {
    const struct autotune_condition *condition = &k->conditions[c];
    s->early[c] = condition->n_steps > 0 && n + condition->n_leaves <= EARLY_LEAVES;
    if (!s->early[c] || condition->n_leaves == 0)
      continue;
    condition->leaves(s->leaves + n, s->args, s->machine);
    s->first_leaf[c] = (uint16_t)n;
    n += condition->n_leaves;
  }
}
