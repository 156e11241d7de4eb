// SPDX-License-Identifier: Apache-2.0
// poly.c: integer polynomials. Terms are sorted by their monomials; no coefficient is 0.
#include <string.h>

#include "analysis.h"

#define MAX_TERMS 48

const struct poly poly_unknown = { 0 };

static struct poly poly_none(void) {
  return (struct poly){ .known = true };
}

struct poly poly_int(int64_t c) {
  struct poly p = poly_none();
  if (c)
    *GROW(p.terms, p.n) = (struct term){ 0, c };
  return p;
}

struct poly poly_atom(unsigned atom) {
  struct poly p = poly_none();
  *GROW(p.terms, p.n) = (struct term){ atom + 1, 1 };
  return p;
}

struct poly poly_add(struct poly a, struct poly b, int64_t times) {
  struct poly p = poly_none();
  if (!a.known || !b.known)
    return poly_unknown;
  for (unsigned i = 0, j = 0; i < a.n || j < b.n;) {
    bool left = i < a.n && (j == b.n || a.terms[i].m <= b.terms[j].m);
    bool right = j < b.n && (i == a.n || b.terms[j].m <= a.terms[i].m);
    struct term t = { left ? a.terms[i].m : b.terms[j].m, left ? a.terms[i].c : 0 };
    int64_t more = 0;
    if (right &&
        (__builtin_mul_overflow(b.terms[j].c, times, &more) ||
         __builtin_add_overflow(t.c, more, &t.c)))
      return poly_unknown;
    i += left, j += right;
    if (t.c)
      *GROW(p.terms, p.n) = t;
  }
  return p.n > MAX_TERMS ? poly_unknown : p;
}

// Sets *OUT to A * B. False: more than eight atoms.
static bool poly_multiply(monomial a, monomial b, monomial *out) {
  unsigned char atoms[16];
  unsigned n = 0;
  for (; a; a >>= 8)
    atoms[n++] = a & 255;
  for (; b; b >>= 8)
    atoms[n++] = b & 255;
  for (unsigned i = 1; i < n; i++)
    for (unsigned j = i; j > 0 && atoms[j - 1] < atoms[j]; j--) {
      unsigned char c = atoms[j];
      atoms[j] = atoms[j - 1];
      atoms[j - 1] = c;
    }
  *out = 0;
  for (unsigned i = n; i-- > 0 && n <= 8;)
    *out = *out << 8 | atoms[i];
  return n <= 8;
}

struct poly poly_mul(struct poly a, struct poly b) {
  struct poly p = poly_none();
  if (!a.known || !b.known || a.n > MAX_TERMS / 2 || b.n > MAX_TERMS / 2)
    return poly_unknown;
  for (unsigned i = 0; i < a.n; i++)
    for (unsigned j = 0; j < b.n; j++) {
      struct term t;
      struct poly one = { &t, 1, true };
      if (!poly_multiply(a.terms[i].m, b.terms[j].m, &t.m) ||
          __builtin_mul_overflow(a.terms[i].c, b.terms[j].c, &t.c))
        return poly_unknown;
      p = poly_add(p, one, 1);
    }
  return p;
}

bool poly_same(struct poly a, struct poly b) {
  bool same = a.known && b.known && a.n == b.n;
  for (unsigned i = 0; same && i < a.n; i++)
    same = a.terms[i].m == b.terms[i].m && a.terms[i].c == b.terms[i].c;
  return same;
}

bool poly_is_int(struct poly p, int64_t *c) {
  *c = p.n ? p.terms[0].c : 0;
  return p.known && (p.n == 0 || (p.n == 1 && p.terms[0].m == 0));
}

static unsigned poly_power(monomial m, unsigned atom) {
  unsigned n = 0;
  for (; m; m >>= 8)
    n += (m & 255) == atom + 1;
  return n;
}

bool poly_has(struct poly p, unsigned atom) {
  for (unsigned i = 0; i < p.n; i++)
    if (poly_power(p.terms[i].m, atom))
      return true;
  return false;
}

// Returns M divided by ATOM.
static monomial poly_without(monomial m, unsigned atom) {
  monomial low = 0;
  for (unsigned shift = 0; m; m >>= 8, shift += 8) {
    if ((m & 255) == atom + 1)
      return low | (m >> 8) << shift;
    low |= (m & 255) << shift;
  }
  return low;
}

struct poly poly_lower(struct poly p, unsigned atom, struct poly *rest) {
  struct poly c = poly_none(), other = poly_none();
  for (unsigned i = 0; i < p.n; i++) {
    struct term t = p.terms[i];
    struct poly one = { &t, 1, true };
    bool has = poly_power(t.m, atom) > 0;
    t.m = has ? poly_without(t.m, atom) : t.m;
    if (has)
      c = poly_add(c, one, 1);
    else
      other = poly_add(other, one, 1);
  }
  *rest = p.known ? other : poly_unknown;
  return p.known ? c : poly_unknown;
}

struct poly poly_coefficient(struct poly p, unsigned atom, struct poly *rest) {
  struct poly c = poly_lower(p, atom, rest);
  return poly_has(c, atom) ? (*rest = poly_unknown) : c;
}

struct poly poly_replace(struct poly p, unsigned atom, struct poly by) {
  struct poly rest, c = poly_coefficient(p, atom, &rest);
  return poly_add(rest, poly_mul(c, by), 1);
}

struct poly poly_rename(struct poly p, const bool *moved, unsigned n, unsigned delta) {
  struct poly out = poly_none();
  for (unsigned i = 0; i < p.n; i++) {
    struct term t = { 0, p.terms[i].c };
    struct poly one = { &t, 1, true };
    for (monomial m = p.terms[i].m; m; m >>= 8) {
      unsigned atom = (unsigned)(m & 255) - 1;
      poly_multiply(t.m, atom + 1 + (atom < n && moved[atom] ? delta : 0), &t.m);
    }
    out = poly_add(out, one, 1);
  }
  return p.known ? out : poly_unknown;
}

// Sets *OUT to M / BY. False: not divisible.
static bool analysis_poly_divide(monomial m, monomial by, monomial *out) {
  for (; by; by >>= 8) {
    unsigned atom = (unsigned)(by & 255) - 1;
    if (!poly_power(m, atom))
      return false;
    m = poly_without(m, atom);
  }
  *out = m;
  return true;
}

struct poly poly_divide(struct poly p, struct poly by, struct poly *rest) {
  struct poly quotient = poly_none();
  *rest = poly_none();
  if (!p.known || !by.known || by.n == 0)
    return *rest = poly_unknown;
  struct term lead = by.terms[by.n - 1];
  for (unsigned steps = 0; p.known && p.n && steps < 4 * MAX_TERMS; steps++) {
    struct term last = p.terms[p.n - 1], t;
    struct poly one = { &t, 1, true };
    if (analysis_poly_divide(last.m, lead.m, &t.m) && last.c % lead.c == 0) {
      t.c = last.c / lead.c;
      quotient = poly_add(quotient, one, 1);
      p = poly_add(p, poly_mul(one, by), -1);
    } else {
      t = last;
      *rest = poly_add(*rest, one, 1);
      p = poly_add(p, one, -1);
    }
  }
  return p.known && p.n == 0 ? quotient : (*rest = poly_unknown);
}
