/* SPDX-License-Identifier: Apache-2.0 */
/* roof.h: the limits of this machine: the lines of a roofline. roof.c measures them,
 * roofs.c keeps them and chooses those that a report needs. */
#ifndef AUTOTUNE_ROOF_H
#define AUTOTUNE_ROOF_H

#include <jansson.h>
#include <stdbool.h>

#include "tools/common/analysis.h"

enum roof_level { ROOF_L1, ROOF_L2, ROOF_L3, ROOF_MEMORY, ROOF_LEVELS };
struct roof {
  double flops; /* per second: multiply-adds of doubles, counted as two each; floats:
                   twice as many */
  double bytes[ROOF_LEVELS]; /* per second, with data that only this cache holds, or none;
                                L3: 0 if it is no larger than a thread's L2 */
};
/* Measures with THREADS threads. Takes about two seconds, and at most some ten on a
 * machine that is very busy. False: no memory, no threads. */
bool roof_measure(unsigned threads, struct roof *out);

/* Returns the roofs for the results of L that declare their work and are of this machine:
 * {"cpu", "isa", "threads", "flops", "l1", "l2", "l3", "memory", "when"} for each number
 * of threads. They are read from the file `roofs` in FOLDER; missing ones, old ones and
 * those that a result of ALL is above are measured, and written there if that is
 * possible. MEASURE false: those in the file that are good enough. */
json_t *roofs_for(const char *folder, const struct listing *l, const struct analysis *all,
                  bool measure);

#endif
