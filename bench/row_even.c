// SPDX-License-Identifier: Apache-2.0
// row_even.c: after how many calls a tuning has paid for itself: break_even.c in each
// mode, from an empty store, several rounds.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { MODES = 3, ROUNDS = 3 };
static const char *const modes[MODES] = { "online", "background", "first" };
static const char calls[] = "1500";

// Returns the number of calls; the number of all calls: more than these. NAN: the program
// failed.
static double even_after(const struct bench *b, const char *mode) {
  char path[4096], folder[4096], out[4096];
  snprintf(path, sizeof path, "%s/break_even", b->work);
  snprintf(folder, sizeof folder, "%s/even", b->work);
  forget_store(folder);
  setenv("AUTOTUNE_CACHE", folder, 1);
  setenv("AUTOTUNE_MODE", mode, 1);
  double seconds = run((const char *[]){ path, calls, NULL }, out, sizeof out);
  unsetenv("AUTOTUNE_MODE");
  if (seconds < 0)
    return NAN;
  double n = number_after(out, "break-even after ");
  return isnan(n) ? atof(calls) : n;
}

bool row_even(struct bench *b) {
  const char *cache = getenv("AUTOTUNE_CACHE");
  char *before = strdup(cache ? cache : ""), note[200];
  struct samples after[MODES] = { 0 };
  json_t *data = json_object();
  for (unsigned r = 0; r < ROUNDS; r++)
    for (unsigned m = 0; m < MODES; m++)
      samples_add(&after[m], even_after(b, modes[m]));
  setenv("AUTOTUNE_CACHE", before, 1);
  free(before);
  double online = samples_median(&after[0]);
  snprintf(note, sizeof note, "background %.0f, first %.0f (%s: not within those)",
           samples_median(&after[1]), samples_median(&after[2]), calls);
  for (unsigned m = 0; m < MODES; m++) {
    json_object_set_new(data, modes[m], samples_json(&after[m]));
    samples_free(&after[m]);
  }
  bench_row(
      b, &(struct row){ "calls until online has paid", note, online, "calls", 200, true },
      data);
  return !isnan(online);
}
