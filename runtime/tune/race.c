// SPDX-License-Identifier: Apache-2.0
// race.c: the end of a tuning. The search took a few samples of each variant, while
// others were being compiled. Here the finalists and the default run in turns while
// nothing else does, so that any disturbance by the machine affects all of them alike.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tune.h"

// LAST_ROUND: variants that race until the end. INTERVAL: samples from which confidence
// intervals hold. PLENTY: samples that separate the best of many from the default. SOME:
// fewer are not enough to judge by, if there is time for more.
enum { LAST_ROUND = 6, INTERVAL = 6, PLENTY = 12, SOME = 3 };
enum { COMPILE_WAIT = 30 /* seconds */ };
static const double precision = 0.02, least_gain = 1.01, far_apart = 1.5,
                    promising = 1.15;
// A default of LONG_RUN seconds or more is not run again. The best must be COSTLY times
// as fast as its first run: to show a smaller gain takes more runs than the program waits
// for. The program's own calls show later whether the winner is slower (call/confirm.c).
static const double long_run = 1, costly = 1.25;
static const double near = 1.05;           // times the best: finalists then
static const double longest_duel = 0.5;    // of the budget, beyond the deadline
static const double meanwhile_part = 0.25; // of the time that the search has left

struct runner_up {
  struct candidate *candidate; // NULL: the default
  double samples[RACE_SAMPLES];
  unsigned n;
  unsigned pairs;  // race_pair's: so many so far
  double searched; // the median cost in the search; 0: not known
  struct estimate e;
  bool out;    // it failed, is clearly slower, or has all its samples
  bool halved; // among the slower half of a round
};

static struct runner_up race_enter(struct candidate *c) {
  bool whole = c->e.n > 0 && c->part <= 0;
  return (struct runner_up){ .candidate = c, .searched = whole ? c->e.median : 0 };
}

// True if each run of the default takes much of what the program waits for.
static bool race_is_costly(const struct tuning *t) {
  return t->usual && tune_seconds(t, NULL).median >= long_run;
}

// Gives F the samples that it has from the search, of whole runs, which were compared.
static void race_recall(struct runner_up *f) {
  const struct candidate *c = f->candidate;
  for (unsigned i = 0; c->part <= 0 && i < c->n_samples && i < RACE_SAMPLES; i++)
    f->samples[f->n++] = c->samples[i];
  f->e = stats_median(f->samples, f->n);
}

static bool race_is_twin(const struct runner_up *f, unsigned n,
                         const struct candidate *c) {
  for (unsigned i = 0; i < n; i++)
    if (f[i].candidate && f[i].candidate->code == c->code && c->code != 0)
      return true;
  return false;
}

// Waits for the first finalist however late it is: without any there would be no result.
static bool race_compile(struct tuning *t, struct candidate *c, unsigned n) {
  double deadline = t->deadline;
  if (n == 0)
    t->deadline = fmax(deadline, sys_now() + COMPILE_WAIT);
  bool done = object_compile(t, c, NULL);
  t->deadline = deadline;
  return done;
}

// Chooses and compiles the finalists: the winner of another tuning, and the variants
// that are not clearly slower than the best.
static unsigned race_choose(struct tuning *t, struct runner_up *f) {
  struct estimate best = tune_best(t);
  unsigned n = 0;
  struct candidate *rival = share_rival(t); // this may add a candidate
  bool *seen = sys_calloc(t->n + 1, sizeof *seen);
  t->unraced = false;
  if (seen && rival && race_compile(t, rival, n)) {
    seen[rival - t->candidates] = true;
    f[n++] = race_enter(rival);
  }
  unsigned most = t->part.divisor ? PART_FINALISTS : FINALISTS;
  while (seen && n < most) {
    int next = NONE;
    for (unsigned i = 0; i < t->n; i++) {
      const struct candidate *c = &t->candidates[i];
      if (!seen[i] && c->done && c->status == STATUS_OK && c->e.n > 0 &&
          (next == NONE || c->e.median < t->candidates[next].e.median))
        next = (int)i;
    }
    struct candidate *c = next == NONE ? NULL : &t->candidates[next];
    if (!c || c->e.low > (race_is_costly(t) ? near : part_margin(c, 1.15)) * best.high)
      break;
    seen[next] = true;
    t->unraced = n == 0;
    if (!race_is_twin(f, n, c) && race_compile(t, c, n))
      f[n++] = race_enter(c);
  }
  free(seen);
  t->unraced = t->unraced && n == 0;
  return n;
}

// True if the default is to run again. False if it takes a good part of the time and
// lost already. FIRST: the best of the finalists. The first samples of the default may be
// few, or from a time when the program used the processors; those of FIRST may be later.
static bool races_default(const struct tuning *t, const struct runner_up *first) {
  double best = first->candidate->e.high, left = t->deadline - sys_now();
  double apart = race_is_costly(t)                  ? costly
      : t->original.n < SOME || t->plan->background ? 4
                                                    : far_apart;
  return t->original.low < apart * best || tune_seconds(t, NULL).median < left / 20;
}

