// SPDX-License-Identifier: Apache-2.0
// carried.c: warns of a loop whose iterations a directive gives to several threads, where
// two of them certainly use the same element of an array, and one of them writes it.
//
// depend.c answers "perhaps" where it does not know. Here two iterations have to be
// found: the first ones of the loop and of the loops in it are tried, and the subscripts
// must be the same polynomial in what does not change in the loop. The loops are taken to
// run a few times in some call, whatever their bounds are; where these are numbers, they
// are obeyed.
#include "analysis.h"

enum { TRIED = 3, MOST_POINTS = 81 }; // iterations of each loop; combinations of these

struct carried {
  const struct source *s;
  struct model *m;
  const struct function *f;
  const struct loop_directive *d;
  struct iter *loop;
};

// An access in one iteration of each loop around it.
struct point {
  unsigned iteration; // of the directive's loop, counted from its first one
  struct poly index[MAX_SUBSCRIPTS];
  struct system reached; // facts: the loops get there
};
struct points {
  const struct access *x;
  struct point list[MOST_POINTS];
  unsigned n;
};

// ---- accesses that count ------------------------------------------------------------

static bool carried_in_clauses(const struct loop_directive *d, struct slice name) {
  for (unsigned i = 0; i < d->pragma->n_clauses; i++)
    if (lex_mentions(d->pragma->clauses[i].body, name))
      return true;
  return false;
}

// True if the declaration of A says that threads may use it at once, or have their own.
static bool carried_is_special(const struct carried *c, const struct array *a) {
  static const char *const words[] = { "_Atomic",      "atomic",   "_Thread_local",
                                       "thread_local", "__thread", "threadprivate" };
  TSNode n = a->home;
  while (!a->global && !ts_node_is_null(n) && !node_is(n, "declaration") &&
         !node_is(n, "parameter_declaration"))
    n = ts_node_parent(n);
  struct slice all = { c->s->text, c->s->size };
  struct slice text = a->global || ts_node_is_null(n) ? all : model_text(c->m, n);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (lex_mentions(text, slice_of(words[i])))
      return true;
  return false;
}

// True if X happens in each iteration, and it is known which element it is.
static bool carried_is_certain(const struct carried *c, const struct access *x) {
  const struct array *a = x->array;
  bool own = a->local && node_within(a->home, c->loop->node);
  return !x->why && !x->conditional && !a->why && !own && ts_node_is_null(a->handed) &&
      node_within(x->node, c->loop->node) &&
      !node_is(ts_node_parent(x->node), "field_expression") && // another member, perhaps
      !carried_in_clauses(c->d, a->name) && !carried_is_special(c, a);
}

// ---- two iterations that meet -------------------------------------------------------

// Returns P with the numbers for which macros and constants stand in this build.
static struct poly carried_number(const struct carried *c, struct poly p) {
  long long number;
  for (unsigned i = 0; i < c->m->n_atoms; i++)
    if (!c->m->is_loop[i] && poly_has(p, i) &&
        model_number(c->m, c->m->atoms[i], &number))
      p = poly_replace(p, i, poly_int(number));
  return p;
}

// Adds the point of P's access at which loop number I of the N loops CHAIN is in
// iteration AT[I].
static void carried_add_point(const struct carried *c, struct points *p,
                              struct iter *const *chain, unsigned n, const unsigned *at) {
  struct point *q = &p->list[p->n];
  int64_t number;
  *q = (struct point){ .iteration = at[0] };
  for (unsigned i = 0; i < p->x->n; i++)
    q->index[i] = p->x->index[i];
  for (unsigned l = n; l-- > 0;) { // the innermost first: its range may name the others
    struct poly value = poly_add(chain[l]->from, poly_int(at[l]), 1);
    for (unsigned i = 0; i < p->x->n; i++)
      q->index[i] = poly_replace(q->index[i], chain[l]->atom, value);
    struct poly left = chain[l]->left;
    for (unsigned o = l + 1; o-- > 0;)
      left = poly_replace(left, chain[o]->atom,
                          poly_add(chain[o]->from, poly_int(at[o]), 1));
    left = carried_number(c, left);
    if (!left.known || (poly_is_int(left, &number) && number < 0))
      return;
    system_add(&q->reached, left, false);
  }
  p->n++;
}

// Fills P with points of its access.
static void carried_find_points(const struct carried *c, struct points *p) {
  struct iter *chain[MAX_ATOMS];
  unsigned n = 0, at[MAX_ATOMS] = { 0 };
  for (struct iter *l = p->x->loop; l && n < MAX_ATOMS; l = l->outer) {
    chain[n++] = l;
    if (l == c->loop)
      break;
  }
  for (unsigned i = 0; i < n / 2; i++) { // the outermost first
    struct iter *other = chain[i];
    chain[i] = chain[n - 1 - i];
    chain[n - 1 - i] = other;
  }
  p->n = 0;
  if (n == 0 || chain[0] != c->loop)
    return;
  unsigned tried = n <= 4 ? TRIED : TRIED - 1;
  for (bool more = true; more && p->n < MOST_POINTS;) {
    carried_add_point(c, p, chain, n, at);
    unsigned l = 0;
    while (l < n && ++at[l] == tried)
      at[l++] = 0;
    more = l < n;
  }
}

