// SPDX-License-Identifier: Apache-2.0
// halving.c: the race among variants in the program's own calls (described in halving.h).
#include <string.h>

#include "halving.h"

// ENOUGH: rounds until a new arm is parked; an order-statistics interval of 95 % needs
// 6. PARKED: arms that may be parked at a time.
enum { ENOUGH = 6, PARKED = 7 };
// The gain that makes the winner replace the default, and a gain so large that repeated
// comparisons of many arms do not produce it by chance.
static const double least_gain = 1.01, far_slower = 1.1;

void halving_init(struct halving *h) {
  *h = (struct halving){ .incumbent = 0 };
  halving_join(h, 0);
}

void halving_join(struct halving *h, int arm) {
  h->arms[arm] = (struct arm){ .state = ARM_RACING };
}

// ---- comparing ----------------------------------------------------------------------

static unsigned halving_kept(const struct arm *a) {
  return a->n < ARM_SAMPLES ? a->n : ARM_SAMPLES;
}

static bool sample_of(const struct arm *a, unsigned round, double *seconds) {
  for (unsigned i = 0; i < halving_kept(a); i++)
    if (a->rounds[i] == round) {
      *seconds = a->samples[i];
      return true;
    }
  return false;
}

// Returns A's time over B's, round by round, from round FROM on.
static struct estimate ratio_of(const struct arm *a, const struct arm *b, unsigned from) {
  double ratios[ARM_SAMPLES], other;
  unsigned n = 0;
  for (unsigned i = 0; i < halving_kept(a); i++)
    if (a->rounds[i] >= from && sample_of(b, a->rounds[i], &other) && other > 0)
      ratios[n++] = a->samples[i] / other;
  return stats_median(ratios, n);
}

struct estimate halving_time(const struct arm *a) {
  double samples[ARM_SAMPLES];
  memcpy(samples, a->samples, halving_kept(a) * sizeof *samples);
  return stats_median(samples, halving_kept(a));
}

// With few samples the interval is only their range, so a margin is required: any call
// may be slow by chance.
static bool is_above(struct estimate ratio, double least) {
  double margin = ratio.n >= ENOUGH ? 1 : ratio.n >= 3 ? 1.05 : 1.3;
  return ratio.n >= 2 && ratio.low > least * margin;
}

static bool is_below(struct estimate ratio) {
  double margin = ratio.n >= ENOUGH ? 1 : ratio.n >= 3 ? 1.05 : 1.3;
  return ratio.n >= 2 && ratio.high * margin < 1;
}

// True if the default, with this ratio to another arm, is slower than chance explains.
static bool is_far_slower(struct estimate ratio) {
  return ratio.n >= ENOUGH && ratio.low > far_slower;
}

// ---- judging ------------------------------------------------------------------------

static void halving_promote(struct halving *h, int arm) {
  double gain = h->arms[arm].ratio.median;
  for (int i = 0; i < ARMS; i++) { // arms that did not run meanwhile have no newer ratio
    struct estimate *r = &h->arms[i].ratio;
    *r = (struct estimate){ r->median / gain, r->low / gain, r->high / gain, r->n };
  }
  h->incumbent = arm;
  h->arms[arm].ratio = (struct estimate){ 1, 1, 1, h->arms[arm].n };
}

// Returns the racing arm that beats the incumbent most clearly, or -1.
static int halving_challenger(const struct halving *h) {
  int best = -1;
  for (int i = 0; i < ARMS; i++) {
    const struct arm *a = &h->arms[i];
    if (i != h->incumbent && a->state == ARM_RACING && is_below(a->ratio) &&
        (best < 0 || a->ratio.median < h->arms[best].ratio.median))
      best = i;
  }
  return best;
}

static void halving_compare(struct halving *h) {
  for (int i = 0; i < ARMS; i++) {
    struct arm *a = &h->arms[i];
    if (i == h->incumbent || a->state != ARM_RACING)
      continue;
    struct estimate ratio = ratio_of(a, &h->arms[h->incumbent], 0);
    if (ratio.n > 0)
      a->ratio = ratio;
  }
}

