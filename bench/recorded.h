/* SPDX-License-Identifier: Apache-2.0 */
/* recorded.h: inside the program `search`, which replays searches on spaces of which
 * all points were measured before.
 *
 *   search.c          options, files, one space after the other
 *   recorded.c        a file of results as a space with known times
 *   search_run.c      runs of a search on it, and what random search would need
 *   search_table.c    what is printed and written
 *   search_pairs.c    the same spaces of other devices as near keys */
#ifndef AUTOTUNE_RECORDED_H
#define AUTOTUNE_RECORDED_H

#include <jansson.h>

#include "base/base.h"
#include "tune/search/search.h"
#include "model/space.h"

enum { GOALS = 2 };
extern const double run_goals[GOALS]; /* 5 % and 1 %: how close to the best a run comes */

struct row {
  choice *point;
  enum status status;
  double seconds; /* STATUS_OK: the mean of the runs */
  double cost;    /* seconds that the trial took: to compile, and all runs */
};
struct recorded {
  char *name; /* of the file, without its ending */
  struct autotune_kernel kernel;
  struct space space;
  struct row *rows;
  unsigned n;                   /* sorted by point */
  unsigned failed, good[GOALS]; /* good: as close to the best as the goal says */
  double best, worst;           /* seconds, of those that did not fail */
  double cost;                  /* of a trial, the mean */
  void *self[1];                /* args of the conditions */
};
/* Returns NULL after a message. PATH: FAIR T4 JSON, gzipped or not. */
struct recorded *recorded_read(const char *path);
const struct row *recorded_find(const struct recorded *r,
                                const choice *point); /* NULL: none */
void recorded_free(struct recorded *r);

/* ---- search_run.c ---------------------------------------------------------------- */

enum { MARKS = 6, MAX_FLIGHT = 64 };
extern const unsigned run_marks[MARKS]; /* 10, 25, 50, 100, 200, 400 */
struct run_options {
  unsigned seeds, trials, flight, jobs;
  double noise;
  double goal;                 /* a run ends so close to the best; 0: it goes on */
  const struct recorded *near; /* NULL, or a space that stands for a near key */
  unsigned near_trials; /* trials on NEAR by the same search, before the run begins */
  unsigned guesses;     /* that `auto` is told first, at most GUESSES (guess.h) */
};
struct curve {
  double ratio[MARKS]; /* the best time found over the optimum, after so many trials; mean
                          over the runs */
  struct goal {
    double trials, seconds; /* until there: the medians; for random search the means */
    bool more;              /* half of the runs needed more than that */
  } goals[GOALS];
  double reached; /* fraction of the runs that came within 5 % */
  double seconds; /* of ask and tell, a trial */
};
/* False: the search failed, and a message was printed. */
bool run_search(const struct recorded *r, const struct strategy_class *class,
                const struct run_options *o, struct curve *out);
/* Computes random search without repetition, as the mean over all orders. */
void run_random(const struct recorded *r, struct curve *out);

/* ---- search_table.c -------------------------------------------------------------- */

enum { MAX_SEARCHES = 16, MAX_FLIGHTS = 8 };
struct result {
  const struct recorded *space;
  struct curve random, curves[MAX_FLIGHTS][MAX_SEARCHES];
};
struct table {
  unsigned flights[MAX_FLIGHTS], n_flights;
  const struct strategy_class *searches[MAX_SEARCHES];
  unsigned n_searches;
  struct result *results;
  unsigned n;
};
void table_space(const struct table *t, const struct result *r);
void table_summary(const struct table *t);
json_t *table_json(const struct table *t, const struct run_options *o);

/* ---- search_pairs.c -------------------------------------------------------------- */

/* Replays each search on each space of T, alone and told of each other space with the
 * same parameters, and prints both. False: a search failed. */
bool pairs_run(struct table *t, struct run_options *o);

#endif
