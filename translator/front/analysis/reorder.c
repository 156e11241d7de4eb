// SPDX-License-Identifier: Apache-2.0
// reorder.c: finds an iteration that reads another value in the order that directives
// make than in the order of the source: what writes the element last before it differs. A
// workspace that each iteration fills before it reads it gives no conflict, although its
// writes change places. Sums of one operation may run in any order.
#include "trial.h"

// A point of an access.
struct instance {
  const struct points *of;
  const struct point *at;
};

struct reorder {
  const struct trial *t;
  const struct order *o; // NULL: the order of the source
};

// True if the write W comes before R. READ: before its read, not before its write.
static bool reorder_before(const struct reorder *r, struct instance w, struct instance x,
                           bool read) {
  unsigned a = w.of->part, b = x.of->part;
  bool apart = r->t->n_parts ? r->o != NULL : r->o == NULL; // each part has its own loops
  int parts = (a > b) - (a < b), d = apart ? parts : 0;
  for (unsigned i = 0; !r->o && d == 0 && i < w.of->depth; i++)
    d = (w.at->at[i] > x.at->at[i]) - (w.at->at[i] < x.at->at[i]);
  if (r->o && d == 0)
    d = order_compare(r->o, w.at->at, x.at->at);
  unsigned from = r->o ? r->o->n_loops : w.of->depth;
  d = d ? d : parts;
  return (d ? d : trial_compare(from, w.of, w.at, false, x.of, x.at, read)) < 0;
}

// True if W only adds to what X reads, as X itself does.
static bool reorder_is_sum(struct instance w, struct instance x) {
  return x.of->x->sum && w.of->x->sum == x.of->x->sum;
}

// Calls VISIT for each write of X's element. True: VISIT returned true.
static bool reorder_any_write(const struct trial *t, struct instance x,
                              bool (*visit)(struct instance w, void *data), void *data) {
  for (unsigned i = 0; i < t->n; i++) {
    const struct points *p = &t->all[i];
    for (unsigned j = 0; p->x->write && p->x->array == x.of->x->array && j < p->n; j++) {
      struct instance w = { p, &p->list[j] };
      if (w.at != x.at && trial_same(p, w.at, x.of, x.at) && visit(w, data))
        return true;
    }
  }
  return false;
}

struct search {
  struct reorder r;
  struct instance x, last; // LAST: the last write before X that is no sum
  struct reorder other;    // for sums
  struct instance other_last;
};

static bool reorder_visit_write(struct instance w, void *data) {
  struct search *s = data;
  if (!w.of->x->sum && reorder_before(&s->r, w, s->x, true) &&
      (!s->last.of || reorder_before(&s->r, s->last, w, false)))
    s->last = w;
  return false;
}

static struct instance reorder_last(const struct reorder *r, struct instance x) {
  struct search s = { .r = *r, .x = x };
  reorder_any_write(r->t, x, reorder_visit_write, &s);
  return s.last;
}

// True if the sum W counts in what X reads in one of the two orders only.
static bool reorder_visit_sum(struct instance w, void *data) {
  struct search *s = data;
  if (!w.of->x->sum || reorder_is_sum(w, s->x))
    return false;
  bool in = reorder_before(&s->r, w, s->x, true) &&
      (!s->last.of || reorder_before(&s->r, s->last, w, false));
  bool other = reorder_before(&s->other, w, s->x, true) &&
      (!s->other_last.of || reorder_before(&s->other, s->other_last, w, false));
  if (in != other)
    s->other_last = w;
  return in != other;
}

// Returns the write that makes X read another value in the order O; `of` NULL: none does.
static struct instance reorder_broken(const struct trial *t, const struct order *o,
                                      struct instance x) {
  struct reorder source = { t, NULL }, made = { t, o };
  struct instance before = reorder_last(&source, x), after = reorder_last(&made, x);
  struct instance none = { 0 };
  if (before.at != after.at) {
    const struct point *third = before.of && after.of ? after.at : NULL;
    struct instance w = before.of ? before : after;
    return trial_reaches(t, x.at, w.at, third) ? w : none;
  }
  struct search s = { source, x, before, made, after };
  bool found = reorder_any_write(t, x, reorder_visit_sum, &s);
  return found && trial_reaches(t, x.at, s.other_last.at, NULL) ? s.other_last : none;
}

// True if all writes of A in T's nest are known, and are in its innermost loop.
static bool reorder_knows(const struct trial *t, const struct array *a) {
  unsigned writes = 0, known = 0;
  for (unsigned i = 0; i < t->m->n_accesses; i++) {
    const struct access *x = &t->m->accesses[i];
    writes += x->array == a && x->write && trial_holds(t, x->node);
  }
  for (unsigned i = 0; i < t->n; i++)
    known += t->all[i].x->array == a && t->all[i].x->write &&
        t->all[i].depth == t->loops.n_loops;
  return known > 0 && known >= writes;
}

static struct conflict reorder_make(const struct trial *t, const struct order *list,
                                    unsigned n, struct instance x, struct instance w) {
  struct conflict c = { w.of, x.of, list[n - 1].last };
  for (unsigned i = 0; i < n; i++) // the first directive that does it
    if (reorder_broken(t, &list[i], x).of) {
      c.d = list[i].last;
      break;
    }
  return c;
}

struct conflict reorder_find(const struct trial *t, const struct order *list,
                             unsigned n) {
  for (unsigned i = 0; i < t->n; i++) {
    const struct points *p = &t->all[i];
    if (!p->x->read || p->depth != t->loops.n_loops || !reorder_knows(t, p->x->array))
      continue;
    for (unsigned j = 0; j < p->n; j++) {
      struct instance x = { p, &p->list[j] }, w = reorder_broken(t, &list[n - 1], x);
      if (w.of)
        return reorder_make(t, list, n, x, w);
    }
  }
  return (struct conflict){ 0 };
}
