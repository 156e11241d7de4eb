/* SPDX-License-Identifier: Apache-2.0 */
/* roofs.h: the limits of machines: the lines of a roofline. The file `roofs` in a store's
 * folder keeps them: a list of {"cpu", "isa", "threads", "flops", "l1", "l2", "l3",
 * "memory", "busy", "when"}. tools/common/roofs.c has them measured. */
#ifndef AUTOTUNE_ROOFS_H
#define AUTOTUNE_ROOFS_H

#include <jansson.h>
#include <stdbool.h>

enum roof_level { ROOF_L1, ROOF_L2, ROOF_L3, ROOF_MEMORY, ROOF_LEVELS };
extern const char *const roof_levels[]; /* "l1", …, "memory" */
struct roof {
  double flops; /* per second: multiply-adds of doubles, counted as two each; floats:
                   twice as many */
  double bytes[ROOF_LEVELS]; /* per second, with data that only this cache holds, or none;
                                L3: 0 if it is no larger than a thread's L2 */
};
/* Returns what the file in FOLDER says, or an empty list. */
json_t *roofs_read(const char *folder);
/* Writes LIST. Failure is no error: what is missing is measured again. */
void roofs_write(const char *folder, const json_t *list);
/* Returns the roof in LIST that is of this machine with THREADS, or NULL. */
json_t *roofs_find(const json_t *list, const char *cpu, const char *isa,
                   unsigned threads);
double roofs_number(const json_t *one, const char *name);
/* Returns how many seconds ago ONE was measured. */
double roofs_age(const json_t *one);
/* True if ONE is so old that it no longer counts. */
bool roofs_is_old(const json_t *one);
/* The same, or ONE was measured on a busy machine, which measures too little, a while
 * ago: it is to be measured again. */
bool roofs_is_stale(const json_t *one);
/* Raises ONE, as far as it has the level, to the rates of OTHER. */
void roofs_raise(json_t *one, const json_t *other);
/* Fills in OUT with the roof that FOLDER (may be NULL) has of that machine, unless it is
 * stale. False: there is none. */
bool roofs_known(const char *folder, const char *cpu, const char *isa, unsigned threads,
                 struct roof *out);

#endif
