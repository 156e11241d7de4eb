// SPDX-License-Identifier: Apache-2.0
// prune.c: predicts which variants lose, so that they need not be run.
//
// A rule names a flaw that the code or sizes show, and which variants are free of it.
// Whether the flaw matters for this kernel on this machine is not assumed but measured:
// each flawed variant that was run is compared with the fastest of its siblings, which
// lack the flaw and differ from it in a few parameters. A rule speaks once some flawed
// variants were clearly slower than that sibling and all others slower at all, and only
// against variants that have such a sibling. Some of these variants are run all the same.
// If one of them turns out well, the rule is silent from then on.
#include <math.h>

#include "tune.h"

enum { ENOUGH = 3, HONEST = 10, CLOSE = 3 };
static const double CLEARLY = 1.1, HOPELESS = 1.5;

// log2 of the size of a tile over that of the L2 cache: too large (twice as large), or
// fitting.
static const float TOO_LARGE = 1, FITS = 0;

static bool prune_spills(const struct features *f) {
  return f->values[FEATURE_MAIN_SPILLS] > 0;
}
static bool spills_not(const struct features *f) {
  return f->values[FEATURE_MAIN_SPILLS] == 0;
}
static bool prune_overflows(const struct features *f) {
  return f->values[FEATURE_TILE_L2] > TOO_LARGE;
}
static bool prune_fits(const struct features *f) {
  return f->values[FEATURE_TILE_L2] <= FITS;
}

// Unknown features are neither flawed nor free.
static const struct rule {
  const char *why;
  bool (*flawed)(const struct features *f); // NULL: the search's own expectation
  bool (*free)(const struct features *f);
} rules[PRUNE_RULES] = {
  { "spills in its main loop", prune_spills, spills_not },
  { "its tile does not fit the L2 cache", prune_overflows, prune_fits },
  { "the search expects it to be much slower than the best", NULL, NULL },
};

const char *prune_why(int rule) {
  return rules[rule].why;
}

// ---- evidence -----------------------------------------------------------------------

// True if A and B differ in at most a third of the parameters. With more, the fastest
// variant would be a sibling of all.
static bool are_siblings(const struct candidate *a, const struct candidate *b,
                         unsigned n_params) {
  if (a->body || b->body)
    return false; // another text
  unsigned differ = 0, most = (n_params + 1) / 3;
  most = most < 1 ? 1 : most > CLOSE ? CLOSE : most;
  for (unsigned p = 0; p < n_params && differ <= most; p++)
    differ += a->point[p] != b->point[p];
  return differ > 0 && differ <= most;
}

static bool is_timed(const struct candidate *c) {
  return c->done && c->status == STATUS_OK && c->e.n > 0;
}

// Makes B the sibling that rule R compares A with, if it is faster than the present one.
static void prune_note_siblings(struct candidate *all, unsigned a, unsigned b,
                                unsigned r) {
  int *known = &all[a].sibling[r];
  if (*known == NONE || all[b].e.median < all[*known].e.median)
    *known = (int)b;
}

void prune_relate(struct candidate *all, unsigned n, unsigned n_params, unsigned index) {
  const struct candidate *c = &all[index];
  for (unsigned i = 0; i < n; i++) {
    if (i == index || !are_siblings(&all[i], c, n_params))
      continue;
    for (unsigned r = 0; r < PRUNE_RULES; r++) {
      const struct rule *rule = &rules[r];
      if (!rule->flawed)
        continue;
      if (is_timed(c) && rule->free(&c->features) && rule->flawed(&all[i].features))
        prune_note_siblings(all, i, index, r);
      if (is_timed(&all[i]) && rule->free(&all[i].features) && rule->flawed(&c->features))
        prune_note_siblings(all, index, i, r);
    }
  }
}

// Returns 1 if C, which was run, lost as rule R predicts; -1 if it did not; 0 if that
// is not known.
static int prune_verdict(const struct candidate *all, const struct candidate *c,
                         unsigned r, struct estimate best) {
  const struct candidate *s = c->sibling[r] == NONE ? NULL : &all[c->sibling[r]];
  bool applies = rules[r].flawed ? s != NULL && rules[r].flawed(&c->features)
                                 : c->hopeless;
  if (!c->done || !applies)
    return 0;
  if (c->status == STATUS_TIMEOUT)
    return 1;
  if (!is_timed(c))
    return 0;
  if (!s)
    return c->e.low > CLEARLY * best.high     ? 1
        : c->e.median > CLEARLY * best.median ? 0
                                              : -1;
  return c->e.low > s->e.high ? 1 : c->e.median > s->e.median ? 0 : -1;
}

static bool prune_speaks(const struct pruning *f, const struct candidate *all, unsigned n,
                         unsigned r, struct estimate best) {
  unsigned right = 0;
  if (f->silent[r])
    return false;
  for (unsigned i = 0; i < n; i++) {
    int v = prune_verdict(all, &all[i], r, best);
    if (v < 0)
      return false;
    right += v > 0;
  }
  return right >= ENOUGH;
}

// ---- judging ------------------------------------------------------------------------

bool prune_hopeless(double expected, struct estimate best) {
  return best.n > 0 && expected > HOPELESS * best.high;
}

int prune_loser(const struct pruning *f, const struct candidate *all, unsigned n,
                const struct candidate *c, struct estimate best) {
  for (unsigned r = 0; r < PRUNE_RULES; r++) {
    bool against = rules[r].flawed
        ? c->sibling[r] != NONE && rules[r].flawed(&c->features)
        : c->hopeless;
    if (against && prune_speaks(f, all, n, r, best))
      return (int)r;
  }
  return NONE;
}

bool prune_drops(struct pruning *f, struct candidate *c, int rule) {
  if (rule == NONE)
    return false;
  c->condemned = rule;
  return ++f->spoken[rule] % HONEST != 0;
}

double prune_guess(const struct candidate *all, const struct candidate *c,
                   struct estimate best) {
  int s = c->condemned == NONE ? NONE : c->sibling[c->condemned];
  double least = HOPELESS * best.median;
  return s != NONE && all[s].e.median > least ? all[s].e.median : least;
}

void prune_learn(struct pruning *f, const struct candidate *all,
                 const struct candidate *c, struct estimate best) {
  if (c->condemned != NONE && prune_verdict(all, c, (unsigned)c->condemned, best) < 0)
    f->silent[c->condemned] = true;
}
