// SPDX-License-Identifier: Apache-2.0
// depend.c: for each pair of accesses to one array, one of which writes, the directions
// in which iterations may meet in one element (Allen and Kennedy, "Optimizing Compilers
// for Modern Architectures", 2001, chapters 2 and 3). It tries directions from the
// outermost loop inwards. A direction is possible if a system has a solution: the ranges
// of both iterations, equal subscripts, and the order of the two. Arrays with different
// names are assumed to be different.
#include "analysis.h"

struct pair {
  struct model *m;
  const struct access *x, *y;
  struct iter *const *chain;
  unsigned n;
  struct vectors *out;
  bool moved[MAX_ATOMS]; // atoms of which Y has its own
  struct vector at;
};

static bool innermost_holds(const struct access *x, const struct iter *loop) {
  for (const struct iter *l = x->loop; l; l = l->outer)
    if (l == loop)
      return true;
  return false;
}

static void depend_refuse(struct vectors *v, TSNode at, const char *why) {
  if (!v->why) {
    v->why = why;
    v->at = at;
  }
}

static void depend_record(struct pair *p) {
  struct vector v = p->at;
  int sign = 0;
  for (unsigned i = 0; i < p->n && !sign; i++)
    sign = v.at[i];
  for (unsigned i = 0; i < p->n; i++)
    v.at[i] = (signed char)(v.at[i] * sign); // the earlier iteration first
  v.sum = p->x->sum && p->x->sum == p->y->sum;
  v.array = p->x->array;
  for (unsigned i = 0; i < p->out->n; i++) {
    bool same = p->out->list[i].array == v.array;
    for (unsigned j = 0; j < p->n; j++)
      same = same && p->out->list[i].at[j] == v.at[j];
    if (same) {
      p->out->list[i].sum = p->out->list[i].sum && v.sum;
      return;
    }
  }
  if (sign)
    *GROW(p->out->list, p->out->n) = v;
}

// Returns a polynomial that is >= 1 where Y's iteration of the loop LEVEL is the later
// one. It compares the values of the variable, as tiles do. Iteration numbers prove
// nothing if the loop begins elsewhere in each iteration of an outer loop.
static struct poly depend_later(const struct pair *p, unsigned level) {
  struct poly first = p->chain[level]->value;
  struct poly second = poly_rename(first, p->moved, MAX_ATOMS, MAX_ATOMS);
  bool down = p->chain[level]->dim.down;
  return poly_add(down ? first : second, down ? second : first, -1);
}

// Returns FACTS with the fact that LATER is negative, 0 or positive, as DIRECTION is.
static struct system depend_with(const struct system *facts, struct poly later,
                                 int direction) {
  struct system s = { 0 };
  for (unsigned i = 0; i < facts->n; i++)
    system_add(&s, facts->facts[i].p, facts->facts[i].equal);
  struct poly order = direction < 0 ? poly_add(poly_int(-1), later, -1)
      : direction                   ? poly_add(later, poly_int(1), -1)
                                    : later;
  system_add(&s, order, direction == 0);
  return s;
}

// FACTS holds the facts so far; each level adds to a copy of them.
static void depend_refine(struct pair *p, const struct system *facts, unsigned level) {
  if (level == p->n) {
    depend_record(p);
    return;
  }
  struct poly later = depend_later(p, level);
  for (int direction = -1; direction <= 1; direction++) {
    struct system s = depend_with(facts, later, direction);
    p->at.at[level] = (signed char)direction;
    if (system_feasible(&s))
      depend_refine(p, &s, level + 1);
  }
}

// Returns what holds where both iterations of P run and touch the same element.
static struct system depend_same(struct pair *p) {
  struct system mine = { 0 }, theirs = { 0 };
  for (const struct iter *l = p->y->loop; l; l = l->outer) {
    p->moved[l->atom] = true;
    if (l == p->chain[0])
      break;
  }
  model_facts(p->m, p->x->loop, &mine);
  model_facts(p->m, p->y->loop, &theirs);
  for (unsigned i = 0; i < theirs.n; i++)
    system_add(&mine, poly_rename(theirs.facts[i].p, p->moved, MAX_ATOMS, MAX_ATOMS),
               false);
  for (unsigned i = 0; i < p->x->n && i < p->y->n; i++) {
    struct poly other = poly_rename(p->y->index[i], p->moved, MAX_ATOMS, MAX_ATOMS);
    system_add(&mine, poly_add(p->x->index[i], other, -1), true);
  }
  return mine;
}

static void depend_meet(struct pair *p) {
  struct system same = depend_same(p);
  depend_refine(p, &same, 0);
}

bool depend_goes_back(struct model *m, struct iter *const *chain, unsigned n,
                      const struct access *x, const struct access *y) {
  struct pair p = { .m = m, .x = x, .y = y, .chain = chain, .n = n };
  struct system facts = depend_same(&p);
  for (unsigned level = 0; level < n; level++) {
    struct poly later = depend_later(&p, level);
    struct system earlier = depend_with(&facts, later, -1);
    if (system_feasible(&earlier))
      return true;
    facts = depend_with(&facts, later, 0);
  }
  return false;
}

// True if N is in the nest of ROOT.
static bool depend_is_in(const struct model *m, TSNode n, TSNode root) {
  return node_within(n, root) && focus_holds(&m->u, n);
}

bool depend_is_written(const struct model *m, const struct array *a, TSNode in) {
  for (unsigned i = 0; i < m->n_accesses; i++)
    if (m->accesses[i].array == a && m->accesses[i].write &&
        depend_is_in(m, m->accesses[i].node, in))
      return true;
  return false;
}

const char *depend_why_not(const struct access *x, const struct iter *inner) {
  return x->array->why             ? x->array->why
      : x->why                     ? x->why
      : !innermost_holds(x, inner) ? "a bound of the loops is read from what they write"
                                   : NULL;
}

// Refuses X if its subscripts do not determine the element.
static void check_access(const struct access *x, const struct iter *inner,
                         struct vectors *v) {
  const char *why = depend_why_not(x, inner);
  if (why)
    depend_refuse(v, x->node, why);
}

struct vectors depend(struct model *m, struct iter *const *chain, unsigned n) {
  struct vectors v = { .levels = n };
  TSNode root = chain[0]->node, body = node_field(chain[n - 1]->node, "body");
  for (unsigned i = 0; i < m->n_refusals; i++)
    if (depend_is_in(m, m->refusals[i].at, root))
      depend_refuse(&v, m->refusals[i].at, m->refusals[i].text);
  for (unsigned i = 0; i < m->n_accesses && !v.why; i++) {
    const struct access *x = &m->accesses[i];
    if (!depend_is_in(m, x->node, root) || !depend_is_written(m, x->array, root))
      continue;
    if (x->array->local && node_within(x->array->home, body))
      continue; // each iteration has its own
    check_access(x, chain[n - 1], &v);
    for (unsigned j = i; j < m->n_accesses && !v.why; j++) {
      const struct access *y = &m->accesses[j];
      struct pair p = { .m = m, .x = x, .y = y, .chain = chain, .n = n, .out = &v };
      if (y->array != x->array || !depend_is_in(m, y->node, root) ||
          (!x->write && !y->write))
        continue;
      check_access(y, chain[n - 1], &v);
      if (!v.why)
        depend_meet(&p);
    }
  }
  return v;
}
