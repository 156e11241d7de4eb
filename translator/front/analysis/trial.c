// SPDX-License-Identifier: Apache-2.0
// trial.c: the accesses of a nest in the first iterations of each loop. Subscripts are
// polynomials in what does not change in the nest: where they are the same, the element
// is. The loops are taken to run a few times in some call, whatever their bounds are;
// where these are numbers, they are obeyed.
#include <string.h>

#include "trial.h"

enum { MOST_PAIRS = 2000 };

// How many iterations of each loop are tried, and how many of them a block has at most,
// if so many loops are around an access.
static const struct {
  unsigned tried, block;
} trial_sizes[] = { { 9, 4 }, { 9, 4 }, { 6, 3 }, { 4, 2 }, { 3, 2 }, { 2, 1 } };

// ---- accesses that count ------------------------------------------------------------

// True if a clause gives each iteration its own NAME, or makes its uses right.
static bool trial_in_clauses(const struct trial *t, struct slice name) {
  static const char *const others[] = { "aligned", "nontemporal", "shared", NULL };
  for (unsigned i = 0; i < t->n_nest; i++) {
    const struct pragma *p = t->nest[i]->pragma;
    for (unsigned j = 0; j < p->n_clauses; j++)
      if (!slice_in(slice_of(p->clauses[j].name), others) &&
          lex_mentions(p->clauses[j].body, name))
        return true;
  }
  return false;
}

// True if the declaration of A says that threads may use it at once, or have their own.
static bool trial_is_special(const struct trial *t, const struct array *a) {
  static const char *const words[] = { "_Atomic",      "atomic",   "_Thread_local",
                                       "thread_local", "__thread", "threadprivate" };
  TSNode n = a->home;
  while (!a->global && !ts_node_is_null(n) && !node_is(n, "declaration") &&
         !node_is(n, "parameter_declaration"))
    n = ts_node_parent(n);
  struct slice all = { t->s->text, t->s->size };
  struct slice text = a->global || ts_node_is_null(n) ? all : model_text(t->m, n);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (lex_mentions(text, slice_of(words[i])))
      return true;
  return false;
}

// True if X happens in each iteration, and it is known which element it is.
static bool trial_is_certain(const struct access *x) {
  return !x->why && !x->conditional && !x->array->why &&
      ts_node_is_null(x->array->handed) &&
      !node_is(ts_node_parent(x->node), "field_expression"); // another member, perhaps
}

bool trial_holds(const struct trial *t, TSNode n) {
  bool in = t->loops.n_parts == 0 && node_within(n, t->loop->node) &&
      focus_holds(&t->m->u, n);
  for (unsigned i = 0; i < t->loops.n_parts; i++)
    in = in || node_within(n, t->loops.parts[i]->node);
  return in;
}

// True if A is one array for all iterations, and nothing keeps its uses apart.
static bool trial_is_common(const struct trial *t, const struct array *a) {
  return !(a->local && trial_holds(t, a->home)) && !trial_in_clauses(t, a->name) &&
      !trial_is_special(t, a);
}

// ---- points -------------------------------------------------------------------------

// Adds the point of P's access in the iterations AT of its loops.
static void trial_add_point(const struct trial *t, struct points *p, const unsigned *at) {
  struct point *q = &p->list[p->n];
  struct iter *const *chain = p->chain;
  int64_t number;
  *q = (struct point){ 0 };
  memcpy(q->at, at, p->n_chain * sizeof *at);
  for (unsigned i = 0; i < p->x->n; i++)
    q->index[i] = p->x->index[i];
  for (unsigned l = p->n_chain; l-- > 0;) { // the innermost first: its range may name
                                            // the others
    struct poly value = poly_add(chain[l]->from, poly_int(at[l]), 1);
    for (unsigned i = 0; i < p->x->n; i++)
      q->index[i] = poly_replace(q->index[i], chain[l]->atom, value);
    struct poly left = chain[l]->left;
    for (unsigned o = l + 1; o-- > 0;)
      left = poly_replace(left, chain[o]->atom,
                          poly_add(chain[o]->from, poly_int(at[o]), 1));
    left = value_known(t->m, left);
    if (!left.known || (poly_is_int(left, &number) && number < 0))
      return;
    system_add(&q->reached, left, false);
  }
  p->n++;
}

