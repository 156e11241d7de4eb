// SPDX-License-Identifier: Apache-2.0
// space.c: the points of a kernel's space. A point is a value index for each parameter; a
// parameter that does not matter (struct autotune_param.when) has index 0, so that no two
// points are the same variant.
//
// Allowed points are found by setting one parameter after another and checking each
// condition as soon as the last parameter that it uses is set (backtracking: Golomb,
// Baumert, JACM 1965). The order is chosen once, so that conditions can be checked early.
// Every search is bounded.
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "path.h"

// True if parameter P matters at POINT, in which the parameters that P depends on are
// set.
bool space_matters(const struct autotune_kernel *k, const choice *point, unsigned p) {
  for (int when = k->params[p].when; when >= 0; when = k->params[when].when)
    if (k->params[when].values[point[when]].i == 0)
      return false;
  return true;
}

// ---- the order ----------------------------------------------------------------------

struct ordering {
  struct space *space;
  bool placed[MAX_PARAMS];
  unsigned n;
};

static void space_place(struct ordering *o, unsigned param) {
  int when = o->space->kernel->params[param].when;
  if (o->placed[param])
    return;
  if (when >= 0)
    space_place(o, (unsigned)when);
  o->placed[param] = true;
  o->space->place[param] = (uint16_t)o->n;
  o->space->order[o->n++] = (uint16_t)param;
}

// Returns the product of the sizes of the parameters that condition C still lacks: a
// bound on the work of setting them.
static double space_cost(const struct ordering *o, unsigned c) {
  const struct autotune_kernel *k = o->space->kernel;
  double product = 1;
  for (unsigned i = 0; i < k->conditions[c].n_params; i++)
    if (!o->placed[k->conditions[c].params[i]])
      product *= k->params[k->conditions[c].params[i]].n_values;
  return product;
}

static void close_condition(struct ordering *o, unsigned c) {
  const struct autotune_condition *condition = &o->space->kernel->conditions[c];
  unsigned last = 0;
  for (unsigned i = 0; i < condition->n_params; i++)
    space_place(o, condition->params[i]);
  for (unsigned at = 0; at < o->n; at++)
    for (unsigned i = 0; i < condition->n_params; i++)
      if (o->space->order[at] == condition->params[i])
        last = at;
  if (c < EARLY_CONDITIONS)
    o->space->closes[c] = (uint16_t)last;
  o->space->n_bound = o->n;
}

// Orders parameters by condition: next the condition that lacks least. Then the
// parameters that no condition uses.
static void set_order(struct space *s) {
  const struct autotune_kernel *k = s->kernel;
  struct ordering o = { .space = s };
  unsigned n = k->n_conditions < EARLY_CONDITIONS ? k->n_conditions : EARLY_CONDITIONS;
  bool closed[EARLY_CONDITIONS] = { false };
  for (unsigned done = 0; done < n; done++) {
    unsigned next = EARLY_CONDITIONS;
    for (unsigned c = 0; c < n; c++)
      if (!closed[c] &&
          (next == EARLY_CONDITIONS || space_cost(&o, c) < space_cost(&o, next)))
        next = c;
    closed[next] = true;
    close_condition(&o, next);
  }
  for (unsigned c = n; c < k->n_conditions; c++)
    close_condition(&o, c);
  for (unsigned p = 0; p < k->n_params; p++)
    space_place(&o, p);
  if (s->asked)
    s->n_bound = k->n_params; // the geometry may look at all
}

// ---- conditions ---------------------------------------------------------------------

void path_begin(struct path *w, const struct space *s, choice *point, unsigned at) {
  const struct autotune_kernel *k = s->kernel;
  w->space = s;
  w->point = point;
  for (unsigned p = 0; p < k->n_params; p++)
    w->values[p] = k->params[p].values;
  for (unsigned i = 0; i < at; i++)
    w->values[s->order[i]] += point[s->order[i]];
}

unsigned path_width(const struct path *w, unsigned at) {
  const struct autotune_kernel *k = w->space->kernel;
  unsigned p = w->space->order[at];
  return space_matters(k, w->point, p) ? k->params[p].n_values : 1;
}

static bool space_holds(const struct path *w, unsigned c) {
  const struct space *s = w->space;
  return s->kernel->conditions[c].holds(w->values, s->args, s->machine) != 0;
}

