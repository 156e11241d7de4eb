// SPDX-License-Identifier: Apache-2.0
// rows.c: the section of an array whose rows are reached through pointers, such as
// `double **a`. Of each subscript it reaches from the least to the greatest value, since
// rows that are not used may not exist. All rows count as equally long.
#include "analysis.h"
#include "front/kernel/kernel.h"

enum { MAX_ENDS = 2 };
struct rows_ends { // the least or the greatest values: one of these is the end
  struct poly list[MAX_ENDS];
  unsigned n;
};

// True if A is at least as far as B, at the end UP, wherever the access of B runs.
static bool rows_beyond(const struct ends *a, const struct ends *b, bool up) {
  struct poly difference = up ? poly_add(a->last, b->last, -1)
                              : poly_add(b->low, a->low, -1);
  return system_implies(&b->facts, difference);
}

// Finds those of the N values LIST beyond which there is none. CONDITIONAL: also those
// that a condition may leave out. False: too many, or what a condition keeps within the
// array is written. *BEYOND: an access that is kept so and reads.
static bool rows_find_ends(const struct model *m, const struct ends *list, unsigned n,
                           bool up, bool conditional, struct rows_ends *ends,
                           TSNode *beyond) {
  for (unsigned i = 0; i < n; i++) {
    bool last = true;
    for (unsigned j = 0; j < n && last; j++)
      last = j == i || !rows_beyond(&list[j], &list[i], up) ||
          (rows_beyond(&list[i], &list[j], up) &&
           list[i].certain + (i < j) > list[j].certain);
    if (!last)
      continue;
    if (ends->n == MAX_ENDS || (!list[i].certain && !conditional))
      return false;
    if (!list[i].certain && section_is_kept_in(m, list[i].x)) {
      *beyond = list[i].x->node;
      if (list[i].x->array->written)
        return false;
    }
    ends->list[ends->n++] = up ? list[i].last : list[i].low;
  }
  return ends->n > 0;
}

static const char *rows_end_text(const struct model *m, const struct rows_ends *e,
                                 bool up) {
  if (e->n == 1)
    return poly_text(m, e->list[0], POLY_VALUE);
  enum poly_use use = poly_compared(m, e->list[0], e->list[1]);
  const char *a = poly_text(m, e->list[0], use), *b = poly_text(m, e->list[1], use);
  return arena_printf("(%s %c %s ? %s : %s)", a, up ? '>' : '<', b, a, b);
}

// Adds the dimension whose values are LIST.
static bool rows_dim(const struct model *m, const struct ends *list, unsigned n,
                     bool conditional, struct section *x, TSNode *beyond) {
  struct rows_ends low = { 0 }, last = { 0 };
  if (!rows_find_ends(m, list, n, false, conditional, &low, beyond) ||
      !rows_find_ends(m, list, n, true, conditional, &last, beyond))
    return false;
  const char *from = rows_end_text(m, &low, false), *to = rows_end_text(m, &last, true);
  struct poly length = poly_add(poly_add(last.list[0], low.list[0], -1), poly_int(1), 1);
  const char *text = low.n == 1 && last.n == 1
      ? poly_text(m, length, POLY_VALUE)
      : arena_printf("(long long)(%s) - (%s) + 1", to, from);
  *GROW(x->dims, x->n_dims) =
      (struct section_dim){ poly_same(low.list[0], poly_int(0)) && low.n == 1
                                ? (struct slice){ 0 }
                                : slice_of(from),
                            slice_of(text) };
  return true;
}

const char *rows_section(struct model *m, const struct array *a, struct section *x,
                         struct ends *assumed, TSNode *at, TSNode *beyond) {
  for (unsigned dim = 0; dim < a->rank; dim++) {
    struct ends *list = NULL;
    unsigned n = 0;
    for (unsigned i = 0; i < m->n_accesses; i++) {
      const struct access *use = &m->accesses[i];
      if (use->array != a)
        continue;
      struct ends *r = GROW(list, n);
      const char *why = use->why ? use->why
                                 : section_reach(m, use, use->index[dim], true, r);
      *at = use->node;
      if (why)
        return why;
      for (unsigned j = 0; j < r->n_guards && r->certain; j++)
        *GROW(assumed->guards, assumed->n_guards) = r->guards[j];
    }
    const bool last = dim + 1 == a->rank; // which leads to no pointer
    *at = a->home;
    if (!rows_dim(m, list, n, last && !m->jumps, x, beyond))
      return "it cannot be told which of its elements is the last";
  }
  return NULL;
}
