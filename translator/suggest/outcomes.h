/* SPDX-License-Identifier: Apache-2.0 */
/* outcomes.h: the results of programs that were built with suggestions, on this machine.
 * It is apart from suggest.h, because names of results and of analysis are the same. */
#ifndef AUTOTUNE_OUTCOMES_H
#define AUTOTUNE_OUTCOMES_H

#include <stdbool.h>

struct outcomes;
/* Reads the results in FOLDER (NULL: the user's own). They live as long as the process.
 * NULL after a message. */
struct outcomes *outcomes_load(const char *folder);
/* Returns the sources whose kernels are tuned when hot; *N is their number. */
const char **outcomes_files(const struct outcomes *o, unsigned *n);

struct outcome {    /* of one kernel, over all keys */
  bool won;         /* a variant is faster than the default for a key, at least */
  const char *text; /* by how much, or why not, for people */
  double when;      /* it won: unix time */
};
/* Returns the outcome of the kernel NAME in the file PATH. */
struct outcome outcomes_find(const struct outcomes *o, const char *name,
                             const char *path);

#endif
