/* SPDX-License-Identifier: Apache-2.0 */
/* learn.h: what searches learn of a space from the points tried, grouped by file.
 *
 *   columns.c  a point as a row of numbers: what a model sees of it
 *   trees.c    a model: trees grown on random parts of what is known; always there
 *   gauss.c    a model: a Gaussian process; always there
 *   boost.c    a model: XGBoost's ranking, where its library is installed
 *   learn.c          the table of models; the lessons of one search: times, failures,
 * expectations
 *
 * Used in the tuner only: a model may load a library. */
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
  uint16_t a,
      b; /* parameters; COLUMN_IS: B is a value's index; COLUMN_CODE: A is a feature's */
};
struct columns {
  const struct space *space;
  struct column list[MAX_COLUMNS];
  unsigned n;
  unsigned n_plain; /* the first ones: what is known before a point is compiled */
};
void columns_init(struct columns *c, const struct space *s);
/* One more plain column, 0 in every row: of rows for a near key, it is set to 1. Its
 * index. */
unsigned columns_add_near(struct columns *c);
/* The first N columns; NAN where a parameter does not matter or a feature (NULL: all) is
 * not known. */
void columns_row(const struct columns *c, const choice *point,
                 const struct features *features, float *row, unsigned n);

/* ---- models ---------------------------------------------------------------------- */

enum {
  MAX_LESSONS = 512
}; /* rows that a model is made of, besides MAX_TRANSFERRED of a near key */
struct learner {
  const char *name;
  /* For rows of the first WIDTH columns. NULL: it cannot be had here. */
  void *(*new)(const struct columns *c, unsigned width, uint64_t seed);
  /* N rows of WIDTH numbers, NAN where missing, and what came of each: less is better. */
  bool (*fit)(void *model, const float *rows, const float *targets, unsigned n);
  /* What is expected of N rows, and how much the model's members differ. */
  bool (*predict)(void *model, const float *rows, unsigned n, float *mean, float *spread);
  void (*free)(void *model);
};
extern const struct learner learner_trees, learner_boost, learner_gauss;
/* "1.7.4" into TEXT: XGBoost's, which is opened for that. False: it cannot be had, and
 * TEXT says why. */
bool boost_version(char *text, size_t size);

/* ---- learn.c --------------------------------------------------------------------- */

struct lessons;
/* LEARNER: where it cannot be had, trees take its place. NULL: no memory. */
struct lessons *lessons_new(const struct space *s, uint64_t seed,
                            const struct learner *learner);
void lessons_free(struct lessons *l);
/* What came of POINT, or with TOLD NULL: it is being tried, and believed to be as
 * expected. */
void lessons_add(struct lessons *l, const choice *point,
                 const struct observation *observation);
/* What POINT took for a near key, in seconds; before anything is added. Up to
 * MAX_TRANSFERRED, best last. */
void lessons_transfer(struct lessons *l, const choice *point, double seconds);
unsigned lessons_transferred(const struct lessons *l);
unsigned lessons_count(const struct lessons *l); /* points told of */
unsigned lessons_right(const struct lessons *l); /* those that ran and were right */
/* The RANK-th best point that was told of (0: the best), or NULL. */
const choice *lessons_best(const struct lessons *l, unsigned rank);
/* How good a try each of N points is: the logarithm of the improvement to be expected of
 * it, as a share of the best time. False: too little is known. */
bool lessons_score(struct lessons *l, const choice *points, unsigned n, double *scores);
/* From POINT to the nearest lesson, in parameters that differ; a number's steps are parts
 * of one. */
double lessons_distance(const struct lessons *l, const choice *point);
/* As in struct strategy_class. */
double lessons_expect(struct lessons *l, const choice *point,
                      const struct features *features);

#endif
