/* SPDX-License-Identifier: Apache-2.0 */
/* value.h: the values of parameters as text: "MR=6\nNR=64\n", a line "NAME=VALUE" for
 * each, sorted by name. Lines without '=' are skipped. Nothing is copied: results point
 * into the text. */
#ifndef AUTOTUNE_VALUE_H
#define AUTOTUNE_VALUE_H

#include "base/base.h"

struct named_value {
  const char *name, *value;
  size_t name_size, size; /* bytes of each */
};
/* Reads the line at *TEXT, and moves *TEXT to the next line. False: there is no further
 * line. */
bool value_next(const char **text, struct named_value *s);
/* Finds the value called NAME, of SIZE bytes. False: there is no such value. */
bool value_find(const char *values, const char *name, size_t size,
                struct named_value *out);
/* Returns the index of S's value among those of P; P->n_values if it is none of them. */
unsigned value_choice(const struct named_value *s, const struct autotune_param *p);
/* True if S's value is TEXT. */
bool value_is(const struct named_value *s, const char *text);
/* Returns the number of bytes of "NAME=VALUE" in the text, from S->name on. */
size_t value_length(const struct named_value *s);
/* Returns "NAME=VALUE", with EMPTY in the place of an empty value; malloc'ed. */
char *value_text(const struct named_value *s, const char *empty);
/* Returns VALUES in one line, for people: "MR=6 NR=64"; malloc'ed. */
char *value_line(const char *values);
/* True if the variant with VALUES uses S. A directive that is left out does not use its
 * parameters: "tile@12.2=8" with "tile@12.1=no". */
bool value_matters(const char *values, const struct named_value *s);

/* The name of a parameter set that the user gave no name: "tile@12.1" is the first of
 * the directive in line 12. */
struct place {
  size_t stem;                /* bytes of "tile@" */
  size_t rest;                /* offset of ".1" */
  unsigned long line, number; /* 12 and 1; number 0: the name has no ".1" */
};
/* Reads NAME, of SIZE bytes, into P. False: it is not of that form. */
bool place_read(const char *name, size_t size, struct place *p);
/* True if A comes before B in the text. */
bool place_before(const struct place *a, const struct place *b);
/* True if the names A and B, of N and M bytes, differ in nothing but the line. */
bool place_same(const char *a, size_t n, const char *b, size_t m);

/* A parameter that a kernel offers, as text (a line of identity_params). */
struct offered { /* one line */
  const char *name, *kind, *values;
  size_t name_size, kind_size;
  int when;
  unsigned original;
};
/* Reads the parameter at *TEXT, and moves *TEXT to the next. False: there is no further
 * parameter. */
bool offered_next(const char **text, struct offered *p);
/* Reads the value at *AT, which is p->values at first, and moves *AT to the next. False:
 * there is no further value. */
bool offered_value(const char **at, const char **value, size_t *size);
/* True if PARAMS names the parameters of VALUES and offers each of these values. */
bool offered_all(const char *params, const char *values);

#endif
