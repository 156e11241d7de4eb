// SPDX-License-Identifier: Apache-2.0
// trees.c: a random forest (Breiman, Machine Learning 45, 2001). The spread of its trees'
// predictions measures the uncertainty (Hutter, Hoos, Leyton-Brown, LION 2011). Each tree
// is grown from as many rows as there are, drawn with repetition, until its leaves have
// one or two rows; each branch uses a random part of the columns. A cut is at a random
// place between two values, so that trees differ where there are no rows.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn.h"

enum { TREES = 32, DEPTH = 40, SMALLEST = 3, NODES = 2 * MAX_LESSONS };
static const double LOOKED_AT = 0.7; // the fraction of columns that a branch uses

struct node {
  int column;     // -1: a leaf
  float cut;      // rows up to it, and rows without the column, go to the next node
  unsigned right; // the node of the others
  float mean, variance;
};

struct forest {
  unsigned width, n;
  uint64_t rng;
  const float *targets;
  float *values;   // of each column, sorted; columns are MAX_LESSONS apart
  uint16_t *codes; // of each column: which of its values a row has, from 1; 0: missing
  unsigned distinct[MAX_COLUMNS];
  struct node *nodes; // of the trees, NODES apart
  unsigned used;      // nodes of the tree that is being grown
};

static void trees_free(void *model) {
  struct forest *f = model;
  free(f->values);
  free(f->codes);
  free(f->nodes);
  free(f);
}

static void *trees_new(const struct columns *c, unsigned width, uint64_t seed) {
  (void)c;
  struct forest *f = sys_calloc(1, sizeof *f);
  if (!f)
    return NULL;
  f->width = width;
  f->rng = seed;
  f->values = sys_malloc(sizeof *f->values * MAX_LESSONS * width);
  f->codes = sys_malloc(sizeof *f->codes * MAX_LESSONS * width);
  f->nodes = sys_malloc(sizeof *f->nodes * NODES * TREES);
  if (f->values && f->codes && f->nodes)
    return f;
  trees_free(f);
  return NULL;
}

// ---- columns as codes: each branch then counts instead of sorting -------------------

