// SPDX-License-Identifier: Apache-2.0
// own_calls.c: how a winner has done in the program's own calls (own_calls.h).
//
// Work may differ from call to call, and a call may be interrupted. So both the sums and
// the number of pairs that the winner has lost must speak against it, unless there are
// many pairs.
#include "own_calls.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

// Disturbances last for seconds, or for a whole process, whose pages lie well or badly in
// the caches: few pairs are worth less than their number says. So the fewer there are,
// the clearer they must be. To lose needs less: when in doubt the default runs.
static const struct step {
  unsigned pairs; // or more
  double faster;  // gain, or more, that is faster
  double slower;  // gain, or less, that is no faster
  double lost;    // part of the pairs that the winner must have lost for that, or more
} steps[] = {
  { 4, 2, 0, 1 }, { 8, 1.5, 0.87, 0.75 }, { 16, 1.2, 1, 0.5 }, { 32, 1.05, 1.05, 0 }
};
enum { STEPS = sizeof steps / sizeof *steps };

void own_calls_add(struct own_calls *own, double winner, double original) {
  const struct own_calls pair = {
    1, winner > original, original, winner, original, winner
  };
  own_calls_join(own, &pair);
}

void own_calls_join(struct own_calls *own, const struct own_calls *more) {
  own->pairs += more->pairs;
  own->slower += more->slower;
  own->winner += more->winner;
  own->original += more->original;
  own->longest_winner = fmax(own->longest_winner, more->longest_winner);
  own->longest_original = fmax(own->longest_original, more->longest_original);
}

double own_calls_gain(const struct own_calls *own) {
  bool leaves = own->pairs > 1;
  double winner = own->winner - (leaves ? own->longest_winner : 0);
  double original = own->original - (leaves ? own->longest_original : 0);
  return winner > 0 && original > 0 ? original / winner : 1;
}

enum own_calls_say own_calls_judge(const struct own_calls *own) {
  double gain = own_calls_gain(own), lost = (double)own->slower / fmax(own->pairs, 1);
  const struct step *at = NULL;
  for (unsigned i = 0; i < STEPS && own->pairs >= steps[i].pairs; i++)
    at = &steps[i];
  if (!at)
    return OWN_CALLS_MORE;
  if (at == &steps[STEPS - 1]) // it is decided now
    return gain >= at->faster ? OWN_CALLS_FASTER : OWN_CALLS_SLOWER;
  if (gain >= at->faster && lost < 0.5)
    return OWN_CALLS_FASTER;
  return gain <= at->slower && lost >= at->lost ? OWN_CALLS_SLOWER : OWN_CALLS_MORE;
}

const char *own_calls_text(const struct own_calls *own, char *text, size_t size) {
  snprintf(text, size,
           "%.3g x as fast as the default in %u pair%s of the program's own "
           "calls",
           own_calls_gain(own), own->pairs, own->pairs == 1 ? "" : "s");
  return text;
}
