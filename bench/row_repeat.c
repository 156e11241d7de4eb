// SPDX-License-Identifier: Apache-2.0
// row_repeat.c: is it chance? Each of five kernels is tuned again and again, each time from an empty
// store and with another seed, and once for much longer; then all that was chosen is measured together,
// in turns, one process each. The best of them all stands for the best of all variants.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { KERNELS = 5, CHOICES = 20, ROUNDS = 3 };
static const struct { const char *name, *size; } kernels[KERNELS] = {
  { "matmul", "320" }, { "sgemm", "960" }, { "jacobi", "1000" }, { "spmv", "160000" },
  { "attention", "512" },
};
static const char shorter[] = "3s", longer[] = "15s"; // the last is what all others stand beside
static const double near = 1.02;

static void use_store(const struct bench *b, const char *kernel, unsigned choice)
{
  char folder[4096];
  snprintf(folder, sizeof folder, "%s/repeat-%s-%u", b->work, kernel, choice);
  setenv("AUTOTUNE_CACHE", folder, 1);
}

// The median of the calls of a process that lives for SECONDS; NAN: it failed.
static double call_time(const struct bench *b, unsigned kernel, const char *seconds)
{
  char path[4096];
  struct samples waits = { 0 }, times = { 0 };
  snprintf(path, sizeof path, "%s/%s_run.tuned", b->work, kernels[kernel].name);
  run_calls((const char *[]){ path, kernels[kernel].size, seconds, "5", NULL }, &waits, &times);
  double median = samples_median(&times);
  samples_free(&waits);
  samples_free(&times);
  return median;
}

static bool choose(const struct bench *b, unsigned kernel, unsigned choice)
{
  char seed[16];
  snprintf(seed, sizeof seed, "%u", choice + 1);
  use_store(b, kernels[kernel].name, choice);
  setenv("AUTOTUNE_SEED", seed, 1);
  setenv("AUTOTUNE_BUDGET", choice == CHOICES ? longer : shorter, 1);
  double time = call_time(b, kernel, "0");
  unsetenv("AUTOTUNE_BUDGET");
  unsetenv("AUTOTUNE_SEED");
  return !isnan(time);
}

// How many of the choices are near the best of all; -1: a program failed.
static int judge(const struct bench *b, unsigned kernel, json_t *data)
{
  struct samples times[CHOICES + 1] = { 0 };
  double best = INFINITY;
  int good = 0;
  setenv("AUTOTUNE_MODE", "locked", 1);
  for (unsigned r = 0; r < ROUNDS; r++)
    for (unsigned c = 0; c <= CHOICES; c++) {
      unsigned choice = (c + r) % (CHOICES + 1);
      use_store(b, kernels[kernel].name, choice);
      samples_add(&times[choice], call_time(b, kernel, "0.2"));
    }
  unsetenv("AUTOTUNE_MODE");
  json_t *list = json_array();
  for (unsigned c = 0; c <= CHOICES; c++)
    best = fmin(best, samples_median(&times[c]));
  for (unsigned c = 0; c <= CHOICES; c++) {
    good += c < CHOICES && samples_median(&times[c]) <= near * best;
    json_array_append_new(list, samples_json(&times[c]));
    samples_free(&times[c]);
  }
  json_object_set_new(data, kernels[kernel].name, list);
  return isfinite(best) ? good : -1;
}

bool row_repeat(struct bench *b)
{
  int least = CHOICES;
  char note[200] = "";
  const char *cache = getenv("AUTOTUNE_CACHE");
  char *before = strdup(cache ? cache : "");
  json_t *data = json_object();
  size_t used = 0;
  for (unsigned k = 0; k < KERNELS && least >= 0; k++) {
    bool fine = true;
    for (unsigned c = 0; c <= CHOICES && fine; c++)
      fine = choose(b, k, c);
    int good = fine ? judge(b, k, data) : -1;
    used += (size_t)snprintf(note + used, sizeof note - used, "%s %d ", kernels[k].name, good);
    least = good < least ? good : least;
  }
  setenv("AUTOTUNE_CACHE", before, 1);
  free(before);
  bench_row(b, &(struct row){ "of 20 choices within 2 % of best", note, least, "", 19, false }, data);
  return least >= 0;
}
