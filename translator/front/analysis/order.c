// SPDX-License-Identifier: Apache-2.0
// order.c: the order in which directives make the iterations of a nest run. Each loop
// that results becomes a step: a number that follows from the iterations of the source's
// loops, and by which instances of the body are compared, outermost first. `tile
// sizes(4)` of the loop i makes two steps, i / 4 and i; `reverse` makes -i of i.
//
// A block of more than a few iterations is taken to have a few, as all orders are tried
// with a few iterations of each loop (carried.c). Where the steps would not be exact, the
// order is unknown.
#include <stdlib.h>
#include <string.h>

#include "front/kernel/kernel.h"
#include "trial.h"

enum { WHOLE = 1 << 20 }; // a block that has all iterations

struct ordering {
  struct model *m;
  const struct usage *u; // of the file's function, with its directives
  struct order *o;
  unsigned pick;   // which values of sets are taken
  unsigned at;     // the place of the loop that directives are applied to
  int64_t longest; // of blocks
};

bool order_read(const char *text, unsigned *order, unsigned max, unsigned *n) {
  uint64_t seen = 0;
  unsigned largest = 0;
  *n = 0;
  for (const char *p = text; *p;) {
    char *end;
    if (strchr("(), \t", *p)) {
      p++;
      continue;
    }
    unsigned long v = strtoul(p, &end, 10);
    if (end == p || v < 1 || v > 32 || *n == max || (seen & BIT(v)))
      return false;
    seen |= BIT(v);
    largest = v > largest ? (unsigned)v : largest;
    order[(*n)++] = (unsigned)v - 1;
    p = end;
  }
  return *n > 1 && largest == *n;
}

// ---- clauses ------------------------------------------------------------------------

static const struct dir_clause *order_clause(const struct loop_directive *d,
                                             const char *name) {
  for (unsigned i = 0; i < d->n_clauses; i++)
    if (strcmp(d->clauses[i].name, name) == 0)
      return &d->clauses[i];
  return NULL;
}

static const struct param *order_param(const struct model *m, const struct dir_arg *a) {
  int p = a->param >= 0 ? a->param : kernel_param(m->k, a->text);
  return p >= 0 ? &m->k->params[p] : NULL;
}

static bool order_number(const struct model *m, const struct dir_arg *a, bool most,
                         long long *number) {
  const struct param *p = order_param(m, a);
  if (!p)
    return read_integer(a->text, number) || model_number(m, a->text, number);
  if (p->kind != VALUE_INT || p->n_values == 0)
    return false;
  *number = p->values[0].i;
  for (unsigned i = 1; i < p->n_values; i++) {
    long long v = p->values[i].i;
    if (most ? v > *number : v > 1 && (v < *number || *number <= 1))
      *number = v;
  }
  return true;
}

bool order_clause_number(const struct model *m, const struct loop_directive *d,
                         const char *name, bool most, long long *number) {
  const struct dir_clause *c = order_clause(d, name);
  return c && c->n_args && order_number(m, &c->args[0], most, number);
}

const char *order_permutation(const struct model *m, const struct loop_directive *d,
                              unsigned pick, unsigned *choices) {
  const struct dir_clause *c = order_clause(d, "permutation");
  const struct param *p = c && c->n_args ? order_param(m, &c->args[0]) : NULL;
  struct text t = { 0 };
  *choices = p ? p->n_values : 1;
  if (p)
    return p->n_values ? p->values[pick < p->n_values ? pick : p->n_values - 1].text : "";
  if (!c || c->n_args == 0)
    return "(2,1)";
  for (unsigned i = 0; i < c->n_args; i++)
    text_printf(&t, "%s%.*s", i ? ", " : "", (int)c->args[i].text.size,
                c->args[i].text.data);
  return t.data;
}

// ---- loops --------------------------------------------------------------------------

static struct step order_step(unsigned loop) {
  return (struct step){ .loop = loop, .size = 1 };
}

struct iter *order_iter(const struct model *m, TSNode loop) {
  for (unsigned i = 0; i < m->n_iters; i++)
    if (model_offset(m, m->iters[i]->node, NULL) == ts_node_start_byte(loop))
      return m->iters[i];
  return NULL;
}

// Adds LOOP, which is within the loops of O.
static void order_add_loop(struct ordering *w, TSNode loop) {
  struct order *o = w->o;
  if (o->n_loops == MAX_LEVELS) {
    o->known = false;
    return;
  }
  o->iters[o->n_loops] = order_iter(w->m, loop);
  o->loops[o->n_loops++] = loop;
}

// Returns the loop that only declarations stand before in O's innermost one; or null.
static TSNode order_next(const struct ordering *w) {
  struct slice declarations;
  const struct order *o = w->o;
  return o->n_loops && o->n_parts == 0
      ? nest_after_declarations(w->u, o->loops[o->n_loops - 1], &declarations)
      : (TSNode){ 0 };
}

