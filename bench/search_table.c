// SPDX-License-Identifier: Apache-2.0
// search_table.c: prints the results of the runs as a table, and writes them as JSON.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "recorded.h"

enum { HARD = 100 }; // trials of random search: where it needs fewer, a space is easy

static void line(const char *name, const struct curve *c, bool exact) {
  char trials[32];
  printf("  %-12s", name);
  for (unsigned m = 0; m < MARKS; m++)
    printf(" %6.3f", c->ratio[m]);
  snprintf(trials, sizeof trials, "%s%.0f", c->more ? ">" : "", c->trials);
  printf("  %8s", trials);
  if (exact)
    printf("     exact, mean\n");
  else
    printf("   %3.0f %%  %8.3f\n", 100 * c->reached, 1e3 * c->seconds);
}

void table_space(const struct table *t, const struct result *r) {
  const struct recorded *space = r->space;
  printf("\n%s: %u points, %u failed; %u within 5 %% of the best, %.4g ms\n", space->name,
         space->n, space->failed, space->good, 1e3 * space->best);
  printf("  %-12s", "after");
  for (unsigned m = 0; m < MARKS; m++)
    printf(" %6u", run_marks[m]);
  printf("  to 5 %%    runs  ms/trial\n");
  line("random", &r->random, true);
  for (unsigned i = 0; i < t->n_searches; i++)
    line(t->searches[i]->name, &r->curves[i], false);
  fflush(stdout);
}

static double best_other(const struct table *t, const struct result *r, unsigned self) {
  double best = INFINITY;
  for (unsigned i = 0; i < t->n_searches; i++)
    if (i != self)
      best = fmin(best, r->curves[i].trials);
  return best;
}

// Prints how one search does over all spaces against random search: in hard spaces and in
// easy ones.
static void summary(const struct table *t, unsigned search) {
  double logs = 0, worst = 0, easy = 0;
  const char *at = "", *easy_at = "";
  unsigned hard = 0, more = 0;
  for (unsigned i = 0; i < t->n; i++) {
    const struct result *r = &t->results[i];
    const struct curve *c = &r->curves[search];
    if (r->random.trials <= HARD) {
      if (c->trials / r->random.trials > easy)
        easy_at = r->space->name, easy = c->trials / r->random.trials;
      continue;
    }
    double ratio = c->trials / best_other(t, r, search);
    logs += log(r->random.trials / c->trials);
    hard++;
    more += c->more;
    if (ratio > worst)
      worst = ratio, at = r->space->name;
  }
  printf("  %-12s", t->searches[search]->name);
  if (hard)
    printf(" %s%7.2f x fewer than random", more ? "<" : " ", exp(logs / hard));
  if (hard && t->n_searches > 1)
    printf("; at worst %5.2f x the best other (%s)", worst, at);
  if (easy > 0)
    printf("; easy spaces: at worst %.2f x random (%s)", easy, easy_at);
  printf("\n");
}

void table_summary(const struct table *t) {
  printf(
      "\nTrials to come within 5 %%, geometric mean over spaces where random expects more "
      "than %d:\n",
      HARD);
  for (unsigned i = 0; i < t->n_searches; i++)
    summary(t, i);
}

static json_t *curve_json(const struct curve *c) {
  json_t *ratios = json_array();
  for (unsigned m = 0; m < MARKS; m++)
    json_array_append_new(ratios, json_real(c->ratio[m]));
  return json_pack("{s:o, s:f, s:b, s:f, s:f}", "ratio", ratios, "trials", c->trials,
                   "more", c->more, "reached", c->reached, "seconds_per_trial",
                   c->seconds);
}

json_t *table_json(const struct table *t, const struct run_options *o) {
  json_t *spaces = json_array(), *after = json_array();
  for (unsigned m = 0; m < MARKS; m++)
    json_array_append_new(after, json_integer(run_marks[m]));
  for (unsigned i = 0; i < t->n; i++) {
    const struct result *r = &t->results[i];
    json_t *searches = json_pack("{s:o}", "random, exact", curve_json(&r->random));
    for (unsigned j = 0; j < t->n_searches; j++)
      json_object_set_new(searches, t->searches[j]->name, curve_json(&r->curves[j]));
    json_array_append_new(
        spaces,
        json_pack("{s:s, s:i, s:i, s:i, s:f, s:o}", "space", r->space->name, "points",
                  r->space->n, "failed", r->space->failed, "good", r->space->good,
                  "best_seconds", r->space->best, "searches", searches));
  }
  return json_pack("{s:i, s:i, s:i, s:f, s:o, s:o}", "seeds", o->seeds, "trials",
                   o->trials, "in_flight", o->flight, "noise", o->noise, "after", after,
                   "spaces", spaces);
}
