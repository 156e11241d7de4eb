/* SPDX-License-Identifier: Apache-2.0 */
/* lead.h: new values of a key that run the winner of others as it is (lead.c). */
#ifndef AUTOTUNE_LEAD_H
#define AUTOTUNE_LEAD_H

#include "site.h"

struct agreement;
/* True if values that A holds for need not be compared with the default before they run
 * WINNER, on which tuned keys agree, and whose code is right for them; any thread. */
bool lead_trusts(const struct site *s, const struct agreement *a,
                 const struct summary *winner);
/* True if one more comparison may be enough for that. */
bool lead_needs_comparisons(const struct agreement *a, const struct summary *winner);
/* Makes N run KNOWN, the winner on which tuned keys agree by A for LIKE, and lead the
 * values that A holds for. False: its code cannot be had, or it cannot run in CALL. Call
 * it only while holding decide_take(). */
bool lead_take(struct node *n, const struct call *call, const struct agreement *a,
               const long long *like, struct recall *known);
/* Returns the node as whose call CALL is to be treated, whose key has no node of its own;
 * NULL: there is none. Any thread. */
struct node *lead_of(struct site *s, const struct call *call);
/* Parts of reserved[1] of a call's state. CALL_FIRST: it is the first call of a winner.
 * CALL_PAIRED: it is timed for confirm_see.
 * The rest, a multiple of CALL_LED, is the number of a call that lead_code has asked to
 * time; its address does not tell, because stubs copy it. */
enum { CALL_FIRST = 1, CALL_PAIRED = 2, CALL_LED = 4 };
/* Returns what a call of S runs that is treated as one of N, and counts it. *TIMED: STATE
 * is to be timed, for lead_see. */
autotune_fn lead_code(struct site *s, struct node *n, struct autotune_call_state *state,
                      bool *timed);
/* Ends what N leads with another winner than VARIANT, while holding decide_take(). */
void lead_installed(const struct node *n, uint64_t variant);
/* Notes that the call of STATE took SECONDS, if lead_code has asked for that. */
void lead_see(struct site *s, const struct autotune_call_state *state, double seconds);
void lead_free(struct site *s); /* when the site is closed */

#endif
