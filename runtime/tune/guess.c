// SPDX-License-Identifier: Apache-2.0
// guess.c: guesses from the parameters of loop directives which points are fast, before
// any variant was compiled or run: a linear model of the logarithm of the cost. Its
// weights (guess.inc) were fitted by bench/guess.py to tunings of many kernels. They
// differ from kernel to kernel, so they are drawn many times, and points are taken of
// which at least one is fast in most of these worlds.
//
// Features of the code (static.c) are not used. Eight guesses compiled, and three of them
// chosen by their vectors, spills, loads and stores too, were no better on kernels that
// the weights were not fitted to.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "guess.h"
#include "model/value.h"

enum {
  POOL = 64,  // random points, of which the best are taken
  WORLDS = 64 // draws of the weights
};

// How much one more of a feature adds to the logarithm of the cost: on the average of all
// kernels, and the standard deviation between kernels.
static const struct weight {
  double mean, spread;
} weights[GUESS_FEATURES] = {
#include "guess.inc"
};

// ---- directives ---------------------------------------------------------------------

enum directive { TILE, JAM, UNROLL, SIMD, INTERCHANGE, SCHEDULE, RESCHEDULE, DIRECTIVES };
static const char *const stems[DIRECTIVES] = {
  [TILE] = "tile@",
  [JAM] = "unroll_and_jam@",
  [UNROLL] = "unroll@",
  [SIMD] = "simd@",
  [INTERCHANGE] = "interchange@",
  [SCHEDULE] = "schedule@",
  [RESCHEDULE] = "reschedule@",
};

static enum directive guess_directive(const struct autotune_param *p,
                                      struct place *place) {
  enum directive d = 0;
  if (!place_read(p->name, strlen(p->name), place))
    return DIRECTIVES;
  while (d < DIRECTIVES &&
         (strlen(stems[d]) != place->stem || memcmp(p->name, stems[d], place->stem) != 0))
    d++;
  return d == RESCHEDULE ? TILE : d; // it makes tiles, too
}

// The sizes of all directives of one kind.
struct sizes {
  unsigned n, offered, directives;
  unsigned long line;     // of the last one
  double sum, last, ends; // logarithms: of all sizes; the last; of each directive's last
};

static void sizes_add(struct sizes *s, unsigned long line, double size) {
  bool another = s->n == 0 || s->line != line;
  s->directives += another;
  s->ends += another ? size : size - s->last;
  s->sum += s->last = size;
  s->line = line;
  s->n++;
}

static bool is_threads(const char *name) {
  static const char word[] = "THREAD";
  for (; *name; name++) {
    size_t i = 0;
    while (word[i] && toupper((unsigned char)name[i]) == word[i])
      i++;
    if (!word[i])
      return true;
  }
  return false;
}

static bool is_inner_moved(const char *permutation) {
  unsigned n = 1, last = 0;
  for (const char *p = permutation; *p; p++) {
    n += *p == ',';
    if (isdigit((unsigned char)*p))
      last = (p > permutation && isdigit((unsigned char)p[-1]) ? 10 * last : 0) +
          (unsigned)(*p - '0');
  }
  return last != n;
}

// ---- features -----------------------------------------------------------------------

static double log_of(const struct autotune_value *v) {
  return v->i > 1 ? log2((double)v->i) : 0;
}

static void flags_features(const char *flags, double *x) {
  x[GUESS_FAST_MATH] = strstr(flags, "-ffast-math") != NULL;
  x[GUESS_WIDE] = strstr(flags, "-mprefer-vector-width=512") != NULL;
}

// Adds what the parameter of directive D at PLACE says, of those that are not sizes.
static void add_word(enum directive d, const struct autotune_value *v, double *x) {
  x[GUESS_SIMD] += d == SIMD && strcmp(v->text, "no") != 0;
  x[GUESS_INNER] += d == INTERCHANGE && is_inner_moved(v->text);
  x[GUESS_DYNAMIC] += d == SCHEDULE &&
      (strcmp(v->text, "dynamic") == 0 || strcmp(v->text, "guided") == 0);
}

static void size_features(const struct sizes *s, double *x) {
  static const double usual = 6; // a tile of 64
  const struct sizes *tile = &s[TILE], *jam = &s[JAM], *unroll = &s[UNROLL];
  if (tile->n) {
    x[GUESS_TILED] = (double)tile->n / tile->offered;
    x[GUESS_TILE] = tile->sum / tile->n - usual;
    x[GUESS_INNER_TILE] = tile->ends / tile->directives - usual;
  }
  if (jam->n)
    x[GUESS_JAM] = jam->sum / jam->directives;
  if (unroll->n)
    x[GUESS_UNROLL] = unroll->sum / unroll->directives;
}