static void trial_find_points(const struct trial *t, struct points *p) {
  unsigned at[MOST_LOOPS] = { 0 };
  for (bool more = true; more && p->n < MOST_POINTS;) {
    trial_add_point(t, p, at);
    unsigned l = 0;
    while (l < p->n_chain && ++at[l] == t->tried)
      at[l++] = 0;
    more = l < p->n_chain;
  }
}

// Returns the assignment that writes the element N, or N.
static TSNode trial_writing(TSNode n) {
  TSNode up = ts_node_parent(n);
  while (node_is(up, "parenthesized_expression"))
    up = ts_node_parent(up);
  return node_is(up, "assignment_expression") || node_is(up, "update_expression") ? up
                                                                                  : n;
}

// Sets *PART to that of O's loops that `fuse` joins if L is one. False unless L is O's
// outermost loop.
static bool trial_is_outermost(const struct order *o, const struct iter *l,
                               unsigned *part) {
  for (*part = 0; *part < o->n_parts; (*part)++)
    if (o->parts[*part] == l)
      return true;
  return o->n_parts == 0 && l == o->iters[0];
}

// Finds the loops around P's access, from the outermost of O on. False: it is in none, or
// in too many.
static bool trial_find_loops(const struct order *o, struct points *p) {
  struct iter *chain[MOST_LOOPS];
  unsigned n = 0;
  bool found = false;
  for (struct iter *l = p->x->loop; l && n < MOST_LOOPS && !found; l = l->outer) {
    chain[n++] = l;
    found = trial_is_outermost(o, l, &p->part);
  }
  for (unsigned i = 0; i < n; i++)
    p->chain[i] = chain[n - 1 - i];
  p->n_chain = n;
  p->depth = 1;
  while (p->depth < n && p->depth < o->n_loops &&
         p->chain[p->depth] == o->iters[p->depth])
    p->depth++;
  p->read_at = ts_node_start_byte(p->x->node);
  p->written_at = ts_node_end_byte(trial_writing(p->x->node));
  return found;
}

// Sets the part of the body that `fission` divides in which P's access is.
static void trial_find_part(const struct trial *t, struct points *p) {
  for (unsigned i = 0; i < t->n_parts; i++)
    if (body_covers((struct body){ t->parts[i].first, t->parts[i].last }, p->x->node))
      p->part = i;
}

static void trial_find_all(struct trial *t) {
  unsigned deepest = 1, last = sizeof trial_sizes / sizeof *trial_sizes - 1;
  t->all = arena_alloc((t->m->n_accesses + 1) * sizeof *t->all);
  t->n = 0;
  for (unsigned i = 0; i < t->m->n_accesses; i++) {
    struct points *p = &t->all[t->n];
    *p = (struct points){ .x = &t->m->accesses[i] };
    if (!trial_is_certain(p->x) || !trial_is_common(t, p->x->array) ||
        !trial_holds(t, p->x->node) || !trial_find_loops(&t->loops, p))
      continue;
    trial_find_part(t, p);
    deepest = p->n_chain > deepest ? p->n_chain : deepest;
    t->n++;
  }
  t->tried = trial_sizes[deepest < last ? deepest : last].tried;
  t->block = trial_sizes[deepest < last ? deepest : last].block;
  for (unsigned i = 0; i < t->n; i++)
    trial_find_points(t, &t->all[i]);
}

// ---- the nest -----------------------------------------------------------------------

// True if the nest has statements that may leave out others.
static bool trial_jumps(TSNode root) {
  static const char *const types[] = { "break_statement",   "return_statement",
                                       "goto_statement",    "continue_statement",
                                       "labeled_statement", NULL };
  for (const char *const *t = types; *t; t++)
    if (node_holds(root, *t))
      return true;
  return false;
}

