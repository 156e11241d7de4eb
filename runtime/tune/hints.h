/* SPDX-License-Identifier: Apache-2.0 */
/* hints.h: what is known of similar problems, for a tuning that begins. */
#ifndef AUTOTUNE_HINTS_H
#define AUTOTUNE_HINTS_H

#include "keep/store/store.h"
#include "model/space.h"
#include "tune/search/search.h"

/* ---- hints.c: fast points of similar problems -------------------------------- */

enum { MAX_HINTS = 16 };
struct hint {
  choice point[MAX_PARAMS];
  char from[96]; /* for people: "n = 1024" */
  bool near;     /* as in struct relative */
};
struct hints {
  unsigned n;
  struct hint items[MAX_HINTS];
};
/* Fills in OUT with the points to try first in SPACE: the kernel as written, where its
 * directives are optional, then what was fast elsewhere, best first, with GUESS what
 * guess.h says, and the kernel as written with other flags. FROM is empty except
 * elsewhere. All of them exist in SPACE, and none appears twice. */
void hints_find(struct store *store, const struct space *space, const struct identity *id,
                bool guess, struct hints *out);
/* Converts VALUES ("MR=6\nNR=64\n", possibly of another kernel) into a point of SPACE.
 * Parameters are matched by name, those of directives by kind and order. A number that is
 * no candidate here becomes the nearest candidate; a parameter that is not named gets the
 * default's value. If the constraint refuses the point, a point nearby is taken. False:
 * no point was found, or no parameter is known. */
bool hints_point(const struct space *space, const char *values, choice *point);
/* Fills in OUT with the points that were fastest for ID itself; its last winner comes
 * first. */
void hints_own(struct store *store, const struct space *space, const struct identity *id,
               struct hints *out);
/* Adds the point of VALUES and returns its hint. NULL: no such point, it is there
 * already, or H is full. */
struct hint *hints_add(struct hints *h, const struct space *space, const char *values,
                       const char *from);

/* ---- transfer.c -------------------------------------------------------------------- */

/* Tells ST the times of variants for the nearest key, on this machine or another, if a
 * key is close and CLASS can use them. Returns how many it told; NAME: that key. */
unsigned transfer_near(struct store *store, const struct space *space,
                       const struct identity *id, const struct strategy_class *class,
                       struct strategy *st, char name[96]);

#endif
