// SPDX-License-Identifier: Apache-2.0
// ranges.c: decides which winner each key gets: that of the nearest tuned key, if no part
// of the two differs by more than a factor of BAKE_REACH. The nearest key has the least
// sum of |log ratio|, as at run time; here it is the least product of ratios, which needs
// no logarithm. A part of 0 or less is near only to itself.
#include <limits.h>
#include <string.h>

#include "bake.h"
#include "front/kernel/kernel.h"

struct interval {
  long long low, high;
  unsigned winner;
};

// Returns the greatest number that is at least as near to A as to B. Requires 0 < A < B.
static long long ranges_middle(long long a, long long b) {
  long long low = a, high = b;
  while (low < high) {
    long long x = low + (high - low + 1) / 2;
    if ((long double)x * (long double)x <= (long double)a * (long double)b)
      low = x;
    else
      high = x - 1;
  }
  return low;
}

// Returns the range of keys that get the winner of the I-th tuned key. Keys have one
// part.
static struct interval interval_of(const struct baked *b, unsigned i) {
  long long at = b->keys[i].key[0];
  struct interval v = { at, at, b->keys[i].winner };
  if (b->exact || at <= 0)
    return v;
  v.low = at / BAKE_REACH + (at % BAKE_REACH != 0);
  v.high = at > LLONG_MAX / BAKE_REACH ? LLONG_MAX : at * BAKE_REACH;
  if (i > 0 && b->keys[i - 1].key[0] > 0) {
    long long from = ranges_middle(b->keys[i - 1].key[0], at) + 1;
    v.low = v.low < from ? from : v.low;
  }
  if (i + 1 < b->n_keys) {
    long long to = ranges_middle(at, b->keys[i + 1].key[0]);
    v.high = v.high > to ? to : v.high;
  }
  return v;
}

static const char *ranges_number(long long i) {
  bool small = INT_MIN < i && i <= INT_MAX;
  return i == LLONG_MIN ? "-9223372036854775807LL - 1"
                        : arena_printf(small ? "%lld" : "%lldLL", i);
}

// Returns the name of part I of the key: the kernel's own if the part is an argument and
// no other part is the same argument.
static const char *ranges_part(const struct kernel *k, unsigned i) {
  unsigned same = 0;
  for (unsigned j = 0; j < k->n_keys; j++)
    same += slices_same(k->keys[j], k->keys[i]);
  int a = same == 1 ? kernel_arg(k, k->keys[i]) : -1;
  if (a >= 0)
    return k->args[a].name;
  return k->n_keys > 1 ? arena_printf("autotune_key%u", i) : "autotune_key";
}

// Sets the ranges of a key of one part. Neighbours with the same winner become one range.
static void ranges_intervals(const struct baked *b, struct bake_view *v) {
  for (unsigned i = 0; i < b->n_keys; i++) {
    struct interval own = interval_of(b, i);
    while (i + 1 < b->n_keys && b->keys[i + 1].winner == own.winner) {
      struct interval next = interval_of(b, i + 1);
      if (own.high == LLONG_MAX || next.low != own.high + 1)
        break;
      own.high = next.high;
      i++;
    }
    if (own.winner != 0)
      *GROW(v->intervals, v->n_intervals) =
          (struct bake_interval){ v->parts[0], ranges_number(own.low),
                                  ranges_number(own.high), own.low == own.high,
                                  own.winner };
  }
}

void bake_ranges(const struct kernel *k, struct bake_view *v) {
  const struct baked *b = k->baked;
  v->several = k->n_keys > 1;
  v->exact = b->exact;
  v->only = b->keys[0].winner;
  v->reach = BAKE_REACH;
  v->beyond = BAKE_REACH + 1;
  for (unsigned i = 0; i < k->n_keys; i++)
    *GROW(v->parts, v->n_parts) = ranges_part(k, i);
  for (unsigned i = 0; i < b->n_keys && v->several; i++) {
    struct bake_row row = { NULL, 0, b->keys[i].winner };
    for (unsigned j = 0; j < k->n_keys; j++)
      *GROW(row.key, row.n_key) = ranges_number(b->keys[i].key[j]);
    *GROW(v->tuned, v->n_tuned) = row;
  }
  if (k->n_keys == 1)
    ranges_intervals(b, v);
}