// True if P and Q are the same element in different iterations.
static bool carried_meets(const struct carried *c, const struct point *p,
                          const struct point *q, unsigned n) {
  struct system s = { 0 };
  if (p->iteration == q->iteration)
    return false;
  for (unsigned i = 0; i < n; i++)
    if (!poly_same(p->index[i], q->index[i]))
      return false;
  model_facts(c->m, c->loop->outer, &s);
  for (unsigned i = 0; i < p->reached.n; i++)
    system_add(&s, p->reached.facts[i].p, false);
  for (unsigned i = 0; i < q->reached.n; i++)
    system_add(&s, q->reached.facts[i].p, false);
  return system_feasible(&s);
}

static bool carried_meet(const struct carried *c, const struct points *p,
                         const struct points *q) {
  for (unsigned i = 0; i < p->n; i++)
    for (unsigned j = 0; j < q->n; j++)
      if (carried_meets(c, &p->list[i], &q->list[j], p->x->n))
        return true;
  return false;
}

// ---- messages -----------------------------------------------------------------------

static void carried_note(const struct carried *c, const struct access *x,
                         const char *also) {
  bool written;
  size_t at = model_offset(c->m, x->node, &written);
  struct slice text = written ? model_text(c->m, x->node) : x->array->name;
  diag_note(c->s, at, written ? text.size : 1, "%s'%.*s' is %s here%s",
            written ? "" : "an element of ", (int)text.size, text.data,
            x->read && x->write ? "read and written"
                : x->write      ? "written"
                                : "read",
            also);
}

static void carried_warn(const struct carried *c, const struct access *x,
                         const struct access *y) {
  const struct pragma *p = c->d->pragma;
  const struct access *first = x->write ? x : y, *second = x->write ? y : x;
  diag_warning(c->s, p->offset, p->end - p->offset,
               x == y && x->sum
                   ? "let another loop be parallel, or make it a reduction"
                   : "let another loop be parallel, or take the directive away",
               "iterations of the loop depend on each other: '%s' runs them at the same "
               "time",
               directive_name(c->d->kind));
  carried_note(c, first, x == y ? ", and by other iterations" : "");
  if (x != y)
    carried_note(c, second, ", by another iteration");
}

// ---- directives ---------------------------------------------------------------------

// True if what C's directive gives to threads is its own loop, as it is written, and
// nothing keeps these apart.
static bool carried_is_plain(const struct carried *c) {
  static const char *const keeps[] = { "if", "ordered" };
  TSNode loop = c->d->loop;
  if (!(directive_groups(c->d->kind) & GROUP_THREADS) || c->d->pragma->openmp ||
      lex_mentions(source_slice(c->s, loop), slice_of("omp")))
    return false;
  for (unsigned i = 0; i < c->d->pragma->n_clauses; i++)
    for (size_t j = 0; j < sizeof keeps / sizeof *keeps; j++)
      if (slice_is(slice_of(keeps[j]), c->d->pragma->clauses[i].name))
        return false;
  for (unsigned i = 0; i < c->f->n_directives; i++)
    if ((directive_groups(c->f->directives[i].kind) & (GROUP_ORDER | GROUP_BLOCK)) &&
        node_within(loop, c->f->directives[i].loop))
      return false;
  return true;
}

// True if the loop has statements that may leave out others.
static bool carried_jumps(TSNode loop) {
  static const char *const types[] = { "break_statement",   "return_statement",
                                       "goto_statement",    "continue_statement",
                                       "labeled_statement", NULL };
  for (const char *const *t = types; *t; t++)
    if (node_holds(loop, *t))
      return true;
  return false;
}

static struct iter *carried_loop(const struct carried *c) {
  for (unsigned i = 0; i < c->m->n_iters; i++)
    if (model_offset(c->m, c->m->iters[i]->node, NULL) == ts_node_start_byte(c->d->loop))
      return c->m->iters[i];
  return NULL;
}

static void carried_check_loop(struct carried *c) {
  struct points *all = arena_alloc(c->m->n_accesses * sizeof *all + 1);
  struct vectors v = depend(c->m, &c->loop, 1);
  unsigned n = 0;
  if (!v.why && v.n == 0)
    return; // none depends on another one
  for (unsigned i = 0; i < c->m->n_accesses; i++) {
    all[n].x = &c->m->accesses[i];
    if (!carried_is_certain(c, all[n].x))
      continue;
    carried_find_points(c, &all[n++]);
    for (unsigned j = 0; j < n; j++) {
      const struct access *x = all[j].x, *y = all[n - 1].x;
      if (x->array == y->array && x->n == y->n && (x->write || y->write) &&
          carried_meet(c, &all[j], &all[n - 1])) {
        carried_warn(c, x, y);
        return;
      }
    }
  }
}

static void carried_check_function(const struct source *s, struct kernel *k,
                                   struct function *f, const struct expansion *x) {
  struct carried c = { .s = s, .f = f };
  for (unsigned i = 0; i < f->n_directives; i++) {
    c.d = &f->directives[i];
    if (!carried_is_plain(&c) || carried_jumps(c.d->loop))
      continue;
    c.m = c.m ? c.m : scan_function(s, k, f, x);
    c.loop = carried_loop(&c);
    if (c.loop)
      carried_check_loop(&c);
  }
}

void carried_check(const struct source *s, struct kernel *k, const struct expansion *x) {
  carried_check_function(s, k, &k->main, x);
  for (unsigned i = 0; i < k->n_alternatives; i++)
    carried_check_function(s, k, &k->alternatives[i], x);
}
