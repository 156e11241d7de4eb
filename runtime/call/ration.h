/* SPDX-License-Identifier: Apache-2.0 */
/* ration.h: how much of a program's time tunings and checks may take, over all of its
 * runs. Pure: seconds in, answers out.
 *
 * The first tuning of a program begins at once. It costs what it costs: pages that the
 * program copies, processors that it has to share. Later ones wait until that is a small
 * part of the time of all runs. So a program that is started again and again is not made
 * slower each time. */
#ifndef AUTOTUNE_RATION_H
#define AUTOTUNE_RATION_H

#include "keep/store/store.h"

struct ration {
  bool known;                /* there were earlier runs with tunings or checks */
  struct ledger before, now; /* sums of earlier runs, and of this one so far */
  double found; /* seconds that a known variant would save in one run. It is known from a
                   tuning that did not come to its end, or from other keys; 0: there is
                   none */
};
/* True if a tuning may begin that will take EXPECTED seconds from the program before it
 * has found anything: the first one, and others within 5 % of this run and 1.5 % of the
 * earlier ones. Where FOUND is set, tunings may take these seconds in addition, once for
 * all runs together, and at most 10 % of one run. */
bool ration_tunes(const struct ration *r, double expected);
/* Returns the seconds that earlier runs have saved for tunings of later ones: 1.5 % of
 * their time, less what they have lost. At most 1; negative: a debt. */
double ration_saved(const struct ration *r);
/* Returns the seconds of all runs from which the next tuning of a kernel may begin whose
 * last ones, V, were in vain: 1, 2, 4, … times as long after the last one began as that
 * run takes. 0: at any time. */
double ration_next(const struct vain *v);
/* True if a check of a winner may begin on credit: within 1 % of the time of all runs,
 * and, after the first one, 2 % of this run. */
bool ration_checks(const struct ration *r, double expected);
/* True if it could begin if no other check had taken anything: it only has to wait. */
bool ration_affords(const struct ration *r, double expected);

#endif
