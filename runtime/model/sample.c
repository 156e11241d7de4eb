// SPDX-License-Identifier: Apache-2.0
// sample.c: random points.
//
// If a good fraction of the points is allowed, points are drawn until one is allowed:
// exactly uniform over each parameter that matters, given the constraint.
//
// In a sparse space a sample of allowed parts of points grows by one parameter at a time:
// of all allowed ways to extend the present parts, a uniform choice of at most some
// hundred is kept, and at the end one of them is taken (stochastic enumeration:
// Rubinstein, Kroese, Vaisman, Fast Sequential Monte Carlo Methods, 2014). That is
// uniform if there are never more parts than that, and nearly so otherwise: where most
// parts are dead ends, chances differ by about a third. If all parts end dead,
// backtracking finds the first point in order after a random one.
#include <stdlib.h>
#include <string.h>

#include "path.h"

enum { PROBES = 2048, FEW = 4, DRAWS = 65536, PARTS = 64, MANY_PARTS = 1024 };

static bool sample_draw(struct path *w, uint64_t *rng) {
  const struct space *s = w->space;
  path_begin(w, s, w->point, 0);
  memset(w->point, 0, s->kernel->n_params * sizeof *w->point);
  for (unsigned at = 0; at < s->kernel->n_params; at++)
    if (!path_set(w, at, rng_below(rng, path_width(w, at))))
      return false;
  return s->kernel->n_params > 0 || space_allows(s, w->point);
}

bool sample_is_sparse(const struct space *s) {
  choice point[MAX_PARAMS];
  struct path w = { .space = s, .point = point };
  uint64_t rng = 0;
  unsigned found = 0;
  for (unsigned i = 0; s->n_bound > 0 && i < PROBES && found < FEW; i++)
    found += sample_draw(&w, &rng);
  return s->n_bound > 0 && found < FEW;
}

// ---- sparse spaces ------------------------------------------------------------------

struct parts {
  choice *points; // PARTS of n_params
  unsigned n, limit;
  uint64_t met; // ways to go on that were met: each has been kept with the same chance
};

// Keeps POINT or drops it, so that each of all points found is kept with the same chance
// (Vitter's algorithm R).
static void sample_meet(struct parts *next, const choice *point, size_t width,
                        uint64_t *rng) {
  uint64_t at = next->met++;
  if (next->n < next->limit)
    at = next->n++;
  else
    at = rng_next(rng) % next->met;
  if (at < next->limit)
    memcpy(next->points + at * width, point, width * sizeof *point);
}

static void sample_grow(const struct space *s, const struct parts *from, struct parts *to,
                        unsigned at, uint64_t *rng) {
  size_t width = s->kernel->n_params;
  to->n = 0;
  to->met = 0;
  for (unsigned i = 0; i < from->n; i++) {
    struct path w;
    path_begin(&w, s, from->points + i * width, at);
    unsigned n = path_width(&w, at);
    for (choice v = 0; v < n; v++)
      if (path_set(&w, at, v))
        sample_meet(to, w.point, width, rng);
    w.point[s->order[at]] = 0;
  }
}

// Draws one of at most LIMIT points that are found together.
static bool sample_enumerate(const struct space *s, uint64_t *rng, unsigned limit,
                             choice *point) {
  size_t width = s->kernel->n_params;
  choice *memory = sys_calloc(2 * limit * width, sizeof *memory);
  struct parts now = { memory, 1, limit, 1 },
               next = { memory ? memory + limit * width : 0, 0, limit, 0 };
  for (unsigned at = 0; memory && at < s->n_bound && now.n > 0; at++) {
    sample_grow(s, &now, &next, at, rng);
    struct parts swap = now;
    now = next;
    next = swap;
  }
  bool found = memory && now.n > 0;
  if (found)
    memcpy(point, now.points + rng_below(rng, now.n) * width, width * sizeof *point);
  free(memory);
  return found;
}

// Finds the first allowed way, after a random one, to set the parameters that conditions
// use.
static bool sample_search(const struct space *s, uint64_t *rng, choice *point) {
  uint64_t steps = STEP_LIMIT;
  struct path w;
  memset(point, 0, s->kernel->n_params * sizeof *point);
  path_begin(&w, s, point, 0);
  unsigned at = 0;
  while (at < s->n_bound && path_set(&w, at, rng_below(rng, path_width(&w, at))))
    at++;
  if (at == s->n_bound || path_search(&w, at, s->n_bound, &steps))
    return true;
  steps = STEP_LIMIT;
  memset(point, 0, s->kernel->n_params * sizeof *point);
  path_begin(&w, s, point, 0);
  return path_search(&w, 0, s->n_bound, &steps);
}

bool space_sample(const struct space *s, uint64_t *rng, choice *point) {
  struct path w = { .space = s, .point = point };
  if (s->size == 0)
    return false;
  for (int i = 0; i < DRAWS && !s->sparse; i++)
    if (sample_draw(&w, rng))
      return true;
  if (!sample_enumerate(s, rng, PARTS, point) &&
      !sample_enumerate(s, rng, MANY_PARTS, point) && !sample_search(s, rng, point))
    return false;
  path_begin(&w, s, point, s->n_bound);
  for (unsigned at = s->n_bound; at < s->kernel->n_params; at++)
    path_set(&w, at, rng_below(rng, path_width(&w, at)));
  return true;
}
