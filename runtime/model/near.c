// SPDX-License-Identifier: Apache-2.0
// near.c: moves from point to point. Neighbours are found by changing one parameter, and
// where that breaks a condition, a second parameter that the broken conditions use. A
// point that is not allowed is mended by as few changes as a bounded search finds
// (limited discrepancy search: Harvey, Ginsberg, IJCAI 1995).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "path.h"

enum { REPAIR_STEPS = 20000, MAX_CHANGES = 3, DRAWS = 64, MENDS = 100000 };

bool space_ordinal(const struct space *s, unsigned param) {
  enum autotune_kind kind = s->kernel->params[param].kind;
  return kind == AUTOTUNE_INT || kind == AUTOTUNE_REAL;
}

int space_step(const struct space *s, unsigned param, choice value, int direction) {
  const struct autotune_param *p = &s->kernel->params[param];
  int nearest = -1;
  if (!space_ordinal(s, param)) {
    int next = (int)value + direction;
    return next >= 0 && next < (int)p->n_values ? next : -1;
  }
  for (unsigned v = 0; v < p->n_values; v++) // values may be listed in any order
    if ((p->values[v].d - p->values[value].d) * direction > 0 &&
        (nearest < 0 || (p->values[v].d - p->values[nearest].d) * direction < 0))
      nearest = (int)v;
  return nearest;
}

// ---- one change ---------------------------------------------------------------------

struct walk {
  const struct space *space;
  const choice *from;
  uint64_t *rng; // NULL: in order
  choice *out;
  unsigned n, max;
  uint64_t met;   // neighbours found, kept or not
  unsigned mends; // second changes that may still be tried for the present parameter
};

// Sets TO to FROM with PARAM set to VALUE. Parameters that cease to matter become 0;
// those that begin to matter get a value.
static void near_change(const struct walk *w, const choice *from, unsigned param,
                        choice value, choice *to) {
  const struct autotune_kernel *k = w->space->kernel;
  memcpy(to, from, k->n_params * sizeof *to);
  to[param] = value;
  for (unsigned p = param + 1; p < k->n_params; p++) {
    if (k->params[p].when < 0)
      continue;
    bool matters = space_matters(k, to, p), mattered = space_matters(k, from, p);
    if (!matters)
      to[p] = 0;
    else if (!mattered)
      to[p] = w->rng ? rng_below(w->rng, k->params[p].n_values)
          : k->params[p].original < k->params[p].n_values ? k->params[p].original
                                                          : 0;
  }
}

// The same two changes may be found in either order.
static bool near_is_known(const struct walk *w, const choice *point) {
  size_t width = w->space->kernel->n_params;
  for (unsigned i = 0; i < w->n; i++)
    if (space_equal(w->space, w->out + i * width, point))
      return true;
  return space_equal(w->space, w->from, point);
}

static void near_found(struct walk *w, const choice *point) {
  size_t width = w->space->kernel->n_params;
  uint64_t at = w->n;
  w->met++;
  if (w->n < w->max)
    w->n++;
  else
    at = w->rng ? rng_next(w->rng) % w->met : w->max;
  if (at < w->max)
    memcpy(w->out + at * width, point, width * sizeof *point);
}

static bool is_full(const struct walk *w) {
  return !w->rng && w->n == w->max;
}

// ---- a second change, that mends the first ------------------------------------------

// True if a change of PARAM may mend condition C, also by making another parameter matter
// or not.
static bool near_concerns(const struct autotune_kernel *k, unsigned c, unsigned param) {
  for (unsigned i = 0; i < k->conditions[c].n_params; i++)
    for (int p = (int)k->conditions[c].params[i]; p >= 0; p = k->params[p].when)
      if (p == (int)param)
        return true;
  return false;
}

// Finds the parameters that concern all conditions that POINT breaks.
static void near_menders(const struct space *s, const choice *point, bool *mends) {
  const struct autotune_kernel *k = s->kernel;
  const struct autotune_value *values[MAX_PARAMS];
  for (unsigned p = 0; p < k->n_params; p++) {
    values[p] = &k->params[p].values[point[p]];
    mends[p] = true;
  }
  for (unsigned c = 0; c < k->n_conditions; c++)
    if (k->conditions[c].holds(values, s->args, s->machine) == 0)
      for (unsigned p = 0; p < k->n_params; p++)
        mends[p] = mends[p] && near_concerns(k, c, p);
}

