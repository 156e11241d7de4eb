/* SPDX-License-Identifier: Apache-2.0 */
/* vain.h: tunings of kernels that are tuned when hot, and that end with their program
 * before they have tried a variant. Part of site.h.
 *
 * Runs of half a second that follow each other at once would all begin such a tuning, and
 * none would learn anything. So the next one waits until the program has run 1, 2, 4, …
 * times as long as the run that began the last one. Meanwhile the runs save what a tuning
 * may take, and that is lent to it, so that it can begin its work in the run. A tuning
 * that tries a variant or has a result ends this. */
#ifndef AUTOTUNE_VAIN_H
#define AUTOTUNE_VAIN_H

#include "site.h"

/* Takes over what earlier runs noted of S, which is new. */
void vain_recall(struct site *s);
/* True if the next tuning of S is to begin later. Takes a few nanoseconds; any thread. */
bool vain_waits(const struct site *s);
/* True if what earlier runs have saved may be lent to tunings of S. Any thread. */
bool vain_pools(const struct site *s);

/* Call these only while holding decide_take(). */
void vain_begun(struct site *s); /* a tuning of S has begun in the background */
void vain_ended(struct site *s); /* it has a result */
/* Notes in N why it is not tuned now. */
void vain_tell(struct node *n);
/* At the end of the process, while N is tuned: notes that in N, if it is in vain again.
 */
void vain_at_exit(struct node *n);

#endif
