// SPDX-License-Identifier: Apache-2.0
// agree.c: finds parts of a key that make no difference to the winner.
#include "agree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum { CANDIDATES = 8 }; // different winners that are looked at
// Of the rows whose parts change from call to call: so many that agree outvote one for
// which a tuning kept the default, perhaps by noise.
enum { AGREE_OUTVOTE = 3 };
// Factors of two, for counters and parts that change from call to call.
static const double wide = 4;

// One question: KEY, and the rows that equal it in all parts but PARTS, nearest first.
struct agree_group {
  const long long *key;
  unsigned n_keys;
  uint64_t parts;
  const struct agree_row *rows;
  unsigned n, order[AGREE_MOST];
  double far[AGREE_MOST]; // of order[i]
  agree_opinion *opinion;
  const void *data;
  unsigned least; // rows that must agree
  bool endless;   // AGREE_ALL rows that agree do so for all values
  bool outvotes;  // AGREE_OUTVOTE rows outvote one; without that none may disagree
  double margin;  // beyond their values, in factors of two, at least
};

static double agree_place(long long value) {
  double size = log2(1 + fabs((double)value));
  return value < 0 ? -size : size;
}

static bool agree_has(uint64_t parts, unsigned i) {
  return parts >> i & 1;
}

// True if A and B differ in PARTS only.
static bool agree_is_like(const long long *a, const long long *b, unsigned n_keys,
                          uint64_t parts) {
  for (unsigned i = 0; i < n_keys; i++)
    if (a[i] != b[i] && !agree_has(parts, i))
      return false;
  return true;
}

uint64_t agree_parts(const struct agree_row *rows, unsigned n, unsigned n_keys,
                     unsigned least) {
  uint64_t parts = 0;
  for (unsigned p = 0; p < n_keys; p++) {
    long long seen[AGREE_LEAST];
    unsigned values = 0;
    for (unsigned i = 0; i < n && values < least; i++) {
      unsigned j = 0;
      while (j < values && seen[j] != rows[i].key[p])
        j++;
      if (j == values)
        seen[values++] = rows[i].key[p];
    }
    parts |= (uint64_t)(values == least) << p;
  }
  return parts;
}

// ---- a group ------------------------------------------------------------------------

static double agree_distance(const struct agree_group *g, const long long *key) {
  double sum = 0;
  for (unsigned p = 0; p < g->n_keys; p++)
    sum += fabs(agree_place(key[p]) - agree_place(g->key[p]));
  return sum;
}

static void agree_collect(struct agree_group *g, unsigned n) {
  g->n = 0;
  for (unsigned i = 0; i < n; i++) {
    if (!agree_is_like(g->rows[i].key, g->key, g->n_keys, g->parts))
      continue;
    double far = agree_distance(g, g->rows[i].key);
    unsigned at = g->n++;
    for (; at > 0 && far < g->far[at - 1]; at--) {
      g->far[at] = g->far[at - 1];
      g->order[at] = g->order[at - 1];
    }
    g->far[at] = far;
    g->order[at] = i;
  }
}

// ---- a candidate --------------------------------------------------------------------

// Sets the ranges of OUT from its rows. True: they contain the key.
static bool agree_range(const struct agree_group *g, struct agreement *out) {
  bool within = true;
  for (unsigned p = 0; p < g->n_keys; p++) {
    double low = INFINITY, high = -INFINITY, here = agree_place(g->key[p]);
    for (unsigned i = 0; i < out->n; i++) {
      double x = agree_place(g->rows[out->rows[i]].key[p]);
      low = fmin(low, x);
      high = fmax(high, x);
    }
    double margin = agree_has(g->parts, p) ? fmax(g->margin, high - low) : 0;
    if (g->endless && out->clean && out->n >= AGREE_ALL && agree_has(g->parts, p))
      margin = INFINITY;
    out->low[p] = low - margin;
    out->high[p] = high + margin;
    within = within && here >= out->low[p] && here <= out->high[p];
  }
  return within;
}

static uint64_t agree_hash(const long long *key, unsigned n_keys) {
  return XXH3_64bits(key, n_keys * sizeof *key);
}

static void agree_leave_out(const struct agree_group *g, unsigned row,
                            struct agreement *out) {
  out->others[out->n_others++] = agree_hash(g->rows[row].key, g->n_keys);
}

