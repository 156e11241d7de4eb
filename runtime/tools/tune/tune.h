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
  bool check;     /* makes the call with the default variant and compares, no more */
  unsigned moves; /* how often it was started anew for the addresses of a captured call */
};
/* Runs PROGRAM (with its arguments, NULL-terminated) and passes its exit status on. */
int tune_program(const struct tune_options *o, char **program);
/* Tunes the call that o->capture holds. ARGV: for starting anew. The exit status. */
int tune_capture(const struct tune_options *o, int argc, char **argv);
/* Writes what is known of what was tuned to o->output, if that is given. 0 or 1. */
int tune_write_report(const struct tune_options *o);

/* ---- tuned.c --------------------------------------------------------------------- */

/* Says what was tuned since then (unix time), a line for each key. How many there are. */
int tune_print_since(double since, FILE *out);

/* ---- memory.c, replay.c: captured calls ------------------------------------------ */

struct capture;
/* Puts the blocks where they were. 0, 1 (there is no room) or REPLAY_MOVE. */
int replay_map(const struct capture *c);

struct replay_options {
  const char *path;
  bool check;
};
/* 0: done, with --check the same bits; 1: not; 2: what is at PATH cannot be used.
 * REPLAY_MOVE: something is at an address that the call needs, and may be elsewhere in a
 * process started anew. */
enum { REPLAY_MOVE = -1 };
int replay_run(const struct replay_options *o, FILE *out);

#endif
