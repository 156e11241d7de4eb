// SPDX-License-Identifier: Apache-2.0
// row_examples.c: the same source through gcc, clang and autotune cc, each example's
// programs in turn, several rounds; each process reports the best of the calls that it
// made in half a second.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { GCC, CLANG, TUNED, BUILDS };
static const char *const builds[BUILDS] = { "gcc", "clang", "tuned" };

struct example {
  const char *name;
  struct samples seconds[BUILDS];
  double first; // seconds that the first call of the first tuned process took: the tuning
};

static bool run_build(const struct bench *b, struct example *e, int build, bool keep) {
  char path[4096], out[4096];
  snprintf(path, sizeof path, "%s/%s.%s", b->work, e->name, builds[build]);
  if (run((const char *[]){ path, NULL }, out, sizeof out) < 0)
    return false;
  double seconds = number_after(out, "later calls");
  if (keep)
    samples_add(&e->seconds[build], seconds);
  else
    e->first = number_after(out, "first call");
  return !isnan(seconds);
}

static bool measure(const struct bench *b, struct example *e, int rounds) {
  if (!run_build(b, e, TUNED, false)) // tunes
    return false;
  for (int r = 0; r < rounds; r++)
    for (int build = 0; build < BUILDS; build++)
      if (!run_build(b, e, (build + r) % BUILDS, true))
        return false;
  return true;
}

static double speed_up(const struct example *e) {
  double gcc = samples_median(&e->seconds[GCC]),
         clang = samples_median(&e->seconds[CLANG]);
  return fmin(gcc, clang) / samples_median(&e->seconds[TUNED]);
}

static json_t *data(struct example *e) {
  json_t *object = json_object();
  for (int build = 0; build < BUILDS; build++) {
    json_object_set_new(object, builds[build], samples_json(&e->seconds[build]));
    samples_free(&e->seconds[build]);
  }
  json_object_set_new(object, "tuning_seconds", json_real(e->first));
  return object;
}

static void report(struct bench *b, struct example *e, double target) {
  char note[200];
  snprintf(
      note, sizeof note, "gcc %.4g ms, clang %.4g ms, tuned %.4g ms; tuned in %.1f s",
      1e3 * samples_median(&e->seconds[GCC]), 1e3 * samples_median(&e->seconds[CLANG]),
      1e3 * samples_median(&e->seconds[TUNED]), e->first);
  double value = speed_up(e);
  bench_row(b, &(struct row){ e->name, note, value, "x", target, false }, data(e));
}

bool row_matmul(struct bench *b) {
  struct example e = { .name = "01_matmul" };
  if (!measure(b, &e, 3))
    return false;
  report(b, &e, 20);
  return true;
}

bool row_examples(struct bench *b) {
  static const char *const names[] = { "03_jacobi2d",     "04_conv2d",    "05_spmv",
                                       "06_norm_softmax", "07_attention", "08_histogram",
                                       "09_inplace" };
  unsigned n = sizeof names / sizeof *names, done = 0;
  double sum = 0;
  for (unsigned i = 0; i < n; i++) {
    struct example e = { .name = names[i] };
    if (!measure(b, &e, 7))
      continue;
    sum += log(speed_up(&e));
    done++;
    report(b, &e, 0.97); // never slower beyond noise
  }
  if (done)
    bench_row(b,
              &(struct row){ "geometric mean of these", NULL, exp(sum / done), "x", 1.5,
                             false },
              NULL);
  return done == n;
}