// True if the winner of row WINNER may be taken for the group's key. *OWN: how many of
// the rows that agree have it as their winner.
static bool agree_judge(const struct agree_group *g, unsigned winner,
                        struct agreement *out, unsigned *own) {
  double limit = INFINITY; // distance of the nearest row that disagrees
  unsigned same = 0, worse = 0;
  bool kept = true; // the default, in all rows that disagree
  *out = (struct agreement){ .parts = g->parts, .row = winner, .clean = true };
  *own = 0;
  for (unsigned i = 0; i < g->n; i++) {
    unsigned row = g->order[i];
    enum opinion opinion = g->rows[row].winner == g->rows[winner].winner
        ? OPINION_SAME
        : g->opinion(g->data, row, winner);
    if (opinion != OPINION_SAME)
      agree_leave_out(g, row, out);
    if (opinion == OPINION_WORSE) {
      limit = fmin(limit, g->far[i]);
      out->clean = false;
      worse++;
      kept = kept && !g->rows[row].winner;
    } else if (opinion == OPINION_SAME) {
      out->rows[out->n++] = row;
      same++;
    }
  }
  if (g->outvotes && worse && !(kept && same >= AGREE_OUTVOTE * worse))
    return false;
  if (g->outvotes)
    limit = INFINITY;
  // A row as far away as the one that disagrees does not count either.
  while (out->n > 0 && agree_distance(g, g->rows[out->rows[out->n - 1]].key) >= limit)
    out->n--;
  for (unsigned i = 0; i < out->n; i++)
    *own += g->rows[out->rows[i]].winner == g->rows[winner].winner;
  return out->n >= g->least && agree_range(g, out);
}

static bool agree_better(const struct agree_group *g, const struct agreement *a,
                         unsigned own, const struct agreement *best, unsigned best_own) {
  if (best->n == 0 || a->n != best->n)
    return a->n > best->n;
  const struct agree_row *row = &g->rows[a->row], *other = &g->rows[best->row];
  if (row->winner && other->winner && row->checked != other->checked)
    return row->checked > other->checked; // so comparisons add up
  if (own != best_own)
    return own > best_own;
  return g->rows[a->row].winner == 0; // nothing need be checked for the default
}

static bool agree_find_in(struct agree_group *g, unsigned n, struct agreement *out) {
  uint64_t seen[CANDIDATES];
  unsigned n_seen = 0, best_own = 0;
  out->n = 0;
  agree_collect(g, n);
  for (unsigned i = 0; i < g->n && g->n >= g->least && n_seen < CANDIDATES; i++) {
    struct agreement a;
    unsigned own, j = 0;
    while (j < n_seen && seen[j] != g->rows[g->order[i]].winner)
      j++;
    if (j < n_seen)
      continue;
    seen[n_seen++] = g->rows[g->order[i]].winner;
    if (agree_judge(g, g->order[i], &a, &own) &&
        agree_better(g, &a, own, out, best_own)) {
      *out = a;
      best_own = own;
    }
  }
  return out->n > 0;
}

// ---- the rule -----------------------------------------------------------------------

// Returns the parts, as bits, that differ between KEY and rows of the same EXTENT.
static uint64_t agree_counters(const struct agree_group *g, unsigned n, uint64_t extent) {
  uint64_t parts = 0;
  for (unsigned i = 0; i < n; i++)
    for (unsigned p = 0; extent && g->rows[i].extent == extent && p < g->n_keys; p++)
      parts |= (uint64_t)(g->rows[i].key[p] != g->key[p]) << p;
  return parts;
}

// Takes counters together. One tuning in four may have kept the default by noise.
static bool agree_find_counters(struct agree_group *g, unsigned n, uint64_t extent,
                                struct agreement *out) {
  g->parts = agree_counters(g, n, extent);
  g->least = AGREE_COUNTERS;
  g->margin = wide;
  g->endless = true;
  bool found = g->parts && agree_find_in(g, n, out);
  g->outvotes = true;
  found = found || (g->parts && agree_find_in(g, n, out));
  out->counters = found;
  g->outvotes = g->endless = false;
  return found;
}

static bool agree_find_any(struct agree_group *g, unsigned n, struct agreement *out) {
  uint64_t restless = agree_parts(g->rows, n, g->n_keys, AGREE_LEAST);
  uint64_t varying = agree_parts(g->rows, n, g->n_keys, 2);
  for (unsigned p = 0; p < g->n_keys; p++) {
    g->parts = (uint64_t)1 << p;
    if (agree_has(restless, p) && agree_find_in(g, n, out))
      return true;
  }
  // Parts that change together: n and a grid that follows from it.
  g->parts = restless;
  if ((restless & (restless - 1)) != 0 && agree_find_in(g, n, out))
    return true;
  // Coordinates of a few values each: all keys have to agree, and more of them.
  g->parts = varying;
  return (varying & (varying - 1)) != 0 && agree_find_in(g, n, out) && out->clean &&
      out->n >= AGREE_MANY;
}

