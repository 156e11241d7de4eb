/* SPDX-License-Identifier: Apache-2.0 */
/* names.h: a table of names, with the items that they name; also a set of words. */
#ifndef AUTOTUNE_NAMES_H
#define AUTOTUNE_NAMES_H

#include "front/front.h"

enum name_space { NAME_ORDINARY, NAME_TAG, NAME_MACRO };
struct name {
  struct slice text;
  enum name_space space;
  unsigned index; /* of what it names, in an array of the caller's */
  unsigned next;  /* the next older name in its bucket, plus 1; 0: none */
};
/* Begins zeroed, and grows in the arena. */
struct names {
  struct name *list; /* in the order in which they were added */
  unsigned n;
  unsigned *buckets;
};
void names_add(struct names *t, enum name_space space, struct slice text, unsigned index);
/* Returns the newest name TEXT in SPACE, or the next older one after N; NULL: no more. */
const struct name *names_find(const struct names *t, enum name_space space,
                              struct slice text, const struct name *n);
/* A set of words is a table of ordinary names, each of them once. */
bool names_has(const struct names *t, struct slice word);
bool names_put(struct names *t, struct slice word); /* false: it was in the set */

#endif
