/* SPDX-License-Identifier: Apache-2.0 */
/* agree.h: finds parts of a key that make no difference to the winner.
 *
 * A counter or a position that is part of a key has a new value in most calls. If the
 * keys that differ only in this part and were tuned chose the same variant, a further
 * value need not be tuned. The rule looks only at the keys nearest to the new one, nearer
 * than any key for which that variant is not among the best. It also says how far from
 * the tuned values it holds: as far as these are apart, in factors of two, and at least a
 * factor of two.
 *
 * Integers that change while calls touch the same memory are no sizes, but counters,
 * steps and the like. Together they need only three tuned keys that agree, hold further
 * out, and for all values where five agree.
 *
 * Parts that are known to change from call to call need less: two tuned keys that agree,
 * and they hold further out. One tuning in four may have kept the default by noise.
 * Where keys do not agree, the winner of the nearest one is taken as soon as there are
 * many.
 *
 * Pure functions; any thread may call them. */
#ifndef AUTOTUNE_AGREE_H
#define AUTOTUNE_AGREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "key.h"

/* Tuned keys: the least, for parts that change from call to call, for counters, and for
 * others with that many values; the least for all values of counters; for all parts that
 * vary, and until the nearest one is taken for parts that change; the most. */
enum {
  AGREE_FEW = 2,
  AGREE_COUNTERS = 3,
  AGREE_LEAST = 4,
  AGREE_ALL = 5,
  AGREE_MANY = 8,
  AGREE_MOST = 128
};
/* Values that make a part one that changes from call to call. */
enum { AGREE_CHANGES = 3 };

struct agree_row {      /* a tuned key */
  const long long *key; /* as many numbers as the new key has */
  uint64_t winner;      /* its variant; 0: the default stayed */
  unsigned checked; /* further keys for which the winner was compared with the default */
  uint64_t extent;  /* kernel_extent of its call; 0: not known */
};
/* How good the winner of one row is for the key of another. */
enum opinion {
  OPINION_NONE,  /* it was not tried there */
  OPINION_SAME,  /* it is that key's winner, or as fast within the noise */
  OPINION_WORSE, /* slower, wrong, or not possible */
};
typedef enum opinion agree_opinion(const void *data, unsigned row, unsigned winner);

struct agreement {
  uint64_t parts;               /* bit i: part i of the key makes no difference */
  unsigned row;                 /* a row that has the agreed winner */
  unsigned n, rows[AGREE_MOST]; /* the rows that agree, nearest first */
  bool clean;                   /* no row disagrees: it holds for the whole range */
  bool nearest;                 /* rows disagree; this is the nearest of N */
  unsigned checked;             /* as in the row, of keys within its range */
  bool counters; /* PARTS are counters: it holds only for calls of the same extent */
  bool cut;      /* there was no time to count them */
  double gain; /* the least of the N: how many times as fast as the default; 0: not set */
  /* The range of each such part: log2(1 + |value|), with the value's sign. Some values in
   * it may be nearer to a row that disagrees. */
  double low[MAX_KEYS], high[MAX_KEYS];
  /* Hashes of the keys of rows that do not agree: they have winners of their own. */
  unsigned n_others;
  uint64_t others[AGREE_MOST];
};
/* Finds an agreement that holds for KEY, which has N_KEYS parts (at most MAX_KEYS), among
 * N rows (at most AGREE_MOST). EXTENT: of KEY's call, or 0. CHANGING: the parts, as bits,
 * that are known to change from call to call. OPINION is called for pairs of rows, with
 * DATA. False: there is none. */
bool agree_find(const long long *key, unsigned n_keys, uint64_t extent,
                const struct agree_row *rows, unsigned n, uint64_t changing,
                agree_opinion *opinion, const void *data, struct agreement *out);
/* Returns the parts, as bits, that have LEAST or more values in ROWS, at most
 * AGREE_LEAST. */
uint64_t agree_parts(const struct agree_row *rows, unsigned n, unsigned n_keys,
                     unsigned least);
/* Writes for people what A says: "pos is not looked at: its values 1, 2, 3, 4 chose the
 * same". NAMES are the key's expressions. */
void agree_say(const struct agree_row *rows, const struct agreement *a, unsigned n_keys,
               const char *const *names, char *text, size_t size);
/* True if A, which was found for LIKE, holds for KEY, too: it is clean, and has KEY in
 * its range. */
bool agree_covers(const struct agreement *a, const long long *like, const long long *key,
                  unsigned n_keys);
/* True if A, which was found for LIKE, has KEY in its range, and KEY is not that of a row
 * which does not agree. */
bool agree_spans(const struct agreement *a, const long long *like, const long long *key,
                 unsigned n_keys);

#endif