// Takes the row that is nearest to the key, of those that differ in parts that change.
static bool agree_find_nearest(const struct agree_group *g, struct agreement *out) {
  if (g->n < AGREE_MANY)
    return false;
  *out = (struct agreement){
    .parts = g->parts, .row = g->order[0], .n = g->n, .nearest = true
  };
  memcpy(out->rows, g->order, g->n * sizeof *out->rows);
  for (unsigned i = 0; i < g->n; i++)
    if (g->rows[g->order[i]].winner != g->rows[out->row].winner)
      agree_leave_out(g, g->order[i], out);
  agree_range(g, out);
  return true;
}

bool agree_find(const long long *key, unsigned n_keys, uint64_t extent,
                const struct agree_row *rows, unsigned n, uint64_t changing,
                agree_opinion *opinion, const void *data, struct agreement *out) {
  struct agree_group g = { .key = key,
                           .n_keys = n_keys,
                           .rows = rows,
                           .opinion = opinion,
                           .data = data,
                           .least = AGREE_LEAST,
                           .margin = 1 };
  if (n_keys == 0 || n_keys > MAX_KEYS || n > AGREE_MOST)
    return false;
  if (agree_find_any(&g, n, out) || agree_find_counters(&g, n, extent, out))
    return true;
  g.parts = changing;
  g.least = AGREE_FEW;
  g.outvotes = true;
  g.margin = wide;
  if (!changing)
    return false;
  return agree_find_in(&g, n, out) || agree_find_nearest(&g, out);
}

bool agree_covers(const struct agreement *a, const long long *like, const long long *key,
                  unsigned n_keys) {
  return a->clean && agree_spans(a, like, key, n_keys);
}

bool agree_spans(const struct agreement *a, const long long *like, const long long *key,
                 unsigned n_keys) {
  if (!agree_is_like(like, key, n_keys, a->parts))
    return false;
  for (unsigned p = 0; p < n_keys; p++) {
    double here = agree_place(key[p]);
    if (agree_has(a->parts, p) && !(here >= a->low[p] && here <= a->high[p]))
      return false;
  }
  uint64_t hash = a->n_others ? agree_hash(key, n_keys) : 0;
  for (unsigned i = 0; i < a->n_others; i++)
    if (a->others[i] == hash)
      return false;
  return true;
}

// ---- for people ---------------------------------------------------------------------

// Sets *NEXT to the least value of PART above *LAST (NULL: to the least) in the rows that
// agree. False: there is none.
static bool agree_next(const struct agree_row *rows, const struct agreement *a,
                       unsigned part, const long long *last, long long *next) {
  bool any = false;
  for (unsigned i = 0; i < a->n; i++) {
    long long value = rows[a->rows[i]].key[part];
    if ((!last || value > *last) && (!any || value < *next)) {
      *next = value;
      any = true;
    }
  }
  return any;
}

// Writes the values of PART, the least first: "1, 2, 3, 4".
static void agree_say_values(const struct agree_row *rows, const struct agreement *a,
                             unsigned part, char *text, size_t size) {
  enum { SHOWN = 6 };
  long long last = 0, next = 0;
  size_t used = 0;
  text[0] = '\0';
  for (unsigned i = 0; i <= SHOWN && used < size; i++) {
    if (!agree_next(rows, a, part, i ? &last : NULL, &next))
      return;
    used += (size_t)(i == SHOWN ? snprintf(text + used, size - used, " …")
                                : snprintf(text + used, size - used, "%s%lld",
                                           i ? ", " : "", next));
    last = next;
  }
}

void agree_say(const struct agree_row *rows, const struct agreement *a, unsigned n_keys,
               const char *const *names, char *text, size_t size) {
  char values[160], parts[48] = "";
  const char *chose = rows[a->row].winner ? "chose the same"
                                          : "found nothing better than the default";
  unsigned first = (unsigned)__builtin_ctzll(a->parts);
  size_t used = 0;
  for (unsigned p = first; p < n_keys && used < sizeof parts; p++)
    if (agree_has(a->parts, p))
      used += (size_t)snprintf(parts + used, sizeof parts - used, "%s%.24s",
                               used ? ", " : "", names ? names[p] : "the key");
  agree_say_values(rows, a, first, values, sizeof values);
  if (a->nearest)
    snprintf(text, size,
             "%s has too many values to tune each: of %u tuned keys the "
             "winner of the nearest is taken",
             parts, a->n);
  else if (a->parts & (a->parts - 1))
    snprintf(text, size, "%s are not looked at: %u tuned keys %s", parts, a->n, chose);
  else
    snprintf(text, size, "%s is not looked at: its values %.80s %s", parts, values,
             chose);
}
