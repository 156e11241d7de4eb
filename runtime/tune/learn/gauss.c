// SPDX-License-Identifier: Apache-2.0
// gauss.c: a Gaussian process (Rasmussen, Williams 2006), for few rows. The covariance of
// two points is a product over the parameters of 1 + W / (1 + D × distance). Multiplied
// out it is a sum over all sets of parameters (Duvenaud, Nickisch, Rasmussen 2011), so
// the effect of a single parameter is predicted far from the rows, and the joint effect
// of several only near them. W, D and the noise are chosen to make the rows likely. The
// largest power of two that divides a size is treated as one more parameter.
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn.h"

enum {
  LANES = 4,
  MOST = 160, // the last rows are used; solving takes time in the third power of their
              // number
  VECTORS = MOST / LANES,
  DIMS = 64,    // columns used
  BLOCK = 16,   // vectors of points that are predicted together
  GUESSES = 24, // guesses of W, D and noise that are tried whenever the rows have grown
                // by a tenth
  TERMS = 12,   // uniform random numbers whose sum is nearly normally distributed
};
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t masks __attribute__((vector_size(LANES * sizeof(float))));

static const float FAR = 2; // the value of missing values; the others are from 0 to 1
static const float LEAST_SIZE = 0.5f; // replaces a size of 0, which has no logarithm
static const double USUAL_D = 0, USUAL_W = -1.5, USUAL_NOISE = -3; // logarithms …
static const double NEAR_W = 0;         // a near key may tell little
static const double LEAST_NOISE = -3.5; // … whose standard deviation is 1
static const double JUMP = 0.8;         // size of the step from one guess to the next

struct guess {
  double d[DIMS], w[DIMS], noise;
}; // logarithms
struct scale {
  unsigned column;
  bool ordinal, by_log;
  float low, factor;
}; // of values, from 0 to 1
struct likeness {
  float decay, least, more;
}; // the factors of a guess: LEAST + MORE / (1 + DECAY × distance)

struct gauss {
  unsigned width, n, dims, near;
  unsigned guessed; // the number of rows at the last guess
  uint64_t rng;
  struct scale scales[DIMS];
  struct guess guess;
  struct likeness alike[DIMS]; // of the matrix that was factored
  lanes rows[DIMS][VECTORS];
  // Cholesky's factor, by columns; above the diagonal it is not set.
  lanes factor[MOST][VECTORS];
  lanes points[DIMS][BLOCK], solved[MOST][BLOCK];
  float targets[MOST], weights[MOST], mean, variance;
};

static void gauss_free(void *model) {
  free(model);
}

// Returns how values of parameter P become numbers from 0 to 1: sizes by their logarithm.
static struct scale scale_of(const struct space *s, unsigned p) {
  const struct autotune_param *param = &s->kernel->params[p];
  double low = DBL_MAX, high = -DBL_MAX;
  if (!space_ordinal(s, p))
    return (struct scale){ .column = p, .factor = 1 };
  for (unsigned v = 0; v < param->n_values; v++) {
    low = fmin(low, param->values[v].d);
    high = fmax(high, param->values[v].d);
  }
  bool by_log = low >= 0 && high > 2;
  low = by_log ? log(fmax(low, LEAST_SIZE)) : low;
  high = by_log ? log(high) : high;
  return (struct scale){ p, true, by_log, (float)low,
                         high > low ? (float)(1 / (high - low)) : 1 };
}

// Sets the scale of the powers of two in sizes. False: they tell no more than the sizes.
static bool power_scale(const struct autotune_param *p, unsigned column,
                        struct scale *scale) {
  int low = INT_MAX, high = 0;
  bool others = false;
  for (unsigned v = 0; v < p->n_values; v++) {
    unsigned long long size = (unsigned long long)p->values[v].i;
    if (size == 0)
      continue;
    low = __builtin_ctzll(size) < low ? __builtin_ctzll(size) : low;
    high = __builtin_ctzll(size) > high ? __builtin_ctzll(size) : high;
    others |= (size & (size - 1)) != 0;
  }
  if (others && high > low)
    *scale = (struct scale){ column, true, false, (float)low, 1 / (float)(high - low) };
  return others && high > low;
}

// Returns the usual W of parameter D. A parameter that matters for a near key may not
// matter here.
static double usual_w(const struct gauss *g, unsigned d) {
  return d == g->near ? NEAR_W : USUAL_W;
}

static void *gauss_new(const struct columns *c, unsigned width, uint64_t seed) {
  struct gauss *g = sys_calloc(1, sizeof *g);
  if (!g)
    return NULL;
  g->width = width;
  g->near = DIMS; // none
  g->rng = seed;
  for (unsigned i = 0; i < width && g->dims < DIMS; i++) {
    unsigned kind = c->list[i].kind, p = c->list[i].a;
    if (kind == COLUMN_VALUE)
      g->scales[g->dims++] = scale_of(c->space, p);
    else if (kind == COLUMN_NEAR)
      g->scales[g->near = g->dims++] = (struct scale){ .column = i, .factor = 1 };
    else if (kind == COLUMN_POWER &&
             power_scale(&c->space->kernel->params[p], i, &g->scales[g->dims]))
      g->dims++;
  }
  g->guess.noise = USUAL_NOISE;
  for (unsigned d = 0; d < g->dims; d++) {
    g->guess.d[d] = USUAL_D;
    g->guess.w[d] = usual_w(g, d);
  }
  return g;
}