// True if T's nest has so many pairs of accesses that to ask depend.c takes too long.
static bool trial_is_large(const struct trial *t) {
  unsigned pairs = 0;
  for (unsigned i = 0; i < t->m->n_accesses; i++) {
    const struct access *x = &t->m->accesses[i];
    for (unsigned j = 0; j < i && trial_holds(t, x->node); j++)
      pairs += t->m->accesses[j].array == x->array && x->array->written;
  }
  return pairs > MOST_PAIRS;
}

// True if no access in T's nest depends on another one.
static bool trial_is_free(const struct trial *t) {
  struct iter *const *chain = t->loops.iters;
  unsigned n = 0;
  while (n < t->loops.n_loops && chain[n])
    n++;
  struct vectors v = depend(t->m, chain, n);
  return !v.why && v.n == 0;
}

// Gives the model the focus F of the file. False: its code has other parts.
static bool trial_look(struct trial *t, const struct focus *f) {
  struct focus *parts;
  struct iter *loop = f ? order_iter(t->m, f->loop) : NULL;
  const char *why;
  TSNode at;
  t->m->u.focus = NULL;
  if (!f || !trial_look(t, f->outer) || !loop)
    return !f;
  bool same = focus_parts(&t->m->u, loop->node, &parts, &why, &at) == f->n;
  t->m->u.focus = same ? &parts[f->at] : NULL;
  return same;
}

// Finds the parts of the nest if it has `fission`. False: they are not known.
static bool trial_divide(struct trial *t, const struct nest_root *root) {
  struct iter *loop = order_iter(t->m, root->loop);
  const char *why;
  TSNode at;
  t->n_parts = 0;
  if (root->fission && loop)
    t->n_parts = focus_parts(&t->m->u, loop->node, &t->parts, &why, &at);
  return !root->fission || t->n_parts;
}

bool trial_begin(struct trial *t, const struct nest_root *from) {
  TSNode root = from->loop;
  t->root = root;
  t->nest = NULL;
  t->n_nest = 0;
  t->u.focus = from->focus;
  if (!trial_look(t, from->focus) || !trial_divide(t, from))
    return false;
  order_loops(t->m, &t->u, root, &t->loops);
  t->loop = t->loops.iters[0];
  if (!t->loops.known || !t->loop || trial_jumps(root) ||
      (t->loops.n_parts == 0 && !trial_is_large(t) && trial_is_free(t)))
    return false;
  const struct loop_directive *all = t->f->directives;
  for (unsigned i = 0; i < t->f->n_directives; i++)
    if (node_within(all[i].loop, root) && focus_holds(&t->u, all[i].loop) &&
        all[i].kind != DIR_FISSION)
      *GROW(t->nest, t->n_nest) = &all[i];
  trial_find_all(t);
  return true;
}

// ---- queries ------------------------------------------------------------------------

bool trial_same(const struct points *a, const struct point *p, const struct points *b,
                const struct point *q) {
  bool same = a->x->array == b->x->array && a->x->n == b->x->n;
  for (unsigned i = 0; same && i < a->x->n; i++)
    same = poly_same(p->index[i], q->index[i]);
  return same;
}

bool trial_reaches(const struct trial *t, const struct point *p, const struct point *q,
                   const struct point *r) {
  const struct point *points[] = { p, q, r };
  struct system s = { 0 };
  model_facts(t->m, t->loop->outer, &s);
  for (unsigned i = 0; i < 3 && points[i]; i++)
    for (unsigned j = 0; j < points[i]->reached.n; j++)
      system_add(&s, points[i]->reached.facts[j].p, false);
  return system_feasible(&s);
}

int trial_compare(unsigned from, const struct points *a, const struct point *p,
                  bool read_p, const struct points *b, const struct point *q,
                  bool read_q) {
  for (unsigned i = from; i < a->n_chain && i < b->n_chain; i++) {
    if (a->chain[i] != b->chain[i])
      break;
    if (p->at[i] != q->at[i])
      return p->at[i] < q->at[i] ? -1 : 1;
  }
  size_t x = read_p ? a->read_at : a->written_at, y = read_q ? b->read_at : b->written_at;
  return (x > y) - (x < y);
}
