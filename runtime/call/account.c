// SPDX-License-Identifier: Apache-2.0
// account.c: when a winner is checked again, and what that may cost.
#include <math.h>

#include "account.h"

const double ACCOUNT_PART = 0.01, ACCOUNT_CHEAP = 0.05;
static const double shortest = 0.1, longest = 3600, grant_again = 60; // seconds

double account_gap(unsigned looks) {
  if (looks == 0)
    return 0;
  return fmin(longest, ldexp(shortest, looks < 32 ? (int)looks - 1 : 31));
}

double account_due(const struct account *a) {
  return a->fresh ? a->last : a->last + account_gap(a->looks);
}

enum account_answer account_ask(const struct account *a, double now, double earned,
                                double expected) {
  if (now < account_due(a))
    return ACCOUNT_WAIT;
  if (ACCOUNT_PART * earned - a->paid >= expected)
    return ACCOUNT_PAID;
  bool few = a->looks < ACCOUNT_FIRST, long_ago = now - a->last >= grant_again;
  return few || long_ago ? ACCOUNT_GRANTED : ACCOUNT_WAIT;
}

void account_pay(struct account *a, double now, double cost) {
  a->looks++;
  a->last = now;
  a->fresh = false;
  a->paid += cost;
  a->cost = a->cost > 0 ? (a->cost + cost) / 2 : cost; // one may have been disturbed
}
