// SPDX-License-Identifier: Apache-2.0
// learn.c: the lessons of one search: the results of its points, and the models learned
// from them. One model predicts the cost of points; another, always trees, predicts if
// they compile, run and are right.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn.h"

enum {
  PREDICTED = MAX_LESSONS, // points predicted together
  FEW = 3,                 // with fewer right points no model is made
  SURE = 16, // with fewer right points nothing is predicted of a single point
};
static const double DOUBTS =
    3; // standard deviations; a cost is hardly further below its mean
// Points that are less likely to be right come after all others: their score is lowered.
static const double LIKELY = 0.25, DOOMED = 1e4;
// No point is taken to be surer than that to fail or to be right.
static const double UNLIKELY = 1e-3;

struct lesson {
  bool right, believed; // believed: it is being tried, and its cost is predicted
  double cost;
};

struct lessons {
  const struct space *space;
  struct columns columns;
  const struct learner *learner;
  // Models. `times`: NULL if there was no memory for a near key. `coded` also learns from
  // the features of code, so it is for compiled points; NULL until it is used.
  // `failures`: NULL until a point fails.
  void *times, *failures, *coded;
  uint64_t seed;
  struct lesson list[MAX_LESSONS];
  unsigned n, told, right;
  unsigned improved,
      alone_since;             // points told of: when the best was found; as in learn.h
  choice *points;              // of the lessons
  float *rows, *work;          // of the lessons; of points that are being scored
  unsigned order[MAX_LESSONS]; // the right lessons that were told, best first
  unsigned changes, coded_changes; // lessons since the models were made
  bool ready;                      // `times` and `failures` were made
  struct {
    choice *points;
    float *rows;
    double logs[MAX_TRANSFERRED];
    unsigned n, column;
  } near;            // the results of a near key
  double unit, best; // of targets: the logarithm of cost is BEST + target * UNIT
};

void lessons_free(struct lessons *l) {
  if (!l)
    return;
  if (l->times)
    l->learner->free(l->times);
  if (l->failures)
    learner_trees.free(l->failures);
  if (l->coded)
    learner_trees.free(l->coded);
  free(l->near.points);
  free(l->near.rows);
  free(l->points);
  free(l->rows);
  free(l->work);
  free(l);
}

struct lessons *lessons_new(const struct space *s, uint64_t seed,
                            const struct learner *learner) {
  struct lessons *l = sys_calloc(1, sizeof *l);
  if (!l)
    return NULL;
  l->space = s;
  l->seed = seed;
  columns_init(&l->columns, s);
  l->learner = learner;
  l->times = learner->new(&l->columns, l->columns.n_plain, seed);
  size_t width = l->columns.n + 1; // lessons_transfer adds a column
  l->points = sys_malloc(sizeof *l->points * MAX_LESSONS * (s->kernel->n_params + 1));
  l->rows = sys_malloc(sizeof *l->rows * MAX_LESSONS * width);
  l->work = sys_malloc(sizeof *l->work * (MAX_LESSONS + MAX_TRANSFERRED) * width);
  if (l->times && l->points && l->rows && l->work)
    return l;
  lessons_free(l);
  return NULL;
}

unsigned lessons_count(const struct lessons *l) {
  return l->told;
}

unsigned lessons_right(const struct lessons *l) {
  return l->right;
}

static choice *point_of(const struct lessons *l, unsigned i) {
  return l->points + (size_t)i * l->space->kernel->n_params;
}

static float *row_of(const struct lessons *l, unsigned i) {
  return l->rows + (size_t)i * l->columns.n;
}

const choice *lessons_best(const struct lessons *l, unsigned rank) {
  return rank < l->right ? point_of(l, l->order[rank]) : NULL;
}

// ---- what was told ------------------------------------------------------------------

static void learn_enter(struct lessons *l, unsigned at) {
  unsigned i = l->right++;
  for (; i > 0 && l->list[l->order[i - 1]].cost > l->list[at].cost; i--)
    l->order[i] = l->order[i - 1];
  l->order[i] = at;
}

static void learn_leave(struct lessons *l, unsigned at) {
  unsigned i = 0;
  while (i < l->right && l->order[i] != at)
    i++;
  if (i == l->right)
    return;
  l->right--;
  memmove(l->order + i, l->order + i + 1, (l->right - i) * sizeof *l->order);
}

// Returns the index of the lesson of POINT, or a free index; if no index is free, that of
// the slowest right point.
static unsigned learn_place(const struct lessons *l, const choice *point) {
  for (unsigned i = l->n; i-- > 0;)
    if (space_equal(l->space, point_of(l, i), point))
      return i;
  if (l->n < MAX_LESSONS)
    return l->n;
  return l->right ? l->order[l->right - 1] : MAX_LESSONS - 1;
}

