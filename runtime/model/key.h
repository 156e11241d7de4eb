/* SPDX-License-Identifier: Apache-2.0 */
/* key.h: keys of calls as text: the numbers "512,3", and the expressions that have them,
 * "n\nm". */
#ifndef AUTOTUNE_KEY_H
#define AUTOTUNE_KEY_H

#include <stdbool.h>
#include <stddef.h>

enum { MAX_KEYS = 64 };

struct key_part {
  const char *name, *text; /* of the expression, of the number */
  size_t name_size, size;  /* bytes of each */
  long long number;
};
/* Reads the part of a key at *NUMBERS and *NAMES, and moves both to the next. False:
 * there is none. */
bool key_next(const char **numbers, const char **names, struct key_part *part);
/* Reads NUMBERS into KEY, as far as MOST. How many there are; more than MOST where it is
 * no list of numbers. */
unsigned key_read(const char *numbers, long long *key, unsigned most);
/* The texts of the N parts of KEY; both are in one block, which begins with the numbers
 * and is malloc'ed. NULL: no memory. NAMES may be NULL. */
char *key_print(const long long *key, const char *const *names, unsigned n,
                const char **names_text);
/* "n = 512, m = 3"; malloc'ed. */
char *key_describe(const char *numbers, const char *names);
/* True if SPEC ("512,3", "n=512", "m=3,n=512") says this key. NULL: any. */
bool key_matches(const char *numbers, const char *names, const char *spec);
/* The order of numbers; below 0, 0 or above 0. */
int key_compare(const char *a, const char *b);
/* The sum of |log2 ratio| over the N parts of A and B. */
double key_distance(const long long *a, const long long *b, unsigned n);

#endif