static int trees_by_value(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

static uint16_t code_of(const float *values, unsigned n, float value) {
  unsigned low = 0;
  while (n > 1) {
    unsigned half = n / 2;
    if (values[low + half] <= value)
      low += half;
    n -= half;
  }
  return (uint16_t)(low + 1);
}

static void trees_encode(struct forest *f, const float *rows, unsigned column) {
  float *values = f->values + (size_t)column * MAX_LESSONS;
  uint16_t *codes = f->codes + (size_t)column * MAX_LESSONS;
  unsigned n = 0, distinct = 0;
  for (unsigned i = 0; i < f->n; i++)
    if (!isnan(rows[(size_t)i * f->width + column]))
      values[n++] = rows[(size_t)i * f->width + column];
  qsort(values, n, sizeof *values, trees_by_value);
  for (unsigned i = 0; i < n; i++)
    if (i == 0 || values[i] != values[distinct - 1])
      values[distinct++] = values[i];
  f->distinct[column] = distinct;
  for (unsigned i = 0; i < f->n; i++) {
    float value = rows[(size_t)i * f->width + column];
    codes[i] = isnan(value) ? 0 : code_of(values, distinct, value);
  }
}

// ---- growing ------------------------------------------------------------------------

struct cut {
  double gain;
  int column;
  unsigned code;
}; // codes up to CODE go left

// Finds the best cut of COLUMN and keeps it if it is better than *BEST. SUM: of the
// targets of the N rows.
static void trees_look(const struct forest *f, unsigned column, const uint16_t *rows,
                       unsigned n, double sum, struct cut *best) {
  const uint16_t *codes = f->codes + (size_t)column * MAX_LESSONS;
  unsigned low = UINT16_MAX, high = 0;
  for (unsigned i = 0; i < n; i++) {
    unsigned code = codes[rows[i]];
    low = code < low ? code : low;
    high = code > high ? code : high;
  }
  if (low >= high)
    return;
  double sums[MAX_LESSONS + 1];
  uint16_t counts[MAX_LESSONS + 1];
  memset(sums + low, 0, (high - low + 1) * sizeof *sums);
  memset(counts + low, 0, (high - low + 1) * sizeof *counts);
  for (unsigned i = 0; i < n; i++) {
    unsigned code = codes[rows[i]];
    sums[code] += f->targets[rows[i]];
    counts[code]++;
  }
  double left = 0;
  unsigned n_left = 0;
  for (unsigned code = low; code < high; code++) {
    if (counts[code] == 0)
      continue;
    left += sums[code];
    n_left += counts[code];
    double gain = left * left / n_left + (sum - left) * (sum - left) / (n - n_left);
    if (gain > best->gain)
      *best = (struct cut){ gain, (int)column, code };
  }
}

static float trees_between(struct forest *f, const struct cut *cut, const uint16_t *rows,
                           unsigned n) {
  const uint16_t *codes = f->codes + (size_t)cut->column * MAX_LESSONS;
  const float *values = f->values + (size_t)cut->column * MAX_LESSONS;
  unsigned next = UINT16_MAX;
  for (unsigned i = 0; i < n; i++)
    if (codes[rows[i]] > cut->code && codes[rows[i]] < next)
      next = codes[rows[i]];
  if (cut->code == 0)
    return -FLT_MAX;
  float a = values[cut->code - 1], b = values[next - 1];
  float at = a + (b - a) * (float)(0.02 + 0.96 * rng_unit(&f->rng));
  return at < b ? at : a;
}

static unsigned trees_part(const struct forest *f, const struct cut *cut, uint16_t *rows,
                           unsigned n) {
  const uint16_t *codes = f->codes + (size_t)cut->column * MAX_LESSONS;
  unsigned left = 0;
  for (unsigned i = 0; i < n; i++)
    if (codes[rows[i]] <= cut->code) {
      uint16_t row = rows[i];
      rows[i] = rows[left];
      rows[left++] = row;
    }
  return left;
}

static unsigned trees_grow(struct forest *f, struct node *tree, uint16_t *rows,
                           unsigned n, unsigned depth) {
  unsigned at = f->used++;
  double sum = 0, squares = 0;
  for (unsigned i = 0; i < n; i++) {
    double y = f->targets[rows[i]];
    sum += y;
    squares += y * y;
  }
  double variance = fmax(squares / n - sum / n * (sum / n), 0);
  tree[at] = (struct node){ .column = -1,
                            .mean = (float)(sum / n),
                            .variance = (float)variance };
  struct cut best = { .gain = sum * sum / n + 1e-9 * squares, .column = -1 };
  if (n < SMALLEST || depth == DEPTH || variance < 1e-12)
    return at;
  for (unsigned c = 0; c < f->width; c++)
    if (f->distinct[c] > 0 && rng_unit(&f->rng) < LOOKED_AT)
      trees_look(f, c, rows, n, sum, &best);
  if (best.column < 0)
    return at;
  float cut = trees_between(f, &best, rows, n);
  unsigned left = trees_part(f, &best, rows, n);
  tree[at].column = best.column;
  tree[at].cut = cut;
  trees_grow(f, tree, rows, left, depth + 1);
  unsigned right = trees_grow(f, tree, rows + left, n - left, depth + 1);
  tree[at].right = right;
  return at;
}

static bool trees_fit(void *model, const float *rows, const float *targets, unsigned n) {
  struct forest *f = model;
  f->n = n < MAX_LESSONS ? n : MAX_LESSONS;
  f->targets = targets;
  for (unsigned c = 0; c < f->width; c++)
    trees_encode(f, rows, c);
  for (unsigned t = 0; t < TREES && f->n > 0; t++) {
    uint16_t drawn[MAX_LESSONS];
    for (unsigned i = 0; i < f->n; i++)
      drawn[i] = (uint16_t)rng_below(&f->rng, f->n);
    f->used = 0;
    trees_grow(f, f->nodes + (size_t)t * NODES, drawn, f->n, 0);
  }
  f->targets = NULL;
  return f->n > 0;
}

static const struct node *trees_leaf(const struct node *tree, const float *row) {
  const struct node *at = tree;
  while (at->column >= 0)
    at = row[at->column] > at->cut ? tree + at->right : at + 1;
  return at;
}

// Sums over the trees' predictions for one row.
struct votes {
  float sum, squares, variance;
};

static bool trees_predict(void *model, const float *rows, unsigned n, float *mean,
                          float *spread) {
  const struct forest *f = model;
  struct votes votes[MAX_LESSONS];
  if (f->n == 0)
    return false;
  for (unsigned begin = 0; begin < n; begin += MAX_LESSONS) {
    unsigned end = n - begin < MAX_LESSONS ? n : begin + MAX_LESSONS;
    memset(votes, 0, sizeof votes);
    for (unsigned t = 0; t < TREES; t++) // outside, so that a tree stays in the cache
      for (unsigned i = begin; i < end; i++) {
        const struct node *at =
            trees_leaf(f->nodes + (size_t)t * NODES, rows + (size_t)i * f->width);
        struct votes *v = &votes[i - begin];
        v->sum += at->mean;
        v->squares += at->mean * at->mean;
        v->variance += at->variance;
      }
    for (unsigned i = begin; i < end; i++) {
      const struct votes *v = &votes[i - begin];
      mean[i] = v->sum / TREES;
      spread[i] =
          sqrtf(fmaxf(v->squares / TREES - mean[i] * mean[i], 0) + v->variance / TREES);
    }
  }
  return true;
}

const struct learner learner_trees = {
  .new = trees_new,
  .fit = trees_fit,
  .predict = trees_predict,
  .free = trees_free,
};
