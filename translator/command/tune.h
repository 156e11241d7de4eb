/* SPDX-License-Identifier: Apache-2.0 */
/* tune_command.h: the two halves of `autotune tune`: with a program, and with a captured
 * call. */
#ifndef AUTOTUNE_TUNE_COMMAND_H
#define AUTOTUNE_TUNE_COMMAND_H

#include "base/base.h"
#include "front/front.h"

/* What was asked for. Texts are argv's; NULL: not given. */
struct tune_options {
  const char *budget, *kernel, *search, *seed, *cache, *until;
  const char *capture, *output;
  bool check;     /* replay the default variant and compare, no more */
  int moves;      /* how often it was started anew for the addresses of a captured call */
  char **program; /* with its arguments; NULL: none was given */
};
/* Runs the program and passes its exit status on. */
int tune_program(const struct tune_options *o);
/* Tunes the call that o->capture holds. ARGV: for starting anew. */
int tune_capture(const struct tune_options *o, int argc, char **argv);
/* Where --output is given: what is known of what was tuned. 0 or 1. */
int tune_write_report(const struct tune_options *o);

#endif
