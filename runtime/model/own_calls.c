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

enum { FEW = 4, SOME = 8, MORE = 16, MANY = 32 }; // pairs
static const double clear = 1.05, least = 1.03;   // gains

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

// Returns the default's time by the winner's. The longest call of each is left out.
static double own_calls_gain(const struct own_calls *own) {
  bool leaves = own->pairs > 1;
  double winner = own->winner - (leaves ? own->longest_winner : 0);
  double original = own->original - (leaves ? own->longest_original : 0);
  return winner > 0 && original > 0 ? original / winner : 1;
}

enum own_calls_say own_calls_judge(const struct own_calls *own) {
  double gain = own_calls_gain(own);
  unsigned n = own->pairs, slower = own->slower;
  if (n >= FEW && slower == 0 && gain >= clear)
    return OWN_CALLS_FASTER;
  if (n >= MANY)
    return gain < least ? OWN_CALLS_SLOWER : OWN_CALLS_FASTER;
  double margin = n < MORE ? least : 1;
  if (n >= SOME && 2 * slower < n && gain >= margin)
    return OWN_CALLS_FASTER;
  if (n >= SOME && 4 * slower >= (n < MORE ? 3 : 2) * n && gain * margin < 1)
    return OWN_CALLS_SLOWER;
  return OWN_CALLS_MORE;
}

const char *own_calls_text(const struct own_calls *own, char *text, size_t size) {
  snprintf(text, size,
           "%.3g x as fast as the default in %u pair%s of the program's own "
           "calls",
           own_calls_gain(own), own->pairs, own->pairs == 1 ? "" : "s");
  return text;
}
