/* SPDX-License-Identifier: Apache-2.0 */
/* rest.h: the rest of a default budget. The first call of a key waits for a few seconds
 * of search. The search goes on in the background with the remaining seconds of the
 * budget. It takes a small part of the time that the program spends in the kernel, in
 * this run or in later ones. */
#ifndef AUTOTUNE_REST_H
#define AUTOTUNE_REST_H

#include <stdatomic.h>
#include <stdbool.h>

struct node;
struct plan;
struct summary;

/* Of one node. Any thread. */
struct rest {
  _Atomic double left;  /* seconds of search; 0: none */
  _Atomic double spent; /* seconds in calls since the key was decided */
  atomic_bool goes;     /* its search goes on in the background */
};
/* Holding decide_take(): after a search that had LEFT seconds to go on for. */
void rest_begin(struct node *n, double left);
/* Returns what is left where M is what is stored of a key. */
double rest_stored(const struct summary *m);
/* Calls of N took SECONDS. */
void rest_see(struct node *n, double seconds);
/* True if calls of N are to be timed for it. */
bool rest_waits(const struct node *n);
/* True if the search may go on now. */
bool rest_wants(const struct node *n);
/* Makes PLAN, of a search in this call, go on with it. */
void rest_plan(struct node *n, struct plan *plan);
/* Returns the seconds of CPU that the search may have taken by now. */
double rest_allowed(const struct node *n);
/* That search has ended, or never began. */
void rest_end(struct node *n);

#endif
