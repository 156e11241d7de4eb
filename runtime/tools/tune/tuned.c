// SPDX-License-Identifier: Apache-2.0
// tuned.c: prints a line for each key that was tuned since a moment.
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "model/value.h"
#include "keep/store/tables.h"
#include "tools/common/clean.h"
#include "tools/common/results.h"
#include "tune.h"

// Prints those of "MR=6\nNR=64\n" that have an effect, as " MR=6 NR=64".
static void tuned_print_values(const char *values, FILE *out) {
  const char *at = values;
  for (struct named_value s; at && value_next(&at, &s);) {
    char *one = value_matters(values, &s) ? value_text(&s, "") : NULL;
    char *clean = one ? clean_text(one) : NULL;
    if (clean)
      fprintf(out, " %s", clean);
    clean_free(clean);
    free(one);
  }
}

static void tuned_print_one(const struct listed *l, FILE *out) {
  const struct summary *m = &l->summary;
  char *name = results_name(&l->problem), a[64], b[64];
  fprintf(out, "%s: ", name);
  if (m->winner)
    fprintf(out, "%.3g x over the default (%s, now %s):",
            m->best.median > 0 ? m->original.median / m->best.median : 0,
            objective_show(l->problem.objective, a, sizeof a, m->original.median),
            objective_show(l->problem.objective, b, sizeof b, m->best.median));
  else
    fprintf(out, "the default stays (%s)",
            objective_show(l->problem.objective, a, sizeof a, m->original.median));
  if (m->winner)
    tuned_print_values(m->values, out);
  if (m->winner && m->as_written > 0 && m->best.median > 0)
    fprintf(out, "; %.3g x over the same code with the same flags",
            m->as_written / m->best.median);
  fprintf(out, "; %u variant%s in %s\n", m->tried, m->tried == 1 ? "" : "s",
          units_seconds(a, sizeof a, m->total_seconds));
  clean_free(name);
}

int tune_print_since(double since, FILE *out) {
  char *message = NULL, *folder = folder_default(&message);
  struct store *s = folder ? store_open_in(folder, false, &message) : NULL;
  struct listing l = { 0 };
  int n = 0;
  if (s && store_list(s, NULL, &l) == 0)
    for (unsigned i = 0; i < l.n; i++)
      if (l.items[i].finished && l.items[i].summary.when >= since) {
        tuned_print_one(&l.items[i], out);
        n++;
      }
  if (s) {
    store_list_free(&l);
    store_close(s);
  }
  free(message);
  free(folder);
  return n;
}
