// SPDX-License-Identifier: Apache-2.0
// ration.c: how much of a program's time tunings and checks may take, over all its runs.
#include <math.h>

#include "ration.h"

static const double tune_now = 0.05, all_before = 0.015;
static const double found_now = 0.1;               // of this run
static const double most_debt = 2, most_saved = 1; // seconds, from earlier runs
static const double check_all = 0.01, check_now = 0.02;
static const double check_first = 0.05; // seconds: so much before anything was earned
enum { MOST_DOUBLED = 16 };             // 32768 runs

double ration_saved(const struct ration *r) {
  return fmin(all_before * r->before.time - r->before.lost, most_saved);
}

double ration_next(const struct vain *v) {
  int doubled = v->n < MOST_DOUBLED ? (int)v->n : MOST_DOUBLED;
  return doubled > 0 ? v->time + ldexp(v->run, doubled - 1) : 0;
}

bool ration_tunes(const struct ration *r, double expected) {
  if (!r->known && r->now.lost <= 0)
    return true;
  double saved = ration_saved(r);
  double earned = tune_now * r->now.time - r->now.lost;
  // No debt is let off for what was found: it may never be put to use.
  return fmax(saved, -most_debt) + earned >= expected ||
      (saved + earned + r->found >= expected &&
       r->now.lost + expected <= found_now * r->now.time);
}

// Returns what all checks together may have taken by now.
static double ration_credit(const struct ration *r) {
  return check_first + check_all * (r->before.time + r->now.time);
}

bool ration_affords(const struct ration *r, double expected) {
  return expected <= ration_credit(r);
}

bool ration_checks(const struct ration *r, double expected) {
  double spent = r->before.checks + r->now.checks + expected;
  bool within = r->now.checks <= 0 || r->now.checks + expected <= check_now * r->now.time;
  return within && spent <= ration_credit(r);
}
