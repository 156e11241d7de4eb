// SPDX-License-Identifier: Apache-2.0
// band.c: decides what the dependences and variables of a chain of loops allow: which
// loops may run in parallel, in which orders, and which variables are private or sums.
#include <string.h>

#include "suggest.h"

// The cost of an innermost loop is the sum of its strides, and SUM if its iterations add
// to one element, or WAIT if they need results of earlier ones, so that vectors are
// impossible; DIVIDE is for each division, whose result takes long.
enum { FAR = 8, SUM = 2, WAIT = 16, DIVIDE = 32 };

// ---- assignments in a loop ----------------------------------------------------------

// True if N is in the nest of LOOP.
static bool band_has(const struct model *m, TSNode loop, TSNode n) {
  return node_within(n, loop) && focus_holds(&m->u, n);
}

static unsigned count_name(const struct model *m, TSNode n, struct slice name) {
  if (!focus_holds(&m->u, n))
    return 0;
  unsigned count = node_is(n, "identifier") && slices_same(model_text(m, n), name);
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    count += count_name(m, ts_node_named_child(n, i), name);
  return count;
}

// True if a block between the assignment S and LOOP declares S's variable.
static bool band_is_own(const struct model *m, TSNode loop, const struct scalar *s) {
  for (TSNode n = s->node; node_within(n, loop); n = ts_node_parent(n)) {
    for (uint32_t i = 0; i < ts_node_named_child_count(n); i++) {
      TSNode c = ts_node_named_child(n, i);
      if (node_is(c, "declaration") &&
          ts_node_start_byte(c) < ts_node_start_byte(s->node) &&
          usage_declares(&m->u, c, s->name))
        return true;
    }
    if (ts_node_eq(n, loop))
      break;
  }
  return false;
}

// True if LOOP only adds to S's variable and does not use it otherwise.
static bool is_sum(const struct model *m, TSNode loop, const struct scalar *s) {
  unsigned uses = 0;
  for (unsigned i = 0; i < m->n_scalars; i++) {
    const struct scalar *other = &m->scalars[i];
    if (!band_has(m, loop, other->node) || !slices_same(other->name, s->name))
      continue;
    if (other->op == '=' || (other->op == '*') != (s->op == '*'))
      return false;
    uses += count_name(m, ts_node_parent(other->node), s->name);
  }
  return uses == count_name(m, loop, s->name);
}

static void add_scalar(struct scalar **list, unsigned *n, struct scalar s) {
  for (unsigned i = 0; i < *n; i++)
    if (slices_same((*list)[i].name, s.name))
      return;
  *GROW(*list, *n) = s;
}

// Returns NULL if each iteration may have its own S, otherwise the reason why not. Adds S
// to B's own unless loops/ makes it private.
static const char *check_private(const struct model *m, struct scalar s, struct band *b) {
  TSNode loop = b->loops[0]->node;
  struct body body = { 0 };
  body.first = nest_body(&m->u, b->loops[b->n - 1]->node, &body.last);
  if (live_is_counter(&m->u, loop, body, s.name))
    return NULL;
  if (!live_may_be_private(&m->u, loop, s.name))
    return arena_printf("iterations share '%.*s', which is declared outside of it",
                        (int)s.name.size, s.name.data);
  add_scalar(&b->own, &b->n_own, s);
  return NULL;
}

// Returns NULL if every variable assigned in B is private or a sum, otherwise the reason.
static const char *check_scalars(const struct model *m, struct band *b, TSNode *at) {
  TSNode loop = b->loops[0]->node, body = node_field(b->loops[b->n - 1]->node, "body");
  const char *why = NULL;
  for (unsigned i = 0; i < m->n_scalars && !why; i++) {
    const struct scalar *s = &m->scalars[i];
    if (!band_has(m, loop, s->node) || band_is_own(m, loop, s))
      continue;
    *at = s->node;
    if (is_sum(m, loop, s))
      add_scalar(&b->sums, &b->n_sums, *s);
    else
      why = check_private(m, *s, b);
  }
  for (unsigned i = 0; i < m->n_iters && !why; i++) {
    const struct iter *l = m->iters[i];
    if (!band_has(m, body, l->node) ||
        node_is(node_field(l->node, "initializer"), "declaration"))
      continue;
    *at = l->node;
    why = check_private(m, (struct scalar){ l->dim.var, l->node, '=' }, b);
  }
  return why;
}

// ---- orders -------------------------------------------------------------------------

// True if each dependence still goes from an earlier iteration to a later one.
static bool keeps_order(const struct band *b, const unsigned *order) {
  for (unsigned i = 0; i < b->v.n; i++) {
    int sign = b->v.list[i].sum;
    for (unsigned j = 0; j < b->n && !sign; j++)
      sign = b->v.list[i].at[order[j]];
    if (sign < 0)
      return false;
  }
  return true;
}

// True if bounds of OF depend on LOOP's variable, by value or by spelling: the two differ
// where terms cancel out.
bool band_bounds_mention(const struct iter *of, const struct iter *loop) {
  return poly_has(of->from, loop->atom) || poly_has(of->left, loop->atom) ||
      lex_mentions(of->dim.low, loop->dim.var) ||
      lex_mentions(of->dim.bound, loop->dim.var);
}

static bool bounds_known(const struct band *b, const unsigned *order) {
  for (unsigned i = 0; i < b->n; i++)
    for (unsigned j = i + 1; j < b->n; j++) {
      if (band_bounds_mention(b->loops[order[i]], b->loops[order[j]]))
        return false;
    }
  return true;
}

bool band_is_rectangular(const struct band *b) {
  for (unsigned i = 0; i < b->n; i++)
    for (unsigned j = 0; j < b->n; j++)
      if (i != j && band_bounds_mention(b->loops[i], b->loops[j]))
        return false;
  return true;
}

