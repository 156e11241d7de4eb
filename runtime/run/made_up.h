/* SPDX-License-Identifier: Apache-2.0 */
/* made_up.h: data that a call has not had, made from the call's own numbers, for another
 * look at a variant that may be installed. Pure: the same numbers give the same data. */
#ifndef AUTOTUNE_MADE_UP_H
#define AUTOTUNE_MADE_UP_H

#include "base/base.h"

/* The sets of made-up data, in the order in which they are tried. All but FILLED and SIZE
 * are functions of each number alone, the same function for all sections. So equal
 * numbers stay equal (a symmetric matrix stays symmetric), zeros stay zero (padding,
 * triangles), and LARGE keeps every order. */
enum made_up {
  MADE_UP_NONE,    /* the call's own data */
  MADE_UP_FILLED,  /* sections of equal numbers hold different ones; scalars differ */
  MADE_UP_MIXED,   /* up to 2^24 times as small, each by another factor */
  MADE_UP_LARGE,   /* 256 times as large */
  MADE_UP_SIGNS,   /* half of all values have the other sign */
  MADE_UP_DIGITS,  /* a millionth larger at most, so that all digits are used; for bodies
                      from outside */
  MADE_UP_SPECIAL, /* one NaN and one infinity in each section */
  MADE_UP_SIZE,    /* integers that the key leaves open are smaller by one */
  MADE_UPS
};
extern const char *const made_up_names[MADE_UPS]; /* for people: "other signs" */

/* What a variant is checked on. */
struct made_up_wish {
  enum made_up set;
  bool indices;  /* the kernel makes integers of floating-point numbers, so that these may
                    be places in an array */
  bool measured; /* the rounding of the default is measured there, too */
  choice point[MAX_PARAMS]; /* the variant's */
};

/* A look at the numbers of one section. */
struct numbers {
  size_t n;    /* 0: no floating-point numbers, or of a kind that is left alone */
  bool finite; /* all of them */
  bool equal;  /* all are the same number */
  bool zero;   /* all are 0 */
  bool whole;  /* all are integers */
  bool sorted; /* 8 or more, in order, and not all equal */
  double first;
};
struct numbers made_up_look(enum autotune_element e, const void *data, size_t bytes);
/* True if SET changes a section that looks like N. INDICES: as in struct made_up_wish. */
bool made_up_changes(enum made_up set, const struct numbers *n, bool indices);
/* Writes SET's numbers over a section that looks like N. SEED: another one for each
 * section. */
void made_up_write(enum made_up set, enum autotune_element e, const struct numbers *n,
                   uint64_t seed, void *data);
/* Returns what FILLED has instead of one number X; X: it stays. */
double made_up_scalar(double x, bool indices);

#endif
