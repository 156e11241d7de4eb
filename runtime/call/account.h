/* SPDX-License-Identifier: Apache-2.0 */
/* account.h: when a winner is checked again in a program's calls, and what that may cost.
 * Pure: the only inputs are times and costs, in seconds.
 *
 * Checks pay from 1 % of the time that the program has spent in the kernel. A short
 * program would never have that much. Therefore a check may run on credit where few have
 * been made yet, or none for a minute. Processes that share a store share these grants;
 * ration.h limits them for all winners of a program together. */
#ifndef AUTOTUNE_ACCOUNT_H
#define AUTOTUNE_ACCOUNT_H

#include <stdbool.h>

enum { ACCOUNT_FIRST = 5 };        /* checks that may run on credit one after another */
extern const double ACCOUNT_PART;  /* of the time in the kernel */
extern const double ACCOUNT_CHEAP; /* seconds: a check that costs more ends with the
                                      program */

struct account {
  unsigned looks; /* checks so far, of all processes as far as known */
  double last;    /* when the last one was */
  bool fresh;     /* none was made in this process, which did not tune */
  double paid;    /* what those of this process have cost */
  double cost;    /* of one, as the last ones were; 0: there was none yet */
};

/* Returns the seconds between the last of LOOKS checks and the next: 0, then 0.1, twice
 * as much after each check, an hour at most. */
double account_gap(unsigned looks);
/* Returns when the next check is wanted. */
double account_due(const struct account *a);
enum account_answer {
  ACCOUNT_WAIT,   /* it is not due, or there is not enough yet */
  ACCOUNT_PAID,   /* 1 % of the time in the kernel covers it */
  ACCOUNT_GRANTED /* it runs on credit */
};
/* Says if a check that will cost EXPECTED may begin NOW. EARNED: the time in the kernel.
 */
enum account_answer account_ask(const struct account *a, double now, double earned,
                                double expected);
/* Notes that a check that began at NOW has cost COST. */
void account_pay(struct account *a, double now, double cost);

#endif