// A launch that the device refuses, or a grid that does not fit the program's request, is
// not allowed.
static bool space_launches(const struct space *s,
                           const struct autotune_value *const *values,
                           struct autotune_launch *out) {
  static const unsigned widest = 65535; // of a grid, in y and z
  const struct autotune_machine *m = s->machine;
  const struct autotune_kernel *k = s->kernel;
  *out = (struct autotune_launch){ .grid = { 0, 0, 0 } };
  if (!kernel_geometry(k, values, s->args, m, s->asked, out))
    return false;
  const struct autotune_dim3 *g = &out->grid, *b = &out->block;
  unsigned long long threads = (unsigned long long)b->x * b->y * b->z;
  return threads > 0 && g->x > 0 && g->y > 0 && g->z > 0 && g->x <= INT32_MAX &&
      g->y <= widest && g->z <= widest && b->z <= 64 &&
      (m->max_threads <= 0 || threads <= (unsigned long long)m->max_threads) &&
      (m->smem_per_block <= 0 || out->shared <= (size_t)m->smem_per_block);
}

bool space_launch(const struct space *s, const choice *point,
                  struct autotune_launch *out) {
  const struct autotune_value *values[MAX_PARAMS];
  for (unsigned p = 0; s->asked && p < s->kernel->n_params; p++)
    values[p] = &s->kernel->params[p].values[point[p]];
  return s->asked && space_launches(s, values, out);
}

static bool space_fits(const struct path *w) {
  struct autotune_launch launch;
  return !w->space->asked || space_launches(w->space, w->values, &launch);
}

static bool looks_at(const struct autotune_condition *c, unsigned param) {
  for (unsigned i = 0; i < c->n_params; i++)
    if (c->params[i] == param)
      return true;
  return false;
}

// Checks the conditions that close at position AT; where the last condition closes, also
// those without a position. A condition that closes later may already be known to fail.
static bool closing_hold(const struct path *w, unsigned at) {
  const struct space *s = w->space;
  unsigned last = s->n_bound ? s->n_bound - 1 : 0;
  for (unsigned c = 0; at <= last && c < s->kernel->n_conditions; c++)
    if ((c < EARLY_CONDITIONS ? s->closes[c] : last) == at && !space_holds(w, c))
      return false;
  for (unsigned c = 0; at < last && c < s->kernel->n_conditions && c < EARLY_CONDITIONS;
       c++)
    if (s->early[c] && s->closes[c] > at &&
        looks_at(&s->kernel->conditions[c], s->order[at]) && !range_may_hold(w, c, at))
      return false;
  return at < last || space_fits(w);
}

bool path_set(struct path *w, unsigned at, choice value) {
  unsigned p = w->space->order[at];
  w->point[p] = value;
  w->values[p] = &w->space->kernel->params[p].values[value];
  return closing_hold(w, at);
}

bool path_search(struct path *w, unsigned at, unsigned end, uint64_t *steps) {
  const struct space *s = w->space;
  for (; at < end && *steps > 0; --*steps) {
    unsigned p = s->order[at];
    if (w->point[p] >= path_width(w, at)) {
      w->point[p] = 0;
      w->values[p] = s->kernel->params[p].values;
      if (at-- == 0)
        return false;
      w->point[s->order[at]]++;
    } else if (path_set(w, at, w->point[p])) {
      at++;
    } else {
      w->point[p]++;
    }
  }
  return at == end;
}

// Checks the constraint alone: POINT's indices are known to be in range and canonical.
static bool space_satisfies(const struct space *s, const choice *point) {
  const struct autotune_kernel *k = s->kernel;
  struct path w = { .space = s };
  for (unsigned p = 0; (k->n_conditions > 0 || s->asked) && p < k->n_params; p++)
    w.values[p] = &k->params[p].values[point[p]];
  for (unsigned c = 0; c < k->n_conditions; c++)
    if (!space_holds(&w, c))
      return false;
  return space_fits(&w);
}

bool space_allows(const struct space *s, const choice *point) {
  const struct autotune_kernel *k = s->kernel;
  for (unsigned p = 0; p < k->n_params; p++)
    if (point[p] >= k->params[p].n_values ||
        (point[p] != 0 && !space_matters(k, point, p)))
      return false;
  return space_satisfies(s, point);
}

// ---- in order -----------------------------------------------------------------------

// Moves W to the next point, changing positions up to END.
static bool space_advance(struct path *w, unsigned end, uint64_t *steps) {
  if (end == 0)
    return false;
  w->point[w->space->order[end - 1]]++;
  return path_search(w, end - 1, end, steps);
}

