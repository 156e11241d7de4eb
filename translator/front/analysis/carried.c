// SPDX-License-Identifier: Apache-2.0
// carried.c: warns of directives for which the iterations of a nest certainly depend on
// each other too much: they give iterations to several threads, or to the lanes of a
// vector, that use the same element of an array, and one of them writes it; or they run
// them in an order in which one reads another value (reorder.c).
//
// depend.c answers "perhaps" where it does not know. Here two iterations have to be found
// (trial.c).
#include <limits.h>

#include "trial.h"

enum { MOST_ORDERS = 16, MOST_PICKS = 24 };

struct carried {
  struct trial t;
  const struct loop_directive **told; // directives that were warned of
  unsigned n_told;
};

// ---- messages -----------------------------------------------------------------------

static void carried_note(const struct carried *c, const struct access *x,
                         const char *also) {
  bool written;
  size_t at = model_offset(c->t.m, x->node, &written);
  struct slice text = written ? model_text(c->t.m, x->node) : x->array->name;
  diag_note(c->t.s, at, written ? text.size : 1, "%s'%.*s' is %s here%s",
            written ? "" : "an element of ", (int)text.size, text.data,
            x->read && x->write ? "read and written"
                : x->write      ? "written"
                                : "read",
            also);
}

// Warns of D for the accesses X and Y, with HOW it runs iterations.
static void carried_warn(struct carried *c, const struct loop_directive *d,
                         const struct access *x, const struct access *y, const char *how,
                         const char *hint) {
  const struct pragma *p = d->pragma;
  const struct access *first = x->write ? x : y, *second = x->write ? y : x;
  *GROW(c->told, c->n_told) = d;
  diag_warning(c->t.s, p->offset, p->end - p->offset, hint,
               "iterations of the loop depend on each other: '%s' runs them %s",
               directive_name(d->kind), how);
  carried_note(c, first, x == y ? ", and by other iterations" : "");
  if (x != y)
    carried_note(c, second, ", by another iteration");
}

static bool carried_told(const struct carried *c, const struct loop_directive *d) {
  for (unsigned i = 0; i < c->n_told; i++)
    if (c->told[i] == d)
      return true;
  return false;
}

// ---- iterations at the same time ----------------------------------------------------

// A directive of OpenMP in an order.
struct team {
  const struct order *o;
  const struct loop_directive *d;
  unsigned from, to; // its steps
  long long lanes;   // iterations of a vector
};

// True if A is in all loops of the steps up to TO.
static bool carried_is_within(const struct order *o, unsigned to,
                              const struct points *a) {
  for (unsigned i = 0; i < to && i < o->n; i++)
    if (o->steps[i].loop >= a->depth)
      return false;
  return true;
}

// True if threads may run P and Q at the same time.
static bool carried_threads(const struct team *g, const struct point *p,
                            const struct point *q) {
  return order_compare_steps(g->o, 0, g->from, p->at, q->at) == 0 &&
      order_compare_steps(g->o, g->from, g->to, p->at, q->at) != 0;
}

// True if P, in the earlier iteration, comes after Q if the lanes of a vector run both.
static bool carried_passes(const struct team *g, const struct points *a,
                           const struct point *p, bool read_p, const struct points *b,
                           const struct point *q, bool read_q) {
  int d = order_compare_steps(g->o, g->to, UINT_MAX, p->at, q->at);
  d = d ? d : (int)a->part - (int)b->part;
  return (d ? d : trial_compare(g->o->n_loops, a, p, read_p, b, q, read_q)) > 0;
}

// Returns how many iterations Q is after P if a vector of more lanes runs them in the
// wrong order; 0: none does.
static long long carried_distance(const struct team *g, const struct points *a,
                                  const struct point *p, const struct points *b,
                                  const struct point *q) {
  const struct step *s = &g->o->steps[g->from];
  long long far = order_value(s, q->at) - order_value(s, p->at);
  if (far < 1 || far >= g->lanes || a->depth < g->o->n_loops ||
      b->depth < g->o->n_loops ||
      order_compare_steps(g->o, 0, g->from, p->at, q->at) != 0)
    return 0;
  bool wrong =
      (a->x->write && b->x->read && carried_passes(g, a, p, false, b, q, true)) ||
      (a->x->read && b->x->write && carried_passes(g, a, p, true, b, q, false)) ||
      (a->x->write && b->x->write && carried_passes(g, a, p, false, b, q, false));
  return wrong ? far : 0;
}

