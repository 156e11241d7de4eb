// SPDX-License-Identifier: Apache-2.0
// row_warm.c: tells whether a new key is tuned sooner if a near one is known. Each of
// five kernels is tuned for one size, and then for another, from an empty store and from
// that one, with several seeds. The best that any of these has seen are then measured in
// a tuning of their own, since the least of many noisy times would be too low. The result
// is the number of variants tried until one is within 5 % of the best of those.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { KERNELS = 5, SEEDS = 2, TUNINGS = 2 * SEEDS, JUDGED = 40, LEAST = 3 };
static const struct {
  const char *name, *near, *size;
  long long key;
} kernels[KERNELS] = {
  { "matmul", "320", "448", 448 },    { "sgemm", "960", "720", 720 },
  { "jacobi", "1000", "1400", 1400 }, { "spmv", "160000", "220000", 220000 },
  { "attention", "512", "640", 640 },
};
static const char budget[] = "60s,80";
static const double within = 1.05;

struct trial {
  char *point;
  double seconds;
}; // NAN: it failed
struct trials {
  struct trial *items;
  unsigned n;
}; // in order

static void use_store(const struct bench *b, const char *what, unsigned i, char *folder,
                      size_t size) {
  snprintf(folder, size, "%s/warm-%s-%u", b->work, what, i);
  forget_store(folder);
  setenv("AUTOTUNE_CACHE", folder, 1);
}

static bool tune(const struct bench *b, unsigned kernel, const char *size,
                 unsigned seed) {
  char path[4096], text[16];
  snprintf(path, sizeof path, "%s/%s_run.tuned", b->work, kernels[kernel].name);
  snprintf(text, sizeof text, "%u", seed);
  setenv("AUTOTUNE_SEED", text, 1);
  setenv("AUTOTUNE_BUDGET", budget, 1);
  bool fine = run((const char *[]){ path, size, "0", "1", NULL }, NULL, 0) >= 0;
  unsetenv("AUTOTUNE_BUDGET");
  unsetenv("AUTOTUNE_SEED");
  return fine;
}

static void add_trials(json_t *variants, struct trials *out) {
  size_t i;
  json_t *variant;
  json_array_foreach(variants, i, variant) {
    const char *status = json_string_value(json_object_get(variant, "fate"));
    json_t *time = json_object_get(json_object_get(variant, "time"), "median");
    if (!status || strcmp(status, "dropped") == 0)
      continue;
    struct trial *more = realloc(out->items, (out->n + 1) * sizeof *more);
    if (!more)
      exit(2);
    out->items = more;
    more[out->n].point = variant_line(json_object_get(variant, "parameters"));
    more[out->n++].seconds =
        strcmp(status, "right") == 0 && json_is_real(time) ? json_real_value(time) : NAN;
  }
}

// True if a part of the key is SIZE.
static bool is_key(json_t *key, long long size) {
  const char *name;
  json_t *part;
  json_object_foreach(key, name, part) if (json_integer_value(part) == size) return true;
  return false;
}

// Reads the variants that were tried for the key, in order, from the report.
static bool read_trials(const struct bench *b, long long key, struct trials *out) {
  char path[4096], *text = malloc(1 << 26);
  size_t i;
  json_t *kernel;
  snprintf(path, sizeof path, "%s/bin/autotune", b->build);
  bool fine = text &&
      run((const char *[]){ path, "report", "--json", "--verbose", NULL }, text,
          1 << 26) >= 0;
  json_t *report = fine ? json_loads(text, 0, NULL) : NULL;
  json_array_foreach(json_object_get(report, "kernels"), i,
                     kernel) if (is_key(json_object_get(kernel, "key"), key))
      add_trials(json_object_get(kernel, "records"), out);
  json_decref(report);
  free(text);
  return out->n > 0;
}

static int by_seconds(const void *a, const void *b) {
  double x = ((const struct trial *)a)->seconds, y = ((const struct trial *)b)->seconds;
  return (x > y) - (x < y);
}

// Writes the fastest variants that were seen, one a line as `list:FILE` reads them.
static bool write_fastest(const char *path, const struct trials *all) {
  struct trial *fast = NULL;
  unsigned n = 0, written = 0;
  for (unsigned t = 0; t < TUNINGS; t++)
    for (unsigned i = 0; i < all[t].n; i++)
      if (!isnan(all[t].items[i].seconds)) {
        if (!(fast = realloc(fast, (n + 1) * sizeof *fast)))
          exit(2);
        fast[n++] = all[t].items[i];
      }
  qsort(fast, n, sizeof *fast, by_seconds);
  FILE *f = fopen(path, "w");
  for (unsigned i = 0; f && i < n && written < JUDGED; i++) {
    bool again = false;
    for (unsigned j = 0; j < i && !again; j++)
      again = strcmp(fast[j].point, fast[i].point) == 0;
    if (!again && ++written)
      fprintf(f, "%s\n", fast[i].point);
  }
  free(fast);
  return f && fclose(f) == 0 && written > 0;
}