void guess_features(const struct space *s, const choice *point, double *x) {
  const struct autotune_kernel *k = s->kernel;
  long long most = s->machine ? s->machine->threads : 0;
  struct sizes sizes[DIRECTIVES] = { 0 };
  for (unsigned i = 0; i < GUESS_FEATURES; i++)
    x[i] = 0;
  for (unsigned p = 0; p < k->n_params; p++) {
    const struct autotune_param *param = &k->params[p];
    const struct autotune_value *v = &param->values[point[p]];
    struct place place;
    enum directive d = guess_directive(param, &place);
    bool size = d < DIRECTIVES && param->kind == AUTOTUNE_INT;
    if (size)
      sizes[d].offered++;
    if (!space_matters(k, point, p))
      continue;
    if (size)
      sizes_add(&sizes[d], place.line, log_of(v));
    else if (d < DIRECTIVES)
      add_word(d, v, x);
    else if (param->kind == AUTOTUNE_INT && is_threads(param->name))
      x[GUESS_THREADS] = fmin(log_of(v), most > 0 ? log2((double)most) : INFINITY);
    else if (param->kind == AUTOTUNE_FLAGS)
      flags_features(v->text, x);
  }
  size_features(sizes, x);
}

// ---- guesses ------------------------------------------------------------------------

double guess_cost(const struct space *s, const choice *point) {
  double x[GUESS_FEATURES], sum = 0;
  guess_features(s, point, x);
  for (unsigned i = 0; i < GUESS_FEATURES; i++)
    sum += weights[i].mean * x[i];
  return sum;
}

static bool offers_directive(const struct autotune_kernel *k) {
  struct place place;
  for (unsigned p = 0; p < k->n_params; p++)
    if (guess_directive(&k->params[p], &place) < DIRECTIVES)
      return true;
  return false;
}

// True if a parameter of a directive matters at POINT.
static bool has_directive(const struct space *s, const choice *point) {
  struct place place;
  for (unsigned p = 0; p < s->kernel->n_params; p++)
    if (space_matters(s->kernel, point, p) &&
        guess_directive(&s->kernel->params[p], &place) < DIRECTIVES)
      return true;
  return false;
}

struct pool {
  const struct space *space;
  choice *points;
  unsigned n;
  uint64_t rng;
  double costs[POOL][WORLDS], best[WORLDS]; // best: of the points that were taken
  bool taken[POOL];
};

static choice *pool_point(const struct pool *p, unsigned i) {
  return p->points + (size_t)i * p->space->kernel->n_params;
}

static bool pool_has(const struct pool *p, const choice *point) {
  for (unsigned i = 0; i < p->n; i++)
    if (space_equal(p->space, pool_point(p, i), point))
      return true;
  return false;
}

// Draws different points with directives.
static void pool_fill(struct pool *p) {
  for (unsigned i = 0; i < 4 * POOL && p->n < POOL; i++) {
    choice *point = pool_point(p, p->n);
    if (!space_sample(p->space, &p->rng, point))
      return;
    p->n += has_directive(p->space, point) && !pool_has(p, point);
  }
}

// About normally distributed, variance 1: the sum of twelve.
static double guess_normal(uint64_t *rng) {
  double sum = -6;
  for (int i = 0; i < 12; i++)
    sum += rng_unit(rng);
  return sum;
}

static void pool_rate(struct pool *p) {
  double drawn[WORLDS][GUESS_FEATURES], x[GUESS_FEATURES];
  for (unsigned w = 0; w < WORLDS; w++) {
    p->best[w] = INFINITY;
    for (unsigned f = 0; f < GUESS_FEATURES; f++)
      drawn[w][f] = weights[f].mean + weights[f].spread * guess_normal(&p->rng);
  }
  for (unsigned i = 0; i < p->n; i++) {
    guess_features(p->space, pool_point(p, i), x);
    for (unsigned w = 0; w < WORLDS; w++)
      for (unsigned f = 0; f < GUESS_FEATURES; f++)
        p->costs[i][w] += drawn[w][f] * x[f];
  }
}

// Takes one more point: the one with which the best of all points taken is the fastest,
// on the average of all draws of the weights. Returns its index, or P->n if all are
// taken.
static unsigned pool_take_best(struct pool *p) {
  unsigned best = p->n;
  double least = INFINITY;
  for (unsigned i = 0; i < p->n; i++) {
    double sum = 0;
    for (unsigned w = 0; w < WORLDS; w++)
      sum += fmin(p->best[w], p->costs[i][w]);
    if (!p->taken[i] && sum < least) {
      best = i;
      least = sum;
    }
  }
  if (best == p->n)
    return best;
  p->taken[best] = true;
  for (unsigned w = 0; w < WORLDS; w++)
    p->best[w] = fmin(p->best[w], p->costs[best][w]);
  return best;
}

unsigned guess_points(const struct space *s, choice *points, unsigned max) {
  size_t width = s->kernel->n_params;
  struct pool *p = offers_directive(s->kernel) ? sys_calloc(1, sizeof *p) : NULL;
  unsigned taken = 0, i;
  if (p && (p->points = sys_malloc((POOL + 1) * width * sizeof *points))) {
    p->space = s;
    p->rng = 1; // the same points each time
    pool_fill(p);
    pool_rate(p);
    for (; taken < max && (i = pool_take_best(p)) < p->n; taken++)
      memcpy(points + taken * width, pool_point(p, i), width * sizeof *points);
    free(p->points);
  }
  free(p);
  return taken;
}
