/* SPDX-License-Identifier: Apache-2.0 */
/* halving.h: decides which variants the program's next calls run, and which of them is
 * the best. Pure: it uses no clock, process or store, so that a test can simulate any
 * machine.
 *
 * Arms are variants that are loaded in the program; arm 0 is the default. In a round
 * every racing arm runs once, together with the incumbent (the best so far), so that a
 * change of the data or the machine affects all of them alike. Arms are compared by the
 * ratios of their times within rounds. While the search still finds variants, a new arm
 * races until it is clearly slower than the incumbent, or becomes the incumbent, or has
 * run often enough to be parked. After the last new arm, all remaining arms race to the
 * end by successive halving (Jamieson and Talwalkar 2016, with intervals that end a lost
 * race early). Then the fastest arm runs against the default alone. Unless the default
 * was far slower before, only those rounds count: the leader of many similar arms was
 * lucky in the rounds that made it the leader. */
#ifndef AUTOTUNE_HALVING_H
#define AUTOTUNE_HALVING_H

#include "base/base.h"
#include "plan.h"

enum { ARMS = LIVE_ARMS, ARM_SAMPLES = 64, HALVING_ROUNDS = 48, VERDICT_ROUNDS = 36 };

enum arm_state { ARM_FREE, ARM_RACING, ARM_PARKED, ARM_OUT };
struct arm {
  enum arm_state state;
  unsigned n; /* samples so far; sample i is kept at i % ARM_SAMPLES */
  unsigned rounds[ARM_SAMPLES];
  double samples[ARM_SAMPLES]; /* seconds of a call */
  struct estimate ratio; /* its time over the incumbent's; n: rounds that both ran */
};
struct halving {
  struct arm arms[ARMS];
  int incumbent;
  unsigned round; /* rounds proposed */
  unsigned
      closed; /* the first round after the last new arm; 0: new arms may still join */
  unsigned verdict; /* the round since which only the incumbent and the default run; 0:
                       not yet */
  bool over;
};

/* Initialises H: only arm 0 races. */
void halving_init(struct halving *h);
/* Returns a free arm, or -1. If no arm is free, the slowest parked one is put out, and
 * is free once its variant has been unloaded. */
int halving_room(struct halving *h);
void halving_join(struct halving *h, int arm);
/* Says that no arm will join any more. The remaining arms race to the end. */
void halving_close(struct halving *h);
/* Fills in ORDER with the arms that the next rounds run, each once per round, and returns
 * how many; each round begins with the next of them. 0: nothing is to be measured at the
 * moment. *ROUNDS: the number of rounds until halving_judge() is to be called; the last
 * of them is number h->round - 1. */
unsigned halving_round(struct halving *h, int order[ARMS], unsigned *rounds);
void halving_sample(struct halving *h, int arm, unsigned round, double seconds);
/* Judges after the rounds ordered: removes arms, chooses the incumbent, sets `over`. */
void halving_judge(struct halving *h);
/* Returns the winner if it is clearly faster than the default, else 0. */
int halving_winner(const struct halving *h);
/* Estimates the time of A from the samples that are kept. */
struct estimate halving_time(const struct arm *a);

#endif