static bool judge(const struct bench *b, unsigned kernel, const struct trials *all,
                  struct trials *judged) {
  char folder[4096], list[4200], search[4300];
  use_store(b, "judge", kernel, folder, sizeof folder);
  snprintf(list, sizeof list, "%s/warm.list", b->work);
  snprintf(search, sizeof search, "list:%s", list);
  if (!write_fastest(list, all))
    return false;
  setenv("AUTOTUNE_SEARCH", search, 1);
  bool fine = tune(b, kernel, kernels[kernel].size, 1) &&
      read_trials(b, kernels[kernel].key, judged);
  unsetenv("AUTOTUNE_SEARCH");
  forget_store(folder);
  return fine;
}

// INFINITY: too slow to be judged.
static double time_of(const struct trials *judged, const char *point) {
  for (unsigned i = 0; i < judged->n; i++)
    if (strcmp(judged->items[i].point, point) == 0 && !isnan(judged->items[i].seconds))
      return judged->items[i].seconds;
  return INFINITY;
}

static double best_of(const struct trials *judged) {
  double best = INFINITY;
  for (unsigned i = 0; i < judged->n; i++)
    best = fmin(best, judged->items[i].seconds);
  return best;
}

// If no variant is good enough, the result is the number tried plus one.
static unsigned until_good(const struct trials *tuning, const struct trials *judged) {
  unsigned i = 0;
  while (i < tuning->n &&
         !(time_of(judged, tuning->items[i].point) <= within * best_of(judged)))
    i++;
  return i + 1;
}

static bool tune_all(const struct bench *b, unsigned kernel, struct trials *all) {
  char near[4096], folder[4096];
  use_store(b, "near", kernel, near, sizeof near);
  if (!tune(b, kernel, kernels[kernel].near, 1))
    return false;
  for (unsigned t = 0; t < TUNINGS; t++) {
    use_store(b, kernels[kernel].name, t, folder, sizeof folder);
    if (t >= SEEDS &&
        run((const char *[]){ "cp", "-r", near, folder, NULL }, NULL, 0) < 0)
      return false;
    if (!tune(b, kernel, kernels[kernel].size, 2 + t % SEEDS) ||
        !read_trials(b, kernels[kernel].key, &all[t]))
      return false;
    forget_store(folder);
  }
  forget_store(near);
  return true;
}

static void free_trials(struct trials *t) {
  for (unsigned i = 0; i < t->n; i++)
    free(t->items[i].point);
  free(t->items);
}

// Sets the trials needed from scratch and with the near key, medians over the seeds.
// False: a program failed.
static bool measure(const struct bench *b, unsigned kernel, double *scratch, double *warm,
                    json_t *data) {
  struct trials all[TUNINGS] = { 0 }, judged = { 0 };
  struct samples counts[2] = { 0 };
  bool fine = tune_all(b, kernel, all) && judge(b, kernel, all, &judged);
  for (unsigned t = 0; t < TUNINGS && fine; t++)
    samples_add(&counts[t >= SEEDS], until_good(&all[t], &judged));
  if (fine) {
    *scratch = samples_median(&counts[0]);
    *warm = samples_median(&counts[1]);
    printf("  %-10s within 5 %% of the best after %g trials from scratch, %g with n = %s "
           "known (%u and %u tried)\n",
           kernels[kernel].name, *scratch, *warm, kernels[kernel].near, all[0].n,
           all[SEEDS].n);
    fflush(stdout);
    json_object_set_new(data, kernels[kernel].name,
                        json_pack("{s:o, s:o, s:f}", "scratch", samples_json(&counts[0]),
                                  "warm", samples_json(&counts[1]), "best",
                                  best_of(&judged)));
  }
  samples_free(&counts[0]);
  samples_free(&counts[1]);
  for (unsigned t = 0; t < TUNINGS; t++)
    free_trials(&all[t]);
  free_trials(&judged);
  return fine;
}

// A kernel whose best variant is found at once from scratch has nothing to gain, and is
// left out.
bool row_warm(struct bench *b) {
  const char *cache = getenv("AUTOTUNE_CACHE");
  char *before = strdup(cache ? cache : ""), note[200] = "";
  json_t *data = json_object();
  double sum = 0, scratch = 0, warm = 0;
  unsigned n = 0;
  size_t used = 0;
  bool fine = true;
  for (unsigned k = 0; k < KERNELS && fine; k++) {
    fine = measure(b, k, &scratch, &warm, data);
    used += (size_t)snprintf(note + used, sizeof note - used, "%s %g/%g ",
                             kernels[k].name, warm, scratch);
    if (scratch >= LEAST) {
      sum += log(warm / scratch);
      n++;
    }
  }
  setenv("AUTOTUNE_CACHE", before, 1);
  free(before);
  bench_row(b,
            &(struct row){ "warm start, trials to within 5 %", note,
                           n ? exp(sum / n) : NAN, "of cold", 1.0 / 3, true },
            data);
  return fine;
}
