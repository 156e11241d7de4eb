// SPDX-License-Identifier: Apache-2.0
// known.c: the results that a search was told: the cost of each point, the best point,
// and which values fail (naive Bayes, which treats the parameters as independent), so
// that points that will probably not compile or run are put off.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search.h"

enum { FEW_STATUSES = 4, OTHERS = 16 };
// A probability of failing, and the fraction of such points that is put off.
static const double likely = 0.75, put_off = 0.9;

bool known_init(struct known *k, const struct space *s, uint64_t seed) {
  const struct autotune_kernel *kernel = s->kernel;
  size_t n = 0;
  *k = (struct known){ .space = s, .rng = seed, .best = -1 };
  for (unsigned p = 0; p < kernel->n_params; p++)
    n += kernel->params[p].n_values;
  k->statuses = sys_calloc(n + 1, sizeof *k->statuses);
  return k->statuses != NULL;
}

void known_free(struct known *k) {
  seen_free(&k->seen);
  free(k->points);
  free(k->costs);
  free(k->slots);
  free(k->statuses);
}

// ---- times --------------------------------------------------------------------------

static uint32_t *known_slot(const struct known *k, const choice *point) {
  size_t width = k->space->kernel->n_params, mask = k->n_slots - 1;
  size_t i = space_hash(k->space, point) & mask;
  while (k->slots[i] &&
         !space_equal(k->space, k->points + (k->slots[i] - 1) * width, point))
    i = (i + 1) & mask;
  return &k->slots[i];
}

static bool known_grow(struct known *k) {
  size_t width = k->space->kernel->n_params, capacity = k->n_slots ? k->n_slots : 64;
  choice *points = sys_realloc(k->points, (capacity * width + 1) * sizeof *points);
  k->points = points ? points : k->points;
  double *costs = sys_realloc(k->costs, capacity * sizeof *costs);
  k->costs = costs ? costs : k->costs;
  uint32_t *slots = points && costs ? sys_calloc(2 * capacity, sizeof *slots) : NULL;
  if (!slots)
    return false;
  free(k->slots);
  k->slots = slots;
  k->n_slots = 2 * capacity;
  for (unsigned i = 0; i < k->n; i++)
    *known_slot(k, k->points + i * width) = i + 1;
  return true;
}

const choice *known_point(const struct known *k, unsigned i) {
  return k->points + (size_t)i * k->space->kernel->n_params;
}

double known_cost(const struct known *k, const choice *point) {
  uint32_t at = k->n_slots ? *known_slot(k, point) : 0;
  return at ? k->costs[at - 1] : NAN;
}

// ---- failures -----------------------------------------------------------------------

static void known_count(struct known *k, const choice *point, bool failed) {
  const struct autotune_kernel *kernel = k->space->kernel;
  struct known_statuses *statuses = k->statuses;
  for (unsigned p = 0; p < kernel->n_params; statuses += kernel->params[p++].n_values) {
    statuses[point[p]].failed += failed;
    statuses[point[p]].ok += !failed;
  }
  k->failed += failed;
  k->ok += !failed;
}

double known_risk(const struct known *k, const choice *point) {
  const struct autotune_kernel *kernel = k->space->kernel;
  const struct known_statuses *statuses = k->statuses;
  if (k->failed < FEW_STATUSES || k->ok < FEW_STATUSES)
    return 0;
  double odds = log(k->failed / (double)k->ok);
  for (unsigned p = 0; p < kernel->n_params; statuses += kernel->params[p++].n_values) {
    double n = kernel->params[p].n_values;
    double failed = (statuses[point[p]].failed + 0.5) / (k->failed + 0.5 * n);
    double ok = (statuses[point[p]].ok + 0.5) / (k->ok + 0.5 * n);
    odds += log(failed / ok);
  }
  return 1 / (1 + exp(-odds));
}

static bool is_put_off(struct known *k, const choice *point) {
  return k->failed >= FEW_STATUSES && known_risk(k, point) > likely &&
      rng_unit(&k->rng) < put_off;
}

// ---- asking and telling -------------------------------------------------------------

bool known_begin(struct known *k, choice *point) {
  if (k->began)
    return false;
  k->began = true;
  return space_original(k->space, point) && seen_add(&k->seen, k->space, point);
}

bool known_fresh(struct known *k, const choice *point) {
  return !seen_has(&k->seen, k->space, point) && !is_put_off(k, point) &&
      seen_add(&k->seen, k->space, point);
}

bool known_other(struct known *k, choice *point) {
  for (int i = 0; i < OTHERS && !k->seen.walking; i++)
    if (space_sample(k->space, &k->rng, point) && known_fresh(k, point))
      return true;
  return seen_other(&k->seen, k->space, &k->rng, point);
}

bool known_tell(struct known *k, const choice *point,
                const struct observation *observation) {
  size_t width = k->space->kernel->n_params;
  bool failed = observation->status !=
      STATUS_OK; // or it was not run, which tells nothing about other points
  seen_add(&k->seen, k->space, point);
  if (2 * (k->n + 1) > k->n_slots && !known_grow(k))
    return false;
  uint32_t *at = known_slot(k, point);
  if (*at)
    return false;
  memcpy(k->points + k->n * width, point, width * sizeof *point);
  k->costs[k->n] = failed ? INFINITY : observation->cost;
  if (!failed && (k->best < 0 || observation->cost < k->costs[k->best]))
    k->best = (int)k->n;
  *at = ++k->n;
  if (observation->status != STATUS_DROPPED)
    known_count(k, point, failed);
  return true;
}
