// SPDX-License-Identifier: Apache-2.0
// weak.c: says of which sections the data say little (weak.h).
#include <stdio.h>

#include "weak.h"

static bool weak_counts(const struct weak_look *l, bool outputs) {
  return outputs ? l->writes : l->reads;
}

static enum weak weak_of(const struct weak_look *l, bool outputs) {
  return outputs ? l->output : l->input;
}

// Describes the inputs or the outputs, if all of them say little. False: they do not, or
// there are none.
static bool weak_write(const struct weak_look *looks, unsigned n, bool outputs,
                       char *text, size_t size) {
  static const char *const words[] = { "only zeros", "only equal numbers",
                                       "what they held before" };
  enum weak most = WEAK_ZERO;
  unsigned all = 0;
  for (unsigned i = 0; i < n; i++) {
    if (!weak_counts(&looks[i], outputs))
      continue;
    if (weak_of(&looks[i], outputs) == WEAK_NOT)
      return false;
    most = weak_of(&looks[i], outputs) > most ? weak_of(&looks[i], outputs) : most;
    all++;
  }
  if (all == 0)
    return false;
  size_t at = (size_t)snprintf(text, size, "the %s%s", outputs ? "output" : "input",
                               all > 1 ? "s " : " ");
  for (unsigned i = 0, k = 0; i < n; i++)
    if (weak_counts(&looks[i], outputs) && at < size) {
      const char *between = k == 0 ? "" : k + 1 == all ? " and " : ", ";
      at += (size_t)snprintf(text + at, size - at, "%s%.48s", between, looks[i].name);
      k++;
    }
  if (at < size)
    snprintf(text + at, size - at, " hold%s %s", all > 1 ? "" : "s", words[most]);
  return true;
}

void weak_tell(const struct weak_look *looks, unsigned n, char *text, size_t size) {
  *text = '\0';
  if (!weak_write(looks, n, false, text, size))
    weak_write(looks, n, true, text, size);
}