static void race_run(struct tuning *t, struct runner_up *f) {
  double seconds = tune_seconds(t, f->candidate).median;
  unsigned n = seconds > 0.3 ? 1 : seconds > 0.03 ? 2 : seconds > 0.003 ? 3 : 5;
  struct trial_plan plan = { .limit = tune_limit(t),
                             .budget = 0.5 + 4 * seconds,
                             .min_samples = n,
                             .max_samples = n,
                             .verify = f->n <= n };
  struct trial trial;
  struct candidate *c = f->candidate;
  tune_report(t, tune_silence(&plan));
  tune_try(t, c, &plan, &trial);
  t->summary.time_seconds += trial.time_seconds;
  for (unsigned i = 0; i < trial.n_samples && f->n < RACE_SAMPLES; i++)
    f->samples[f->n++] = trial.samples[i];
  f->e = stats_median(f->samples, f->n);
  f->out |= trial.status != STATUS_OK || f->n >= RACE_SAMPLES;
  if (c && trial.status != STATUS_OK && trial.status != STATUS_PENDING) {
    t->part.refused += c->part > 0;
    c->part = 0;
    c->e.n = 0;
    candidate_settle(t, c, &trial, 0);
    f->n = 0;
    return;
  }
  free(trial.samples);
}

static const struct runner_up *race_leader(const struct runner_up *f, unsigned n) {
  const struct runner_up *best = NULL;
  for (unsigned i = 0; i < n; i++)
    if (f[i].n > 0 && (!best || f[i].e.median < best->e.median))
      best = &f[i];
  return best;
}

static int race_by_median(const void *a, const void *b) {
  const struct runner_up *x = *(struct runner_up *const *)a,
                         *y = *(struct runner_up *const *)b;
  return (x->e.median > y->e.median) - (x->e.median < y->e.median);
}

// Successive halving (Karnin, Koren, Somekh 2013): while many race, the slower half is
// dropped after each round, so that the time is spent on telling the best from the good.
static void race_halve(struct runner_up *f, unsigned n) {
  struct runner_up *racing[FINALISTS + 1];
  unsigned left = 0;
  for (unsigned i = 0; i < n; i++)
    if (!f[i].out && f[i].n > 0)
      racing[left++] = &f[i];
  if (left <= LAST_ROUND)
    return;
  qsort(racing, left, sizeof *racing, race_by_median);
  unsigned keep = left / 2 > LAST_ROUND ? left / 2 : LAST_ROUND;
  for (unsigned i = keep; i < left; i++)
    racing[i]->out = racing[i]->halved = true;
}

// Drops variants that are clearly slower. True: nothing is left to measure.
static bool is_decided(struct runner_up *f, unsigned n) {
  const struct runner_up *best = race_leader(f, n);
  unsigned racing = 0, imprecise = 0;
  for (unsigned i = 0; i < n; i++) {
    if (best && f[i].n >= 6 && best->n >= 6 && stats_above(f[i].e, best->e))
      f[i].out = true;
    if (best && f[i].n >= SOME && best->n >= SOME && f[i].e.low > 1.2 * best->e.high)
      f[i].out = true;
    racing += !f[i].out;
    imprecise += !f[i].out && !(f[i].n >= 6 && stats_precise(f[i].e, precision));
  }
  // The leader needs precision also when it is alone: reports quote its time.
  return racing == 0 || imprecise == 0;
}

static void run_rounds(struct tuning *t, struct runner_up *f, unsigned n) {
  double end = sys_now() + 0.15 * t->budget; // not all the time that the search left
  if (end > t->deadline)
    end = t->deadline;
  for (unsigned round = 0; !t->lost && !role_stopping(); round++) {
    end += throttle_keep(t);
    pool_pause(t->pool, true);
    for (unsigned i = 0; i < n && !t->lost; i++) {
      struct runner_up *next = &f[(i + round) % n];
      double until = round > 0 ? end : i > 0 && next->candidate ? t->deadline : INFINITY;
      bool known = round == 0 && next->n > 0; // from the search
      if (!next->out && !known && sys_now() < until)
        race_run(t, next);
    }
    if (is_decided(f, n) || sys_now() >= end)
      return;
    race_halve(f, n);
  }
}

// ---- the final comparison -----------------------------------------------------------

static unsigned race_fewer(const struct runner_up *a, const struct runner_up *b) {
  return a->n < b->n ? a->n : b->n;
}