static float gauss_place(const struct scale *s, const float *row) {
  float value = row[s->column];
  if (isnan(value))
    return FAR;
  return ((s->by_log ? logf(fmaxf(value, LEAST_SIZE)) : value) - s->low) * s->factor;
}

// ---- how alike points are -----------------------------------------------------------

static lanes gauss_all(float value) {
  return (lanes){ 0 } + value;
}

// Multiplies LIKE by the factor of parameter D between its value AT and the N vectors of
// values FROM.
static void gauss_compare(const struct gauss *g, unsigned d, float at, const lanes *from,
                          lanes *like, unsigned n) {
  const masks no_sign = (masks){ 0 } + INT32_MAX;
  const masks one = (masks)gauss_all(1);
  const struct likeness *alike = &g->alike[d];
  lanes there = gauss_all(at);
  bool ordinal = g->scales[d].ordinal;
  for (unsigned i = 0; i < n; i++) {
    lanes apart = ordinal ? (lanes)((masks)(from[i] - there) & no_sign)
                          : (lanes)((from[i] != there) & one);
    like[i] *= alike->least + alike->more / (1 + alike->decay * apart);
  }
}

// ---- fitting ------------------------------------------------------------------------

static float gauss_element(const lanes *vectors, unsigned i) {
  return vectors[i / LANES][i % LANES];
}

// Factors the matrix. False: it is indefinite, because of rounding.
static bool gauss_factorise(struct gauss *g, const struct guess *guess) {
  unsigned vectors = (g->n + LANES - 1) / LANES;
  float noise = (float)exp(2 * guess->noise);
  for (unsigned d = 0; d < g->dims; d++) {
    float w = (float)exp(guess->w[d]);
    g->alike[d] = (struct likeness){ (float)exp(guess->d[d]), 1 / (1 + w), w / (1 + w) };
  }
  for (unsigned j = 0; j < g->n; j++) {
    lanes *column = g->factor[j];
    unsigned first = j / LANES;
    for (unsigned v = first; v < vectors; v++)
      column[v] = gauss_all(1);
    for (unsigned d = 0; d < g->dims; d++)
      gauss_compare(g, d, gauss_element(g->rows[d], j), g->rows[d] + first,
                    column + first, vectors - first);
    column[first][j % LANES] += noise;
    for (unsigned k = 0; k < j; k++) {
      lanes by = gauss_all(gauss_element(g->factor[k], j));
      for (unsigned v = first; v < vectors; v++)
        column[v] -= by * g->factor[k][v];
    }
    float pivot = gauss_element(column, j);
    if (!(pivot > 1e-6f))
      return false;
    for (unsigned v = first; v < vectors; v++)
      column[v] *= gauss_all(1 / sqrtf(pivot));
  }
  return true;
}

// Solves factor × OUT = VALUES (NULL: ones).
static void gauss_solve(const struct gauss *g, const float *values, float *out) {
  lanes left[VECTORS] = { { 0 } };
  unsigned vectors = (g->n + LANES - 1) / LANES;
  for (unsigned i = 0; i < g->n; i++)
    left[i / LANES][i % LANES] = values ? values[i] : 1;
  for (unsigned j = 0; j < g->n; j++) {
    out[j] = gauss_element(left, j) / gauss_element(g->factor[j], j);
    for (unsigned v = j / LANES; v < vectors; v++)
      left[v] -= out[j] * g->factor[j][v];
  }
}

static double gauss_square(double x) {
  return x * x;
}

// Prepares predictions with a guess. Returns the logarithm of the joint likelihood of
// targets and guess.
static double gauss_weigh(struct gauss *g, const struct guess *guess) {
  float ones[MOST];
  double both = 0, squares = 0, logs = 0;
  if (!gauss_factorise(g, guess))
    return -DBL_MAX;
  gauss_solve(g, g->targets, g->weights);
  gauss_solve(g, NULL, ones);
  for (unsigned i = 0; i < g->n; i++) {
    both += g->weights[i] * ones[i];
    squares += gauss_square(ones[i]);
    logs += log(gauss_element(g->factor[i], i));
  }
  g->mean = (float)(both / squares);
  squares = 0.1;
  for (unsigned i = 0; i < g->n; i++) {
    g->weights[i] -= g->mean * ones[i];
    squares += gauss_square(g->weights[i]);
  }
  g->variance = (float)(squares / (g->n + 1));
  double likely = -0.5 * g->n * log(g->variance) - logs -
      0.5 * gauss_square(guess->noise - USUAL_NOISE);
  for (unsigned d = 0; d < g->dims; d++)
    likely -= 0.5 *
        (gauss_square(guess->d[d] - USUAL_D) + gauss_square(guess->w[d] - usual_w(g, d)));
  return likely;
}