// Returns 0 unless G's directive runs P and Q at the same time, although they depend on
// each other. Of `simd` the number is their distance.
static long long carried_meet(const struct team *g, const struct points *a,
                              const struct point *p, const struct points *b,
                              const struct point *q) {
  if (directive_groups(g->d->kind) & GROUP_THREADS)
    return carried_threads(g, p, q);
  long long there = carried_distance(g, a, p, b, q);
  return there ? there : carried_distance(g, b, q, a, p);
}

// Returns the smallest such number of A's and B's points; 0: there is none.
static long long carried_nearest(const struct carried *c, const struct team *g,
                                 const struct points *a, const struct points *b) {
  long long least = 0;
  if (a->x->array != b->x->array || (!a->x->write && !b->x->write) ||
      !carried_is_within(g->o, g->to, a) || !carried_is_within(g->o, g->to, b))
    return 0;
  for (unsigned i = 0; i < a->n; i++)
    for (unsigned j = 0; j < b->n; j++) {
      const struct point *p = &a->list[i], *q = &b->list[j];
      long long far = trial_same(a, p, b, q) ? carried_meet(g, a, p, b, q) : 0;
      if (far && (!least || far < least) && trial_reaches(&c->t, p, q, NULL))
        least = far;
    }
  return least;
}

static const char *carried_hint(const struct team *g, const struct points *a,
                                const struct points *b, long long far) {
  bool simd = !(directive_groups(g->d->kind) & GROUP_THREADS), sum = a == b && a->x->sum;
  if (simd && far > 1)
    return arena_printf("write safelen(%lld), or take the directive away", far);
  if (sum)
    return simd ? "take another loop, or make it a reduction"
                : "let another loop be parallel, or make it a reduction";
  return simd ? "take the directive away"
              : "let another loop be parallel, or take the directive away";
}

static void carried_check_team(struct carried *c, const struct team *g) {
  const struct points *x = NULL, *y = NULL;
  long long least = 0;
  for (unsigned i = 0; i < c->t.n; i++)
    for (unsigned j = 0; j <= i; j++) {
      const struct points *a = &c->t.all[j], *b = &c->t.all[i];
      long long far = carried_nearest(c, g, a, b);
      if (far && (!least || far < least))
        x = a, y = b, least = far;
    }
  if (least)
    carried_warn(c, g->d, x->x, y->x, "at the same time", carried_hint(g, x, y, least));
}

// True if D runs all iterations of its loops at the same time, as far as is known.
static bool carried_is_plain(const struct carried *c, const struct loop_directive *d) {
  static const char *const keeps[] = { "if", "ordered", NULL };
  if (!(directive_groups(d->kind) & GROUP_OPENMP) || d->pragma->openmp ||
      lex_mentions(source_slice(c->t.s, d->loop), slice_of("omp")))
    return false;
  for (unsigned i = 0; i < d->pragma->n_clauses; i++)
    if (slice_in(slice_of(d->pragma->clauses[i].name), keeps))
      return false;
  return true;
}

// Checks the directives of OpenMP in O, the order after all directives.
static void carried_check_teams(struct carried *c, const struct order *o) {
  for (unsigned i = 0; i < c->t.n_nest; i++) {
    struct team g = { o, c->t.nest[i], order_place(o, c->t.nest[i]), 0, LLONG_MAX };
    if (g.from == o->n || !carried_is_plain(c, g.d) || carried_told(c, g.d))
      continue;
    bool simd = !(directive_groups(g.d->kind) & GROUP_THREADS);
    unsigned collapse = o->innermost == g.d ? 1 : o->steps[g.from].collapse;
    if (simd && collapse > 1)
      continue;
    g.to = g.from + collapse;
    if (!order_clause_number(c->t.m, g.d, "safelen", true, &g.lanes))
      order_clause_number(c->t.m, g.d, "simdlen", true, &g.lanes);
    carried_check_team(c, &g);
  }
}

