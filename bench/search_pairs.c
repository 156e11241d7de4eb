// SPDX-License-Identifier: Apache-2.0
// search_pairs.c: how much a search gains from what was found on another device. Each
// space stands for the near key of each other one with the same parameters.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "recorded.h"

struct gains {
  double logs[GOALS], worst;
  const char *from, *to; // of the worst
  unsigned pairs;
};

static bool pairs_alike(const struct recorded *a, const struct recorded *b) {
  bool alike = a != b && a->kernel.n_params == b->kernel.n_params;
  for (unsigned i = 0; alike && i < a->kernel.n_params; i++) {
    unsigned j = 0;
    while (j < b->kernel.n_params &&
           strcmp(a->kernel.params[i].name, b->kernel.params[j].name) != 0)
      j++;
    alike = j < b->kernel.n_params;
  }
  return alike;
}

static void pairs_add(struct gains *g, const struct recorded *from,
                      const struct recorded *to, const struct curve *alone,
                      const struct curve *told) {
  printf("  %-24s %-24s", from->name, to->name);
  for (unsigned i = 0; i < GOALS; i++) {
    g->logs[i] += log(alone->goals[i].trials / told->goals[i].trials);
    printf("   %6.1f %6.1f%s", alone->goals[i].trials, told->goals[i].trials,
           told->goals[i].more ? "+" : " ");
  }
  printf("\n");
  fflush(stdout);
  double ratio = told->goals[0].trials / alone->goals[0].trials;
  if (ratio > g->worst)
    *g = (struct gains){
      { g->logs[0], g->logs[1] }, ratio, from->name, to->name, g->pairs
    };
  g->pairs++;
}

// Replays the I-th search on TO, alone and after each space that has its parameters.
static bool pairs_to(struct table *t, const struct recorded *to, unsigned search,
                     struct run_options *o, struct gains *g) {
  struct curve alone, told;
  bool began = false;
  for (unsigned i = 0; i < t->n; i++) {
    const struct recorded *from = t->results[i].space;
    if (!pairs_alike(from, to))
      continue;
    o->near = NULL;
    if (!began && !run_search(to, t->searches[search], o, &alone))
      return false;
    began = true;
    o->near = from;
    if (!run_search(to, t->searches[search], o, &told))
      return false;
    pairs_add(g, from, to, &alone, &told);
  }
  return true;
}

bool pairs_run(struct table *t, struct run_options *o) {
  for (unsigned f = 0; f < t->n_flights; f++)
    for (unsigned s = 0; s < t->n_searches; s++) {
      struct gains g = { .pairs = 0 };
      o->flight = t->flights[f];
      printf("\n%s, %u in flight: median trials, alone and told of another device\n"
             "  %-24s %-24s   to 5 %%           to 1 %%\n",
             t->searches[s]->name, o->flight, "from", "to");
      for (unsigned i = 0; i < t->n; i++)
        if (!pairs_to(t, t->results[i].space, s, o, &g))
          return false;
      if (g.pairs > 0)
        printf("Alone / told, geometric mean of %u pairs: to 5 %% %.2f, to 1 %% %.2f; at "
               "worst %.2f x as many to 5 %% (%s, %s)\n",
               g.pairs, exp(g.logs[0] / g.pairs), exp(g.logs[1] / g.pairs), g.worst,
               g.from, g.to);
    }
  return true;
}
