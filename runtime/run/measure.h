/* SPDX-License-Identifier: Apache-2.0 */
/* measure.h: measures what a run of a variant costs. All targets use this loop; the
 * functions that run variants are parameters, so that a test can simulate a machine. */
#ifndef AUTOTUNE_MEASURE_H
#define AUTOTUNE_MEASURE_H

#include "run/target.h"

enum { MEASURE_MAX = 256 }; /* samples of one trial */
enum measure_what { MEASURE_VARIANT, MEASURE_RIVAL };

/* The parameters of one measurement: what is run, and how this target's runs behave. */
struct measure {
  const struct trial_plan *plan;
  bool rival;        /* the plan's rival is loaded and runs in turns with the variant */
  bool counts;       /* the first run is a sample, unless a rival runs in turns */
  bool batches;      /* nothing is put back between runs, so short ones are repeated */
  double shortest;   /* seconds; no run is taken to be shorter */
  double settling;   /* seconds in which the system may still move threads between cores;
                        0: it moves none */
  unsigned capacity; /* of SAMPLES; at most MEASURE_MAX */
  /* Puts back what runs change, then runs WHICH BATCH times, and measures what the plan's
   * objective says. *OUT: the mean of the runs. False: it failed, and the caller knows
   * how. */
  bool (*run)(void *data, enum measure_what which, unsigned batch, struct sample *out);
  double (*clock)(void); /* seconds, monotonic */
  void *data;
};
struct measured {
  unsigned n;         /* samples */
  double *samples;    /* the caller's, CAPACITY of them: costs of one run, in order */
  double slowdown;    /* how many times its usual cost the rival had; 1: no rival */
  double run_seconds; /* of one run: the mean */
  double seconds;     /* that all of it took */
};

/* Fills in *OUT but for its pointer. FIRST: the checked run; seconds below 0: there was
 * none. False: a run failed; what was measured until then is there. */
bool measure(const struct measure *m, struct sample first, struct measured *out);
/* True if the checked run says enough: it used up the budget, or is far slower than the
 * best although nothing was cold (WARM), or no other run is wanted. MEMORY: the seconds,
 * at least, in which it got its pages. A run that took a good part of its time for that
 * is no sample: later runs have them. */
bool measure_settled(const struct trial_plan *plan, struct sample first, bool warm,
                     double memory);
/* Gives OUT, whose status is set, N costs and the RUN_SECONDS that came
 * from a process that a variant may have damaged: trusts no number. 0; -1: no memory. */
int measure_take(struct trial *out, const double *costs, unsigned n, double run_seconds);
/* Seconds, monotonic: the real clock, also where a test has set sys_now's. */
double measure_clock(void);

#endif
