/* SPDX-License-Identifier: Apache-2.0 */
/* unnamed.h: what unnamed.c, groups.c and leads.c share. */
#ifndef AUTOTUNE_UNNAMED_H
#define AUTOTUNE_UNNAMED_H

#include "sandbox.h"

enum {
  PIECE = 64,
  WORD = 8,
  WHOLE = 0xff, /* all words of a piece */
  MAX_UNNAMED = MAX_CHANGED / PIECE,
  MAX_BYTES = 2 * MAX_CHANGED,
  NEIGHBOURS = 256, /* bytes between two pieces of a group, at most */
  MAX_GROUPS = 1 << 16,
  MAX_UPPERS = 16
};
struct kept {
  char *base;
  size_t size, at; /* at: in `bytes`, where SIZE bytes from before the default's run are
                      followed by SIZE bytes from after it */
  enum region_kind kind;
  unsigned group;
  unsigned char restless; /* bit i: word i differs from run to run */
  unsigned char floats;   /* bit i: word i holds floats; else it may be a double */
  unsigned char scaled;   /* bit i: these floats are compared by the group's scale */
};
/* How the words of neighbouring pieces are compared, besides bit for bit. */
struct group {
  bool doubles, floats;
  struct tolerance as_double, as_float, unscaled; /* unscaled: of other floats */
};
struct uppers {
  uint32_t low, high;
};
struct unnamed {
  bool lost;          /* too much has changed: nothing is compared */
  bool heap;          /* some of it is on the heap */
  size_t restless;    /* words that differ from run to run */
  bool sealed;        /* it has its groups, and is read-only */
  unsigned n, sorted; /* sorted: of the first ones, by address */
  size_t used;
  unsigned n_uppers;
  struct uppers uppers[MAX_UPPERS]; /* of addresses: the upper halves */
  struct kept list[MAX_UNNAMED];
  struct group groups[MAX_GROUPS];
  char bytes[MAX_BYTES];
};
/* Returns the index of the first piece after AT. */
size_t unnamed_after(const struct unnamed *u, const char *at);

/* ---- groups.c -------------------------------------------------------------------- */

/* How a word is compared, besides bit for bit: as a number of GROUP. NULL: not at all. */
struct reading {
  const struct group *group;
  bool floats, scaled; /* as in struct kept */
};
/* Decides how all pieces are compared. */
void group_make_all(const struct image *m);
/* Returns how word number WORD of piece K is compared, or a word at AT that no piece
 * holds and that was BEFORE: like that of a neighbour. */
struct reading group_reading(const struct unnamed *u, const struct kept *k, size_t word);
struct reading group_reading_at(const struct unnamed *u, const char *at,
                                const char *before);
/* True if the word at GOT agrees with the one at EXPECTED. */
bool group_agree(struct reading r, const char *expected, const char *got);
/* Writes " (0.5 instead of 1.5)", if the word at EXPECTED is a number; else nothing. */
void group_numbers(struct reading r, const char *expected, const char *got, char *text,
                   size_t size);

/* ---- leads.c ---------------------------------------------------------------------- */

/* Writes into TEXT which argument or variable has a pointer to AT, or to at most 1 MiB
 * before it: "memory that byte 8 of *plan points to, byte 16". *DISTANCE: bytes from
 * where it points to AT. False: no such pointer was found. */
bool lead_find(const struct image *m, const char *at, long *distance, char *text,
               size_t size);

#endif
