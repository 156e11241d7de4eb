// SPDX-License-Identifier: Apache-2.0
// plan.c: which directives a function's loops may have, and which of these are worth
// trying. From each outermost loop inwards: the first loop of a chain from which on the
// iterations may be shared out gets them; what is proven is said by the vectors of
// depend.c, what is not becomes a note.
#include <string.h>

#include "base/base.h"
#include "suggest.h"

enum { MAX_ORDERS = 2, FAR = 8, CARRIED = 2 };

struct band { // loops, each right in the one before, that directives may stand on
  struct iter *loops[MAX_LEVELS];
  unsigned n;
  struct vectors v;
  struct scalar *sums;
  unsigned n_sums; // of variables declared outside of it
  struct scalar *own;
  unsigned n_own; // that each iteration gets for itself
  unsigned orders[MAX_ORDERS][MAX_LEVELS], n_orders,
      cost;        // the best, of that cost; the source's
  bool parallel;   // the outermost loop of each order
  bool permutable; // any order, tile or jam is right
  bool leaf;       // no loop is in the innermost one
};

struct planner {
  struct model *m;
  const char *threads; // the param's name
  struct plan *plan;
  struct autotune_machine machine;
};

static void plan_note(struct plan *p, TSNode at, const char *text) {
  *GROW(p->notes, p->n_notes) = (struct note){ at, text };
}

// ---- what is in a loop --------------------------------------------------------------

static bool plan_jumps(TSNode n) {
  return node_holds(n, "break_statement") || node_holds(n, "return_statement") ||
      node_holds(n, "goto_statement");
}

static unsigned count_name(const struct model *m, TSNode n, struct slice name) {
  unsigned count = node_is(n, "identifier") && slices_same(model_text(m, n), name);
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    count += count_name(m, ts_node_named_child(n, i), name);
  return count;
}

