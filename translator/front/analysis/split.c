// SPDX-License-Identifier: Apache-2.0
// split.c: treats a subscript i * n + j as the two subscripts [i][j] if all subscripts of
// the array have that form and 0 <= j < n holds whenever they are evaluated (Maslov,
// "Delinearization", 1992). Two elements are then the same exactly where both subscripts
// are. It begins with the smallest stride, so that the rest can be split again.
#include <string.h>

#include "analysis.h"

// Returns C divided by the greatest common divisor of its coefficients.
static struct poly split_primitive(struct poly c) {
  struct poly rest;
  int64_t g = 0;
  for (unsigned i = 0; i < c.n; i++)
    for (int64_t b = c.terms[i].c, t; b;) {
      t = g % b;
      g = b;
      b = t;
    }
  g = c.n && (c.terms[c.n - 1].c < 0) != (g < 0) ? -g : g;
  return g ? poly_divide(c, poly_int(g), &rest) : poly_unknown;
}

static unsigned split_degree(struct poly p) {
  unsigned n = 0;
  for (monomial m = p.n ? p.terms[p.n - 1].m : 0; m; m >>= 8)
    n++;
  return n;
}

// True if stride A has a lower degree than B, or is the smaller of two numbers.
static bool is_smaller(struct poly a, struct poly b) {
  int64_t x, y;
  if (poly_is_int(a, &x) && poly_is_int(b, &y))
    return x < y;
  return split_degree(a) < split_degree(b);
}

// Returns the smallest stride other than 1 in A's first subscripts; unknown: A has none.
// NAMED: ignores strides that are numbers.
static struct poly find_stride(const struct model *m, const struct array *a, bool named) {
  struct poly best = poly_unknown, rest;
  int64_t number;
  for (unsigned i = 0; i < m->n_accesses; i++) {
    const struct access *x = &m->accesses[i];
    for (const struct iter *l = x->array == a ? x->loop : NULL; l; l = l->outer) {
      struct poly c = poly_coefficient(x->index[0], l->atom, &rest);
      if (!c.known)
        return poly_unknown;
      bool is_number = poly_is_int(c, &number);
      if (is_number && number < 0)
        c = poly_int(number == INT64_MIN ? 0 : -number);
      if (is_number && (named || (number >= -1 && number <= 1)))
        continue;
      c = is_number ? c : split_primitive(c);
      if (!best.known || is_smaller(c, best))
        best = c;
    }
  }
  return best;
}

struct split_needs { // what must be >= 0 in a call for a split to be right
  struct poly *list;
  unsigned n;
};

// Returns the least value of P in LOOP and the loops around it; unknown: not found.
static struct poly split_least(const struct iter *loop, struct poly p) {
  struct poly rest;
  int64_t number;
  for (const struct iter *l = loop; l && p.known; l = l->outer) {
    struct poly c = poly_coefficient(p, l->atom, &rest);
    if (!poly_is_int(c, &number))
      return poly_unknown;
    if (number)
      p = poly_replace(p, l->atom, number > 0 ? l->from : l->to);
  }
  return p;
}

// True if P >= 0 in all iterations around X, which S holds, or because of NEEDS, to which
// what P needs is added. NEEDS may be NULL. OF: what P must still have then; or unknown.
static bool split_holds(const struct access *x, const struct system *s, struct poly p,
                        struct poly of, struct split_needs *needs) {
  int64_t number;
  if (system_implies(s, p))
    return true;
  struct poly least = needs ? split_least(x->loop, p) : poly_unknown;
  if (!least.known || poly_is_int(least, &number))
    return false;
  struct poly other = of.known ? poly_add(least, of, -1) : least;
  for (unsigned i = 0; of.known && i < other.n; i++)
    for (unsigned j = 0; j < of.n; j++)
      if (other.terms[i].m == of.terms[j].m)
        return false;
  *GROW(needs->list, needs->n) = least;
  return true;
}

