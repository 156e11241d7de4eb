// SPDX-License-Identifier: Apache-2.0
// race.c: the end of a tuning. What the search saw of a variant is a few samples while something was
// being compiled; here the finalists and the default run in turns while nothing else does, so that
// whatever the machine does meanwhile happens to all of them.
#include <stdlib.h>
#include <string.h>

#include "tune.h"

enum { LAST_ROUND = 6 }; // so many are raced until the end
static const double precision = 0.02;

struct runner_up {
  struct candidate *candidate;  // NULL: the default
  double samples[RACE_SAMPLES]; unsigned n;
  struct estimate e;
  bool out;                     // failed, clearly slower, or has all its samples
  bool halved;                  // among the slower half of a round
};

static bool is_twin(const struct runner_up *f, unsigned n, const struct candidate *c) {
  for (unsigned i = 0; i < n; i++)
    if (f[i].candidate && f[i].candidate->code == c->code && c->code != 0)
      return true;
  return false;
}

// The winner of another tuning, and the best that are not clearly slower than the best, compiled.
static unsigned choose(struct tuning *t, struct runner_up *f) {
  struct estimate best = tune_best(t);
  unsigned n = 0;
  struct candidate *rival = share_rival(t); // may be a new one
  bool *seen = sys_calloc(t->n + 1, sizeof *seen);
  if (seen && rival && explore_compile(t, rival)) {
    seen[rival - t->candidates] = true;
    f[n++] = (struct runner_up){ .candidate = rival };
  }
  while (seen && n < FINALISTS) {
    int next = NONE;
    for (unsigned i = 0; i < t->n; i++) {
      const struct candidate *c = &t->candidates[i];
      if (!seen[i] && c->done && c->fate == FATE_OK && c->e.n > 0 &&
          (next == NONE || c->e.median < t->candidates[next].e.median))
        next = (int)i;
    }
    struct candidate *c = next == NONE ? NULL : &t->candidates[next];
    if (!c || c->e.low > 1.15 * best.high)
      break;
    seen[next] = true;
    if (!is_twin(f, n, c) && explore_compile(t, c))
      f[n++] = (struct runner_up){ .candidate = c };
  }
  free(seen);
  return n;
}

// Is the default worth running again? Not where it takes a good part of the time and lost already.
static bool races_default(const struct tuning *t, const struct runner_up *first) {
  double best = first->candidate->e.high, left = t->deadline - sys_now();
  return t->original.low < 1.5 * best || t->original.median < left / 20;
}

static void run(struct tuning *t, struct runner_up *f) {
  double seconds = f->candidate ? f->candidate->e.median : t->original.median;
  unsigned n = seconds > 0.3 ? 1 : seconds > 0.03 ? 2 : seconds > 0.003 ? 3 : 5;
  struct trial_plan plan = { .limit = tune_limit(t), .budget = 0.5 + 4 * seconds,
                             .min_samples = n, .max_samples = n, .verify = f->n <= n };
  struct trial trial;
  struct candidate *c = f->candidate;
  tune_report(t, tune_silence(&plan));
  tune_try(t, c, &plan, &trial);
  t->summary.time_seconds += trial.time_seconds;
  for (unsigned i = 0; i < trial.n_samples && f->n < RACE_SAMPLES; i++)
    f->samples[f->n++] = trial.samples[i];
  f->e = stats_median(f->samples, f->n);
  f->out |= trial.fate != FATE_OK || f->n >= RACE_SAMPLES;
  if (c && trial.fate != FATE_OK && trial.fate != FATE_PENDING) {
    c->e.n = 0;
    candidate_settle(t, c, &trial, 0);
    f->n = 0;
    return;
  }
  free(trial.samples);
}

static const struct runner_up *leader(const struct runner_up *f, unsigned n) {
  const struct runner_up *best = NULL;
  for (unsigned i = 0; i < n; i++)
    if (f[i].n > 0 && (!best || f[i].e.median < best->e.median))
      best = &f[i];
  return best;
}

static int by_median(const void *a, const void *b) {
  const struct runner_up *x = *(struct runner_up *const *)a, *y = *(struct runner_up *const *)b;
  return (x->e.median > y->e.median) - (x->e.median < y->e.median);
}

// Successive halving (Karnin, Koren, Somekh 2013): while many race, the slower half is dropped after each round, so
// that time goes to telling the best from the good.
static void halve(struct runner_up *f, unsigned n) {
  struct runner_up *racing[FINALISTS + 1];
  unsigned left = 0;
  for (unsigned i = 0; i < n; i++)
    if (!f[i].out && f[i].n > 0)
      racing[left++] = &f[i];
  if (left <= LAST_ROUND)
    return;
  qsort(racing, left, sizeof *racing, by_median);
  unsigned keep = left / 2 > LAST_ROUND ? left / 2 : LAST_ROUND;
  for (unsigned i = keep; i < left; i++)
    racing[i]->out = racing[i]->halved = true;
}

// Drops who is clearly slower; true when nothing is left to find out.
static bool is_decided(struct runner_up *f, unsigned n) {
  const struct runner_up *best = leader(f, n);
  unsigned racing = 0, imprecise = 0;
  for (unsigned i = 0; i < n; i++) {
    if (best && f[i].n >= 6 && best->n >= 6 && stats_slower(f[i].e, best->e))
      f[i].out = true;
    if (best && f[i].n >= 3 && best->n >= 3 && f[i].e.low > 1.2 * best->e.high)
      f[i].out = true;
    racing += !f[i].out;
    imprecise += !f[i].out && !(f[i].n >= 6 && stats_precise(f[i].e, precision));
  }
  // The leader needs precision also when it is alone: its time is what reports quote.
  return racing == 0 || imprecise == 0;
}

static void run_rounds(struct tuning *t, struct runner_up *f, unsigned n) {
  double end = sys_now() + 0.15 * t->budget; // what the search left is not to be used up
  if (end > t->deadline)
    end = t->deadline;
  for (unsigned round = 0; !t->lost && !session_stopping(); round++) {
    end += pace_keep(t);
    pool_pause(t->pool, true);
    for (unsigned i = 0; i < n && !t->lost; i++) {
      struct runner_up *next = &f[(i + round) % n];
      if (!next->out && (round == 0 || sys_now() < end))
        run(t, next);
    }
    if (is_decided(f, n) || sys_now() >= end)
      return;
    halve(f, n);
  }
}

// The fastest candidate, if it beats the default: inside the noise the default stays, and so it does
// for less than one percent.
static int judge(struct tuning *t, const struct runner_up *f, unsigned n) {
  const struct runner_up *best = NULL;
  for (unsigned i = 0; i < n; i++) {
    if (f[i].n == 0)
      continue;
    if (!f[i].candidate)
      t->original = f[i].e;
    else if (!f[i].halved && (!best || f[i].e.median < best->e.median))
      best = &f[i];
  }
  if (!best)
    return NONE;
  best->candidate->e = best->e;
  t->best = (int)(best->candidate - t->candidates);
  bool faster = stats_slower(t->original, best->e) && t->original.median > 1.01 * best->e.median;
  return faster ? t->best : NONE;
}

int race(struct tuning *t) {
  struct runner_up *f = sys_calloc(FINALISTS + 1, sizeof *f);
  unsigned n = f ? choose(t, f) : 0;
  if (n > 0 && races_default(t, f))
    f[n++] = (struct runner_up){ 0 };
  pool_pause(t->pool, true);
  if (n > 0)
    run_rounds(t, f, n);
  int winner = judge(t, f, n);
  free(f);
  return winner;
}
