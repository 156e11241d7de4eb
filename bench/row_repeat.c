// SPDX-License-Identifier: Apache-2.0
// row_repeat.c: is it chance? Each of five kernels (or those that BENCH_KERNELS names) is
// tuned again and again for 10 s, each time from an empty store, and once with all of its
// variants; then all that was chosen is measured together, in turns, in
// one process and on the same data. The best of them all stands for the best of all
// variants.
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { KERNELS = 5, CHOICES = 20, ALL = CHOICES, STORES = CHOICES + 1 };
static const struct {
  const char *name, *size;
} kernels[KERNELS] = {
  { "matmul", "512" },  { "sgemm", "960" },     { "jacobi", "1000" },
  { "spmv", "160000" }, { "attention", "512" },
};
static const char budget[] = "10s",
                  whole[] = "300s,10000"; // of a choice, of all variants
static const char judged[] = "20";        // seconds in which all run in turns
static const double near = 1.02;

static void use_store(const struct bench *b, const char *kernel, unsigned choice) {
  char folder[4096];
  snprintf(folder, sizeof folder, "%s/repeat-%s-%u", b->work, kernel, choice);
  setenv("AUTOTUNE_CACHE", folder, 1);
}

static bool choose(const struct bench *b, unsigned kernel, unsigned choice) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s_run.tuned", b->work, kernels[kernel].name);
  use_store(b, kernels[kernel].name, choice);
  setenv("AUTOTUNE_BUDGET", choice == ALL ? whole : budget, 1);
  if (choice == ALL)
    setenv("AUTOTUNE_SEARCH", "exhaustive", 1);
  bool fine =
      run((const char *[]){ path, kernels[kernel].size, "0", "1", NULL }, NULL, 0) >= 0;
  unsetenv("AUTOTUNE_SEARCH");
  unsetenv("AUTOTUNE_BUDGET");
  return fine;
}

// Returns the path of the object of the winner in a store, malloc'ed; "-" if the default
// stayed.
static char *object_of(const struct bench *b, unsigned kernel, unsigned choice) {
  char pattern[4200];
  glob_t found;
  snprintf(pattern, sizeof pattern, "%s/repeat-%s-%u/objects/*.so", b->work,
           kernels[kernel].name, choice);
  if (glob(pattern, 0, NULL, &found) != 0)
    return strdup("-");
  char *path = strdup(found.gl_pathv[0]);
  globfree(&found);
  return path;
}

// Adds the time of each object, measured in turns. False: the program failed.
static bool compare(const struct bench *b, unsigned kernel, char *const *objects,
                    struct samples *times) {
  enum { OUTPUT = 1 << 26 };
  char path[4096], *out = malloc(OUTPUT), *at = out;
  const char *argv[4 + STORES + 1] = { path, kernels[kernel].size, judged, "5" };
  snprintf(path, sizeof path, "%s/%s_run.tuned", b->work, kernels[kernel].name);
  for (unsigned c = 0; c < STORES; c++)
    argv[4 + c] = objects[c];
  setenv("AUTOTUNE_MODE", "off", 1);
  bool fine = out && run(argv, out, OUTPUT) >= 0;
  unsetenv("AUTOTUNE_MODE");
  unsigned index;
  for (double t; fine && sscanf(at, "call %u %lf", &index, &t) == 2 && index < STORES;) {
    samples_add(&times[index], t);
    at += strcspn(at, "\n");
    at += *at == '\n';
  }
  free(out);
  return fine && times[ALL].n > 0;
}

// Returns how many of the choices are near the best of all; -1: a program failed.
static int judge(const struct bench *b, unsigned kernel, json_t *data) {
  struct samples times[STORES] = { 0 };
  char *objects[STORES];
  double best = INFINITY, worst = 0;
  int good = 0;
  for (unsigned c = 0; c < STORES; c++)
    objects[c] = object_of(b, kernel, c);
  bool fine = compare(b, kernel, objects, times);
  json_t *list = json_array();
  for (unsigned c = 0; fine && c < STORES; c++)
    best = fmin(best, samples_median(&times[c]));
  for (unsigned c = 0; fine && c < STORES; c++) {
    double median = samples_median(&times[c]);
    good += c < CHOICES && median <= near * best;
    worst = c < CHOICES ? fmax(worst, median) : worst;
    json_array_append_new(list, json_real(median));
  }
  for (unsigned c = 0; c < STORES; c++) {
    samples_free(&times[c]);
    free(objects[c]);
  }
  if (fine) {
    printf("  %-10s %d of %d within 2 %% of the best (%.4g ms), the worst %.3f x, all "
           "variants' %.3f x\n",
           kernels[kernel].name, good, CHOICES, 1e3 * best, worst / best,
           json_real_value(json_array_get(list, ALL)) / best);
    fflush(stdout);
  }
  json_object_set_new(data, kernels[kernel].name, list);
  return fine ? good : -1;
}

bool row_repeat(struct bench *b) {
  int least = CHOICES;
  char note[200] = "";
  const char *cache = getenv("AUTOTUNE_CACHE");
  char *before = strdup(cache ? cache : "");
  json_t *data = json_object();
  size_t used = 0;
  const char *only = getenv("BENCH_KERNELS");
  unsigned judged_kernels = 0;
  for (unsigned k = 0; k < KERNELS && least >= 0; k++) {
    if (only && !strstr(only, kernels[k].name))
      continue;
    bool fine = true;
    for (unsigned c = 0; c < STORES && fine; c++)
      fine = choose(b, k, c);
    int good = fine ? judge(b, k, data) : -1;
    used += (size_t)snprintf(note + used, sizeof note - used, "%s %d ", kernels[k].name,
                             good);
    least = good < least ? good : least;
    judged_kernels++;
  }
  setenv("AUTOTUNE_CACHE", before, 1);
  free(before);
  if (judged_kernels == 0) {
    fprintf(stderr, "repeat: BENCH_KERNELS=%s names none of the kernels\n", only);
    json_decref(data);
    return false;
  }
  bench_row(
      b, &(struct row){ "of 20 choices within 2 % of best", note, least, "", 19, false },
      data);
  return least >= 0;
}
