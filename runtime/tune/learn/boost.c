// SPDX-License-Identifier: Apache-2.0
// boost.c: trees boosted by XGBoost (Chen, Guestrin, KDD 2016), which learn to rank
// points rather than to predict their costs. Several members learn from different random
// parts of the rows and columns; the spread of their predictions measures the
// uncertainty. The library is opened when a search first needs it, only in the tuner, and
// uses one thread.
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "learn.h"

enum { MEMBERS = 4, ROUNDS = 24 };

#ifdef AUTOTUNE_XGBOOST
#include <xgboost/c_api.h>

// The functions that are used. All but `version` return 0 or -1.
static struct {
  __typeof__(XGBoostVersion) *version;
  __typeof__(XGBSetGlobalConfig) *configure;
  __typeof__(XGDMatrixCreateFromMat_omp) *matrix_new;
  __typeof__(XGDMatrixSetFloatInfo) *matrix_floats;
  __typeof__(XGDMatrixSetUIntInfo) *matrix_counts;
  __typeof__(XGDMatrixFree) *matrix_free;
  __typeof__(XGBoosterCreate) *booster_new;
  __typeof__(XGBoosterFree) *booster_free;
  __typeof__(XGBoosterSetParam) *booster_set;
  __typeof__(XGBoosterUpdateOneIter) *booster_update;
  __typeof__(XGBoosterPredict) *booster_predict;
} xgb;
static const struct {
  const char *name;
  void *at;
} functions[] = {
  { "XGBoostVersion", &xgb.version },
  { "XGBSetGlobalConfig", &xgb.configure },
  { "XGDMatrixCreateFromMat_omp", &xgb.matrix_new },
  { "XGDMatrixSetFloatInfo", &xgb.matrix_floats },
  { "XGDMatrixSetUIntInfo", &xgb.matrix_counts },
  { "XGDMatrixFree", &xgb.matrix_free },
  { "XGBoosterCreate", &xgb.booster_new },
  { "XGBoosterFree", &xgb.booster_free },
  { "XGBoosterSetParam", &xgb.booster_set },
  { "XGBoosterUpdateOneIter", &xgb.booster_update },
  { "XGBoosterPredict", &xgb.booster_predict },
};

struct boost {
  unsigned width;
  uint64_t seed;
  BoosterHandle members[MEMBERS];
  float slope[MEMBERS], offset[MEMBERS]; // of the line from scores to targets
};

static bool opened;

static void boost_open_library(void) {
  void *library = sys_fails(SYS_JIT) ? NULL
                                     : dlopen(AUTOTUNE_XGBOOST, RTLD_NOW | RTLD_LOCAL);
  for (size_t i = 0; library && i < sizeof functions / sizeof *functions; i++) {
    void *function = dlsym(library, functions[i].name);
    if (!function)
      return;
    memcpy(functions[i].at, &function, sizeof function);
  }
  opened = library && xgb.configure("{\"verbosity\": 0}") == 0;
}

static bool boost_available(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, boost_open_library);
  return opened;
}

bool boost_version(char *text, size_t size) {
  int major = 0, minor = 0, patch = 0;
  if (!boost_available()) {
    snprintf(text, size, "%s cannot be opened", AUTOTUNE_XGBOOST);
    return false;
  }
  xgb.version(&major, &minor, &patch);
  snprintf(text, size, "%d.%d.%d", major, minor, patch);
  return true;
}

static void *boost_new(const struct columns *c, unsigned width, uint64_t seed) {
  (void)c;
  struct boost *b = boost_available() ? sys_calloc(1, sizeof *b) : NULL;
  if (b) {
    b->width = width;
    b->seed = seed;
  }
  return b;
}

static void drop_members(struct boost *b) {
  for (unsigned m = 0; m < MEMBERS; m++)
    if (b->members[m])
      xgb.booster_free(b->members[m]);
  memset(b->members, 0, sizeof b->members);
}

static DMatrixHandle matrix_of(const struct boost *b, const float *rows, unsigned n) {
  DMatrixHandle matrix = NULL;
  if (xgb.matrix_new(rows, n, b->width, NAN, &matrix, 1) != 0)
    return NULL;
  return matrix;
}

