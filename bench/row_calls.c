// SPDX-License-Identifier: Apache-2.0
// row_calls.c: rows of the figures that call_overhead.c prints, built through autotune cc
// with gcc and with clang.
#include <stdio.h>
#include <string.h>

#include "bench.h"

static void report(struct bench *b, const char *compiler, const char *kind, double target,
                   struct samples *plain, struct samples *stub, struct samples *more) {
  char name[64], note[100];
  snprintf(name, sizeof name, "tuned call, %s, %s", kind, compiler);
  snprintf(note, sizeof note, "%.2f ns against %.2f ns direct", samples_median(stub),
           samples_median(plain));
  bench_row(b, &(struct row){ name, note, samples_median(more), "ns more", target, true },
            json_pack("{s:o, s:o}", "direct", samples_json(plain), "tuned",
                      samples_json(stub)));
  samples_free(plain);
  samples_free(stub);
  samples_free(more);
}

static bool measure(struct bench *b, const char *compiler) {
  char path[4096], out[16384];
  struct samples plain[2] = { 0 }, stub[2] = { 0 }, more[2] = { 0 };
  snprintf(path, sizeof path, "%s/call_overhead.%s", b->work, compiler);
  if (run((const char *[]){ path, NULL }, out, sizeof out) < 0 ||
      run((const char *[]){ path, NULL }, out,
          sizeof out) < 0) // the first run tunes
    return false;
  for (const char *line = out; (line = strstr(line, "round ")); line++) {
    double t[4] = { number_after(line, "direct"), number_after(line, " unkeyed"),
                    number_after(line, "with2"), number_after(line, " keyed") };
    for (int k = 0; k < 2; k++) {
      samples_add(&plain[k], t[2 * k]);
      samples_add(&stub[k], t[2 * k + 1]);
      samples_add(&more[k], t[2 * k + 1] - t[2 * k]);
    }
  }
  report(b, compiler, "no key", 2, &plain[0], &stub[0], &more[0]);
  report(b, compiler, "two integers", 5, &plain[1], &stub[1], &more[1]);
  return true;
}

bool row_calls(struct bench *b) {
  bool gcc = measure(b, "gcc");
  return measure(b, "clang") && gcc;
}
