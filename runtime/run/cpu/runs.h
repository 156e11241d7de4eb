/* SPDX-License-Identifier: Apache-2.0 */
/* runs.h: a worker's runs (runs.c). All functions are for the worker's one thread. */
#ifndef AUTOTUNE_RUNS_H
#define AUTOTUNE_RUNS_H

#include "copies.h"
#include "sandbox.h"
#include "state.h"

static const double load_limit = 30; /* seconds, for all that is not the variant's own */

struct loaded {
  uint64_t ticket;
  autotune_fn code;
  bool checked;
  bool watched; // what it changes besides sections was looked at
  bool calls;   // functions that may allocate
};
struct runner {
  struct zygote *zygote;
  pid_t self;
  struct loaded *loaded;
  unsigned n_loaded;
  bool warm;                // a variant has run here before
  double memory;            // seconds, at least, in which the checked run got its pages
  double fault;             // cold_fault; 0: not measured yet
  int rounding;             // of the next runs: FE_…; 0: the program's
  unsigned nudged;          // how often inputs of the next run are nudged; 2: apart
  struct state found, left; // by each run; what the last one left
  struct copies copies;     // of this worker, where the call is one of several
  double copied;            // seconds of CPU that they have taken
  void *result;             // of the last run, if we must free it; NULL: there is none
};

/* Has the zygote end this worker in SECONDS; 0: never. */
void run_allow(struct runner *r, double seconds);
/* Frees the result of the last run. */
void run_free_result(struct runner *r);
/* Runs CODE BATCH times and measures what PLAN says. *ALLOCATED: as returned_to_free
 * needs it. */
struct sample run_measured(struct runner *r, const struct trial_plan *plan,
                           autotune_fn code, unsigned batch, size_t *allocated);
/* Notes the state that the last run left, and puts it back. */
void run_settle(struct runner *r);
/* Compares strict builds as C says, of which L is one. False: they differ, or the
 * reference does not repeat itself; A says where. */
bool run_strict(struct runner *r, const struct command *c, struct loaded *l,
                struct answer *a, struct sample *first);
/* Runs L, which does a part of the work, once on fresh data. */
struct sample run_part(struct runner *r, const struct command *c, const struct loaded *l);
/* Checks the variant L, or makes the reference if C says so. *FIRST: its run. False: it
 * is wrong; A says why. */
bool run_verify(struct runner *r, const struct command *c, struct loaded *l,
                struct answer *a, struct sample *first);

#endif
