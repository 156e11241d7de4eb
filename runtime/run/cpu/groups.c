// SPDX-License-Identifier: Apache-2.0
// groups.c: how memory of an unknown type is compared. Neighbouring pieces are one group.
// Words of it that look like doubles or like pairs of floats are compared as such, by the
// rule of verify.h with the group's own scale, since a right variant may round otherwise.
// All others must be the same bit for bit, and so must all words where the text of the
// kernel has no such type.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unnamed.h"

// ---- groups -------------------------------------------------------------------------

// True if BITS are 0, or a number within 2^LIMIT and its inverse in a format of EXPONENT
// and FRACTION bits.
static bool group_plausible(uint64_t bits, unsigned exponent, unsigned fraction,
                            long limit) {
  long bias = (1l << (exponent - 1)) - 1;
  long e = (long)(bits >> fraction & ((1ull << exponent) - 1)) - bias;
  return bits == 0 || (e > -limit && e < limit);
}

static bool group_is_double(uint64_t word) {
  return group_plausible(word, 11, 52, 100);
}

static bool group_is_floats(uint64_t word) {
  return group_plausible((uint32_t)word, 8, 23, 64) &&
      group_plausible(word >> 32, 8, 23, 64);
}

// Returns WORD, with 0 for a half that does not look like a float.
static uint64_t group_float_halves(uint64_t word) {
  const uint64_t low = (uint32_t)word, high = word >> 32;
  return (group_plausible(low, 8, 23, 64) ? low : 0) |
      (group_plausible(high, 8, 23, 64) ? high << 32 : 0);
}

// True if all N words are pairs of floats. The lower half of a double that needs few
// digits is 0, so most of the lower halves must be something else.
static bool group_are_floats(const uint64_t *words, size_t n) {
  size_t low = 0, used = 0;
  bool floats = true;
  for (size_t i = 0; i < n; i++) {
    floats = floats && group_is_floats(words[i]);
    used += words[i] != 0;
    low += (uint32_t)words[i] != 0;
  }
  return floats && 2 * low > used;
}

struct group_types {
  bool floats, doubles; // the kernel may write numbers of this type
};

static bool group_has_words(const struct kept *k) {
  return ((uintptr_t)k->base | k->size) % WORD == 0;
}

// Returns the index after the group that begins with piece FIRST.
static unsigned group_end(const struct unnamed *u, unsigned first) {
  unsigned i = first + 1;
  for (; i < u->n; i++) {
    const struct kept *k = &u->list[i], *last = k - 1;
    if (k->kind != last->kind || k->base - (last->base + last->size) > NEIGHBOURS)
      break;
  }
  return i;
}

static uint64_t group_word(const struct unnamed *u, const struct kept *k, size_t i) {
  uint64_t word;
  memcpy(&word, u->bytes + k->at + k->size + i * WORD, WORD);
  return word;
}

// Adds to the floats of piece K the words that look like floats from its end on, or from
// its beginning on.
static void group_grow(const struct unnamed *u, struct kept *k, bool from_end) {
  size_t n = group_has_words(k) ? k->size / WORD : 0;
  for (size_t i = 0; i < n; i++) {
    size_t at = from_end ? n - 1 - i : i;
    if (!group_is_floats(group_word(u, k, at)))
      return;
    k->floats |= (unsigned char)(1 << at);
  }
}

// Decides which words of the pieces from FIRST to before END are floats. A few pieces of
// doubles look like floats by chance, but hardly two neighbours. The ends of an array of
// floats lie within the pieces next to it. TYPES: if there may be any.
static void group_find_floats(struct unnamed *u, unsigned first, unsigned end,
                              const struct group_types *types) {
  uint64_t words[PIECE / WORD];
  if (!types->floats || !types->doubles) {
    for (unsigned i = first; i < end; i++)
      u->list[i].floats = types->floats ? WHOLE : 0;
    return;
  }
  struct kept *list = u->list;
  for (unsigned i = first; i < end; i++) {
    size_t n = group_has_words(&list[i]) ? list[i].size / WORD : 0;
    for (size_t w = 0; w < n; w++)
      words[w] = group_word(u, &list[i], w);
    list[i].floats = group_are_floats(words, n) ? WHOLE : 0;
  }
  for (unsigned i = first; i < end; i++) {
    bool before = i > first && list[i - 1].floats,
         after = i + 1 < end && list[i + 1].floats;
    if (!before && !after && end - first > 1)
      list[i].floats = 0;
  }
  for (unsigned i = first; i < end; i++) {
    if (list[i].floats)
      continue;
    if (i > first && list[i - 1].floats == WHOLE)
      group_grow(u, &list[i], false);
    if (i + 1 < end && list[i + 1].floats == WHOLE)
      group_grow(u, &list[i], true);
  }
}