// Makes sure that O has N steps: loops after declarations become steps if needed.
static bool order_needs(struct ordering *w, unsigned n) {
  struct order *o = w->o;
  while (o->known && o->n < n) {
    TSNode next = order_next(w);
    if (ts_node_is_null(next) || o->n + 1 == MAX_STEPS)
      break;
    order_add_loop(w, next);
    o->steps[o->n++] = order_step(o->n_loops - 1);
  }
  o->known = o->known && o->n >= n;
  return o->known;
}

// True if the first value of a block of S's loop is the same in all iterations of the
// others.
static bool order_is_aligned(const struct order *o, const struct step *s) {
  const struct iter *loop = o->iters[s->loop];
  for (unsigned i = 0; loop && i < o->n_loops; i++)
    if (i != s->loop && (!o->iters[i] || poly_has(loop->from, o->iters[i]->atom)))
      return false;
  return loop && !s->down && !s->modulo;
}

// Returns the size of blocks of S's loop where A says how many iterations they have; 0:
// it is not known.
static int64_t order_block(const struct ordering *w, const struct step *s,
                           const struct dir_arg *a) {
  const struct iter *loop = w->o->iters[s->loop];
  long long size;
  int64_t last;
  if (!order_number(w->m, a, w->pick > 0, &size) || size < 1 ||
      !order_is_aligned(w->o, s))
    return 0;
  struct poly span = loop->to.known ? poly_add(loop->to, loop->from, -1) : loop->to;
  span = value_known(w->m, span);
  if (poly_is_int(span, &last) && last < size)
    return WHOLE;
  return size < w->longest ? size : w->longest;
}

// ---- directives ---------------------------------------------------------------------

static void order_tile(struct ordering *w, const struct loop_directive *d) {
  const struct dir_clause *c = order_clause(d, "sizes");
  struct order *o = w->o, old = *o;
  unsigned n = c ? c->n_args : 0;
  if (!order_needs(w, n) || o->n + n > MAX_STEPS) {
    o->known = false;
    return;
  }
  old = *o;
  for (unsigned i = 0; i < n; i++) {
    struct step grid = old.steps[i], point = grid;
    int64_t size = order_block(w, &grid, &c->args[i]);
    o->known = o->known && size > 0 && grid.size * size <= WHOLE;
    grid.size *= size;
    grid.pragma = NULL;
    grid.grid = true;
    if (d->kind == DIR_STRIPE) { // every SIZE-th iteration
      o->known = o->known && point.size == 1;
      point = grid;
      grid = old.steps[i];
      grid.modulo = size;
    }
    o->steps[i] = grid;
    o->steps[n + i] = point;
  }
  memcpy(o->steps + 2 * (size_t)n, old.steps + n, (old.n - n) * sizeof *o->steps);
  o->n += n;
}

static void order_interchange(struct ordering *w, const struct loop_directive *d) {
  unsigned order[MAX_STEPS], n, choices;
  struct order old;
  if (!order_read(order_permutation(w->m, d, w->pick, &choices), order, MAX_STEPS, &n) ||
      !order_needs(w, n)) {
    w->o->known = false;
    return;
  }
  old = *w->o;
  for (unsigned i = 0; i < n; i++)
    w->o->steps[i] = old.steps[order[i]];
}

static void order_jam(struct ordering *w, const struct loop_directive *d) {
  const struct dir_clause *c = order_clause(d, "partial");
  struct order *o = w->o;
  unsigned n = c ? c->n_args : 0;
  order_needs(w, n + 1);
  for (unsigned i = 0, at = 0; i < n && o->known; i++, at++) {
    while (at < o->n && o->steps[at].grid) // blocks belong inside of tiles
      at++;
    if (at == o->n || o->n_points == MAX_LEVELS) {
      o->known = false;
      return;
    }
    struct step *s = &o->steps[at];
    int64_t size = order_block(w, s, &c->args[i]);
    o->known = size > 0 && s->size * size <= WHOLE;
    o->points[o->n_points] = *s;
    o->points[o->n_points++].pragma = NULL;
    s->size *= size;
  }
}

// Notes which steps D, a directive of OpenMP, is for.
static void order_openmp(struct ordering *w, const struct loop_directive *d) {
  struct order *o = w->o;
  bool innermost = o->n == 1 && w->at > 0 && !(directive_groups(d->kind) & GROUP_THREADS);
  long long collapse = 1;
  order_clause_number(w->m, d, "collapse", false, &collapse);
  if (innermost)
    o->innermost = d;
  else if (o->n)
    o->steps[0].pragma = d;
  if (o->n)
    o->steps[0].collapse = collapse < MAX_STEPS ? (unsigned)collapse : MAX_STEPS;
}

static void order_apply(struct ordering *w, const struct loop_directive *d) {
  struct order *o = w->o;
  unsigned groups = directive_groups(d->kind);
  if (groups & GROUP_SIZES)
    order_tile(w, d);
  else if (groups & GROUP_ORDER)
    order_interchange(w, d);
  else if (groups & GROUP_JAM)
    order_jam(w, d);
  else if (groups & GROUP_OPENMP)
    order_openmp(w, d);
  else if (d->kind == DIR_REVERSE && order_needs(w, 1))
    o->steps[0].down = !o->steps[0].down;
}