static bool halving_is_lost(const struct halving *h, int arm) {
  const struct arm *a = &h->arms[arm];
  if (arm == h->incumbent || a->state == ARM_FREE || a->state == ARM_OUT)
    return false;
  if (arm == 0)
    return is_far_slower(a->ratio);
  return is_above(a->ratio, a->state == ARM_PARKED ? 1.05 : 1);
}

static unsigned halving_count(const struct halving *h, enum arm_state state) {
  unsigned n = 0;
  for (int i = 1; i < ARMS; i++)
    n += h->arms[i].state == state && i != h->incumbent;
  return n;
}

// Returns the slowest arm in STATE, without the default and the incumbent; -1: none.
static int halving_slowest(const struct halving *h, enum arm_state state) {
  int worst = -1;
  for (int i = 1; i < ARMS; i++)
    if (h->arms[i].state == state && i != h->incumbent &&
        (worst < 0 || h->arms[i].ratio.median > h->arms[worst].ratio.median))
      worst = i;
  return worst;
}

static void halving_park(struct halving *h) {
  // Park a default that is neither beaten nor better after many rounds.
  if (h->incumbent != 0 && h->arms[0].state == ARM_RACING &&
      h->arms[0].ratio.n >= 4 * ENOUGH)
    h->arms[0].state = ARM_PARKED;
  for (int i = 1; i < ARMS; i++)
    if (h->arms[i].state == ARM_RACING && i != h->incumbent &&
        h->arms[i].ratio.n >= ENOUGH)
      h->arms[i].state = ARM_PARKED;
  while (halving_count(h, ARM_PARKED) > PARKED)
    h->arms[halving_slowest(h, ARM_PARKED)].state = ARM_OUT;
}

// Drops the worse half of the arms after 6, 12, 24 and 48 of the final rounds.
static void halving_halve(struct halving *h) {
  unsigned ran = h->round - h->closed, left = halving_count(h, ARM_RACING);
  bool rung = ran == HALVING_ROUNDS || ran == HALVING_ROUNDS / 2 ||
      ran == HALVING_ROUNDS / 4 || ran == HALVING_ROUNDS / 8;
  for (unsigned drop = rung ? (left + 1) / 2 : 0; drop > 0; drop--)
    h->arms[halving_slowest(h, ARM_RACING)].state = ARM_OUT;
}

// Begins the verdict: from here on only the incumbent and the default run.
static void begin_verdict(struct halving *h) {
  for (int i = 1; i < ARMS; i++)
    if (i != h->incumbent &&
        (h->arms[i].state == ARM_RACING || h->arms[i].state == ARM_PARKED))
      h->arms[i].state = ARM_OUT;
  h->arms[0].state = ARM_RACING;
  h->verdict = h->round;
}

// Ends the rounds of many arms: the fastest becomes the incumbent, even within the noise.
// Then it runs against the default alone.
static void halving_settle(struct halving *h) {
  int best = h->incumbent;
  for (int i = 1; i < ARMS; i++)
    if (h->arms[i].state == ARM_RACING && h->arms[i].ratio.n > 0 &&
        h->arms[i].ratio.median < (best == h->incumbent ? 1 : h->arms[best].ratio.median))
      best = i;
  if (best != h->incumbent)
    halving_promote(h, best);
  h->over = h->incumbent == 0 || h->arms[0].state == ARM_OUT;
  if (!h->over)
    begin_verdict(h);
}

