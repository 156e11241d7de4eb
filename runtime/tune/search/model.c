// SPDX-License-Identifier: Apache-2.0
// model.c: Bayesian optimisation: a model, learned from the results so far, predicts
// which point has the largest expected improvement. The first points are spread over the
// space. Of a small space all points are scored each time; of a larger one random points
// and neighbours of the best.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tune/learn/learn.h"
#include "search.h"

enum {
  LISTED = 6144,  // points of a space that is scored as a whole
  SAMPLES = 1024, // else: random points that are scored each time
  BEST = 8,       // and neighbours of so many of the best
  NEAR = 96,
  TOGETHER = 20,  // trials whose improvement is expected together …
  SURER = 1000,   // … by a Gaussian process, whose spread shrinks too early; chosen
                  // on recorded spaces
  HISTORY = 4096, // trials after which the best cost is kept
  SPREAD = 24,    // random points; the one furthest from all lessons is taken
};

// The fraction of the budget after which no points are spread over the space, usually and
// where a near key was the guide at first.
static const double FIRST = 1.0 / 6, FIRST_GUIDED = 1.0 / 2;

struct strategy {
  const struct space *space;
  uint64_t rng;
  struct seen seen;
  struct lessons *lessons;
  unsigned initial, asked; // number of first points; points asked for
  bool guided;             // the first points wait, because of a near key's results
  choice *listed;
  unsigned n_listed; // NULL: the space is not small
  choice *candidates;
  double *scores;
  double expected_improvement, together, left;
  double bests[HISTORY];
  unsigned told; // in BESTS: the best cost after each trial; INFINITY: none was right
};

static size_t width_of(const struct strategy *st) {
  return st->space->kernel->n_params;
}

static void model_free(struct strategy *st) {
  lessons_free(st->lessons);
  seen_free(&st->seen);
  free(st->listed);
  free(st->candidates);
  free(st->scores);
  free(st);
}

static void model_list(struct strategy *st) {
  uint64_t n = space_count(st->space, LISTED + 1);
  choice point[MAX_PARAMS];
  if (n > LISTED ||
      !(st->listed = sys_malloc((n * width_of(st) + 1) * sizeof *st->listed)))
    return;
  for (bool more = space_first(st->space, point); more && st->n_listed < n;
       more = space_next(st->space, point))
    memcpy(st->listed + st->n_listed++ * width_of(st), point,
           width_of(st) * sizeof *point);
}

static struct strategy *new_with(const struct learner *learner, const struct space *s,
                                 uint64_t seed, unsigned budget) {
  struct strategy *st = sys_calloc(1, sizeof *st);
  if (!st)
    return NULL;
  st->space = s;
  st->rng = seed;
  st->expected_improvement = -1;
  st->left = 1;
  st->together = learner == &learner_gauss ? SURER : TOGETHER;
  st->initial = budget < 60 ? budget / 6 + 1 : 10;
  st->lessons = lessons_new(s, rng_next(&st->rng), learner);
  model_list(st);
  size_t most = SAMPLES + BEST * NEAR > LISTED ? SAMPLES + BEST * NEAR : LISTED;
  st->candidates = sys_malloc(most * (width_of(st) + 1) * sizeof *st->candidates);
  st->scores = sys_malloc(most * sizeof *st->scores);
  if (st->lessons && st->candidates && st->scores)
    return st;
  model_free(st);
  return NULL;
}

static struct strategy *model_new(const struct space *s, uint64_t seed, unsigned budget) {
  return new_with(&learner_trees, s, seed, budget);
}

static struct strategy *new_gauss(const struct space *s, uint64_t seed, unsigned budget) {
  return new_with(&learner_gauss, s, seed, budget);
}

// ---- candidates: points that have not been asked for --------------------------------

static choice *model_candidate(const struct strategy *st, unsigned i) {
  return st->candidates + i * width_of(st);
}

// Removes known points from the N points after the first AT. Returns the number of points
// that remain.
static unsigned keep_new(struct strategy *st, unsigned at, unsigned n) {
  for (unsigned i = at, end = at + n; i < end; i++)
    if (!seen_has(&st->seen, st->space, model_candidate(st, i)))
      memmove(model_candidate(st, at++), model_candidate(st, i),
              width_of(st) * sizeof(choice));
  return at;
}