// True if BEST beats the default beyond noise, and by at least one percent. With fewer
// samples the distance must be larger: the best of several was lucky, and an interval
// is then no more than a range. The earlier time of the default counts as well then.
static bool is_beaten(const struct tuning *t, const struct runner_up *original,
                      const struct runner_up *best) {
  unsigned n = race_fewer(original, best);
  double apart = n >= PLENTY ? 1 : n >= INTERVAL ? 1.02 : n >= SOME ? 1.05 : 1.1;
  double low = n >= INTERVAL ? original->e.low : fmin(original->e.low, t->original.low);
  return n > 0 && low > apart * best->e.high &&
      original->e.median > least_gain * best->e.median;
}

static bool may_beat(const struct runner_up *original, const struct runner_up *best) {
  return original->e.median > least_gain * best->e.median;
}

// Returns the fastest of the candidates.
static struct runner_up *race_fastest(struct runner_up *f, unsigned n) {
  struct runner_up *best = NULL;
  for (unsigned i = 0; i < n; i++)
    if (f[i].n > 0 && f[i].candidate && !f[i].halved &&
        (!best || f[i].e.median < best->e.median))
      best = &f[i];
  return best;
}

static void add_samples(struct runner_up *to, const struct runner_up *from) {
  for (unsigned i = 0; i < from->n && to->n < RACE_SAMPLES; i++)
    to->samples[to->n++] = from->samples[i];
  to->e = stats_median(to->samples, to->n);
}

// Returns the seconds that a run of the default and one of C take.
static double race_pair_seconds(const struct tuning *t, const struct candidate *c) {
  return tune_seconds(t, NULL).median + tune_seconds(t, c).median;
}

// Runs A and B, in the other order each time. Returns the seconds that it slept before.
static double race_pair(struct tuning *t, struct runner_up *a, struct runner_up *b) {
  bool other = a->pairs++ % 2;
  double slept = throttle_keep(t);
  pool_pause(t->pool, true);
  race_run(t, other ? b : a);
  race_run(t, other ? a : b);
  return slept;
}

// True if a pair of runs, of SECONDS together, may begin. Both have run N times in this
// comparison, and BEFORE times earlier. It may exceed the deadline by LONGEST_DUEL of the
// budget: until both have SOME runs or, in the background, 2 * PLENTY.
static bool duel_has_time(const struct tuning *t, unsigned n, unsigned before,
                          double seconds) {
  double now = sys_now();
  bool few = t->plan->background ? n < 2 * PLENTY
                                 : before + n < SOME && !race_is_costly(t);
  return now < t->deadline ||
      (few && now + seconds < t->deadline + longest_duel * t->budget);
}

// Runs BEST and the default in turns once more if the two are close or were run a few
// times only: the samples that chose the best of many must not judge it. If there is
// time for enough new samples, only those count.
static void run_duel(struct tuning *t, struct runner_up *original,
                     struct runner_up *best) {
  struct runner_up a = { .e = original->e }, b = race_enter(best->candidate);
  b.e = best->e;
  b.searched = best->searched;
  // For noise in which PLENTY samples are too few.
  double more = t->plan->background ? INFINITY : sys_now() + 0.1 * t->budget;
  double pair = race_pair_seconds(t, best->candidate);
  unsigned n = 0, before = race_fewer(original, best);
  bool decided = false;
  while (!decided && (n < PLENTY || sys_now() < more) && n < RACE_SAMPLES &&
         duel_has_time(t, n, before, pair)) {
    more += race_pair(t, &a, &b);
    n = race_fewer(&a, &b);
    if (n == 0 || t->lost || role_stopping())
      break; // one has failed, or the time is over
    decided = n >= INTERVAL ? is_beaten(t, &a, &b) || !may_beat(&a, &b)
                            : n >= SOME && a.e.low > far_apart * b.e.high;
  }
  if (decided || n >= PLENTY || b.out) {
    *original = a;
    *best = b;
  } else {
    add_samples(original, &a);
    add_samples(best, &b);
  }
}

bool race_meanwhile(struct tuning *t, struct candidate *c, double *gain) {
  struct runner_up original = { .e = t->original }, best = { .candidate = c, .e = c->e };
  double part = meanwhile_part * (t->explore_until - sys_now()), end = sys_now() + part;
  unsigned n = 0;
  bool beaten = false;
  *gain = 0;
  if (INTERVAL * race_pair_seconds(t, c) > part)
    return false; // the search would come to nothing
  while (!beaten && n < PLENTY && sys_now() < end) {
    end += race_pair(t, &original, &best);
    n = race_fewer(&original, &best);
    if (n == 0 || best.n == 0 || t->lost || role_stopping())
      break; // one has failed, or the time is over
    beaten = n >= INTERVAL && is_beaten(t, &original, &best);
    if (n >= INTERVAL && !may_beat(&original, &best))
      break;
  }
  pool_pause(t->pool, false);
  *gain = beaten ? original.e.median / best.e.median : 0;
  return beaten && !t->lost && !role_stopping();
}

