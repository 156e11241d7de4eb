// SPDX-License-Identifier: Apache-2.0
// row_tuning.c: how long 100 variants take from the first call to its return, and the
// time of each part. Compiling and timing overlap, so the parts may sum up to more than
// the whole.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

// The report's entry for KERNEL, borrowed from REPORT.
static json_t *entry_of(json_t *report, const char *kernel) {
  size_t i;
  json_t *entry;
  json_array_foreach(json_object_get(report, "kernels"), i, entry) {
    const char *name = json_string_value(json_object_get(entry, "kernel"));
    if (name && strcmp(name, kernel) == 0)
      return entry;
  }
  return NULL;
}

static json_t *read_report(const struct bench *b) {
  char path[4096], *out = malloc(1 << 22);
  snprintf(path, sizeof path, "%s/bin/autotune", b->build);
  json_t *report = NULL;
  if (out && run((const char *[]){ path, "report", "--json", NULL }, out, 1 << 22) >= 0)
    report = json_loads(out, 0, NULL);
  free(out);
  return report;
}

static double number(json_t *object, const char *group, const char *name) {
  return json_number_value(json_object_get(json_object_get(object, group), name));
}

bool row_tuning(struct bench *b) {
  char path[4096], out[1024], note[300];
  snprintf(path, sizeof path, "%s/tuning_run", b->work);
  setenv("AUTOTUNE_BUDGET", "60s,100", 1);
  double whole = run((const char *[]){ path, NULL }, out, sizeof out);
  unsetenv("AUTOTUNE_BUDGET");
  json_t *report = whole < 0 ? NULL : read_report(b), *entry = entry_of(report, "smooth");
  if (!entry)
    return json_decref(report), fprintf(stderr, "bench: no report of the tuning run\n"),
           false;
  double first = number_after(out, "first call");
  double compiling = number(entry, "seconds", "compiling"),
         timing = number(entry, "seconds", "timing");
  double verifying = number(entry, "seconds", "verifying");
  snprintf(note, sizeof note,
           "%.0f variants; compiling %.1f s, verifying %.1f s, timing %.1f s",
           number(entry, "variants", "tried"), compiling, verifying, timing);
  bench_row(b,
            &(struct row){ "tuning of 100 variants of 5 ms", note, first, "s", 15, true },
            json_incref(entry));
  json_decref(report);
  return true;
}
