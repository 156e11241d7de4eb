// SPDX-License-Identifier: Apache-2.0
// solve.c: Fourier and Motzkin's elimination over the monomials of a system, each treated
// as an unknown of its own, with the tightening that integers allow (Pugh, "The Omega
// test", 1991, section 2: equalities by substitution, bounds rounded). If the system
// grows too large, the answer is that it may have a solution.
#include <string.h>

#include "analysis.h"

enum { MAX_COLUMNS = 40, MAX_ROWS = 256, MAX_LOW = 4 };

struct row {
  int64_t c[MAX_COLUMNS], constant;
  bool equal;
};
struct table {
  struct row *rows, *spare;
  unsigned n, columns;
  monomial of[MAX_COLUMNS];
  bool overflow;
};

void system_add(struct system *s, struct poly p, bool equal) {
  if (p.known) // an unknown polynomial proves nothing
    *GROW(s->facts, s->n) = (struct fact){ p, equal };
}

static uint64_t solve_gcd(uint64_t a, uint64_t b) {
  while (b) {
    uint64_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}

static uint64_t solve_magnitude(int64_t c) {
  return c < 0 ? -(uint64_t)c : (uint64_t)c;
}

enum verdict { ROW_FINE, ROW_EMPTY, ROW_FALSE };

static enum verdict solve_tighten(struct row *r, unsigned columns) {
  uint64_t g = 0;
  for (unsigned i = 0; i < columns; i++)
    g = solve_gcd(g, solve_magnitude(r->c[i]));
  if (g == 0)
    return r->constant < 0 || (r->equal && r->constant) ? ROW_FALSE : ROW_EMPTY;
  if (g > INT64_MAX)
    return ROW_FINE;
  int64_t d = (int64_t)g, over = r->constant % d;
  if (r->equal && over)
    return ROW_FALSE;
  for (unsigned i = 0; i < columns; i++)
    r->c[i] /= d;
  r->constant = r->constant / d - (over < 0);
  return ROW_FINE;
}

// Sets OUT to A * X + B * Y.
static bool solve_combine(const struct table *t, const struct row *x, int64_t a,
                          const struct row *y, int64_t b, struct row *out) {
  bool bad = a == INT64_MIN || b == INT64_MIN;
  int64_t p, q;
  *out = (struct row){ .equal = x->equal && y->equal };
  for (unsigned i = 0; i < t->columns; i++)
    bad |= __builtin_mul_overflow(x->c[i], a, &p) ||
        __builtin_mul_overflow(y->c[i], b, &q) ||
        __builtin_add_overflow(p, q, &out->c[i]) || out->c[i] == INT64_MIN;
  bad |= __builtin_mul_overflow(x->constant, a, &p) ||
      __builtin_mul_overflow(y->constant, b, &q) ||
      __builtin_add_overflow(p, q, &out->constant);
  return !bad;
}

// Adds R. False: R can never hold.
static bool add_row(struct table *t, struct row *r) {
  enum verdict v = solve_tighten(r, t->columns);
  if (v != ROW_FINE)
    return v != ROW_FALSE;
  for (unsigned i = 0; i < t->n; i++)
    if (!r->equal && !t->rows[i].equal &&
        memcmp(r->c, t->rows[i].c, t->columns * sizeof *r->c) == 0) {
      if (r->constant < t->rows[i].constant)
        t->rows[i].constant = r->constant;
      return true;
    }
  if (t->n == MAX_ROWS)
    t->overflow = true;
  else
    t->rows[t->n++] = *r;
  return true;
}

static unsigned solve_column(struct table *t, monomial m) {
  for (unsigned i = 0; i < t->columns; i++)
    if (t->of[i] == m)
      return i;
  if (t->columns == MAX_COLUMNS) {
    t->overflow = true;
    return 0;
  }
  t->of[t->columns] = m;
  return t->columns++;
}

static bool solve_fill(struct table *t, const struct system *s) {
  for (unsigned i = 0; i < s->n; i++) // all columns before any row
    for (unsigned j = 0; j < s->facts[i].p.n; j++)
      if (s->facts[i].p.terms[j].m)
        solve_column(t, s->facts[i].p.terms[j].m);
  for (unsigned i = 0; i < s->n && !t->overflow; i++) {
    struct row r = { .equal = s->facts[i].equal };
    for (unsigned j = 0; j < s->facts[i].p.n; j++) {
      struct term term = s->facts[i].p.terms[j];
      t->overflow = t->overflow || term.c == INT64_MIN;
      if (term.m)
        r.c[solve_column(t, term.m)] = term.c;
      else
        r.constant = term.c;
    }
    if (!add_row(t, &r))
      return false;
  }
  return true;
}

// Returns the current rows; new ones go to the other block of memory.
static struct row *solve_exchange(struct table *t) {
  struct row *old = t->rows;
  t->rows = t->spare;
  t->spare = old;
  return old;
}

// Solves row WHICH, in which C has the coefficient ±1, for C, and replaces C in all other
// rows. False: the system has no solution.
static bool solve_substitute(struct table *t, unsigned which, unsigned c) {
  struct row by = t->rows[which], *old = solve_exchange(t);
  unsigned n = t->n;
  t->n = 0;
  for (unsigned i = 0; i < n && !t->overflow; i++) {
    struct row r = old[i];
    if (i == which)
      continue;
    if (r.c[c] && !solve_combine(t, &old[i], 1, &by, -old[i].c[c] * by.c[c], &r))
      t->overflow = true;
    r.equal = old[i].equal;
    if (!add_row(t, &r))
      return false;
  }
  return true;
}

// False: there is no solution.
static bool use_equalities(struct table *t) {
  for (unsigned i = 0; i < t->n && !t->overflow; i++)
    for (unsigned c = 0; t->rows[i].equal && c < t->columns; c++)
      if (solve_magnitude(t->rows[i].c[c]) == 1) {
        if (!solve_substitute(t, i, c))
          return false;
        i = UINT32_MAX; // from the first again
        break;
      }
  for (unsigned i = 0, n = t->n; i < n && !t->overflow; i++)
    if (t->rows[i].equal) { // the remaining equations become two inequalities each
      struct row r = { 0 }, zero = { 0 };
      t->rows[i].equal = false;
      if (!solve_combine(t, &t->rows[i], -1, &zero, 0, &r))
        t->overflow = true;
      else if (!add_row(t, &r))
        return false;
    }
  return true;
}

// Returns the column whose elimination makes the fewest rows; COLUMNS: all are
// eliminated.
static unsigned solve_cheapest(const struct table *t) {
  unsigned best = t->columns;
  uint64_t least = UINT64_MAX;
  for (unsigned c = 0; c < t->columns; c++) {
    uint64_t below = 0, above = 0;
    for (unsigned i = 0; i < t->n; i++) {
      below += t->rows[i].c[c] > 0;
      above += t->rows[i].c[c] < 0;
    }
    if ((below || above) && below * above < least) {
      least = below * above;
      best = c;
    }
  }
  return best;
}

static bool solve_eliminate(struct table *t, unsigned c) {
  struct row *old = solve_exchange(t);
  unsigned n = t->n;
  t->n = 0;
  for (unsigned i = 0; i < n; i++)
    if (old[i].c[c] == 0)
      t->rows[t->n++] = old[i];
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < n && !t->overflow; j++) {
      struct row r;
      if (old[i].c[c] <= 0 || old[j].c[c] >= 0)
        continue;
      if (!solve_combine(t, &old[i], -old[j].c[c], &old[j], old[i].c[c], &r))
        t->overflow = true;
      else if (!add_row(t, &r))
        return false;
    }
  return true;
}

