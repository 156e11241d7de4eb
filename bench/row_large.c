// SPDX-License-Identifier: Apache-2.0
// row_large.c: a space of a million variants and 60 s, against the best that can be found
// by any means: other searches and another seed get as much time each, and the thousand
// best variants that any of them has seen are then tuned exhaustively. The choices of all
// are measured in turns.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { BEST = 1000, ROUNDS = 11, STORES = 4 };
static const char budget[] = "60s,1000000";
static const struct {
  const char *search, *seed;
} means[STORES] = {
  { "auto", "1" },
  { "auto", "2" },
  { "model", "1" },
  { "local", "1" },
};

struct variant {
  double seconds;
  char *line;
}; // "NAME=VALUE\tNAME=VALUE"
struct variants {
  struct variant *items;
  unsigned n;
};

static void use_store(const struct bench *b, unsigned store) {
  char folder[4096];
  snprintf(folder, sizeof folder, "%s/large-%u", b->work, store);
  setenv("AUTOTUNE_CACHE", folder, 1);
}

// The median of the program's later calls, tuned or as stored; NAN: it failed.
static double call_time(const struct bench *b) {
  char path[4096], out[4096];
  snprintf(path, sizeof path, "%s/large_space", b->work);
  if (run((const char *[]){ path, NULL }, out, sizeof out) < 0)
    return NAN;
  return number_after(out, "median");
}

static bool search(const struct bench *b, unsigned store, const char *name,
                   const char *seed, const char *much) {
  use_store(b, store);
  setenv("AUTOTUNE_SEARCH", name, 1);
  setenv("AUTOTUNE_SEED", seed, 1);
  setenv("AUTOTUNE_BUDGET", much, 1);
  double time = call_time(b);
  unsetenv("AUTOTUNE_BUDGET");
  unsetenv("AUTOTUNE_SEED");
  unsetenv("AUTOTUNE_SEARCH");
  return !isnan(time);
}

static double median_of(json_t *times) {
  struct samples s = { 0 };
  size_t i;
  json_t *time;
  json_array_foreach(times, i, time) samples_add(&s, json_number_value(time));
  double median = samples_median(&s);
  samples_free(&s);
  return median;
}

// Reads all variants of the current store, through `autotune export`.
static bool add_seen(const struct bench *b, struct variants *v) {
  char path[4096], *out = malloc(1 << 26);
  snprintf(path, sizeof path, "%s/bin/autotune", b->build);
  bool fine = out &&
      run((const char *[]){ path, "export", "--t4", NULL }, out, 1 << 26) >= 0;
  json_t *t4 = fine ? json_loads(out, 0, NULL) : NULL, *result;
  size_t i;
  json_array_foreach(json_object_get(t4, "results"), i, result) {
    double seconds =
        median_of(json_object_get(json_object_get(result, "times"), "runtimes"));
    if (isnan(seconds))
      continue;
    struct variant *more = realloc(v->items, (v->n + 1) * sizeof *more);
    if (!more)
      exit(2);
    v->items = more;
    more[v->n++] =
        (struct variant){ seconds,
                          variant_line(json_object_get(result, "configuration")) };
  }
  json_decref(t4);
  free(out);
  return t4 != NULL;
}

static int by_seconds(const void *a, const void *b) {
  double x = ((const struct variant *)a)->seconds,
         y = ((const struct variant *)b)->seconds;
  return (x > y) - (x < y);
}

static bool write_best(const char *path, struct variants *v) {
  FILE *f = fopen(path, "w");
  qsort(v->items, v->n, sizeof *v->items, by_seconds);
  for (unsigned i = 0; f && i < v->n && i < BEST; i++)
    fprintf(f, "%s\n", v->items[i].line);
  return f && fclose(f) == 0;
}

// Measures the choices of all stores in turns.
static void compare(const struct bench *b, struct samples *times) {
  setenv("AUTOTUNE_MODE", "locked", 1);
  for (unsigned r = 0; r < ROUNDS; r++)
    for (unsigned s = 0; s <= STORES; s++) {
      unsigned store = (s + r) % (STORES + 1);
      use_store(b, store);
      samples_add(&times[store], call_time(b));
    }
  unsetenv("AUTOTUNE_MODE");
}

static void free_variants(struct variants *v) {
  for (unsigned i = 0; i < v->n; i++)
    free(v->items[i].line);
  free(v->items);
}

bool row_large(struct bench *b) {
  char list[4096], name[4200], note[200];
  const char *cache = getenv("AUTOTUNE_CACHE");
  char *before = strdup(cache ? cache : "");
  struct variants seen = { 0 };
  struct samples times[STORES + 1] = { 0 };
  bool fine = true;
  for (unsigned s = 0; s < STORES && fine; s++)
    fine = search(b, s, means[s].search, means[s].seed, budget) && add_seen(b, &seen);
  snprintf(list, sizeof list, "%s/large.list", b->work);
  snprintf(name, sizeof name, "list:%s", list);
  fine = fine && write_best(list, &seen) && search(b, STORES, name, "1", "900s,1000");
  if (fine)
    compare(b, times);
  setenv("AUTOTUNE_CACHE", before, 1);
  free(before);
  double best = INFINITY;
  json_t *data = json_object();
  for (unsigned s = 0; fine && s <= STORES; s++) {
    snprintf(name, sizeof name, "%s, seed %s",
             s < STORES ? means[s].search : "the best, exhaustively",
             s < STORES ? means[s].seed : "1");
    best = fmin(best, samples_median(&times[s]));
    json_object_set_new(data, name, samples_json(&times[s]));
  }
  snprintf(note, sizeof note,
           "%u variants seen by any means; auto %.3f ms, the best %.3f ms", seen.n,
           1e3 * samples_median(&times[0]), 1e3 * best);
  bench_row(b,
            &(struct row){ "60 s in a space of 10^6", note,
                           samples_median(&times[0]) / best, "x", 1.05, true },
            data);
  for (unsigned s = 0; s <= STORES; s++)
    samples_free(&times[s]);
  free_variants(&seen);
  return fine;
}