bool space_first(const struct space *s, choice *point) {
  unsigned n = s->kernel->n_params;
  uint64_t steps = STEP_LIMIT;
  struct path w;
  if (s->size == 0 || n == 0)
    return s->size > 0 && space_satisfies(s, point);
  memset(point, 0, n * sizeof *point);
  path_begin(&w, s, point, 0);
  return path_search(&w, 0, n, &steps);
}

bool space_next(const struct space *s, choice *point) {
  uint64_t steps = STEP_LIMIT;
  struct path w;
  path_begin(&w, s, point, s->kernel->n_params);
  return space_advance(&w, s->kernel->n_params, &steps);
}

bool space_original(const struct space *s, choice *point) {
  const struct autotune_kernel *k = s->kernel;
  for (unsigned p = 0; p < k->n_params; p++) {
    bool known = k->params[p].original < k->params[p].n_values;
    point[p] = known && space_matters(k, point, p) ? k->params[p].original : 0;
  }
  return s->size > 0 && space_satisfies(s, point);
}

// ---- counting -----------------------------------------------------------------------

static uint64_t space_add(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t space_multiply(uint64_t a, uint64_t b) {
  return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a;
}

// Returns the number of ways to set parameter P, which matters, and all that depends on
// it. (`when` names lower parameters.)
static uint64_t space_ways(const struct autotune_kernel *k, unsigned p) {
  uint64_t below = 1, n = 0;
  for (unsigned child = p + 1; child < k->n_params; child++)
    if (k->params[child].when == (int)p)
      below = space_multiply(below, space_ways(k, child));
  for (unsigned v = 0; v < k->params[p].n_values; v++)
    n = space_add(n, k->params[p].values[v].i == 0 ? 1 : below);
  return n;
}

// Returns the number of ways to set the positions after the last condition, for what
// POINT has before them.
static uint64_t space_ways_after(const struct space *s, const choice *point) {
  const struct autotune_kernel *k = s->kernel;
  bool free[MAX_PARAMS] = { false };
  uint64_t n = 1;
  for (unsigned at = s->n_bound; at < k->n_params; at++) {
    unsigned p = s->order[at];
    int when = k->params[p].when;
    free[p] = true;
    if (when >= 0 && free[when])
      continue; // counted with that
    n = space_multiply(n, space_matters(k, point, p) ? space_ways(k, p) : 1);
  }
  return n;
}

bool space_any(const struct space *s, uint64_t *steps) {
  choice point[MAX_PARAMS] = { 0 };
  struct path w;
  if (s->size == 0 || s->n_bound == 0)
    return s->size > 0 && space_satisfies(s, point);
  path_begin(&w, s, point, 0);
  return path_search(&w, 0, s->n_bound, steps) || *steps == 0;
}

uint64_t space_count(const struct space *s, uint64_t limit) {
  choice point[MAX_PARAMS] = { 0 };
  uint64_t steps = STEP_LIMIT, n = 0;
  struct path w;
  if (s->size == 0)
    return 0;
  if (s->n_bound == 0)
    return space_satisfies(s, point)
        ? space_ways_after(s, point) < limit ? space_ways_after(s, point) : limit
        : 0;
  path_begin(&w, s, point, 0);
  for (bool more = path_search(&w, 0, s->n_bound, &steps); more && n < limit;
       more = space_advance(&w, s->n_bound, &steps))
    n = space_add(n, space_ways_after(s, point));
  return steps == 0 || n > limit ? limit : n;
}

bool space_equal(const struct space *s, const choice *a, const choice *b) {
  return memcmp(a, b, s->kernel->n_params * sizeof *a) == 0;
}

uint64_t space_hash(const struct space *s, const choice *point) {
  return XXH3_64bits(point, s->kernel->n_params * sizeof *point);
}

// ---- setting up ---------------------------------------------------------------------

void space_init(struct space *s, const struct autotune_kernel *k, const struct call *call,
                const struct autotune_machine *m) {
  *s = (struct space){ .kernel = k, .machine = m, .size = 1 };
  s->args = call ? call->args : NULL;
  s->asked = call ? call->launch : NULL;
  for (unsigned p = 0; p < k->n_params; p++)
    if (__builtin_mul_overflow(s->size, (uint64_t)k->params[p].n_values, &s->size))
      s->size = UINT64_MAX;
  for (unsigned p = 0; p < k->n_params; p++)
    if (k->params[p].n_values == 0)
      s->size = 0; // also for a product that is too large to count
  set_order(s);
  range_init(s);
  s->sparse = s->size > 0 && sample_is_sparse(s);
}