// Does a block between the assignment S and LOOP declare its variable?
static bool plan_is_own(const struct model *m, TSNode loop, const struct scalar *s) {
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

// Is S, which is assigned in LOOP, only summed up in it, and its value not used there?
static bool is_sum(const struct model *m, TSNode loop, const struct scalar *s) {
  unsigned uses = 0;
  for (unsigned i = 0; i < m->n_scalars; i++) {
    const struct scalar *other = &m->scalars[i];
    if (!node_within(other->node, loop) || !slices_same(other->name, s->name))
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

// NULL where each iteration may have its own S: where nobody else sees to that, B gets to
// know it.
static const char *check_private(const struct model *m, struct scalar s, struct band *b) {
  TSNode loop = b->loops[0]->node, body = node_field(b->loops[b->n - 1]->node, "body");
  if (live_is_counter(&m->u, loop, body, s.name))
    return NULL;
  if (!live_may_be_private(&m->u, loop, s.name))
    return arena_printf("iterations share '%.*s', which is declared outside of it",
                        (int)s.name.size, s.name.data);
  add_scalar(&b->own, &b->n_own, s);
  return NULL;
}

// NULL where every variable assigned in B is its own, or a sum; else the reason.
static const char *check_scalars(const struct model *m, struct band *b, TSNode *at) {
  TSNode loop = b->loops[0]->node, body = node_field(b->loops[b->n - 1]->node, "body");
  const char *why = NULL;
  for (unsigned i = 0; i < m->n_scalars && !why; i++) {
    const struct scalar *s = &m->scalars[i];
    if (!node_within(s->node, loop) || plan_is_own(m, loop, s))
      continue;
    *at = s->node;
    if (is_sum(m, loop, s))
      add_scalar(&b->sums, &b->n_sums, *s);
    else
      why = check_private(m, *s, b);
  }
  for (unsigned i = 0; i < m->n_iters && !why; i++) {
    const struct iter *l = m->iters[i];
    if (!node_within(l->node, body) ||
        node_is(node_field(l->node, "initializer"), "declaration"))
      continue;
    *at = l->node;
    why = check_private(m, (struct scalar){ l->dim.var, l->node, '=' }, b);
  }
  return why;
}

// ---- orders -------------------------------------------------------------------------

// Each dependence still goes from an earlier iteration to a later one.
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

// As written or in what they are: with `i < j + 2` for the one and `i = j` for the other
// it is only written.
static bool bounds_mention(const struct iter *of, const struct iter *loop) {
  return poly_has(of->from, loop->atom) || poly_has(of->left, loop->atom) ||
      lex_mentions(of->dim.low, loop->dim.var) ||
      lex_mentions(of->dim.bound, loop->dim.var);
}

static bool bounds_known(const struct band *b, const unsigned *order) {
  for (unsigned i = 0; i < b->n; i++)
    for (unsigned j = i + 1; j < b->n; j++) {
      if (bounds_mention(b->loops[order[i]], b->loops[order[j]]))
        return false;
    }
  return true;
}

// No loop's bounds depend on another's variable.
static bool plan_is_rectangular(const struct band *b) {
  for (unsigned i = 0; i < b->n; i++)
    for (unsigned j = 0; j < b->n; j++)
      if (i != j && bounds_mention(b->loops[i], b->loops[j]))
        return false;
  return true;
}

static bool has_unit_steps(const struct band *b) {
  for (unsigned i = 0; i < b->n; i++)
    if (!b->loops[i]->dim.unit_step)
      return false;
  return true;
}

static bool is_parallel(const struct band *b, unsigned loop) {
  for (unsigned i = 0; i < b->v.n; i++)
    if (b->v.list[i].at[loop])
      return false;
  return true;
}

// How far X's elements lie apart in neighbouring iterations of LOOP: 0, 1 or FAR.
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

// The best has neighbours in memory one after the other, and sums nothing up from one to
// the next.
static unsigned plan_cost_of(const struct model *m, const struct band *b,
                             unsigned inner) {
  unsigned cost = is_parallel(b, inner) ? 0 : CARRIED;
  for (unsigned i = 0; i < m->n_accesses; i++)
    if (node_within(m->accesses[i].node, b->loops[0]->node))
      cost += stride_of(&m->accesses[i], b->loops[inner]);
  return cost;
}

static bool plan_is_identity(const unsigned *order, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (order[i] != i)
      return false;
  return true;
}

// Keeps the cheapest, among equals the first, and with it the source's, which is the
// first of all.
static void keep_order(const struct model *m, struct band *b, const unsigned *order) {
  unsigned cost = plan_cost_of(m, b, order[b->n - 1]);
  bool source = b->n_orders && plan_is_identity(b->orders[b->n_orders - 1], b->n);
  if (b->n_orders && cost >= b->cost)
    return;
  if (source)
    memcpy(b->orders[1], b->orders[b->n_orders - 1], sizeof b->orders[0]);
  memcpy(b->orders[0], order, sizeof b->orders[0]);
  b->n_orders = source ? 2 : 1;
  b->cost = cost;
}

static void plan_find_orders(const struct model *m, struct band *b, unsigned *order,
                             unsigned n) {
  if (n == b->n) {
    if (keeps_order(b, order) && bounds_known(b, order) &&
        (!b->parallel || is_parallel(b, order[0])))
      keep_order(m, b, order);
    return;
  }
  for (unsigned i = 0; i < b->n; i++) {
    bool used = false;
    for (unsigned j = 0; j < n; j++)
      used = used || order[j] == i;
    order[n] = i;
    if (!used && (b->n <= 4 || i == n))
      plan_find_orders(m, b, order, n + 1);
  }
}

// ---- directives ---------------------------------------------------------------------

static long long power_below(double x) {
  long long p = 1;
  while ((double)(2 * p) <= x)
    p *= 2;
  return p;
}

// Of a square of three arrays of double that fills a cache of BYTES.
static long long plan_side(long long bytes, long long otherwise) {
  double cells = (double)(bytes > 0 ? bytes : otherwise) / (3 * sizeof(double)), root = 1;
  while ((root + 1) * (root + 1) <= cells)
    root++;
  return power_below(root);
}

static const char *indent_of(const struct model *m, size_t offset) {
  size_t from = offset;
  while (from > 0 && m->source->text[from - 1] != '\n')
    from--;
  return arena_copy(m->source->text + from, offset - from);
}

static bool begins_line(const struct model *m, size_t offset) {
  const char *indent = indent_of(m, offset);
  return indent[strspn(indent, " \t")] == '\0';
}

static void put_variables(const struct band *b, struct text *t) {
  for (unsigned product = 0; product < 2; product++) {
    unsigned n = 0;
    for (unsigned i = 0; i < b->n_sums; i++)
      if ((b->sums[i].op == '*') == product)
        text_printf(t, "%s%.*s",
                    n++ ? ", "
                        : product ? " reduction(*: "
                                  : " reduction(+: ",
                    (int)b->sums[i].name.size, b->sums[i].name.data);
    text_printf(t, n ? ")" : "");
  }
  for (unsigned i = 0; i < b->n_own; i++)
    text_printf(t, "%s%.*s%s", i ? ", " : " private(", (int)b->own[i].name.size,
                b->own[i].name.data, i + 1 == b->n_own ? ")" : "");
}

static void put_orders(const struct band *b, struct text *t) {
  text_printf(t, "permutation({");
  for (unsigned i = 0; i < b->n_orders; i++)
    for (unsigned j = 0; j < b->n; j++)
      text_printf(t, "%s%u%s",
                  j ? ","
                      : i ? ", ("
                          : "(",
                  b->orders[i][j] + 1, j + 1 == b->n ? ")" : "");
  text_printf(t, "})");
}

struct reuse {
  bool again, near, far;
}; // an element in several iterations; neighbours; long ways

static struct reuse find_reuse(const struct model *m, const struct band *b) {
  struct reuse r = { .far = b->cost >= FAR };
  for (unsigned i = 0; i < m->n_accesses; i++) {
    const struct access *x = &m->accesses[i];
    if (!node_within(x->node, b->loops[0]->node))
      continue;
    for (unsigned l = 0; l < b->n && x->n; l++)
      r.again |= !stride_of(x, b->loops[l]);
    for (unsigned j = 0; j < i; j++) {
      const struct access *y = &m->accesses[j];
      bool same = y->array == x->array && node_within(y->node, b->loops[0]->node);
      for (unsigned d = 0; d < x->n && same; d++)
        r.near |= !poly_same(x->index[d], y->index[d]);
    }
  }
  return r;
}

static void put_sizes(const struct planner *p, const struct band *b, struct reuse r,
                      struct text *t) {
  long long near = plan_side(p->machine.l1d, 32 << 10),
            far = plan_side(p->machine.l2, 512 << 10);
  near = near < 8 ? 8 : near;
  far = far < 2 * near ? 2 * near : far;
  if (b->n == 2 && r.far)
    text_printf(t, "sizes({%lld, %lld, %lld}, {%lld, %lld, %lld})", near, near / 2,
                2 * near, near, near / 2, 2 * near);
  else if (b->n == 3)
    text_printf(t, "sizes({%lld, %lld}, {%lld, %lld}, {%lld, %lld})", near, 2 * near,
                near, 2 * near, far, 2 * far);
  else
    text_printf(t, "sizes({%lld, %lld}, {%lld, %lld})", near / 2, 2 * near, far, 4 * far);
}

// The pragmas for B, from the one farthest from the loop to the nearest.
static void put_band(struct planner *p, const struct band *b, bool shared) {
  TSNode loop = b->loops[0]->node;
  size_t at = model_offset(p->m, loop, NULL);
  const char *indent = indent_of(p->m, at);
  struct reuse r = find_reuse(p->m, b);
  struct text t = { 0 };
  bool alone = b->n == 1 && b->leaf && b->n_sums && b->v.n == 0;
  bool blocks = b->n > 1 && b->permutable && (r.again || r.near || r.far);
  if (!begins_line(p->m, at)) {
    plan_note(p->plan, loop,
              "this loop does not begin its line, so no pragma can stand on it");
    return;
  }
  if (!shared && b->parallel) {
    text_printf(&t, "%s#pragma autotune parallel for%s num_threads(%s)", indent,
                alone ? " simd" : "", p->threads);
    put_variables(b, &t);
    text_printf(&t, "\n");
    p->plan->threads = true;
  } else if (alone) {
    text_printf(&t, "%s#pragma autotune simd", indent);
    put_variables(b, &t);
    text_printf(&t, " optional\n");
  }
  if (blocks && r.again && b->leaf && plan_is_rectangular(b))
    text_printf(&t, "%s#pragma autotune unroll_and_jam partial({4, 2, 1}%s)\n", indent,
                b->n > 2 ? ", {4, 2, 1}" : "");
  if (blocks) {
    text_printf(&t, "%s#pragma autotune tile ", indent);
    put_sizes(p, b, r, &t);
    text_printf(&t, "%s\n", r.again && b->n == 3 ? "" : " optional");
  }
  if (b->n_orders > 1 || !plan_is_identity(b->orders[0], b->n)) {
    text_printf(&t, "%s#pragma autotune interchange ", indent);
    put_orders(b, &t);
    text_printf(&t, "\n");
  }
  if (t.size)
    *GROW(p->plan->list, p->plan->n) = (struct insertion){ at, t.data };
}

// ---- nests --------------------------------------------------------------------------

static void plan_inside(struct planner *p, TSNode n, bool shared);

// The chain from LOOP on: N of its loops, whose ranges are known.
static unsigned chain_of(const struct model *m, TSNode loop, struct iter **chain) {
  unsigned n = 0;
  bool written;
  while (n < MAX_LEVELS && node_is(loop, "for_statement") && model_iter(m, loop)) {
    model_offset(m, loop, &written);
    if (!written)
      break;
    chain[n++] = model_iter(m, loop);
    loop = nest_inner(&m->u, loop);
  }
  return n;
}

// SHARED: threads share out a loop around it. False: the loops inside of its first one
// may do better.
static bool fill_band(struct planner *p, struct band *b, bool shared, const char **why,
                      TSNode *at) {
  unsigned order[MAX_LEVELS] = { 0 };
  b->leaf = !node_holds(node_field(b->loops[b->n - 1]->node, "body"), "for_statement");
  b->v = depend(p->m, b->loops, b->n);
  if (b->v.why) {
    *why = b->v.why;
    *at = b->v.at;
    return false;
  }
  *why = check_scalars(p->m, b, at);
  if (*why)
    return false;
  b->permutable = plan_is_rectangular(b) || has_unit_steps(b);
  for (unsigned i = 0; i < b->v.n; i++)
    for (unsigned j = 0; j < b->n; j++)
      b->permutable = b->permutable && (b->v.list[i].sum || b->v.list[i].at[j] >= 0);
  b->parallel = !shared;
  plan_find_orders(p->m, b, order, 0);
  if (b->n_orders && (!shared || b->permutable || b->n_orders > 1))
    return true;
  b->n_orders = 0;
  b->parallel = false;
  plan_find_orders(p->m, b, order, 0);
  *why = "its iterations depend on each other";
  *at = b->loops[0]->node;
  return false;
}

// LOOP, which is in no chain. SHARED: threads share out a loop around it.
static void plan_nest(struct planner *p, TSNode loop, bool shared) {
  struct iter *chain[MAX_LEVELS];
  unsigned n = chain_of(p->m, loop, chain);
  struct band first = { 0 };
  const char *why = NULL;
  TSNode at = loop;
  bool placed = false, written;
  model_offset(p->m, loop, &written);
  if (!written)
    plan_note(p->plan, loop, "nothing is proposed for this loop: it stands in a macro");
  else if (n == 0)
    plan_note(p->plan, loop, "nothing is proposed for this loop: its range is not known");
  for (unsigned from = 0; from < n && !placed && !plan_jumps(loop); from++) {
    struct band b = { .n = n - from };
    memcpy(b.loops, chain + from, b.n * sizeof *chain);
    const char *reason = NULL;
    TSNode where = loop;
    placed = fill_band(p, &b, shared, &reason, &where);
    if (placed)
      put_band(p, &b, shared);
    first = from == 0 ? b : first;
    why = why ? why : reason;
    at = from == 0 && reason ? where : at;
  }
  if (n && plan_jumps(loop))
    why = "it is left by a jump";
  if (why && !shared)
    plan_note(p->plan, at,
              arena_printf(
                  "the loop in line %u is not shared out among threads: %s",
                  source_line(p->m->source, model_offset(p->m, loop, NULL), NULL), why));
  if (!placed && first.permutable && first.n_orders && first.n > 1)
    put_band(p, &first, shared);
  TSNode body = node_field(n ? chain[n - 1]->node : loop, "body");
  plan_inside(p, body, shared || placed);
}

static void plan_inside(struct planner *p, TSNode n, bool shared) {
  if (node_is(n, "for_statement")) {
    plan_nest(p, n, shared);
    return;
  }
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    plan_inside(p, ts_node_named_child(n, i), shared);
}

const struct autotune_machine *plan_machine(void) {
  return &machine_get()->numbers;
}

struct plan plan_function(struct model *m, const char *threads) {
  struct plan plan = { 0 };
  struct planner p = {
    .m = m, .threads = threads, .plan = &plan, .machine = *plan_machine()
  };
  if (m->n_refusals && ts_node_eq(m->refusals[0].at, m->u.f->node))
    plan_note(&plan, m->u.f->node, m->refusals[0].text);
  else
    plan_inside(&p, node_field(m->u.f->node, "body"), false);
  return plan;
}
