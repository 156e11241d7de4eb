/* SPDX-License-Identifier: Apache-2.0 */
/* roof.h: the limits of this machine: the lines of a roofline. roof.c measures them,
 * roofs.c has those measured that a command needs; keep/wisdom/roofs.h keeps them. */
#ifndef AUTOTUNE_ROOF_H
#define AUTOTUNE_ROOF_H

#include "analysis.h"
#include "keep/wisdom/roofs.h"

/* Measures with THREADS threads. Takes about two seconds, and at most some ten on a
 * machine that is very busy. False: no memory, no threads. */
bool roof_measure(unsigned threads, struct roof *out);

/* Returns the roofs for the results of L that declare their work and are of this machine,
 * for each number of threads. They are read from FOLDER; missing ones, old ones and those
 * that a result of ALL is above are measured, and written there if that is possible.
 * MEASURE false: those in the file that are good enough. */
json_t *roofs_for(const char *folder, const struct listing *l, const struct analysis *all,
                  bool measure);
/* Has those of this machine measured, with one thread and with all, that FOLDER lacks,
 * and says so before it does. */
void roofs_prepare(const char *folder, const char *command);

#endif
