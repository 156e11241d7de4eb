// SPDX-License-Identifier: Apache-2.0
// row_modes.c: the cost of a tuning for the program that runs meanwhile: modes_run.c over
// five kernels of the examples, from an empty store, in each mode, compared with the
// build that never tunes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { KERNELS = 5, MODES = 3 };
static const struct {
  const char *name, *size;
} kernels[KERNELS] = {
  { "matmul", "320" },  { "sgemm", "960" },     { "jacobi", "1000" },
  { "spmv", "160000" }, { "attention", "512" },
};
static const char *const modes[MODES] = { "first", "background", "online" };
static const char budget[] = "5s", seconds[] = "12", seconds_untuned[] = "2";

// All calls of one run.
struct series {
  struct samples wait, time; // seconds of each call, in order
};

static void free_series(struct series *s) {
  samples_free(&s->wait);
  samples_free(&s->time);
}

static bool read_series(const struct bench *b, const char *kernel, const char *build,
                        const char *size, const char *length, struct series *s) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s_run.%s", b->work, kernel, build);
  *s = (struct series){ 0 };
  return run_calls((const char *[]){ path, size, length, "5", NULL }, &s->wait, &s->time);
}

static double greatest(const struct samples *s) {
  double most = 0;
  for (unsigned i = 0; i < s->n; i++)
    most = fmax(most, s->values[i]);
  return most;
}

// Returns after how many calls their total time is less than as many times DEFAULT
// seconds. If the run is too short, it is extended by the time of its last calls.
// INFINITY: never.
static double break_even(const struct samples *time, double usual) {
  struct samples last = { time->values + time->n - (time->n + 3) / 4, (time->n + 3) / 4 };
  double all = 0, late = samples_median(&last);
  unsigned since = 0;
  for (unsigned i = 0; i < time->n; i++) {
    all += time->values[i];
    if (all >= usual * (i + 1))
      since = i + 1;
  }
  if (since < time->n)
    return since + 1;
  return late < usual ? time->n + (all - usual * time->n) / (usual - late) : INFINITY;
}

struct found {
  double usual; // the untuned build's median
  double most;  // its longest call
  double longest_wait, longest_call, last, calls;
  unsigned n;
};

static bool measure(const struct bench *b, unsigned kernel, const char *mode,
                    struct found *f) {
  struct series s, untuned;
  char folder[4096];
  snprintf(folder, sizeof folder, "%s/modes", b->work);
  forget_store(folder);
  setenv("AUTOTUNE_CACHE", folder, 1);
  setenv("AUTOTUNE_MODE", mode, 1);
  setenv("AUTOTUNE_BUDGET", budget, 1);
  const char *name = kernels[kernel].name, *size = kernels[kernel].size;
  bool fine = read_series(b, name, "gcc", size, seconds_untuned, &untuned) &&
      read_series(b, name, "tuned", size, seconds, &s);
  unsetenv("AUTOTUNE_BUDGET");
  unsetenv("AUTOTUNE_MODE");
  if (!fine)
    return false;
  struct samples last = { s.time.values + s.time.n * 3 / 4, s.time.n - s.time.n * 3 / 4 };
  f->usual = samples_median(&untuned.time);
  f->most = greatest(&untuned.time);
  f->longest_wait = greatest(&s.wait);
  f->longest_call = greatest(&s.time);
  f->last = samples_median(&last);
  f->calls = break_even(&s.time, f->usual);
  f->n = s.time.n;
  free_series(&s);
  free_series(&untuned);
  return true;
}

static json_t *found_json(const struct found *f) {
  return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:i}", "untuned_median", f->usual,
                   "untuned_longest", f->most, "longest_wait", f->longest_wait,
                   "longest_call", f->longest_call, "tuned_median", f->last,
                   "break_even_calls", isinf(f->calls) ? -1 : f->calls, "calls",
                   (int)f->n);
}

static void print(const char *kernel, const char *mode, const struct found *f) {
  printf(
      "  %-10s %-11s untuned %7.3f ms, tuned %7.3f ms; longest wait %9.3f ms, call %9.3f "
      "ms (untuned %7.3f); even after %.0f calls\n",
      kernel, mode, 1e3 * f->usual, 1e3 * f->last, 1e3 * f->longest_wait,
      1e3 * f->longest_call, 1e3 * f->most, f->calls);
  fflush(stdout);
}

bool row_modes(struct bench *b) {
  char note[300] = "";
  double wait = 0;
  json_t *data = json_object();
  const char *cache = getenv("AUTOTUNE_CACHE");
  char *before = strdup(cache ? cache : "");
  bool fine = true;
  for (unsigned k = 0; k < KERNELS && fine; k++)
    for (unsigned m = 0; m < MODES && fine; m++) {
      struct found f;
      char name[64];
      fine = measure(b, k, modes[m], &f);
      if (!fine)
        break;
      print(kernels[k].name, modes[m], &f);
      snprintf(name, sizeof name, "%s, %s", kernels[k].name, modes[m]);
      json_object_set_new(data, name, found_json(&f));
      if (strcmp(modes[m], "background") == 0 && f.longest_wait > wait) {
        wait = f.longest_wait;
        snprintf(note, sizeof note, "the most of five kernels: %s", kernels[k].name);
      }
    }
  setenv("AUTOTUNE_CACHE", before, 1);
  free(before);
  bench_row(
      b, &(struct row){ "longest wait in background", note, 1e3 * wait, "ms", 2, true },
      data);
  return fine;
}
