// SPDX-License-Identifier: Apache-2.0
// interchange.c: reorders the loops of a nest. An order is legal here if each loop comes
// after those that its bounds need. Trials find out whether the results stay the same.
#include <string.h>

#include "loops.h"

enum { MAX_ORDERED = 32 }; // loops

struct orders {
  const struct nest *nest;
  unsigned n_loops;
  unsigned **list;
  unsigned n;
  unsigned limit;
  unsigned *current;
  uint64_t used;
};

// Returns the place in ORDER of a loop that comes before a loop it needs; N: the order is
// legal.
static unsigned illegal_at(const struct nest *nest, const unsigned *order, unsigned n) {
  uint64_t later = 0;
  for (unsigned i = n; i-- > 0;) {
    const struct loop *l = &nest->loops[order[i]];
    if (l->needs & later)
      return i;
    later |= BIT(l->id);
  }
  return n;
}

static void interchange_find_orders(struct orders *o, unsigned depth) {
  if (o->n > o->limit)
    return;
  if (depth == o->n_loops) {
    unsigned *copy = arena_alloc((depth + 1) * sizeof *copy);
    memcpy(copy, o->current, depth * sizeof *copy);
    *GROW(o->list, o->n) = copy;
    return;
  }
  for (unsigned i = 0; i < o->n_loops; i++) {
    if (o->used & BIT(i))
      continue;
    uint64_t missing = 0;
    for (unsigned j = 0; j < o->n_loops; j++)
      if (j != i && !(o->used & BIT(j)))
        missing |= BIT(o->nest->loops[j].id);
    if (o->nest->loops[i].needs & missing)
      continue;
    o->current[depth] = i;
    o->used |= BIT(i);
    interchange_find_orders(o, depth + 1);
    o->used &= ~BIT(i);
  }
}

static const char *order_text(const unsigned *order, unsigned n) {
  struct text t = { 0 };
  for (unsigned i = 0; i < n; i++)
    text_printf(&t, "%c%u", i ? ',' : '(', order[i] + 1);
  text_add(&t, ")", 1);
  return t.data;
}

// Turns permutation(any) into a param with a choice for each legal order.
static bool add_param(struct builder *b, const struct nest *nest,
                      const struct loop_directive *d, struct dir_arg *a) {
  struct orders o = { .nest = nest, .n_loops = nest->n, .limit = MAX_COPIES };
  size_t at = pragma_offset(d->pragma, a->text);
  o.current = arena_alloc((nest->n + 1) * sizeof *o.current);
  interchange_find_orders(&o, 0);
  if (o.n > o.limit)
    return FAIL(b, at, a->text.size, "list some: permutation({(2,1,3), (3,1,2)})",
                "%u loops have more than %u orders", nest->n, o.limit);
  if (o.n < 2)
    return FAIL(b, at, a->text.size, NULL, "no other order of these loops is possible");
  struct param p = { .kind = VALUE_CHOICE, .when = d->present, .offset = at };
  bool own = pragma_has(d->pragma, "optional"); // then "no" is the identity
  for (unsigned i = 0; i < o.n; i++)
    if (!own || !order_is_identity(o.list[i], nest->n)) {
      long long number = (long long)p.n_values + 1;
      const char *text = order_text(o.list[i], nest->n);
      *GROW(p.values, p.n_values) =
          (struct value){ .offset = at,
                          .text = text,
                          .define = arena_printf("%lld", number),
                          .i = number,
                          .d = (double)number };
    }
  p.name = arena_printf("interchange@%u.any",
                        source_where(b->s, d->pragma->offset, NULL, NULL));
  for (unsigned i = 2; kernel_param(b->k, slice_of(p.name)) >= 0; i++)
    p.name = arena_printf("interchange@%u.any%u",
                          source_where(b->s, d->pragma->offset, NULL, NULL), i);
  p.original = p.n_values;
  a->param = kernel_add_param(b->change, p);
  return true;
}

// True if D allows any legal order, each one a choice, and has no param for that yet.
static bool is_any(const struct dir_clause *c) {
  return c && c->n_args && slice_is(c->args[0].text, "any") && c->args[0].param < 0;
}

// Reads the order of N loops that this variant requires; *AT is its place.
static bool wanted_order(struct builder *b, const struct loop_directive *d,
                         unsigned *order, unsigned *n, struct slice *at) {
  const struct dir_clause *c = directive_clause(d, "permutation");
  *n = 2;
  order[0] = 1, order[1] = 0;
  *at = (struct slice){ d->pragma->blanked, d->pragma->end - d->pragma->offset };
  if (!c || c->n_args == 0)
    return true;
  *at = c->args[0].text;
  if (is_any(c))
    return FAIL(b, pragma_offset(d->pragma, *at), at->size, NULL,
                "this was not resolved");
  int p = arg_param(b, &c->args[0]);
  struct text t = { 0 };
  for (unsigned i = 0; p < 0 && i < c->n_args; i++)
    text_printf(&t, "%s%.*s", i ? ", " : "", (int)c->args[i].text.size,
                c->args[i].text.data);
  if (p >= 0)
    text_printf(&t, "%s", b->k->params[p].values[b->resolve ? 0 : b->point[p]].text);
  if (!order_read(t.data, order, MAX_ORDERED, n))
    return FAIL(b, pragma_offset(d->pragma, *at), at->size,
                "write any, (2,1,3), or a set of these", "'%s' is not a permutation",
                t.data);
  return true;
}

static bool interchange_resolve(struct builder *b, const struct nest *nest,
                                const struct loop_directive *d) {
  const struct dir_clause *c = directive_clause(d, "permutation");
  return !is_any(c) || add_param(b, nest, d, &c->args[0]);
}

static bool interchange_applies(struct builder *b, const struct nest *nest,
                                const struct loop_directive *d) {
  unsigned order[MAX_ORDERED], n;
  struct slice at;
  if (nest->n > MAX_ORDERED || !wanted_order(b, d, order, &n, &at))
    return false;
  const struct dir_clause *c = directive_clause(d, "permutation");
  bool any = c && c->n_args && slice_is(c->args[0].text, "any");
  if (any && n != nest->n)
    return FAIL(b, pragma_offset(d->pragma, at), at.size,
                "list the permutations, or put 'interchange' nearest to the loop",
                "'any' cannot come before an optional directive that makes more loops");
  if (!nest_has(b, nest, d, n))
    return false;
  unsigned bad = illegal_at(nest, order, n);
  if (bad == n)
    return true;
  struct slice var = nest->loops[order[bad]].dim->var;
  return FAIL(b, pragma_offset(d->pragma, at), at.size, NULL,
              "%s puts the loop of '%.*s' outside of one that its bounds depend on",
              order_text(order, n), (int)var.size, var.data);
}

static void interchange_make(struct builder *b, struct nest *nest,
                             const struct loop_directive *d) {
  unsigned order[MAX_ORDERED], n;
  struct slice at;
  struct loop *loops = arena_alloc((nest->n + 1) * sizeof *loops);
  wanted_order(b, d, order, &n, &at);
  nest_touch(nest, 0, n);
  memcpy(loops, nest->loops, nest->n * sizeof *loops);
  for (unsigned i = 0; i < n; i++) {
    loops[i] = nest->loops[order[i]];
    if (order[i] != i && !loops[i].dim->safe)
      range_make(b, &loops[i]);
  }
  nest->loops = loops;
}

const struct transformation transform_interchange = { .resolve = interchange_resolve,
                                                      .applies = interchange_applies,
                                                      .make = interchange_make };
