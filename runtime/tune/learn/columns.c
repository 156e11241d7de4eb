// SPDX-License-Identifier: Apache-2.0
// columns.c: turns a point into a row of numbers, from which models learn. A row has the
// values and also numbers that matter for performance and that trees cannot derive: the
// largest power of two that divides a size (vectors, warps, banks), products of sizes
// (threads of a block, bytes of a tile), which of several words a value is, and the
// features of the compiled code.
#include <math.h>
#include <string.h>

#include "learn.h"

enum {
  WORDS = 12, // words that get a column each; of more words only the index counts
  MAX_PLAIN = MAX_COLUMNS - MAX_FEATURES - 1, // 1: the column of a near key
};

static void columns_add(struct columns *c, unsigned kind, unsigned a, unsigned b) {
  if (c->n < MAX_COLUMNS)
    c->list[c->n++] = (struct column){ .kind = kind, .a = (uint16_t)a, .b = (uint16_t)b };
}

// True if parameter P is a size: a number of which a value is above 1.
static bool is_size(const struct space *s, unsigned p) {
  const struct autotune_param *param = &s->kernel->params[p];
  bool large = false;
  for (unsigned v = 0; v < param->n_values; v++) {
    if (param->values[v].i < 0)
      return false;
    large |= param->values[v].i > 1;
  }
  return param->kind == AUTOTUNE_INT && large;
}

void columns_init(struct columns *c, const struct space *s) {
  const struct autotune_kernel *k = s->kernel;
  *c = (struct columns){ .space = s };
  for (unsigned p = 0; p < k->n_params; p++)
    columns_add(c, COLUMN_VALUE, p, 0);
  for (unsigned p = 0; p < k->n_params; p++)
    if (is_size(s, p))
      columns_add(c, COLUMN_POWER, p, 0);
    else if (!space_ordinal(s, p) && k->params[p].n_values > 2 &&
             k->params[p].n_values <= WORDS)
      for (unsigned v = 0; v < k->params[p].n_values; v++)
        columns_add(c, COLUMN_IS, p, v);
  for (unsigned p = 0; p < k->n_params; p++)
    for (unsigned q = 0; q < p && is_size(s, p); q++)
      if (is_size(s, q))
        columns_add(c, COLUMN_PRODUCT, p, q);
  c->n_plain = c->n = c->n < MAX_PLAIN ? c->n : MAX_PLAIN;
  for (unsigned f = 0; f < MAX_FEATURES; f++)
    columns_add(c, COLUMN_CODE, f, 0);
}

unsigned columns_add_near(struct columns *c) {
  unsigned at = c->n_plain++;
  memmove(c->list + at + 1, c->list + at, (c->n - at) * sizeof *c->list);
  c->list[at] = (struct column){ .kind = COLUMN_NEAR };
  c->n++;
  return at;
}

static float columns_power(long long size) {
  return size > 0 ? (float)__builtin_ctzll((unsigned long long)size) : 64;
}

void columns_row(const struct columns *c, const choice *point,
                 const struct features *features, float *row, unsigned n) {
  const struct autotune_param *params = c->space->kernel->params;
  double values[MAX_PARAMS];
  for (unsigned p = 0; p < c->space->kernel->n_params; p++)
    values[p] = !space_matters(c->space->kernel, point, p) ? NAN
        : params[p].kind == AUTOTUNE_INT ? (double)params[p].values[point[p]].i
        : space_ordinal(c->space, p)     ? params[p].values[point[p]].d
                                         : (double)point[p];
  for (unsigned i = 0; i < n; i++) {
    const struct column *col = &c->list[i];
    double a = col->kind == COLUMN_CODE || col->kind == COLUMN_NEAR ? 0 : values[col->a];
    switch (col->kind) {
    case COLUMN_VALUE:
      row[i] = (float)a;
      break;
    case COLUMN_POWER:
      row[i] = isnan(a) ? NAN : columns_power((long long)a);
      break;
    case COLUMN_IS:
      row[i] = isnan(a) ? NAN : a == col->b;
      break;
    case COLUMN_PRODUCT:
      row[i] = (float)(a * values[col->b]);
      break;
    case COLUMN_NEAR:
      row[i] = 0;
      break;
    case COLUMN_CODE:
      row[i] = features ? features->values[col->a] : NAN;
      break;
    }
  }
}
