// SPDX-License-Identifier: Apache-2.0
// search_table.c: prints the results of the runs as a table, and writes them as JSON.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "recorded.h"

enum { HARD = 100 }; // trials of random search: where it needs fewer, a space is easy

static void line(const char *name, unsigned flight, const struct curve *c) {
  printf("  %-9s", name);
  if (flight)
    printf(" %3u", flight);
  else
    printf("    ");
  for (unsigned m = 0; m < MARKS; m++)
    printf(" %6.3f", c->ratio[m]);
  for (unsigned g = 0; g < GOALS; g++) {
    char trials[32];
    snprintf(trials, sizeof trials, "%s%.0f", c->goals[g].more ? ">" : "",
             c->goals[g].trials);
    printf(" %6s %6.0f", trials, c->goals[g].seconds);
  }
  if (!flight)
    printf("  exact, mean\n");
  else
    printf(" %3.0f %%  %8.3f\n", 100 * c->reached, 1e3 * c->seconds);
}

void table_space(const struct table *t, const struct result *r) {
  const struct recorded *space = r->space;
  printf("\n%s: %u points, %u failed; %u within 5 %% of the best, %.4g ms\n", space->name,
         space->n, space->failed, space->good[0], 1e3 * space->best);
  printf("  %-13s", "in flight, after");
  for (unsigned m = 0; m < MARKS; m++)
    printf(m ? " %6u" : "%4u", run_marks[m]);
  printf("   to 5 %%, s      to 1 %%, s     runs  ms/trial\n");
  line("random", 0, &r->random);
  for (unsigned f = 0; f < t->n_flights; f++)
    for (unsigned i = 0; i < t->n_searches; i++)
      line(t->searches[i]->name, t->flights[f], &r->curves[f][i]);
  fflush(stdout);
}

static double best_other(const struct table *t, const struct curve *curves,
                         unsigned self) {
  double best = INFINITY;
  for (unsigned i = 0; i < t->n_searches; i++)
    if (i != self)
      best = fmin(best, curves[i].goals[0].trials);
  return best;
}

// Prints how one search does over all hard spaces: trials and seconds of random search,
// as multiples of its own.
static void summary(const struct table *t, unsigned flight, unsigned search) {
  double logs[GOALS][2] = { 0 }, worst = 0;
  const char *at = "";
  unsigned hard = 0, more = 0;
  for (unsigned i = 0; i < t->n; i++) {
    const struct result *r = &t->results[i];
    const struct curve *c = &r->curves[flight][search];
    if (r->random.goals[0].trials <= HARD)
      continue;
    for (unsigned g = 0; g < GOALS; g++) {
      logs[g][0] += log(r->random.goals[g].trials / c->goals[g].trials);
      logs[g][1] += log(r->random.goals[g].seconds / c->goals[g].seconds);
    }
    double ratio = c->goals[0].trials / best_other(t, r->curves[flight], search);
    hard++;
    more += c->goals[0].more;
    if (ratio > worst)
      worst = ratio, at = r->space->name;
  }
  if (!hard)
    return;
  printf("  %-9s %3u", t->searches[search]->name, t->flights[flight]);
  for (unsigned unit = 0; unit < 2; unit++)
    for (unsigned g = 0; g < GOALS; g++)
      printf("   %7.2f", exp(logs[g][unit] / hard));
  if (more)
    printf("   %u %s not reached", more, more == 1 ? "space" : "spaces");
  if (t->n_searches > 1)
    printf("   at worst %5.2f x the best other (%s)", worst, at);
  printf("\n");
}

// Prints the worst of one search on easy spaces.
static void easy_summary(const struct table *t, unsigned flight, unsigned search) {
  double worst = 0;
  const char *at = "";
  for (unsigned i = 0; i < t->n; i++) {
    const struct result *r = &t->results[i];
    double ratio = r->curves[flight][search].goals[0].trials / r->random.goals[0].trials;
    if (r->random.goals[0].trials <= HARD && ratio > worst)
      worst = ratio, at = r->space->name;
  }
  if (worst > 0)
    printf("  %-9s %3u   at worst %.2f x random (%s)\n", t->searches[search]->name,
           t->flights[flight], worst, at);
}

static void table_each(const struct table *t,
                       void (*print)(const struct table *, unsigned, unsigned)) {
  for (unsigned f = 0; f < t->n_flights; f++)
    for (unsigned i = 0; i < t->n_searches; i++)
      print(t, f, i);
}

void table_summary(const struct table *t) {
  printf("\nRandom search / ours, geometric mean over the spaces where random expects "
         "more than %d trials to 5 %%:\n  in flight      trials to 5 %%,  1 %%   seconds "
         "to 5 %%,  1 %%\n",
         HARD);
  table_each(t, summary);
  printf("Easy spaces:\n");
  table_each(t, easy_summary);
}

static json_t *curve_json(const struct curve *c) {
  json_t *ratios = json_array();
  for (unsigned m = 0; m < MARKS; m++)
    json_array_append_new(ratios, json_real(c->ratio[m]));
  json_t *goals = json_array();
  for (unsigned g = 0; g < GOALS; g++)
    json_array_append_new(goals,
                          json_pack("{s:f, s:f, s:f, s:b}", "within", run_goals[g],
                                    "trials", c->goals[g].trials, "seconds",
                                    c->goals[g].seconds, "more", c->goals[g].more));
  return json_pack("{s:o, s:o, s:f, s:f}", "ratio", ratios, "goals", goals, "reached",
                   c->reached, "seconds_per_trial", c->seconds);
}

json_t *table_json(const struct table *t, const struct run_options *o) {
  json_t *spaces = json_array(), *after = json_array();
  for (unsigned m = 0; m < MARKS; m++)
    json_array_append_new(after, json_integer(run_marks[m]));
  for (unsigned i = 0; i < t->n; i++) {
    const struct result *r = &t->results[i];
    json_t *searches = json_pack("{s:o}", "random, exact", curve_json(&r->random));
    for (unsigned f = 0; f < t->n_flights; f++)
      for (unsigned j = 0; j < t->n_searches; j++) {
        char name[64];
        snprintf(name, sizeof name, "%s, %u in flight", t->searches[j]->name,
                 t->flights[f]);
        json_object_set_new(searches, name, curve_json(&r->curves[f][j]));
      }
    json_array_append_new(
        spaces,
        json_pack("{s:s, s:i, s:i, s:i, s:f, s:o}", "space", r->space->name, "points",
                  r->space->n, "failed", r->space->failed, "good", r->space->good[0],
                  "best_seconds", r->space->best, "searches", searches));
  }
  return json_pack("{s:i, s:i, s:f, s:f, s:o, s:o}", "seeds", o->seeds, "trials",
                   o->trials, "goal", o->goal, "noise", o->noise, "after", after,
                   "spaces", spaces);
}