static bool has_unit_steps(const struct band *b) {
  for (unsigned i = 0; i < b->n; i++)
    if (!b->loops[i]->dim.unit_step)
      return false;
  return true;
}

bool band_is_independent(const struct band *b, unsigned loop) {
  for (unsigned i = 0; i < b->v.n; i++)
    if (b->v.list[i].at[loop])
      return false;
  return true;
}

bool band_waits(const struct band *b, unsigned loop) {
  for (unsigned i = 0; i < b->v.n; i++)
    if (b->v.list[i].at[loop] && !b->v.list[i].sum)
      return true;
  return false;
}

// Returns how far apart X's elements are in neighbouring iterations of LOOP: 0, 1 or FAR.
static unsigned stride_of(const struct access *x, const struct iter *loop) {
  unsigned cost = 0;
  for (unsigned i = 0; i < x->n; i++) {
    struct poly rest, c = poly_coefficient(x->index[i], loop->atom, &rest);
    int64_t number;
    bool unit = poly_is_int(c, &number) && (number == 1 || number == -1) && i + 1 == x->n;
    if (c.n)
      cost = unit && cost < FAR ? 1 : FAR;
  }
  return cost;
}

static unsigned count_divisions(const struct model *m, TSNode n) {
  if (!focus_holds(&m->u, n))
    return 0;
  unsigned count = (node_is(n, "binary_expression") &&
                    slice_is(model_text(m, node_field(n, "operator")), "/")) ||
      (node_is(n, "assignment_expression") &&
       slice_is(model_text(m, node_field(n, "operator")), "/="));
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    count += count_divisions(m, ts_node_named_child(n, i));
  return count;
}

unsigned band_cost_of(const struct model *m, const struct band *b, unsigned inner) {
  TSNode leaf = b->loops[b->n - 1]->node;
  unsigned cost = b->leaf && band_waits(b, inner)
      ? WAIT + DIVIDE * count_divisions(m, leaf)
      : band_is_independent(b, inner) ? 0
                                      : SUM;
  for (unsigned i = 0; i < m->n_accesses; i++)
    if (band_has(m, b->loops[0]->node, m->accesses[i].node))
      cost += stride_of(&m->accesses[i], b->loops[inner]);
  return cost;
}

// Keeps ORDER if it is the cheapest so far (of equals, the first), and the source's
// order, which comes first.
static void keep_order(const struct model *m, struct band *b, const unsigned *order) {
  unsigned cost = band_cost_of(m, b, order[b->n - 1]);
  bool source = b->n_orders && order_is_identity(b->orders[b->n_orders - 1], b->n);
  if (b->n_orders && cost >= b->cost)
    return;
  if (source)
    memcpy(b->orders[1], b->orders[b->n_orders - 1], sizeof b->orders[0]);
  memcpy(b->orders[0], order, sizeof b->orders[0]);
  b->n_orders = source ? 2 : 1;
  b->cost = cost;
}

static void band_find_orders(const struct model *m, struct band *b, unsigned *order,
                             unsigned n) {
  if (n == b->n) {
    if (keeps_order(b, order) && bounds_known(b, order) &&
        (!b->parallel || band_is_independent(b, order[0])))
      keep_order(m, b, order);
    return;
  }
  for (unsigned i = 0; i < b->n; i++) {
    bool used = false;
    for (unsigned j = 0; j < n; j++)
      used = used || order[j] == i;
    order[n] = i;
    if (!used && (b->n <= 4 || i == n))
      band_find_orders(m, b, order, n + 1);
  }
}

void band_find_all_orders(const struct model *m, struct band *b) {
  unsigned order[MAX_LEVELS] = { 0 };
  band_find_orders(m, b, order, 0);
}

struct reuse band_reuse(const struct model *m, const struct band *b) {
  struct reuse r = { .far = b->cost >= FAR };
  for (unsigned i = 0; i < m->n_accesses; i++) {
    const struct access *x = &m->accesses[i];
    if (!band_has(m, b->loops[0]->node, x->node))
      continue;
    for (unsigned l = 0; l < b->n && x->n; l++)
      r.again |= !stride_of(x, b->loops[l]);
    for (unsigned j = 0; j < i; j++) {
      const struct access *y = &m->accesses[j];
      bool same = y->array == x->array && band_has(m, b->loops[0]->node, y->node);
      for (unsigned d = 0; d < x->n && same; d++)
        r.near |= !poly_same(x->index[d], y->index[d]);
    }
  }
  return r;
}

bool band_fill(struct model *m, struct band *b, bool shared, const char **why,
               TSNode *at) {
  b->leaf = !node_holds(node_field(b->loops[b->n - 1]->node, "body"), "for_statement");
  b->v = depend(m, b->loops, b->n);
  if (b->v.why) {
    *why = b->v.why;
    *at = b->v.at;
    return false;
  }
  *why = check_scalars(m, b, at);
  b->separate = !*why;
  if (*why)
    return false;
  b->permutable = band_is_rectangular(b) || has_unit_steps(b);
  for (unsigned i = 0; i < b->v.n; i++)
    for (unsigned j = 0; j < b->n; j++)
      b->permutable = b->permutable && (b->v.list[i].sum || b->v.list[i].at[j] >= 0);
  b->parallel = !shared;
  band_find_all_orders(m, b);
  if (b->n_orders && (!shared || b->permutable || b->n_orders > 1))
    return true;
  b->n_orders = 0;
  b->parallel = false;
  band_find_all_orders(m, b);
  *why = "its iterations depend on each other";
  *at = b->loops[0]->node;
  return false;
}
