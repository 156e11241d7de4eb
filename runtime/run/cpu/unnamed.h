/* SPDX-License-Identifier: Apache-2.0 */
/* unnamed.h: what unnamed.c, groups.c, moved.c and leads.c share. */
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
  MAX_TABLES = 1 << 12,
  MOVED_SIZES = 202, /* of numbers within 2^100 and its inverse, and of zero */
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
  unsigned char again;    /* bit i: word i moved as far more than once (moved.c) */
};
/* How the words of neighbouring pieces are compared, besides bit for bit. */
struct group {
  bool doubles, floats;
  struct tolerance as_double, as_float, unscaled; /* unscaled: of other floats */
  unsigned table; /* one more than its index; 0: its rounding was not measured */
};
/* What doubles ([0]) and floats ([1]) of a group may be off by, by their size. */
struct moved_table {
  double atols[2][MOVED_SIZES];
  double least[2]; /* of these */
};
struct uppers {
  uint32_t low, high;
};
struct unnamed {
  bool lost;          /* too much has changed: nothing is compared */
  bool heap;          /* some of it is on the heap */
  size_t restless;    /* words that differ from run to run */
  bool grouped;       /* it has its groups */
  bool sealed;        /* it has its groups, and is read-only */
  bool measured;      /* it is known how far rounding moves it */
  unsigned n, sorted; /* sorted: of the first ones, by address */
  size_t used;
  unsigned n_uppers;
  struct uppers uppers[MAX_UPPERS]; /* of addresses: the upper halves */
  struct kept list[MAX_UNNAMED];
  struct group groups[MAX_GROUPS];
  unsigned n_tables;
  struct moved_table tables[MAX_TABLES];
  char bytes[MAX_BYTES];
  char moves[MAX_CHANGED]; /* for each piece, from half of its place in `bytes` on: what
                              its doubles or pairs of floats may be off by themselves */
};
/* Returns the index of the first piece after AT. */
size_t unnamed_after(const struct unnamed *u, const char *at);

/* ---- groups.c -------------------------------------------------------------------- */

/* How a word is compared, besides bit for bit: as a number of GROUP. NULL: not at all. */
struct reading {
  const struct group *group;
  bool floats, scaled;             /* as in struct kept */
  const struct moved_table *table; /* NULL: rounding was not measured */
  const char *own;                 /* of its `moves`; NULL: it has none */
};
/* Decides how all pieces are compared; again only if ANEW. */
void group_make_all(const struct image *m, bool anew);
/* True if what stands AT, a float or a double, looks like a number: then it is *X. */
bool group_number(bool floats, const char *at, double *x);
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

/* ---- moved.c --------------------------------------------------------------------- */

enum moved_by {
  MOVED_AGAIN,   /* nothing but rounding: the run was the same */
  MOVED_ROUNDED, /* all operations were rounded up, or down */
  MOVED_NUDGED,  /* nudged inputs */
  MOVED_APART    /* likewise, apart */
};
/* True if there is anything of which to know that. */
bool moved_wanted(const struct image *m);
/* After a run of the default, or of the kernel as written: notes how far it is from the
 * reference. */
void moved_note(const struct image *m, enum moved_by by);
/* Returns what float or double number I of a word may differ by that is EXPECTED, beside
 * the relative tolerance. ATOL: where rounding was not measured. */
double moved_atol(struct reading r, bool floats, unsigned i, double expected,
                  double atol);
/* Before memory is sealed: makes tables of what was noted. */
void moved_settle(const struct image *m);

/* ---- rounding.c -------------------------------------------------------------------- */

/* After a run with all operations rounded up: notes how far outputs moved. */
void rounding_learn_up(const struct image *m);
/* Returns the relative step of the nudges, and the scale of the call's data; or 0. */
void rounding_known(const struct image *m, double *step, double *data);

/* ---- leads.c ---------------------------------------------------------------------- */

/* Writes into TEXT which argument or variable has a pointer to AT, or to at most 1 MiB
 * before it: "memory that byte 8 of *plan points to, byte 16". *DISTANCE: bytes from
 * where it points to AT. False: no such pointer was found. */
bool lead_find(const struct image *m, const char *at, long *distance, char *text,
               size_t size);

#endif