static struct guess other_guess(struct gauss *g) {
  struct guess guess = g->guess;
  unsigned which = rng_below(&g->rng, 2 * g->dims + 3);
  double jump = -TERMS / 2;
  for (unsigned i = 0; i < TERMS; i++)
    jump += rng_unit(&g->rng);
  jump *= JUMP;
  if (which == 2 * g->dims)
    guess.noise = fmin(fmax(guess.noise + jump, LEAST_NOISE), 0);
  for (unsigned d = 0; d < g->dims; d++) {
    guess.d[d] += which == d ? jump : which == 2 * g->dims + 1 ? jump / 2 : 0;
    guess.w[d] += which == g->dims + d ? jump : which == 2 * g->dims + 2 ? jump / 2 : 0;
  }
  return guess;
}

static void gauss_improve(struct gauss *g) {
  double best = gauss_weigh(g, &g->guess);
  for (unsigned i = 0; i < GUESSES; i++) {
    struct guess guess = other_guess(g);
    double likely = gauss_weigh(g, &guess);
    if (likely > best) {
      best = likely;
      g->guess = guess;
    }
  }
}

// Compresses targets above the median, which is 1.
static float gauss_dampen(float target) {
  return target > 1 ? 1 + logf(target) : target;
}

static float gauss_undamp(float target) {
  return target > 1 ? expf(target - 1) : target;
}

static bool gauss_fit(void *model, const float *rows, const float *targets, unsigned n) {
  struct gauss *g = model;
  unsigned skip = n > MOST ? n - MOST : 0;
  g->n = n - skip;
  for (unsigned i = 0; i < g->n; i++) {
    g->targets[i] = gauss_dampen(targets[skip + i]);
    for (unsigned d = 0; d < g->dims; d++)
      g->rows[d][i / LANES][i % LANES] =
          gauss_place(&g->scales[d], rows + (size_t)(skip + i) * g->width);
  }
  if (n < g->guessed / 2) // those of a near key are gone
    g->guessed = 0;
  if (n > 1 && n > g->guessed + g->guessed / 10) {
    gauss_improve(g);
    g->guessed = n;
  }
  return n > 0 && gauss_weigh(g, &g->guess) > -DBL_MAX;
}

// ---- foretelling --------------------------------------------------------------------

// Predicts N vectors of points: their deviation from the mean, and the fraction of the
// variance that is left.
static void gauss_foretell(struct gauss *g, unsigned n, lanes *above, lanes *left) {
  for (unsigned i = 0; i < n; i++) {
    above[i] = gauss_all(0);
    left[i] = gauss_all(1);
  }
  for (unsigned t = 0; t < g->n; t++) {
    lanes *v = g->solved[t];
    for (unsigned i = 0; i < n; i++)
      v[i] = gauss_all(1);
    for (unsigned d = 0; d < g->dims; d++)
      gauss_compare(g, d, gauss_element(g->rows[d], t), g->points[d], v, n);
    for (unsigned k = 0; k < t; k++) {
      lanes by = gauss_all(gauss_element(g->factor[k], t));
      for (unsigned i = 0; i < n; i++)
        v[i] -= by * g->solved[k][i];
    }
    lanes by = gauss_all(1 / gauss_element(g->factor[t], t));
    for (unsigned i = 0; i < n; i++) {
      v[i] *= by;
      above[i] += g->weights[t] * v[i];
      left[i] -= v[i] * v[i];
    }
  }
}

static bool gauss_predict(void *model, const float *rows, unsigned n, float *mean,
                          float *spread) {
  struct gauss *g = model;
  lanes above[BLOCK], left[BLOCK];
  if (g->n == 0)
    return false;
  for (unsigned at = 0; at < n; at += BLOCK * LANES) {
    unsigned some = n - at < BLOCK * LANES ? n - at : BLOCK * LANES;
    for (unsigned i = 0; i < some; i++)
      for (unsigned d = 0; d < g->dims; d++)
        g->points[d][i / LANES][i % LANES] =
            gauss_place(&g->scales[d], rows + (size_t)(at + i) * g->width);
    gauss_foretell(g, (some + LANES - 1) / LANES, above, left);
    for (unsigned i = 0; i < some; i++) {
      mean[at + i] = gauss_undamp(g->mean + gauss_element(above, i));
      spread[at + i] = sqrtf(fmaxf(gauss_element(left, i), 1e-6f) * g->variance);
    }
  }
  return true;
}

const struct learner learner_gauss = {
  .new = gauss_new,
  .fit = gauss_fit,
  .predict = gauss_predict,
  .free = gauss_free,
};
