// SPDX-License-Identifier: Apache-2.0
// doubt.c: keys that were decided on a call that did next to nothing, such as one for 0
// elements. Its times say little, so later calls of the key are timed: each one at first,
// then ever fewer. If some of them take far longer, the key is tuned again on one of
// these. The tuner finds out if a call is one, and else ends at once.
#include <math.h>

#include "site.h"

static const double next_to_nothing = 5e-6; // seconds
static const double far = 20, long_call = 2e-6;
enum { LONGER = 3, TRIES = 8, EACH = 64, DOUBLINGS = 16 };

static bool doubt_may(const struct autotune_kernel *k) {
  enum tuning_mode mode = decide_mode(k);
  return target_of(k)->synchronous && k->n_params > 0 &&
      (mode == MODE_FIRST || mode == MODE_BACKGROUND || mode == MODE_ONLINE);
}

// The least seconds of a call that the key may be tuned on.
static double doubt_least(const struct doubt *d) {
  return fmax(far * d->seconds, long_call);
}

void doubt_begin(struct node *n, double seconds) {
  struct doubt *d = &n->doubt;
  bool doubts = seconds > 0 && seconds <= next_to_nothing && d->tries < TRIES &&
      doubt_may(n->site->kernel);
  *d = (struct doubt){ .seconds = doubts && watch_times(n) ? seconds : 0,
                       .tries = d->tries };
}

unsigned doubt_see(struct node *n, double seconds) {
  struct doubt *d = &n->doubt;
  if (d->seconds <= 0)
    return 0;
  d->longer += seconds >= doubt_least(d);
  d->sure = d->sure || d->longer >= LONGER;
  unsigned doublings = d->seen++ / EACH;
  if (doublings > DOUBLINGS)
    d->seconds = 0;
  return 1u << (doublings < DOUBLINGS ? doublings : DOUBLINGS);
}

bool doubt_wants(const struct node *n) {
  return n->doubt.sure && doubt_may(n->site->kernel);
}

void doubt_again(struct node *n) {
  n->doubt.sure = n->doubt.seconds > 0;
}

void doubt_plan(struct node *n, struct plan *plan) {
  struct doubt *d = &n->doubt;
  plan->least = doubt_least(d) / 2;
  d->sure = false;
  d->longer = 0;
  if (d->tries++ == 0)
    log_message(AUTOTUNE_INFO,
                "%s: calls take far longer than the %.2g µs of the one that it was "
                "decided on: it is tuned again",
                n->site->kernel->name, 1e6 * d->seconds);
  if (d->tries >= TRIES)
    d->seconds = 0;
}