// Sets TO to BROKEN with PARAM set to VALUE. False: that does not mend it, or enough was
// tried.
static bool mends_with(struct walk *w, const choice *broken, unsigned param, choice value,
                       choice *to) {
  if (w->mends == 0)
    return false;
  w->mends--;
  near_change(w, broken, param, value, to);
  return space_allows(w->space, to);
}

static void found_new(struct walk *w, const choice *point) {
  if (!near_is_known(w, point))
    near_found(w, point);
}

static bool mend_by_any(struct walk *w, const choice *broken, unsigned param) {
  choice point[MAX_PARAMS];
  bool any = false;
  for (choice v = 0; v < w->space->kernel->params[param].n_values; v++)
    if (v != broken[param] && mends_with(w, broken, param, v, point)) {
      found_new(w, point);
      any = true;
    }
  return any;
}

// Tries the nearest number in each direction. Values may be listed in any order, but are
// mostly sorted by size.
static bool mend_by_nearest(struct walk *w, const choice *broken, unsigned param) {
  const struct autotune_param *p = &w->space->kernel->params[param];
  choice points[2][MAX_PARAMS], point[MAX_PARAMS];
  double nearest[2] = { INFINITY, INFINITY }; // below, above
  for (unsigned i = 2; i < 2 * p->n_values; i++) {
    long long v = (long long)broken[param] + (i & 1 ? i / 2 : -(long long)(i / 2));
    if (v < 0 || v >= p->n_values)
      continue;
    double distance = p->values[v].d - p->values[broken[param]].d;
    bool above = distance > 0;
    if (distance == 0 || fabs(distance) >= nearest[above] ||
        !mends_with(w, broken, param, (choice)v, point))
      continue;
    nearest[above] = fabs(distance);
    memcpy(points[above], point, w->space->kernel->n_params * sizeof *point);
  }
  for (int above = 0; above < 2; above++)
    if (isfinite(nearest[above]))
      found_new(w, points[above]);
  return isfinite(nearest[0]) || isfinite(nearest[1]);
}

// True if another change mends BROKEN, in which PARAM was changed.
static bool near_mend(struct walk *w, const choice *broken, unsigned param) {
  const struct space *s = w->space;
  const struct autotune_kernel *k = s->kernel;
  bool mends[MAX_PARAMS], any = false;
  if (w->mends == 0)
    return false;
  near_menders(s, broken, mends);
  for (unsigned q = 0; q < k->n_params && !is_full(w); q++)
    if (mends[q] && q != param && space_matters(k, broken, q))
      any |= space_ordinal(s, q) ? mend_by_nearest(w, broken, q)
                                 : mend_by_any(w, broken, q);
  return any;
}

// ---- neighbours ---------------------------------------------------------------------

// True if FROM with PARAM set to VALUE is allowed or can be mended.
static bool near_try(struct walk *w, unsigned param, choice value) {
  choice point[MAX_PARAMS];
  near_change(w, w->from, param, value, point);
  if (!space_allows(w->space, point))
    return near_mend(w, point, param);
  near_found(w, point);
  return true;
}

// Finds the nearest value in a direction that gives an allowed point.
static void try_steps(struct walk *w, unsigned param, int direction) {
  int v = space_step(w->space, param, w->from[param], direction);
  while (v >= 0 && !near_try(w, param, (choice)v))
    v = space_step(w->space, param, (choice)v, direction);
}

static void near_shuffle(struct walk *w) {
  size_t width = w->space->kernel->n_params;
  choice swap[MAX_PARAMS];
  for (unsigned i = w->n; i > 1; i--) {
    choice *a = w->out + (i - 1) * width, *b = w->out + rng_below(w->rng, i) * width;
    memcpy(swap, a, width * sizeof *a);
    memmove(a, b, width * sizeof *a);
    memcpy(b, swap, width * sizeof *a);
  }
}