// Splits X's first subscript into *QUOTIENT * STRIDE + *REST. False unless REST is within
// [0, STRIDE), perhaps because of NEEDS (as in split_holds).
static bool split(const struct model *m, const struct access *x, struct poly stride,
                  struct poly *quotient, struct poly *rest, struct split_needs *needs) {
  struct poly left = x->index[0], over;
  struct system s = { 0 };
  int64_t number;
  *quotient = *rest = poly_int(0);
  for (const struct iter *l = x->loop; l; l = l->outer) {
    struct poly c = poly_coefficient(left, l->atom, &left), atom = poly_atom(l->atom);
    struct poly q = poly_divide(c, stride, &over);
    if (!q.known || !over.known || !poly_is_int(over, &number))
      return false;
    *quotient = poly_add(*quotient, poly_mul(q, atom), 1); // of a[i * n + i] both
    *rest = poly_add(*rest, atom, number);
  }
  *quotient = poly_add(*quotient, poly_divide(left, stride, &over), 1);
  *rest = poly_add(*rest, over, 1);
  model_facts(m, x->loop, &s);
  struct poly room = poly_add(poly_add(stride, *rest, -1), poly_int(1), -1);
  return quotient->known && rest->known &&
      split_holds(x, &s, *rest, poly_unknown, needs) &&
      split_holds(x, &s, room, stride, needs);
}

static bool split_all(struct model *m, struct array *a, struct poly stride,
                      struct split_needs *needs) {
  struct poly *parts = arena_alloc(2 * (m->n_accesses + 1) * sizeof *parts);
  for (unsigned i = 0; i < m->n_accesses; i++)
    if (m->accesses[i].array == a &&
        !split(m, &m->accesses[i], stride, &parts[2 * i], &parts[2 * i + 1], needs))
      return false;
  for (unsigned i = 0; i < m->n_accesses; i++) {
    struct access *x = &m->accesses[i];
    if (x->array != a)
      continue;
    for (unsigned j = x->n++; j > 1; j--)
      x->index[j] = x->index[j - 1];
    x->index[0] = parts[2 * i];
    x->index[1] = parts[2 * i + 1];
  }
  return true;
}

static bool may_split(const struct model *m, const struct array *a) {
  for (unsigned i = 0; i < m->n_accesses; i++)
    if (m->accesses[i].array == a && (m->accesses[i].why || m->accesses[i].n > 1))
      return false;
  return !a->why && a->rank == 1;
}

void split_arrays(struct model *m) {
  for (unsigned i = 0; i < m->n_arrays; i++) {
    struct array *a = m->arrays[i];
    bool more = may_split(m, a);
    while (more && a->n_strides < MAX_SUBSCRIPTS - 1) {
      struct poly stride = find_stride(m, a, false);
      more = stride.known && split_all(m, a, stride, NULL);
      if (!more) {
        stride = find_stride(m, a, true);
        more = stride.known && split_all(m, a, stride, NULL);
      }
      if (more)
        a->strides[a->n_strides++] = stride;
    }
  }
}

// True if some call fulfils NEEDS together with what M assumes.
static bool split_is_possible(const struct model *m, const struct split_needs *needs) {
  struct system s = { 0 };
  model_facts(m, NULL, &s);
  for (unsigned i = 0; i < needs->n; i++)
    system_add(&s, needs->list[i], false);
  return system_feasible(&s);
}

void split_assume(struct model *m) {
  for (unsigned i = 0; i < m->n_arrays; i++) {
    struct array *a = m->arrays[i];
    struct split_needs needs = { 0 };
    struct poly stride = find_stride(m, a, true);
    bool loops = false;
    for (unsigned j = 0; stride.known && j < m->n_atoms; j++)
      loops |= m->is_loop[j] && poly_has(stride, j);
    if (!may_split(m, a) || !stride.known || loops)
      continue;
    struct access *before = arena_alloc((m->n_accesses + 1) * sizeof *before);
    memcpy(before, m->accesses, m->n_accesses * sizeof *before);
    if (!split_all(m, a, stride, &needs))
      continue;
    if (!split_is_possible(m, &needs)) {
      memcpy(m->accesses, before, m->n_accesses * sizeof *before);
      continue;
    }
    a->strides[a->n_strides++] = stride;
    for (unsigned j = 0; j < needs.n; j++)
      *GROW(m->assumed, m->n_assumed) = needs.list[j];
  }
}
