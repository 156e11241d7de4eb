// SPDX-License-Identifier: Apache-2.0
// row_sgemm.c: rows of the figures that sgemm.c prints.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static bool measure(struct bench *b, const char *size) {
  char path[4096], out[8192], name[64], note[200], core[64] = "?";
  struct samples tuned = { 0 }, blas = { 0 }, ratio = { 0 }, peak = { 0 };
  snprintf(path, sizeof path, "%s/sgemm", b->work);
  if (run((const char *[]){ path, size, NULL }, out, sizeof out) < 0)
    return false;
  sscanf(out, "core %63s", core);
  for (const char *line = out; (line = strstr(line, "round ")); line++) {
    double ours = number_after(line, "tuned"), theirs = number_after(line, "openblas");
    samples_add(&tuned, ours);
    samples_add(&blas, theirs);
    samples_add(&ratio, theirs / ours);
    samples_add(&peak, number_after(line, "peak"));
  }
  double n = atoi(size), work = 2e-9 * n * n * n;
  snprintf(name, sizeof name, "02_sgemm n=%s against OpenBLAS", size);
  snprintf(note, sizeof note, "%.1f against %.1f GFLOP/s (%s), multiply-add peak %.1f",
           work / samples_median(&tuned), work / samples_median(&blas), core,
           samples_median(&peak));
  json_t *data = json_pack("{s:o, s:o, s:o, s:s}", "tuned", samples_json(&tuned),
                           "openblas", samples_json(&blas), "peak", samples_json(&peak),
                           "core", core);
  bench_row(b, &(struct row){ name, note, samples_median(&ratio), "x", 1.3, false },
            data);
  samples_free(&tuned);
  samples_free(&blas);
  samples_free(&ratio);
  samples_free(&peak);
  return true;
}

bool row_sgemm(struct bench *b) {
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  bool small = measure(b, "960");
  return measure(b, "2048") && small;
}
