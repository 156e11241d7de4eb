/* SPDX-License-Identifier: Apache-2.0 */
/* halving.h: which variants the program's next calls run, and which of them is the best:
 * pure, without a clock, a process or a store, so that a test can play any machine to it.
 *
 * Arms are variants that are loaded in the program; arm 0 is the default. A round runs
 * every arm that races once, the incumbent (the best so far) among them, so that a change
 * of the data or the machine hits all of them. Arms are compared by the ratios of their
 * times within rounds. While the search still finds newcomers, each of them races until
 * it is clearly slower, or the incumbent, or has run often enough to be parked; once
 * there are no more, all that is left races to the end by successive halving (Jamieson
 * and Talwalkar 2016, with intervals that end a lost race early). What is fastest then
 * runs against the default alone, and unless that was far behind before, only those
 * rounds count: whoever leads many that are alike was lucky in the rounds that made it
 * lead. */
#ifndef AUTOTUNE_HALVING_H
#define AUTOTUNE_HALVING_H

#include "base/base.h"
#include "plan.h"

enum { ARMS = LIVE_ARMS, ARM_SAMPLES = 64, HALVING_ROUNDS = 48, VERDICT_ROUNDS = 36 };

enum arm_state { ARM_FREE, ARM_RACING, ARM_PARKED, ARM_OUT };
struct arm {
  enum arm_state state;
  unsigned
      n; /* samples ever; the last ARM_SAMPLES are kept, at their number modulo that */
  unsigned rounds[ARM_SAMPLES];
  double samples[ARM_SAMPLES]; /* seconds of a call */
  struct estimate ratio; /* its time over the incumbent's; n: rounds that both ran */
};
struct halving {
  struct arm arms[ARMS];
  int incumbent;
  unsigned round; /* rounds proposed */
  unsigned
      closed; /* the round from which there were no newcomers; 0: there may be more */
  unsigned
      verdict; /* the round from which the best and the default run alone; 0: not yet */
  bool over;
};

/* Arm 0 races alone. */
void halving_init(struct halving *h);
/* A free arm, made free if need be by giving up a parked one; -1: none. */
int halving_room(struct halving *h);
void halving_join(struct halving *h, int arm);
/* No more newcomers. */
void halving_close(struct halving *h);
/* The arms that the next rounds run, each once, every round beginning with the next of
 * them; 0: nothing is to be found out at the moment. *ROUNDS: how many before there is
 * something to judge; the last of them is number h->round - 1. */
unsigned halving_round(struct halving *h, int order[ARMS], unsigned *rounds);
void halving_sample(struct halving *h, int arm, unsigned round, double seconds);
/* After a round: who is out, who is the incumbent, is it over? */
void halving_judge(struct halving *h);
/* The winner: clearly faster than the default; else 0. */
int halving_winner(const struct halving *h);
/* Of the samples that are kept. */
struct estimate halving_time(const struct arm *a);

#endif
