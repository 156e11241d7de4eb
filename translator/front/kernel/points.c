// SPDX-License-Identifier: Apache-2.0
// points.c: counts the variants, and checks that constraints over params alone leave one.
#include "kernel.h"

#define MAX_POINTS 1000000
#define MAX_WORK 50000000 // bytes of constraints, times points

struct walk {
  const struct kernel *k;
  struct expr **constraints; // NULL: a constraint that expr.c cannot parse
  unsigned *point;
  bool *fixed;    // params that stay at their first value
  unsigned limit; // the most points that are visited
};

static bool points_varies(const struct walk *w, unsigned i) {
  const struct param *p = &w->k->params[i];
  if (w->fixed && w->fixed[i])
    return false;
  return p->when < 0 || w->k->params[p->when].values[w->point[p->when]].i != 0;
}

// Moves to the next point in lexicographic order. Params that do not matter stay at 0,
// and params after the changed one restart.
static bool points_next(struct walk *w) {
  for (unsigned i = w->k->n_params; i-- > 0;) {
    if (points_varies(w, i) && w->point[i] + 1 < w->k->params[i].n_values) {
      w->point[i]++;
      return true;
    }
    w->point[i] = 0;
  }
  return false;
}

// False if constraint I certainly forbids the point. *DEPENDS is set if that is unknown.
static bool points_allows(const struct walk *w, unsigned i, bool *depends) {
  struct number n = { 0 };
  if (w->constraints[i])
    n = expr_value(w->constraints[i], w->k, w->point);
  *depends = *depends || !n.known;
  return !n.known || number_true(n);
}

static struct walk points_begin(const struct kernel *k) {
  struct walk w = { .k = k, .point = arena_alloc((k->n_params + 1) * sizeof *w.point) };
  w.constraints = arena_alloc((k->n_constraints + 1) * sizeof *w.constraints);
  size_t work = 1 + k->n_params;
  for (unsigned i = 0; i < k->n_constraints; i++) {
    w.constraints[i] = expr_parse(k, k->constraints[i]);
    work += k->constraints[i].size;
  }
  w.limit = MAX_WORK / work < MAX_POINTS ? (unsigned)(MAX_WORK / work) : MAX_POINTS;
  return w;
}

struct point_count points_count(const struct kernel *k) {
  struct point_count c = { 0 };
  struct walk w = points_begin(k);
  do {
    bool allowed = true, depends = false;
    for (unsigned i = 0; i < k->n_constraints && allowed; i++)
      allowed = points_allows(&w, i, &depends);
    c.all++;
    c.allowed += allowed;
    c.depends = c.depends || (allowed && depends);
    c.more = c.all >= w.limit;
  } while (!c.more && points_next(&w));
  return c;
}

static bool points_mentions(const struct kernel *k, unsigned param) {
  for (unsigned i = 0; i < k->n_constraints; i++) {
    struct lexer l = lexer_of(k->constraints[i]);
    for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l))
      if (t.kind == TOKEN_WORD && slice_is(t.text, k->params[param].name))
        return true;
  }
  return false;
}

// A constraint over arguments is taken to allow the code as written.
bool points_default(const struct kernel *k, unsigned *point) {
  struct walk w = points_begin(k);
  bool allowed = true, depends = false, written = true;
  for (unsigned i = 0; i < k->n_params; i++) {
    const struct param *p = &k->params[i];
    bool known = p->original < p->n_values;
    written = written && (known || !p->macro || !points_mentions(k, i));
    w.point[i] = point[i] = known ? p->original : 0;
  }
  for (unsigned i = 0; i < k->n_constraints && allowed; i++)
    allowed = points_allows(&w, i, &depends);
  return allowed && (written || !depends);
}

// True if no point satisfies the constraints [FIRST, END).
static bool nothing_left(struct walk *w, unsigned first, unsigned end) {
  unsigned tried = 0;
  for (unsigned i = 0; i < w->k->n_params; i++)
    w->point[i] = 0;
  do {
    bool allowed = true, depends = false;
    for (unsigned i = first; i < end && allowed; i++)
      allowed = points_allows(w, i, &depends);
    if (allowed)
      return false;
  } while (++tried < w->limit && points_next(w));
  return tried < w->limit;
}

// True if the constraints leave one point for sure, that of the code as written. W->point
// is it then.
static bool points_one_left(struct walk *w) {
  unsigned tried = 0, left = 0, written = 0;
  for (unsigned i = 0; i < w->k->n_params; i++) {
    if (w->fixed[i] && w->k->params[i].n_values > 1)
      return false;
    w->point[i] = 0;
  }
  do {
    bool allowed = true, depends = false, as_written = true;
    for (unsigned i = 0; i < w->k->n_constraints && allowed; i++)
      allowed = points_allows(w, i, &depends);
    if (depends)
      return false;
    for (unsigned i = 0; i < w->k->n_params; i++)
      as_written &= w->point[i] == w->k->params[i].original;
    left += allowed;
    written += allowed && as_written;
  } while (left < 2 && ++tried < w->limit && points_next(w));
  return left == 1 && written == 1 && tried > 1 && tried < w->limit;
}

void points_check(const struct source *s, const struct kernel *k) {
  struct walk w = points_begin(k);
  w.fixed = arena_alloc(k->n_params + 1);
  for (unsigned i = 0; i < k->n_params; i++)
    w.fixed[i] = !k->params[i].named || !points_mentions(k, i);
  for (unsigned i = 0; i < k->n_constraints; i++)
    if (nothing_left(&w, i, i + 1)) {
      diag_error(s, pragma_offset(k->main.pragma, k->constraints[i]),
                 k->constraints[i].size, NULL, "this constraint leaves no variant");
      return;
    }
  if (k->n_constraints == 0)
    return;
  size_t at = pragma_offset(k->main.pragma, k->constraints[0]),
         size = k->constraints[0].size;
  if (k->n_constraints > 1 && nothing_left(&w, 0, k->n_constraints))
    diag_error(s, at, size, NULL,
               "this constraint and those after it together leave no variant");
  else if (points_one_left(&w))
    diag_warning(s, at, size, "allow more of the values",
                 k->n_constraints > 1
                     ? "this constraint and those after it leave nothing to choose: the "
                       "code as written is the only variant"
                     : "this constraint leaves nothing to choose: the code as written is "
                       "the only variant");
}
