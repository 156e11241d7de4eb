// SPDX-License-Identifier: Apache-2.0
// row_start.c: start, first call and end of a process that was tuned before, against the
// untuned build; and which libraries the process has mapped.
#include <stdio.h>

#include "bench.h"

#define ROUNDS 200

bool row_start(struct bench *b) {
  char plain[4096], tuned[4096], out[256], note[200];
  struct samples untuned = { 0 }, second = { 0 };
  snprintf(plain, sizeof plain, "%s/start_up.gcc", b->work);
  snprintf(tuned, sizeof tuned, "%s/start_up.tuned", b->work);
  double first = run((const char *[]){ tuned, NULL }, NULL, 0);
  if (first < 0 || run((const char *[]){ tuned, "maps", NULL }, out, sizeof out) < 0)
    return false;
  double llvm = number_after(out, "llvm");
  for (int r = 0; r < ROUNDS; r++) {
    double a = run((const char *[]){ plain, NULL }, NULL, 0),
           t = run((const char *[]){ tuned, NULL }, NULL, 0);
    if (a < 0 || t < 0)
      return false;
    samples_add(&untuned, a);
    samples_add(&second, t);
  }
  double more = 1e3 * (samples_median(&second) - samples_median(&untuned));
  snprintf(note, sizeof note, "%.2f ms against %.2f ms; the first process took %.2f s",
           1e3 * samples_median(&second), 1e3 * samples_median(&untuned), first);
  bench_row(b, &(struct row){ "second process", note, more, "ms more", 5, true },
            json_pack("{s:o, s:o}", "untuned", samples_json(&untuned), "tuned",
                      samples_json(&second)));
  bench_row(b, &(struct row){ "second process: LLVM loaded", NULL, llvm, "", 0, true },
            NULL);
  samples_free(&untuned);
  samples_free(&second);
  return true;
}