unsigned space_near(const struct space *s, enum nearness near, const choice *from,
                    uint64_t *rng, choice *out, unsigned max) {
  const struct autotune_kernel *k = s->kernel;
  struct walk w = { .space = s, .from = from, .rng = rng, .out = out, .max = max };
  for (unsigned p = 0; p < k->n_params && !is_full(&w); p++) {
    if (!space_matters(k, from, p))
      continue;
    w.mends = MENDS / k->n_params;
    if (near == NEAR_STEP && space_ordinal(s, p)) {
      try_steps(&w, p, -1);
      try_steps(&w, p, 1);
      continue;
    }
    for (choice v = 0; v < k->params[p].n_values && !is_full(&w); v++)
      if (v != from[p])
        near_try(&w, p, v);
  }
  if (rng)
    near_shuffle(&w);
  return w.n;
}

bool space_neighbour(const struct space *s, enum nearness near, const choice *from,
                     uint64_t *rng, choice *point) {
  const struct autotune_kernel *k = s->kernel;
  struct walk w = {
    .space = s, .from = from, .rng = rng, .out = point, .max = 1, .mends = MENDS
  };
  for (unsigned i = 0; i < DRAWS && w.n == 0 && k->n_params > 0; i++) {
    unsigned p = rng_below(rng, k->n_params);
    if (!space_matters(k, from, p))
      continue;
    if (near == NEAR_STEP && space_ordinal(s, p)) {
      try_steps(&w, p, rng_next(rng) & 1 ? 1 : -1);
    } else {
      choice v = rng_below(rng, k->params[p].n_values);
      if (v != from[p])
        near_try(&w, p, v);
    }
  }
  return w.n == 1 || space_near(s, near, from, rng, point, 1) == 1;
}

// ---- repair -------------------------------------------------------------------------

struct repair {
  struct path path;
  const choice *want;
  uint64_t *rng;
  unsigned steps; // left
};

static bool near_go_on(struct repair *r, unsigned at, unsigned changes);

// Sets position AT to values other than the wanted one, the nearest first.
static bool near_deviate(struct repair *r, unsigned at, unsigned changes) {
  const struct space *s = r->path.space;
  unsigned p = s->order[at];
  int up = (int)r->want[p], down = up;
  for (bool upwards = rng_next(r->rng) & 1; (up >= 0 || down >= 0) && r->steps > 0;
       upwards = !upwards) {
    int *value = upwards ? &up : &down;
    if (*value >= 0)
      *value = space_step(s, p, (choice)*value, upwards ? 1 : -1);
    if (*value >= 0 && path_set(&r->path, at, (choice)*value) &&
        near_go_on(r, at + 1, changes - 1))
      return true;
  }
  return false;
}

// Sets the positions from AT on, with at most CHANGES deviations from the wanted values.
static bool near_go_on(struct repair *r, unsigned at, unsigned changes) {
  const struct space *s = r->path.space;
  if (at == s->kernel->n_params)
    return true;
  if (r->steps == 0)
    return false;
  r->steps--;
  bool free = path_width(&r->path, at) > 1;
  bool first = free && changes > 0 && at < s->n_bound &&
      rng_below(r->rng, s->n_bound - at) == 0;
  if (first && near_deviate(r, at, changes))
    return true;
  if (path_set(&r->path, at, free ? r->want[s->order[at]] : 0) &&
      near_go_on(r, at + 1, changes))
    return true;
  return free && !first && changes > 0 && at < s->n_bound && near_deviate(r, at, changes);
}

bool space_repair(const struct space *s, uint64_t *rng, choice *point) {
  const struct autotune_kernel *k = s->kernel;
  choice want[MAX_PARAMS];
  struct repair r = { .want = want, .rng = rng };
  if (s->size == 0)
    return false;
  for (unsigned p = 0; p < k->n_params; p++)
    want[p] = point[p] < k->params[p].n_values ? point[p]
                                               : rng_below(rng, k->params[p].n_values);
  for (unsigned changes = 0; changes <= MAX_CHANGES + 1; changes++) {
    memset(point, 0, k->n_params * sizeof *point);
    path_begin(&r.path, s, point, 0);
    r.steps = REPAIR_STEPS;
    if (near_go_on(&r, 0, changes <= MAX_CHANGES ? changes : k->n_params))
      return k->n_params > 0 || space_allows(s, point);
  }
  return space_sample(s, rng, point);
}