// Returns the fastest of the candidates, after it was compared with the default; NULL:
// none.
static struct runner_up *last_word(struct tuning *t, struct runner_up *f, unsigned n,
                                   struct runner_up *original, bool again) {
  struct runner_up *best;
  while ((best = race_fastest(f, n))) {
    unsigned both = race_fewer(original, best);
    bool close = both < SOME || (both < PLENTY && !is_beaten(t, original, best));
    if (again && close && may_beat(original, best))
      run_duel(t, original, best);
    bool wins = best->n > 0 && is_beaten(t, original, best);
    if (wins &&
        !(imagine_agrees(t, best->candidate) && outside_may_win(t, best->candidate) &&
          strict_agrees(t, best->candidate)))
      best->n = 0;
    if (best->n > 0) // it has not failed meanwhile
      break;
  }
  return best;
}

// Returns how slow the machine was in the race: how many times as long as in the search
// the median finalist took. 0: not known.
static double race_slowdown(const struct runner_up *f, unsigned n) {
  double ratios[FINALISTS + 1];
  unsigned all = 0;
  for (unsigned i = 0; i < n; i++)
    if (f[i].candidate && f[i].n > 0 && f[i].searched > 0)
      ratios[all++] = f[i].e.median / f[i].searched;
  stats_median(ratios, all); // sorts them
  return all ? ratios[(all - 1) / 2] : 0;
}

// Replaces the finalists' samples in the store by those of the race, which took turns.
// The winner is the best of them also by record_cost.
static void race_keep(struct tuning *t, const struct runner_up *f, unsigned n) {
  double slowdown = race_slowdown(f, n);
  for (unsigned i = 0; i < n; i++) {
    struct candidate *c = f[i].candidate;
    if (!c || f[i].n == 0)
      continue;
    struct record r = candidate_record(c);
    r.samples = f[i].samples;
    r.n_samples = f[i].n;
    r.slowdown = slowdown;
    if (t->store && !role_stopping())
      store_finish(t->store, t->id, &r);
  }
}

// Returns the fastest candidate if it beats the default: within the noise the default
// stays. WITH_DEFAULT: the default was raced as well, as the last of N.
static int race_judge(struct tuning *t, struct runner_up *f, unsigned n,
                      bool with_default) {
  struct runner_up known = { .e = t->original, .n = t->original.n };
  bool raced = with_default && f[n - 1].n > 0;
  struct runner_up *original = raced ? &f[n - 1] : &known;
  struct runner_up *best = last_word(t, f, n, original, raced);
  bool faster = best && is_beaten(t, original, best);
  t->undecided = best && !faster && original->e.median > promising * best->e.median;
  t->original = original->e;
  if (!best)
    return NONE;
  best->candidate->e = best->e;
  best->candidate->slowdown = 1;
  best->candidate->part = 0;
  t->best = (int)(best->candidate - t->candidates);
  return faster ? t->best : NONE;
}

static int race_once(struct tuning *t) {
  // Long whole runs are of no use if no variant seems to be faster. A winner that another
  // process has stored is raced all the same: it must be beaten before it is replaced.
  bool slow = race_is_costly(t) && tune_best(t).median * costly >= t->original.median,
       hopeless = t->part.divisor && t->plan->kind == PLAN_SEARCH &&
      (slow || !tune_leads(t)) && !share_rival(t);
  struct runner_up *f = sys_calloc(FINALISTS + 1, sizeof *f);
  unsigned n = f && !hopeless ? race_choose(t, f) : 0;
  t->deadline =
      fmax(t->deadline, sys_now() + 0.1 * t->budget); // compiling may take all of it
  bool with_default = n > 0 && races_default(t, f);
  if (with_default)
    f[n++] = (struct runner_up){ 0 };
  for (unsigned i = 0; i < n && race_is_costly(t); i++)
    if (f[i].candidate)
      race_recall(&f[i]);
  pool_pause(t->pool, true);
  if (n > 0)
    run_rounds(t, f, n);
  int winner = race_judge(t, f, n, with_default);
  race_keep(t, f, n);
  free(f);
  return winner;
}

// Returns how many finalists were not right so far.
static unsigned race_refused(const struct tuning *t) {
  return t->imagined_wrong + t->strict_wrong + t->part.refused;
}

int race(struct tuning *t) {
  for (;;) {
    unsigned wrong = race_refused(t);
    int winner = race_once(t);
    if (winner != NONE || race_refused(t) == wrong || t->lost || role_stopping())
      return winner;
    candidate_find_best(t); // the finalists turned out to be wrong: take the next
    if (t->best == NONE)
      return NONE;
    pool_pause(t->pool, false); // its object may be gone
  }
}
