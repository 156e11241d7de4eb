/* SPDX-License-Identifier: Apache-2.0 */
/* state.h: what a kernel finds and may leave besides memory: the floating-point
 * environment, OpenMP's settings, locale, umask, working folder, timers. */
#ifndef AUTOTUNE_STATE_H
#define AUTOTUNE_STATE_H

#include <fenv.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- in the program ---------------------------------------------------------------- */

/* Between these two calls the thread has the default floating-point environment, so that
 * no arithmetic of the runtime raises a signal that the program enabled. Processes that
 * are forked meanwhile know the thread's environment. Any thread. */
void state_enter(fenv_t *programs);
void state_leave(const fenv_t *programs);

/* ---- in a worker ------------------------------------------------------------------- */

struct state {
  uint64_t control;             /* rounding, precision, exceptions, subnormal numbers */
  bool x87;                     /* something is on its stack */
  int threads, dynamic, levels; /* of OpenMP; -1: the program has none */
  mode_t umask;
  uint64_t locale, folder, random; /* hashes; random: of rand()'s state */
  sigset_t signals;                /* blocked ones */
  bool timer;
};
/* Gives the kernel the program's floating-point environment. */
void state_give(void);
/* Sets *S to what a run left, and then the floating-point environment to the default.
 * Starts the program's OpenMP runtime, if there is one. */
void state_take(struct state *s);
/* Puts back what S says and a run changed: OpenMP's settings, umask, timers, blocked
 * signals. */
void state_restore(const struct state *s, const struct state *now);
/* Returns the name of the first setting in which A and B differ; NULL: in none. */
const char *state_difference(const struct state *a, const struct state *b);

#endif