bool system_feasible(const struct system *s) {
  struct row blocks[2][MAX_ROWS];
  struct table t = { .rows = blocks[0], .spare = blocks[1] };
  if (!solve_fill(&t, s) || !use_equalities(&t))
    return false;
  for (unsigned c; !t.overflow && (c = solve_cheapest(&t)) < t.columns;)
    if (!solve_eliminate(&t, c))
      return false;
  return true;
}

static bool solve_implies(const struct system *s, struct poly p) {
  struct system not = { 0 };
  for (unsigned i = 0; i < s->n; i++)
    system_add(&not, s->facts[i].p, s->facts[i].equal);
  system_add(&not, poly_add(poly_int(-1), p, -1), false);
  return !system_feasible(&not);
}

// Returns P with X + LOW in place of each X for which S has a lower bound LOW, so that no
// X is negative.
static struct poly solve_shift(const struct system *s, struct poly p, bool *fine) {
  struct poly out = p;
  bool done[256] = { false };
  for (unsigned i = 0; i < p.n; i++)
    for (monomial m = p.terms[i].m; m && *fine; m >>= 8) {
      unsigned atom = (unsigned)(m & 255) - 1;
      int64_t low = MAX_LOW;
      struct poly x = poly_atom(atom);
      if (done[atom])
        continue;
      while (low >= 0 && !solve_implies(s, poly_add(x, poly_int(low), -1)))
        low--;
      *fine = low >= 0;
      done[atom] = true;
      struct poly power = out, rest;
      out = poly_int(0);
      for (struct poly times = poly_int(1), by = poly_add(x, poly_int(low), 1);
           power.known && power.n; times = poly_mul(times, by)) {
        struct poly next = poly_lower(power, atom, &rest); // power = next * x + rest
        out = poly_add(out, poly_mul(rest, times), 1);
        power = next;
      }
      if (!power.known)
        out = poly_unknown;
    }
  return out;
}

bool system_implies(const struct system *s, struct poly p) {
  bool products = false, fine = true;
  if (!p.known || solve_implies(s, p))
    return p.known;
  for (unsigned i = 0; i < p.n; i++)
    products = products || p.terms[i].m >> 8;
  if (!products)
    return false;
  p = solve_shift(s, p, &fine);
  for (unsigned i = 0; i < p.n; i++)
    fine = fine && p.terms[i].c > 0;
  return p.known && fine;
}