// Reads the loops that the `fuse` D of BLOCK joins.
static void order_fuse(struct ordering *w, TSNode block, const struct loop_directive *d) {
  const struct dir_clause *c = order_clause(d, "looprange");
  struct order *o = w->o;
  long long first = 1, count = MAX_PARTS + 1;
  if (c)
    o->known = c->n_args == 2 && read_integer(c->args[0].text, &first) &&
        read_integer(c->args[1].text, &count);
  for (uint32_t i = 0; i < ts_node_named_child_count(block); i++) {
    TSNode loop = ts_node_named_child(block, i);
    if (!node_is(loop, "for_statement") || --first > 0 || count-- <= 0)
      continue;
    struct iter *part = order_iter(w->m, loop);
    if (o->n_parts == 0)
      order_add_loop(w, loop);
    o->known = o->known && part && o->n_parts < MAX_PARTS;
    if (o->known)
      o->parts[o->n_parts++] = part;
  }
  o->known = o->known && o->n_parts > 1;
}

static void order_find_loops(struct ordering *w, TSNode root) {
  unsigned n;
  const struct loop_directive **list = directives_of(w->u, root, &n);
  for (TSNode at = root; node_is(at, "for_statement"); at = nest_inner(w->u, at))
    order_add_loop(w, at);
  if (node_is(root, "compound_statement") && n && list[n - 1]->kind == DIR_FUSE)
    order_fuse(w, root, list[n - 1]);
  w->o->known = w->o->known && w->o->n_loops > 0;
}

void order_loops(struct model *m, const struct usage *u, TSNode root,
                 struct order *loops) {
  struct ordering w = { .m = m, .u = u, .o = loops };
  *loops = (struct order){ .known = true };
  order_find_loops(&w, root);
  for (TSNode next; loops->known && !ts_node_is_null(next = order_next(&w));)
    order_add_loop(&w, next);
}

void order_divide(const struct loop_directive *fission, struct order *loops) {
  loops->outer = loops->n_loops; // within a part they run in the order of the source
  loops->last = fission;
}

// Applies the N directives ON, the nearest last, and adds the orders to LIST.
static void order_apply_all(struct ordering *w, const struct loop_directive **on,
                            unsigned n, struct order *list, unsigned *n_list,
                            unsigned max) {
  struct order *o = w->o;
  for (unsigned i = n; i-- > 0 && o->known;) {
    order_apply(w, on[i]);
    o->known = o->known && *n_list < max;
    o->last = on[i];
    if (o->known)
      list[(*n_list)++] = *o;
  }
}

unsigned order_of(struct model *m, const struct usage *u, TSNode root, unsigned pick,
                  int64_t longest, struct order *list, unsigned max) {
  struct order o = { .known = true };
  struct ordering w = { m, u, &o, pick, 0, longest };
  unsigned n = 0, n_on;
  order_find_loops(&w, root);
  for (w.at = o.n_loops; w.at-- > 0 && o.known;) {
    const struct loop_directive **on =
        directives_of(u, o.n_parts ? root : o.loops[w.at], &n_on);
    o.known = o.n < MAX_STEPS;
    if (!o.known)
      break;
    memmove(o.steps + 1, o.steps, o.n * sizeof *o.steps);
    o.steps[0] = order_step(w.at);
    o.n++;
    o.outer = w.at;
    order_apply_all(&w, on, n_on, list, &n, max);
  }
  return o.known ? n : 0;
}

unsigned order_place(const struct order *o, const struct loop_directive *d) {
  unsigned i = 0;
  if (o->innermost == d)
    return o->n - 1;
  while (i < o->n && o->steps[i].pragma != d)
    i++;
  return i;
}

// ---- instances ----------------------------------------------------------------------

int64_t order_value(const struct step *s, const unsigned *at) {
  int64_t v = (int64_t)at[s->loop] / s->size;
  v = s->modulo ? v % s->modulo : v;
  return s->down ? -v : v;
}

int order_compare_steps(const struct order *o, unsigned from, unsigned to,
                        const unsigned *p, const unsigned *q) {
  for (unsigned i = from; i < to && i < o->n + o->n_points; i++) {
    const struct step *s = i < o->n ? &o->steps[i] : &o->points[i - o->n];
    int64_t x = order_value(s, p), y = order_value(s, q);
    if (x != y)
      return x < y ? -1 : 1;
  }
  return 0;
}

int order_compare(const struct order *o, const unsigned *p, const unsigned *q) {
  for (unsigned i = 0; i < o->outer; i++)
    if (p[i] != q[i])
      return p[i] < q[i] ? -1 : 1;
  return order_compare_steps(o, 0, MAX_STEPS * 2, p, q);
}