void lessons_add(struct lessons *l, const choice *point,
                 const struct observation *observation) {
  unsigned at = learn_place(l, point);
  if (at < l->n)
    learn_leave(l, at);
  l->told += observation != NULL;
  bool right = observation &&
      (observation->status == STATUS_OK || observation->status == STATUS_DROPPED);
  l->list[at] = (struct lesson){ .believed = !observation,
                                 .right = right && observation->cost > 0,
                                 .cost = observation ? observation->cost : 0 };
  memcpy(point_of(l, at), point, l->space->kernel->n_params * sizeof *point);
  columns_row(&l->columns, point, observation ? observation->features : NULL,
              row_of(l, at), l->columns.n);
  l->n += at == l->n;
  if (l->list[at].right)
    learn_enter(l, at);
  if (l->right && l->order[0] == at)
    l->improved = l->told;
  if (l->near.n > 0 && !l->alone_since && l->told - l->improved >= GUIDED)
    l->alone_since = l->told;
  l->changes++;
  l->coded_changes++;
}

// ---- what is known of a near key ----------------------------------------------------

unsigned lessons_transferred(const struct lessons *l) {
  return l->near.n;
}

unsigned lessons_alone_since(const struct lessons *l) {
  return l->alone_since;
}

// Returns how many results of a near key count.
static unsigned near_rows(const struct lessons *l) {
  return l->alone_since ? 0 : l->near.n;
}

static choice *near_point(const struct lessons *l, unsigned i) {
  return l->near.points + (size_t)i * l->space->kernel->n_params;
}

// Makes room for a near key: one more column, from which the models learn how much its
// results tell.
static bool begin_near(struct lessons *l) {
  if (l->near.points)
    return l->times != NULL;
  choice *points =
      sys_malloc(sizeof *points * MAX_TRANSFERRED * (l->space->kernel->n_params + 1));
  float *rows =
      sys_malloc(sizeof *rows * MAX_TRANSFERRED * (l->columns.n_plain + (size_t)1));
  if (!points || !rows) {
    free(points);
    free(rows);
    return false;
  }
  l->near.points = points;
  l->near.rows = rows;
  l->near.column = columns_add_near(&l->columns);
  l->learner->free(l->times);
  l->times = l->learner->new(&l->columns, l->columns.n_plain, l->seed);
  return l->times != NULL;
}

void lessons_transfer(struct lessons *l, const choice *point, double cost) {
  unsigned at = l->near.n, width = l->columns.n_plain + (l->near.points == NULL);
  if (l->n > 0 || at == MAX_TRANSFERRED || !(cost > 0) || !begin_near(l))
    return;
  float *row = l->near.rows + (size_t)at * width;
  memcpy(near_point(l, at), point, l->space->kernel->n_params * sizeof *point);
  columns_row(&l->columns, point, NULL, row, width);
  row[l->near.column] = 1;
  l->near.logs[at] = log(cost);
  l->near.n++;
}

// Returns the logarithm of the ratio of costs here to costs for the near key: the median
// over points known for both. Without common points the best of both count as equal.
static double near_shift(const struct lessons *l) {
  double differences[MAX_TRANSFERRED], best = DBL_MAX;
  unsigned n = 0;
  for (unsigned i = 0; i < l->near.n; i++) {
    best = fmin(best, l->near.logs[i]);
    for (unsigned j = 0; j < l->n; j++)
      if (l->list[j].right && space_equal(l->space, near_point(l, i), point_of(l, j)))
        differences[n++] = log(l->list[j].cost) - l->near.logs[i];
  }
  return n > 0 ? stats_median(differences, n).median : l->best - best;
}

// Returns the difference of the logarithms from the best to the median. The near key's
// best was told last.
static double near_unit(const struct lessons *l) {
  unsigned n = near_rows(l);
  return n > 0 ? l->near.logs[n / 2] - l->near.logs[n - 1] : 0;
}

// ---- models -------------------------------------------------------------------------

static double median_log(const struct lessons *l) {
  return log(l->list[l->order[l->right / 2]].cost);
}

static float target_of(const struct lessons *l, unsigned i) {
  return (float)((log(l->list[i].cost) - l->best) / l->unit);
}

// Copies the row of LESSON to row N of those from which a model of WIDTH columns learns.
static void copy_row(struct lessons *l, unsigned n, unsigned lesson, unsigned width) {
  memcpy(l->work + (size_t)n * width, row_of(l, lesson), width * sizeof *l->work);
}

// Sets TARGET to what a point that is being tried counts as: its predicted result, worse
// by the spread. So the next points are further away, and no result that is only hoped
// for makes its neighbours attractive. False: nothing is predicted.
static bool believed_target(const struct lessons *l, unsigned i, float *target) {
  float spread;
  if (!l->list[i].believed || !l->ready ||
      !l->learner->predict(l->times, row_of(l, i), 1, target, &spread))
    return false;
  *target += spread;
  return true;
}

static bool fit_times(struct lessons *l) {
  float targets[MAX_LESSONS + MAX_TRANSFERRED];
  unsigned n = 0, width = l->columns.n_plain, near = near_rows(l);
  l->best = log(l->list[l->order[0]].cost);
  l->unit = fmax(fmax(median_log(l) - l->best, near_unit(l)), 1e-6);
  double shift = near > 0 ? near_shift(l) : 0;
  for (; n < near; n++)
    targets[n] = (float)((l->near.logs[n] + shift - l->best) / l->unit);
  if (n > 0)
    memcpy(l->work, l->near.rows, n * width * sizeof *l->work);
  for (unsigned i = 0; i < l->n; i++) {
    if (l->list[i].right)
      targets[n] = target_of(l, i);
    else if (!believed_target(l, i, &targets[n]))
      continue;
    copy_row(l, n++, i, width);
  }
  return l->learner->fit(l->times, l->work, targets, n);
}