static BoosterHandle boost_member(DMatrixHandle rows, uint64_t seed) {
  char number[16];
  snprintf(number, sizeof number, "%u", (unsigned)(seed & 0x7fffffff));
  const char *const settings[][2] = {
    { "objective", "rank:pairwise" },
    { "tree_method", "exact" },
    { "nthread", "1" },
    { "max_depth", "5" },
    { "eta", "0.2" },
    { "subsample", "0.8" },
    { "colsample_bytree", "0.7" },
    { "min_child_weight", "0" },
    { "lambda", "1" },
    { "seed", number },
    { "verbosity", "0" },
  };
  BoosterHandle booster = NULL;
  bool good = xgb.booster_new(&rows, 1, &booster) == 0;
  for (size_t i = 0; good && i < sizeof settings / sizeof *settings; i++)
    good = xgb.booster_set(booster, settings[i][0], settings[i][1]) == 0;
  for (int round = 0; good && round < ROUNDS; round++)
    good = xgb.booster_update(booster, round, rows) == 0;
  if (!good && booster)
    xgb.booster_free(booster);
  return good ? booster : NULL;
}

// Fits a straight line from the scores of member M to the targets, because the scores of
// a ranking have no unit. False: the library failed.
static bool boost_scale(struct boost *b, unsigned m, DMatrixHandle rows,
                        const float *targets, unsigned n) {
  bst_ulong got;
  const float *scores;
  if (xgb.booster_predict(b->members[m], rows, 0, 0, 0, &got, &scores) != 0 || got != n)
    return false;
  double x = 0, y = 0, xx = 0, xy = 0;
  for (unsigned i = 0; i < n; i++) {
    x += scores[i];
    y += targets[i];
    xx += (double)scores[i] * scores[i];
    xy += (double)scores[i] * targets[i];
  }
  double spread = xx - x * x / n;
  double slope = spread > 1e-9 ? (xy - x * y / n) / spread : 0;
  b->slope[m] = (float)slope;
  b->offset[m] = (float)((y - slope * x) / n);
  return true;
}

static bool boost_fit(void *model, const float *rows, const float *targets, unsigned n) {
  struct boost *b = model;
  float grades[MAX_LESSONS]; // higher is better
  drop_members(b);
  for (unsigned i = 0; i < n; i++)
    grades[i] = -targets[i];
  DMatrixHandle matrix = matrix_of(b, rows, n);
  bool good = matrix && xgb.matrix_floats(matrix, "label", grades, n) == 0 &&
      xgb.matrix_counts(matrix, "group", &n, 1) == 0;
  for (unsigned m = 0; good && m < MEMBERS; m++) {
    b->members[m] = boost_member(matrix, rng_next(&b->seed));
    good = b->members[m] && boost_scale(b, m, matrix, targets, n);
  }
  if (matrix)
    xgb.matrix_free(matrix);
  return good;
}

static bool boost_predict(void *model, const float *rows, unsigned n, float *mean,
                          float *spread) {
  struct boost *b = model;
  DMatrixHandle matrix = matrix_of(b, rows, n);
  bool good = matrix != NULL;
  memset(mean, 0, n * sizeof *mean);
  memset(spread, 0, n * sizeof *spread);
  for (unsigned m = 0; good && m < MEMBERS; m++) {
    bst_ulong got = 0;
    const float *scores = NULL;
    good = b->members[m] &&
        xgb.booster_predict(b->members[m], matrix, 0, 0, 0, &got, &scores) == 0 &&
        got == n;
    for (unsigned i = 0; good && i < n; i++) {
      float y = b->offset[m] + b->slope[m] * scores[i];
      mean[i] += y / MEMBERS;
      spread[i] += y * y / MEMBERS;
    }
  }
  for (unsigned i = 0; i < n; i++)
    spread[i] = sqrtf(fmaxf(spread[i] - mean[i] * mean[i], 0));
  if (matrix)
    xgb.matrix_free(matrix);
  return good;
}

static void boost_free(void *model) {
  drop_members(model);
  free(model);
}

const struct learner learner_boost = {
  .name = "boosted trees",
  .new = boost_new,
  .fit = boost_fit,
  .predict = boost_predict,
  .free = boost_free,
};

#else // built without XGBoost's header: random trees are used

static void *boost_new(const struct columns *c, unsigned width, uint64_t seed) {
  (void)c;
  (void)width, (void)seed;
  return NULL;
}

bool boost_version(char *text, size_t size) {
  snprintf(text, size, "this build has none");
  return false;
}

const struct learner learner_boost = { .name = "boosted trees", .new = boost_new };
#endif
