// SPDX-License-Identifier: Apache-2.0
// ranges.c: which winner a key takes: that of the nearest tuned key, if no part of the
// two is off by more than 4 times. Near is as for what is borrowed at run time: the least
// sum of |log ratio|, which is the least product of ratios and needs no logarithm. A part
// of 0 or less is near itself alone.
#include <limits.h>
#include <string.h>

#include "bake.h"

enum { REACH = 4 };

struct interval {
  long long low, high;
  unsigned winner;
};

// The greatest number that is at least as near to A as to B; both positive, A less.
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

// The keys that take the I-th tuned one, if they have one part only.
static struct interval interval_of(const struct baked *b, unsigned i) {
  long long at = b->keys[i].key[0];
  struct interval v = { at, at, b->keys[i].winner };
  if (b->exact || at <= 0)
    return v;
  v.low = at / REACH + (at % REACH != 0);
  v.high = at > LLONG_MAX / REACH ? LLONG_MAX : at * REACH;
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

static void ranges_number(struct text *out, long long i) {
  bool small = INT_MIN < i && i <= INT_MAX;
  text_printf(out,
              i == LLONG_MIN ? "-9223372036854775807LL - 1"
                  : small    ? "%lld"
                             : "%lldLL",
              i);
}

// What part I of the key is called: as in the kernel, where it is an argument alone, and
// no other part is.
static const char *ranges_name_of(const struct kernel *k, unsigned i) {
  unsigned same = 0;
  for (unsigned j = 0; j < k->n_keys; j++)
    same += k->keys[j].size == k->keys[i].size &&
        memcmp(k->keys[j].data, k->keys[i].data, k->keys[i].size) == 0;
  for (unsigned a = 0; same == 1 && a < k->n_args; a++)
    if (k->args[a].name && slice_is(k->keys[i], k->args[a].name))
      return k->args[a].name;
  return arena_printf(k->n_keys > 1 ? "autotune_key%u" : "autotune_key", i);
}

// Neighbours with one winner are one range.
static void write_intervals(const struct kernel *k, const struct baked *b,
                            struct text *out) {
  const char *key = ranges_name_of(k, 0);
  for (unsigned i = 0; i < b->n_keys; i++) {
    struct interval v = interval_of(b, i);
    while (i + 1 < b->n_keys && b->keys[i + 1].winner == v.winner) {
      struct interval next = interval_of(b, i + 1);
      if (v.high == LLONG_MAX || next.low != v.high + 1)
        break;
      v.high = next.high;
      i++;
    }
    if (v.winner == 0)
      continue;
    text_printf(out, "  if (%s %s ", key, v.low != v.high ? ">=" : "==");
    ranges_number(out, v.low);
    if (v.low != v.high) {
      text_printf(out, " && %s <= ", key);
      ranges_number(out, v.high);
    }
    text_printf(out, ")\n    return %u;\n", v.winner);
  }
  text_printf(out, "  return 0;\n");
}

static void write_table(const struct kernel *k, const struct baked *b, struct text *out) {
  text_printf(
      out,
      "  static const struct { long long autotune_key[%u]; int autotune_winner; } "
      "autotune_tuned[] = {\n",
      k->n_keys);
  for (unsigned i = 0; i < b->n_keys; i++) {
    text_printf(out, "    { { ");
    for (unsigned j = 0; j < k->n_keys; j++) {
      text_printf(out, j ? ", " : "");
      ranges_number(out, b->keys[i].key[j]);
    }
    text_printf(out, " }, %u },\n", b->keys[i].winner);
  }
  text_printf(out, "  };\n");
}

// Before what is near: two keys beyond 2^53 may be one number as double.
static void write_tuned(const struct kernel *k, const struct baked *b, struct text *out) {
  text_printf(out,
              "  for (unsigned autotune_i = 0; autotune_i < %u; autotune_i++)\n    if (",
              b->n_keys);
  for (unsigned i = 0; i < k->n_keys; i++)
    text_printf(out, "%s%s == autotune_tuned[autotune_i].autotune_key[%u]",
                i ? " &&\n        " : "", ranges_name_of(k, i), i);
  text_printf(out, ")\n      return autotune_tuned[autotune_i].autotune_winner;\n");
}

// The product of the ratios of all parts; 0: a part is off by more than REACH.
static void write_nearest(const struct kernel *k, const struct baked *b,
                          struct text *out) {
  text_printf(out, "  const long long autotune_key[%u] = { ", k->n_keys);
  for (unsigned i = 0; i < k->n_keys; i++)
    text_printf(out, "%s%s", i ? ", " : "", ranges_name_of(k, i));
  text_printf(
      out,
      " };\n"
      "  double autotune_nearest = 0;\n"
      "  int autotune_winner = 0;\n"
      "  for (unsigned autotune_i = 0; autotune_i < %u; autotune_i++) {\n"
      "    double autotune_apart = 1;\n"
      "    for (unsigned autotune_j = 0; autotune_j < %u; autotune_j++) {\n"
      "      const long long autotune_a = autotune_key[autotune_j];\n"
      "      const long long autotune_b = autotune_tuned[autotune_i].autotune_key[autotune_j];\n"
      "      double autotune_ratio = %d;\n"
      "      if (autotune_a == autotune_b)\n"
      "        autotune_ratio = 1;\n"
      "      else if (autotune_a > 0 && autotune_b > 0)\n"
      "        autotune_ratio = autotune_a > autotune_b ? (double)autotune_a / (double)autotune_b\n"
      "                                                 : (double)autotune_b / (double)autotune_a;\n"
      "      autotune_apart = autotune_ratio <= %d ? autotune_apart * autotune_ratio : 0;\n"
      "    }\n"
      "    if (autotune_apart > 0 && (autotune_nearest <= 0 || autotune_apart < autotune_nearest)) {\n"
      "      autotune_nearest = autotune_apart;\n"
      "      autotune_winner = autotune_tuned[autotune_i].autotune_winner;\n"
      "    }\n"
      "  }\n"
      "  return autotune_winner;\n",
      b->n_keys, k->n_keys, REACH + 1, REACH);
}

void bake_ranges(const struct kernel *k, const char *name, struct text *out) {
  const struct baked *b = k->baked;
  text_printf(out, "\nstatic int %s(", name);
  for (unsigned i = 0; i < k->n_keys; i++)
    text_printf(out, "%slong long %s", i ? ", " : "", ranges_name_of(k, i));
  text_printf(out, "%s)\n{\n", k->n_keys ? "" : "void");
  if (k->n_keys == 0)
    text_printf(out, "  return %u;\n", b->keys[0].winner);
  else if (k->n_keys == 1)
    write_intervals(k, b, out);
  else {
    write_table(k, b, out);
    write_tuned(k, b, out);
    if (b->exact)
      text_printf(out, "  return 0;\n");
    else
      write_nearest(k, b, out);
  }
  text_printf(out, "}\n");
}
