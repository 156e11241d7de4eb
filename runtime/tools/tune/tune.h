/* SPDX-License-Identifier: Apache-2.0 */
/* tune.h: `autotune tune`: with a program, or with a captured call. */
#ifndef AUTOTUNE_TOOLS_TUNE_H
#define AUTOTUNE_TOOLS_TUNE_H

#include <stdbool.h>
#include <stdio.h>

/* Texts are argv's; NULL: not given. */
struct tune_options {
  const char *budget, *kernel, *search, *seed, *cache, *until;
  const char *capture, *output;
  bool check; /* only makes the call with the default variant and compares the results */
  unsigned moves; /* how often autotune restarted itself for the addresses of a captured
                     call */
};
/* Runs PROGRAM (with its arguments, NULL-terminated) and passes its exit status on. */
int tune_program(const struct tune_options *o, char **program);
/* Tunes the call in the file o->capture. ARGC and ARGV: main's, for restarting. Returns
 * the exit status. */
int tune_capture(const struct tune_options *o, int argc, char **argv);
/* Writes the results of the tuned kernels to o->output, if given. Returns 0 or 1. */
int tune_write_report(const struct tune_options *o);

/* ---- tuned.c --------------------------------------------------------------------- */

/* Prints a line for each key tuned after SINCE (unix time). Returns how many there
 * are. */
int tune_print_since(double since, FILE *out);

/* ---- memory.c, replay.c: captured calls ------------------------------------------ */

struct capture;
/* Maps the captured memory at its original addresses. Returns 0, 1 (no memory) or
 * REPLAY_MOVE. */
int replay_map(const struct capture *c);

/* Tunes or checks a captured call. Returns 0: done, with `check` the same bits; 1:
 * failed, with `check` other bits; 2: the file cannot be used. REPLAY_MOVE: an
 * address that the call needs is in use, but may be free in a restarted process. */
enum { REPLAY_MOVE = -1 };
int replay_run(const struct tune_options *o);

#endif