// ---- another order ------------------------------------------------------------------

static void carried_check_order(struct carried *c, const struct order *list, unsigned n,
                                unsigned pick) {
  struct conflict found = reorder_find(&c->t, list, n);
  const char *hint = "take the directive away";
  unsigned choices;
  if (!found.a || carried_told(c, found.d))
    return;
  if (found.d->kind == DIR_INTERCHANGE) {
    const char *order = order_permutation(c->t.m, found.d, pick, &choices);
    if (choices > 1)
      hint = arena_printf("leave the order %s out", order);
  }
  carried_warn(c, found.d, found.a->x, found.b->x, "in another order", hint);
}

// ---- nests --------------------------------------------------------------------------

// Returns the number of ways to choose from sets in the directives of C's nest that are
// tried.
static unsigned carried_picks(const struct carried *c) {
  unsigned most = 2, choices; // of sizes the smallest and the largest
  for (unsigned i = 0; i < c->t.n_nest; i++)
    if (directive_groups(c->t.nest[i]->kind) & GROUP_ORDER) {
      order_permutation(c->t.m, c->t.nest[i], 0, &choices);
      most = choices > most ? choices : most;
    }
  return most < MOST_PICKS ? most : MOST_PICKS;
}

// Sets *O to the nest's outermost loop with D, for threads, on it, where tiles and the
// like in the nest are not known. False: its iterations may not be those of the source.
static bool carried_guess(const struct carried *c, const struct loop_directive *d,
                          struct order *o) {
  *o = c->t.loops;
  o->steps[0] = (struct step){ .size = 1, .pragma = d, .collapse = 1 };
  o->n = 1;
  for (unsigned i = 0; i < c->t.n_nest; i++)
    if (directive_groups(c->t.nest[i]->kind) & (GROUP_ORDER | GROUP_BLOCK))
      return false;
  return (directive_groups(d->kind) & GROUP_THREADS) &&
      ts_node_eq(directive_loop(&c->t.u, d), c->t.root);
}

static void carried_check_nest(struct carried *c) {
  struct order list[MOST_ORDERS], guess;
  for (unsigned pick = 0; pick < carried_picks(c); pick++) {
    unsigned n =
        order_of(c->t.m, &c->t.u, c->t.root, pick, c->t.block, list, MOST_ORDERS);
    if (n > 0) {
      carried_check_order(c, list, n, pick);
      carried_check_teams(c, &list[n - 1]);
    } else if (carried_guess(c, c->t.nest[0], &guess)) {
      carried_check_teams(c, &guess);
    }
  }
}

// Checks that the parts of a nest with FISSION may run one after the other.
static void carried_check_division(struct carried *c,
                                   const struct loop_directive *fission) {
  struct order divided = c->t.loops;
  order_divide(fission, &divided);
  carried_check_order(c, &divided, 1, 0);
}

static void carried_check_function(const struct source *s, struct kernel *k,
                                   struct function *f, const struct expansion *x) {
  struct carried c = { .t = { .s = s, .f = f } };
  if (f->n_directives == 0)
    return;
  c.t.u = usage_of(s, f, f->node);
  c.t.m = scan_function(s, k, f, x);
  unsigned n;
  const struct nest_root *roots = nest_roots(&c.t.u, &n);
  for (unsigned i = 0; i < n; i++) {
    if (!trial_begin(&c.t, &roots[i]))
      continue;
    if (roots[i].fission)
      carried_check_division(&c, roots[i].fission);
    else if (c.t.n_nest > 0)
      carried_check_nest(&c);
  }
}

void carried_check(const struct source *s, struct kernel *k, const struct expansion *x) {
  carried_check_function(s, k, &k->main, x);
  for (unsigned i = 0; i < k->n_alternatives; i++)
    carried_check_function(s, k, &k->alternatives[i], x);
}
