/* SPDX-License-Identifier: Apache-2.0 */
/* learn.h: what searches learn about a space from the points tried, grouped by file.
 *
 *   columns.c  converts a point to a row of numbers, the input of a model
 *   trees.c    a model: trees grown on random parts of the known rows
 *   gauss.c    a model: a Gaussian process
 *   learn.c    the results of one search (lessons), and models of times and failures */
#ifndef AUTOTUNE_LEARN_H
#define AUTOTUNE_LEARN_H

#include "base/base.h"
#include "tune/search/search.h"
#include "model/space.h"

/* ---- columns.c ------------------------------------------------------------------- */

enum { MAX_COLUMNS = 384 };
struct column {
  enum {
    COLUMN_VALUE,
    COLUMN_POWER,
    COLUMN_IS,
    COLUMN_PRODUCT,
    COLUMN_NEAR,
    COLUMN_CODE
  } kind;
  uint16_t a, b; /* indices of parameters; COLUMN_IS: B is that of a value; COLUMN_CODE: A
                    is that of a feature */
};
struct columns {
  const struct space *space;
  struct column list[MAX_COLUMNS];
  unsigned n;
  unsigned n_plain; /* the first columns: known before a point is compiled */
};
void columns_init(struct columns *c, const struct space *s);
/* Adds a plain column and returns its index. columns_row sets it to 0; the caller sets
 * it to 1 in rows of a near key. */
unsigned columns_add_near(struct columns *c);
/* Fills in ROW with the first N columns of POINT; NAN where a parameter does not matter
 * or a feature is not known (FEATURES NULL: none is). */
void columns_row(const struct columns *c, const choice *point,
                 const struct features *features, float *row, unsigned n);

/* ---- models ---------------------------------------------------------------------- */

enum {
  MAX_LESSONS = 512
}; /* rows that a model is fitted to, without the at most MAX_TRANSFERRED rows of a near
      key */
struct learner {
  /* Returns a new model of rows with the first WIDTH columns. NULL: no memory. */
  void *(*new)(const struct columns *c, unsigned width, uint64_t seed);
  /* Fits MODEL to N rows of WIDTH numbers (NAN: missing) and their results; less is
   * better. */
  bool (*fit)(void *model, const float *rows, const float *targets, unsigned n);
  /* Predicts the result of N rows (MEAN), and the uncertainty: how much the model's
   * members differ (SPREAD). */
  bool (*predict)(void *model, const float *rows, unsigned n, float *mean, float *spread);
  void (*free)(void *model);
};
extern const struct learner learner_trees, learner_gauss;

/* ---- learn.c --------------------------------------------------------------------- */

struct lessons;
/* Returns the empty lessons of a search; LEARNER predicts times. NULL: no memory. */
struct lessons *lessons_new(const struct space *s, uint64_t seed,
                            const struct learner *learner);
void lessons_free(struct lessons *l);
/* Adds the result of POINT. OBSERVATION NULL: POINT is being tried, and its predicted
 * time plus the prediction's spread is used meanwhile. */
void lessons_add(struct lessons *l, const choice *point,
                 const struct observation *observation);
/* Adds the cost of POINT for a near key. Called before anything else is added, at
 * most MAX_TRANSFERRED times, the best point last. They count until GUIDED
 * points in succession were no better than the best before: a poor guide is not followed
 * for ever. */
enum { GUIDED = 10 };
void lessons_transfer(struct lessons *l, const choice *point, double cost);
unsigned lessons_transferred(const struct lessons *l);
/* Returns how many points were told of when the costs for a near key ceased to count; 0:
 * they count, or there are none. */
unsigned lessons_alone_since(const struct lessons *l);
unsigned lessons_count(const struct lessons *l); /* points told of */
unsigned lessons_right(const struct lessons *l); /* points that ran and were right */
/* Returns the RANK-th best point told of (0: the best), or NULL. */
const choice *lessons_best(const struct lessons *l, unsigned rank);
/* Scores N points: the logarithm of the expected improvement, as a fraction of the best
 * time. False: too little is known. */
bool lessons_score(struct lessons *l, const choice *points, unsigned n, double *scores);
/* Returns the distance from POINT to the nearest lesson: the number of parameters that
 * differ; different numbers count less than 1, by their steps. */
double lessons_distance(const struct lessons *l, const choice *point);
/* As in struct strategy_class. */
double lessons_expect(struct lessons *l, const choice *point,
                      const struct features *features);

#endif