static unsigned model_gather(struct strategy *st) {
  unsigned n = 0;
  if (st->listed) {
    memcpy(st->candidates, st->listed, st->n_listed * width_of(st) * sizeof(choice));
    return keep_new(st, 0, st->n_listed);
  }
  for (unsigned b = 0; b < BEST && lessons_best(st->lessons, b); b++)
    n = keep_new(st, n,
                 space_near(st->space, NEAR_ANY, lessons_best(st->lessons, b), &st->rng,
                            model_candidate(st, n), NEAR));
  for (unsigned i = 0; i < SAMPLES; i++)
    if (space_sample(st->space, &st->rng, model_candidate(st, n)))
      n = keep_new(st, n, 1);
  return n;
}

// ---- the next point -----------------------------------------------------------------

static bool model_take(struct strategy *st, const choice *from, choice *point) {
  memmove(point, from, width_of(st) * sizeof *point);
  lessons_add(st->lessons, point, NULL);
  return seen_add(&st->seen, st->space, point);
}

static bool model_spread(struct strategy *st, choice *point) {
  choice drawn[MAX_PARAMS];
  double furthest = -1;
  for (unsigned i = 0; i < SPREAD; i++) {
    if (!space_sample(st->space, &st->rng, drawn) ||
        seen_has(&st->seen, st->space, drawn))
      continue;
    double distance = lessons_distance(st->lessons, drawn);
    if (distance > furthest) {
      furthest = distance;
      memcpy(point, drawn, width_of(st) * sizeof *point);
    }
  }
  return furthest >= 0 && model_take(st, point, point);
}

static bool model_promising(struct strategy *st, choice *point) {
  unsigned n = model_gather(st), best = 0;
  if (n == 0 || !lessons_score(st->lessons, st->candidates, n, st->scores))
    return false;
  for (unsigned i = 1; i < n; i++)
    if (st->scores[i] > st->scores[best])
      best = i;
  st->expected_improvement = st->together * exp(st->scores[best]);
  return model_take(st, model_candidate(st, best), point);
}

static bool model_ask(struct strategy *st, choice *point) {
  bool first = st->asked++ == 0;
  if (first && space_original(st->space, point) && !seen_has(&st->seen, st->space, point))
    return model_take(st, point, point);
  unsigned told = lessons_count(st->lessons), alone = lessons_alone_since(st->lessons);
  bool early = st->guided
      ? alone > 0 && told < alone + st->initial && st->left > 1 - FIRST_GUIDED
      : told < st->initial && st->asked <= st->initial && st->left > 1 - FIRST;
  if (early ? model_spread(st, point) : model_promising(st, point))
    return true;
  return seen_other(&st->seen, st->space, &st->rng, point);
}

static void model_tell(struct strategy *st, const choice *point,
                       const struct observation *observation) {
  seen_add(&st->seen, st->space, point);
  lessons_add(st->lessons, point, observation);
  double before = st->told ? st->bests[st->told - 1] : INFINITY;
  if (st->told < HISTORY)
    st->bests[st->told++] =
        observation->status == STATUS_OK ? fmin(before, observation->cost) : before;
}

static void model_transfer(struct strategy *st, const choice *point, double cost) {
  lessons_transfer(st->lessons, point, cost);
  if (lessons_transferred(st->lessons) >= st->initial)
    st->guided = true;
}

static double model_expect(struct strategy *st, const choice *point,
                           const struct features *features) {
  return lessons_expect(st->lessons, point, features);
}

static void model_left(struct strategy *st, double fraction) {
  st->left = fraction;
}

// Returns the improvement that may still come: the model's expectation plus what the last
// half of the trials improved, because the model knows nothing about effects that it has
// not seen.
static double model_expected_improvement(struct strategy *st) {
  if (st->expected_improvement < 0 || st->told == 0)
    return st->expected_improvement;
  return st->expected_improvement + st->bests[st->told / 2] / st->bests[st->told - 1] - 1;
}

#define MODEL_CLASS(model, made_by, text)               \
  const struct strategy_class search_##model = {        \
    .name = #model,                                     \
    .about = text,                                      \
    .new = made_by,                                     \
    .ask = model_ask,                                   \
    .tell = model_tell,                                 \
    .free = model_free,                                 \
    .transfer = model_transfer,                         \
    .expect = model_expect,                             \
    .expected_improvement = model_expected_improvement, \
    .left = model_left,                                 \
  }
MODEL_CLASS(model, model_new,
            "where a model, learned from what was tried, expects the most");
MODEL_CLASS(gauss, new_gauss, "the same with a Gaussian process");
