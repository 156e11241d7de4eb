/* SPDX-License-Identifier: Apache-2.0 */
/* key.h: keys of calls as text: the numbers "512,3", and the expressions that they are
 * values of, "n\nm". */
#ifndef AUTOTUNE_KEY_H
#define AUTOTUNE_KEY_H

#include <stdbool.h>
#include <stddef.h>

enum { MAX_KEYS = 64 };

struct key_part {
  const char *name, *text; /* text of the expression and of the number */
  size_t name_size, size;  /* bytes of each */
  long long number;
};
/* Reads one part of a key at *NUMBERS and *NAMES, and moves both to the next part. False:
 * there is no further part. */
bool key_next(const char **numbers, const char **names, struct key_part *part);
/* Reads NUMBERS into KEY, at most MOST of them. Returns how many there are; more than
 * MOST if the text is not a list of numbers. */
unsigned key_read(const char *numbers, long long *key, unsigned most);
/* Returns the text of the N numbers of KEY, and sets *NAMES_TEXT to the text of NAMES,
 * which may be NULL. Both are in one block, malloc'ed, which begins with the numbers.
 * NULL: no memory. */
char *key_print(const long long *key, const char *const *names, unsigned n,
                const char **names_text);
/* Returns "n = 512, m = 3"; malloc'ed, NULL: no memory. */
char *key_describe(const char *numbers, const char *names);
/* True if SPEC ("512,3", "n=512", "m=3,n=512") matches this key. SPEC may be NULL, which
 * matches any key. */
bool key_matches(const char *numbers, const char *names, const char *spec);
/* Likewise, but SPEC may leave parts out: "n=512" matches all keys with this n. */
bool key_matches_part(const char *numbers, const char *names, const char *spec);
/* Compares two keys number by number; below 0, 0 or above 0. */
int key_compare(const char *a, const char *b);
/* Returns the sum of |log2 ratio| over the N parts of A and B. */
double key_distance(const long long *a, const long long *b, unsigned n);

#endif