static bool fit_failures(struct lessons *l) {
  float targets[MAX_LESSONS];
  unsigned n = 0, width = l->columns.n_plain;
  if (l->right == l->told)
    return true;
  for (unsigned i = 0; i < l->n; i++)
    if (!l->list[i].believed) {
      targets[n] = !l->list[i].right;
      copy_row(l, n++, i, width);
    }
  if (!l->failures)
    l->failures = learner_trees.new(&l->columns, width, l->seed);
  return l->failures && learner_trees.fit(l->failures, l->work, targets, n);
}

static bool fit_coded(struct lessons *l) {
  float targets[MAX_LESSONS];
  unsigned n = 0, width = l->columns.n;
  if (l->coded && l->coded_changes <= l->n / 32)
    return true;
  if (!l->coded && !(l->coded = learner_trees.new(&l->columns, width, l->seed)))
    return false;
  for (; n < l->right; n++) {
    targets[n] = (float)log(l->list[l->order[n]].cost);
    copy_row(l, n, l->order[n], width);
  }
  l->coded_changes = 0;
  return learner_trees.fit(l->coded, l->work, targets, n);
}

// Makes the models again if enough lessons are new; with many lessons, not for each.
static bool learn_fit(struct lessons *l) {
  if (!l->times || l->right == 0 || l->right + near_rows(l) < FEW)
    return false;
  if (l->ready && l->changes <= l->n / 48)
    return true;
  l->ready = fit_times(l) && fit_failures(l);
  l->changes = 0;
  return l->ready;
}

// ---- what is expected ---------------------------------------------------------------

// Predicts the probability that each of N points is right.
static void expect_right(const struct lessons *l, const float *rows, unsigned n,
                         float *fraction) {
  float spread[PREDICTED];
  bool known = l->failures &&
      learner_trees.predict(l->failures, rows, n, fraction, spread);
  for (unsigned i = 0; i < n; i++)
    fraction[i] = known ? fmaxf(1 - fraction[i], (float)UNLIKELY) : 1;
}

// Returns the expected improvement below 0 of a normally distributed number (Mockus 1975;
// Jones, Schonlau, Welch 1998).
static double learn_improvement(double mean, double spread) {
  double z = spread > 1e-6 ? -mean / spread : mean < 0 ? 40 : -40;
  double density = exp(-0.5 * z * z) / sqrt(2 * M_PI);
  return fmax(spread * (z * 0.5 * erfc(-z * M_SQRT1_2) + density), 0) +
      1e-12 * exp(-mean);
}

static void learn_look(struct lessons *l, const choice *points, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    columns_row(&l->columns, points + (size_t)i * l->space->kernel->n_params, NULL,
                l->work + (size_t)i * l->columns.n_plain, l->columns.n_plain);
}

bool lessons_score(struct lessons *l, const choice *points, unsigned n, double *scores) {
  if (!learn_fit(l))
    return false;
  for (unsigned at = 0; at < n; at += PREDICTED) {
    unsigned m = n - at < PREDICTED ? n - at : PREDICTED;
    float mean[PREDICTED], spread[PREDICTED], right[PREDICTED];
    learn_look(l, points + (size_t)at * l->space->kernel->n_params, m);
    if (!l->learner->predict(l->times, l->work, m, mean, spread))
      return false;
    expect_right(l, l->work, m, right);
    for (unsigned i = 0; i < m; i++)
      scores[at + i] = log(learn_improvement(mean[i], spread[i]) * l->unit) +
          log(right[i]) - (right[i] < LIKELY ? DOOMED : 0);
  }
  return true;
}

double lessons_expect(struct lessons *l, const choice *point,
                      const struct features *features) {
  float row[MAX_COLUMNS], mean, spread;
  if (l->right < SURE || !fit_coded(l))
    return 0;
  columns_row(&l->columns, point, features, row, l->columns.n);
  if (!learner_trees.predict(l->coded, row, 1, &mean, &spread))
    return 0;
  return exp(mean - DOUBTS * spread);
}

// ---- where nothing is known ---------------------------------------------------------

static double learn_apart(const struct space *s, const choice *a, const choice *b) {
  double sum = 0;
  for (unsigned p = 0; p < s->kernel->n_params; p++)
    if (a[p] != b[p])
      sum += space_ordinal(s, p)
          ? fabs((double)a[p] - (double)b[p]) / (s->kernel->params[p].n_values - 1)
          : 1;
  return sum;
}

double lessons_distance(const struct lessons *l, const choice *point) {
  double nearest = DBL_MAX;
  for (unsigned i = 0; i < l->n; i++)
    nearest = fmin(nearest, learn_apart(l->space, point_of(l, i), point));
  return nearest;
}