// Decides between the incumbent and the default, after 6, 18 and 36 rounds of the two.
static void give_verdict(struct halving *h) {
  struct arm *original = &h->arms[0];
  unsigned ran = h->round - h->verdict;
  struct estimate ratio = ratio_of(original, &h->arms[h->incumbent], h->verdict);
  bool many = ran >= VERDICT_ROUNDS / 2 && ratio.n >= ENOUGH;
  bool slower = many && ratio.low > 1 && ratio.median > least_gain;
  if (ratio.n > 0)
    original->ratio = ratio;
  if (is_far_slower(ratio) || slower)
    original->state = ARM_OUT;
  bool hopeless = many && ratio.median <= least_gain;
  h->over = original->state == ARM_OUT || hopeless || ran >= VERDICT_ROUNDS;
}

void halving_judge(struct halving *h) {
  int next;
  if (h->verdict)
    return give_verdict(h);
  halving_compare(h);
  while ((next = halving_challenger(h)) >= 0) {
    halving_promote(h, next);
    halving_compare(h);
  }
  for (int i = 0; i < ARMS; i++)
    if (halving_is_lost(h, i))
      h->arms[i].state = ARM_OUT;
  if (!h->closed)
    return halving_park(h);
  if (halving_count(h, ARM_RACING) == 0 || h->round - h->closed >= HALVING_ROUNDS)
    halving_settle(h);
  else
    halving_halve(h);
}

void halving_close(struct halving *h) {
  if (h->closed)
    return;
  h->round += h->round == 0;
  h->closed = h->round;
  for (int i = 0; i < ARMS; i++)
    if (h->arms[i].state == ARM_PARKED)
      h->arms[i].state = ARM_RACING;
  halving_judge(h); // it may be over
}

int halving_winner(const struct halving *h) {
  return h->arms[0].state == ARM_OUT ? h->incumbent : 0;
}

// ---- rounds -------------------------------------------------------------------------

int halving_room(struct halving *h) {
  int worst = halving_slowest(h, ARM_PARKED);
  bool coming = false;
  for (int i = 1; i < ARMS; i++) {
    if (h->arms[i].state == ARM_FREE)
      return i;
    coming |= h->arms[i].state == ARM_OUT; // it becomes free once its variant is unloaded
  }
  if (worst >= 0 && !coming)
    h->arms[worst].state = ARM_OUT;
  return -1;
}

// Returns the rounds until the next judgement: after the first sample, the third and
// the sixth; at the end after the sixth, after half of all, after all.
static unsigned halving_patience(const struct halving *h) {
  unsigned rounds = 3, ran = h->round - h->verdict;
  if (h->verdict)
    return ran < ENOUGH ? ENOUGH - ran : VERDICT_ROUNDS / 2 - ran % (VERDICT_ROUNDS / 2);
  for (int i = 1; i < ARMS; i++) {
    const struct arm *a = &h->arms[i];
    unsigned next = a->ratio.n == 0 ? 1 : a->ratio.n < 3 ? 3 - a->ratio.n : 3;
    if (a->state == ARM_RACING && i != h->incumbent && next < rounds)
      rounds = next;
  }
  unsigned left = h->closed ? HALVING_ROUNDS - (h->round - h->closed) : rounds;
  unsigned rung = h->closed ? 6 - (h->round - h->closed) % 6 : rounds;
  rounds = rounds < left ? rounds : left;
  return rounds < rung ? rounds : rung;
}

unsigned halving_round(struct halving *h, int order[ARMS], unsigned *rounds) {
  int racing[ARMS];
  unsigned n = 0;
  for (int i = 0; i < ARMS; i++)
    if (h->arms[i].state == ARM_RACING)
      racing[n++] = i;
  bool alone = n == 1 && racing[0] == h->incumbent;
  if (h->over || n == 0 || alone)
    return 0;
  *rounds = halving_patience(h);
  for (unsigned i = 0; i < n; i++)
    order[i] = racing[(i + h->round) % n];
  h->round += *rounds;
  return n;
}

void halving_sample(struct halving *h, int arm, unsigned round, double seconds) {
  struct arm *a = &h->arms[arm];
  a->rounds[a->n % ARM_SAMPLES] = round;
  a->samples[a->n % ARM_SAMPLES] = seconds;
  a->n++;
}