// Adds the numbers of piece K to WORDS: floats, or else doubles. Returns how many.
static size_t group_take(const struct unnamed *u, const struct kept *k, bool floats,
                         uint64_t *words) {
  size_t n = 0, all = group_has_words(k) ? k->size / WORD : 0;
  for (size_t i = 0; i < all; i++) {
    uint64_t word = group_word(u, k, i);
    bool is_floats = k->floats >> i & 1;
    if (is_floats)
      word = group_float_halves(word);
    if (word && !(k->restless >> i & 1) && is_floats == floats &&
        (floats || group_is_double(word)))
      words[n++] = word;
  }
  return n;
}

// Makes the pieces from FIRST to before END group INDEX. WORDS has room for all of them
// and one more.
static void group_make(const struct image *m, unsigned first, unsigned end,
                       unsigned index, const struct group_types *types, uint64_t *words) {
  struct unnamed *u = m->unnamed;
  struct group *g = &u->groups[index];
  group_find_floats(u, first, end, types);
  for (int floats = 0; floats < 2; floats++) {
    size_t n = 0;
    for (unsigned i = first; i < end; i++) {
      struct kept *k = &u->list[i];
      k->group = index;
      n += group_take(u, k, floats, words + n);
    }
    *(floats ? &g->floats : &g->doubles) = n > 0 &&
        (floats ? types->floats : types->doubles);
    *(floats ? &g->as_float : &g->as_double) = verify_tolerance(
        m->kernel, floats ? AUTOTUNE_F32 : AUTOTUNE_F64, words, n * WORD);
  }
}

// Groups that are too many have no numbers.
void group_make_all(const struct image *m) {
  struct unnamed *u = m->unnamed;
  uint64_t *words = sys_malloc(u->used / 2 + 2 * WORD);
  const struct group_types types = { kernel_may_write(m->kernel, "float"),
                                     kernel_may_write(m->kernel, "double") };
  unsigned n = 1; // group 0 has no numbers
  for (unsigned i = 0, end; words && i < u->n && !u->lost && n < MAX_GROUPS; i = end) {
    end = group_end(u, i);
    group_make(m, i, end, n++, &types, words);
  }
  free(words);
}

// True if each half of the word at GOT is that at EXPECTED, or a float near to it.
static bool group_floats_agree(const struct group *g, const char *expected,
                               const char *got) {
  const size_t half = WORD / 2;
  for (size_t at = 0; at < WORD; at += half) {
    uint32_t x, y;
    memcpy(&x, expected + at, sizeof x);
    memcpy(&y, got + at, sizeof y);
    if (x != y &&
        (!group_plausible(x, 8, 23, 64) || !group_plausible(y, 8, 23, 64) ||
         verify_difference(AUTOTUNE_F32, g->as_float, expected + at, got + at, half, 0,
                           NULL) != SIZE_MAX))
      return false;
  }
  return true;
}

bool group_agree(struct reading r, const char *expected, const char *got) {
  uint64_t x,
      y; // 0 and a count of 1 are close as doubles, so both must look like numbers
  memcpy(&x, expected, sizeof x);
  memcpy(&y, got, sizeof y);
  if (x == y)
    return true;
  if (r.group && r.floats && r.group->floats)
    return group_floats_agree(r.group, expected, got);
  return r.group && r.group->doubles && group_is_double(x) && group_is_double(y) &&
      verify_difference(AUTOTUNE_F64, r.group->as_double, expected, got, WORD, 0, NULL) ==
      SIZE_MAX;
}

void group_numbers(struct reading r, const char *expected, const char *got, char *text,
                   size_t size) {
  double d[2];
  float f[2][2];
  memcpy(&d[0], expected, WORD);
  memcpy(&d[1], got, WORD);
  memcpy(f[0], expected, WORD);
  memcpy(f[1], got, WORD);
  *text = '\0';
  if (r.group && r.floats) {
    int i = memcmp(&f[0][0], &f[1][0], sizeof f[0][0]) == 0;
    snprintf(text, size, " (%.9g instead of %.9g)", f[1][i], f[0][i]);
  } else if (r.group && r.group->doubles && isnormal(d[0])) {
    snprintf(text, size, " (%.9g instead of %.9g)", d[1], d[0]);
  }
}

struct reading group_reading(const struct unnamed *u, const struct kept *k, size_t word) {
  return (struct reading){ group_has_words(k) && k->group ? &u->groups[k->group] : NULL,
                           k->floats >> word & 1 };
}

// Returns how a word at AT that no piece holds is compared: like that of a neighbour.
struct reading group_reading_at(const struct unnamed *u, const char *at) {
  size_t i = unnamed_after(u, at);
  const struct kept *before = i > 0 ? &u->list[i - 1] : NULL,
                    *after = i < u->sorted ? &u->list[i] : NULL;
  if (before && at - (before->base + before->size) <= NEIGHBOURS)
    return group_reading(u, before, (before->size - 1) / WORD);
  if (after && after->base - at <= NEIGHBOURS)
    return group_reading(u, after, 0);
  return (struct reading){ NULL, false };
}
