// SPDX-License-Identifier: Apache-2.0
// groups.c: how memory of an unknown type is compared. Neighbouring pieces are one group.
// Words of it that look like doubles or like pairs of floats are compared as such, by the
// rule of verify.h with the group's own scale, since a right variant may round otherwise.
// All others must be the same bit for bit, and so must addresses, and all words where the
// text of the kernel has no such type. Only what certainly is a number tells the scale.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unnamed.h"

// ---- numbers ------------------------------------------------------------------------

struct format {
  unsigned exponent, fraction; // bits
  long limit;                  // numbers are within 2^LIMIT and its inverse
  size_t size;                 // bytes
  unsigned digits;             // rounding leaves numbers that are so many bits smaller
};
static const struct format as_float = { 8, 23, 64, 4, 30 },
                           as_double = { 11, 52, 100, 8, 60 };

// Returns the binary exponent of BITS. -BIAS - 1 and less are of no normal number.
static long group_exponent(const struct format *f, uint64_t bits) {
  return (long)(bits >> f->fraction & ((1ull << f->exponent) - 1)) -
      ((1l << (f->exponent - 1)) - 1);
}

// True if BITS are 0, or a number within the limits of F.
static bool group_plausible(const struct format *f, uint64_t bits) {
  long e = group_exponent(f, bits);
  return bits == 0 || (e > -f->limit && e < f->limit);
}

// True if BITS are a number beyond the limits of F. Small whole numbers, of either sign,
// and addresses are none.
static bool group_strange(const struct format *f, uint64_t bits) {
  const long bias = (1l << (f->exponent - 1)) - 1, e = group_exponent(f, bits);
  return e > -bias && e <= bias && !group_plausible(f, bits);
}

static bool group_is_double(uint64_t word) {
  return group_plausible(&as_double, word);
}

static bool group_is_floats(uint64_t word) {
  return group_plausible(&as_float, (uint32_t)word) &&
      group_plausible(&as_float, word >> 32);
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

// ---- addresses ----------------------------------------------------------------------

// Notes which upper halves the addresses of the regions have.
static void group_note_uppers(struct unnamed *u, const struct changes *c) {
  u->n_uppers = 0;
  for (unsigned i = 0; i < c->n_regions; i++) {
    const uintptr_t base = (uintptr_t)c->regions[i].base;
    const uint32_t low = (uint32_t)(base >> 32),
                   high = (uint32_t)((base + c->regions[i].size - 1) >> 32);
    unsigned known = 0;
    while (known < u->n_uppers &&
           (low < u->uppers[known].low || high > u->uppers[known].high))
      known++;
    if (known == u->n_uppers && known < MAX_UPPERS && high > 0)
      u->uppers[u->n_uppers++] = (struct uppers){ low > 0 ? low : 1, high };
  }
}

// True if WORD looks like an address in the program's memory.
static bool group_is_address(const struct unnamed *u, uint64_t word) {
  for (unsigned i = 0; i < u->n_uppers; i++)
    if (word >> 32 >= u->uppers[i].low && word >> 32 <= u->uppers[i].high)
      return true;
  return false;
}

// ---- groups -------------------------------------------------------------------------

enum {
  AROUND = 2, // pieces on each side that tell the type of one
  FEW = 7,    // floats
  NEAR = 8    // exponents
};
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

// Finds the words of the pieces from FIRST to before END that look like arrays of floats.
// A few pieces of doubles look like floats by chance, but hardly two neighbours. The ends
// of an array of floats lie within the pieces next to it.
static void group_find_floats(struct unnamed *u, unsigned first, unsigned end) {
  uint64_t words[PIECE / WORD];
  struct kept *list = u->list;
  for (unsigned i = first; i < end; i++) {
    size_t n = group_has_words(&list[i]) ? list[i].size / WORD : 0;
    for (size_t w = 0; w < n; w++)
      words[w] = group_word(u, &list[i], w);
    list[i].floats = n > 0 && group_are_floats(words, n) ? WHOLE : 0;
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

// What a piece and its neighbours say of their type.
struct votes {
  int pieces, of_floats;   // of_floats: that look like arrays of floats
  int floats, no_floats;   // halves of words that are not 0: plausible, strange
  int doubles, no_doubles; // words that are none of floats: likewise
};

// Adds SIGN times the votes of piece K.
static void group_vote(const struct unnamed *u, const struct kept *k, struct votes *v,
                       int sign) {
  size_t n = group_has_words(k) ? k->size / WORD : 0;
  v->pieces += sign;
  v->of_floats += sign * (k->floats == WHOLE);
  for (size_t i = 0; i < n; i++) {
    const uint64_t word = group_word(u, k, i), low = (uint32_t)word, high = word >> 32;
    v->floats += sign * (low && group_plausible(&as_float, low));
    v->floats += sign * (high && group_plausible(&as_float, high));
    v->no_floats += sign * group_strange(&as_float, low);
    v->no_floats += sign * group_strange(&as_float, high);
    if (k->floats >> i & 1)
      continue;
    v->doubles += sign * (word && group_is_double(word));
    v->no_doubles += sign * group_strange(&as_double, word);
  }
}

// Decides how piece K is compared, of which V says that it has numbers or not. Half of
// random halves of words look like floats, and a tenth of random words like doubles.
static void group_decide(const struct unnamed *u, struct kept *k, const struct votes *v,
                         const struct group_types *types) {
  k->scaled = k->floats != WHOLE || 2 * v->of_floats > v->pieces ? k->floats : 0;
  if (!types->doubles)
    k->floats = v->floats >= 2 * v->no_floats ? WHOLE : 0;
  else if (!k->floats && v->doubles < v->no_doubles)
    k->group = 0;
  for (size_t i = 0; k->floats && group_has_words(k) && i < k->size / WORD; i++)
    if (group_is_address(u, group_word(u, k, i)))
      k->floats &= (unsigned char)~(1 << i);
}

// Decides how the pieces from FIRST to before END are compared, each by what it and its
// neighbours hold.
static void group_decide_all(struct unnamed *u, unsigned first, unsigned end,
                             const struct group_types *types) {
  struct votes v = { 0 };
  unsigned char floats[AROUND]; // of the pieces before, as they were found
  for (unsigned i = first; i < end && i < first + AROUND; i++)
    group_vote(u, &u->list[i], &v, 1);
  for (unsigned i = first; i < end; i++) {
    struct kept *k = &u->list[i];
    if (i + AROUND < end)
      group_vote(u, k + AROUND, &v, 1);
    unsigned char found = k->floats;
    group_decide(u, k, &v, types);
    if (i >= first + AROUND) {
      struct kept gone = k[-AROUND];
      gone.floats = floats[(i - first) % AROUND];
      group_vote(u, &gone, &v, -1);
    }
    floats[(i - first) % AROUND] = found;
  }
  for (unsigned i = first; i < end; i++) { // ends of an array are like the array
    struct kept *k = &u->list[i];
    if (k->scaled && k->scaled != WHOLE && !(i > first && k[-1].scaled == WHOLE) &&
        !(i + 1 < end && k[1].scaled == WHOLE))
      k->scaled = 0;
  }
}

// ---- scales -------------------------------------------------------------------------

// True if piece K has a word that is no double.
static bool group_is_mixed(const struct unnamed *u, const struct kept *k) {
  for (size_t i = 0; i < k->size / WORD; i++)
    if (!(k->floats >> i & 1) && group_strange(&as_double, group_word(u, k, i)))
      return true;
  return false;
}

// Writes the numbers of piece K that tell the scale to NUMBERS: floats, or doubles; those
// that are 0 tell nothing. Returns how many.
static size_t group_take(const struct unnamed *u, const struct kept *k,
                         const struct format *f, uint64_t *numbers) {
  size_t n = 0, all = group_has_words(k) ? k->size / WORD : 0;
  for (size_t i = 0; i < all; i++) {
    uint64_t word = group_word(u, k, i);
    bool floats = f == &as_float;
    if (k->restless >> i & 1 || !((floats ? k->scaled : ~k->floats) >> i & 1))
      continue;
    if (floats && (uint32_t)word)
      numbers[n++] = (uint32_t)word;
    if (floats && word >> 32)
      numbers[n++] = word >> 32;
    if (!floats && word && group_is_double(word))
      numbers[n++] = word;
  }
  return n;
}

static size_t group_take_all(const struct unnamed *u, unsigned first, unsigned end,
                             const struct format *f, bool mixed, uint64_t *numbers) {
  size_t n = 0;
  for (unsigned i = first; i < end; i++)
    if (u->list[i].group > 0 && (mixed || !group_is_mixed(u, &u->list[i])))
      n += group_take(u, &u->list[i], f, numbers + n);
  return n;
}

// Returns the exponent of number RANK of N by size.
static long group_rank(const struct format *f, const uint64_t *numbers, size_t n,
                       size_t rank) {
  size_t counts[200] = { 0 };
  long e = 0;
  for (size_t i = 0; i < n; i++)
    counts[group_exponent(f, numbers[i]) + f->limit]++;
  while (rank >= counts[e])
    rank -= counts[e++];
  return e - f->limit;
}

// Packs those of N numbers whose exponent is at most MOST. Returns their bytes.
static size_t group_pack(const struct format *f, uint64_t *numbers, size_t n, long most) {
  size_t used = 0;
  for (size_t i = 0; i < n; i++) {
    uint64_t bits = numbers[i];
    uint32_t half = (uint32_t)bits;
    if (group_exponent(f, bits) > most)
      continue;
    memcpy((char *)numbers + used, f->size == WORD ? (void *)&bits : (void *)&half,
           f->size);
    used += f->size;
  }
  return used;
}

// Returns what numbers of a group may differ by. What does not belong to them would make
// the scale too large, and then any number would agree. So few floats have no scale, and
// numbers that are far above most others do not count.
static struct tolerance group_tolerance(const struct image *m, unsigned first,
                                        unsigned end, const struct format *f,
                                        uint64_t *numbers) {
  const struct unnamed *u = m->unnamed;
  const bool floats = f == &as_float;
  size_t all = group_take_all(u, first, end, f, true, numbers), bytes = 0;
  size_t n = floats ? all : group_take_all(u, first, end, f, false, numbers);
  if (2 * n >= all && n > (floats ? FEW : 0))
    bytes = group_pack(f, numbers, n, group_rank(f, numbers, n, n / 3) + f->digits);
  else if (!floats && (n = group_take_all(u, first, end, f, true, numbers)) > 0)
    bytes = group_pack(f, numbers, n, group_rank(f, numbers, n, n / 2) + NEAR);
  return verify_tolerance(m->kernel, floats ? AUTOTUNE_F32 : AUTOTUNE_F64, numbers,
                          bytes);
}

// Makes the pieces from FIRST to before END group INDEX. NUMBERS has room for each half
// of their words.
static void group_make(const struct image *m, unsigned first, unsigned end,
                       unsigned index, const struct group_types *types,
                       uint64_t *numbers) {
  struct unnamed *u = m->unnamed;
  struct group *g = &u->groups[index];
  for (unsigned i = first; i < end; i++) {
    u->list[i].group = index;
    u->list[i].floats = u->list[i].scaled = 0;
  }
  if (types->floats)
    group_find_floats(u, first, end);
  if (types->floats || types->doubles)
    group_decide_all(u, first, end, types);
  g->table = 0;
  g->floats = types->floats;
  g->doubles = types->doubles;
  g->as_float = group_tolerance(m, first, end, &as_float, numbers);
  g->as_double = group_tolerance(m, first, end, &as_double, numbers);
  g->unscaled = verify_tolerance(m->kernel, AUTOTUNE_F32, NULL, 0);
}

// Groups that are too many have no numbers.
void group_make_all(const struct image *m, bool anew) {
  struct unnamed *u = m->unnamed;
  if (u->grouped && !anew)
    return;
  u->grouped = true;
  uint64_t *numbers = sys_malloc(u->used + 2 * WORD);
  const struct group_types types = { kernel_may_write(m->kernel, "float"),
                                     kernel_may_write(m->kernel, "double") };
  unsigned n = 1; // group 0 has no numbers
  group_note_uppers(u, m->changes);
  for (unsigned i = 0, end; numbers && i < u->n && !u->lost && n < MAX_GROUPS; i = end) {
    end = group_end(u, i);
    group_make(m, i, end, n++, &types, numbers);
  }
  free(numbers);
}

bool group_number(bool floats, const char *at, double *x) {
  uint32_t half;
  uint64_t word;
  float f;
  if (floats) {
    memcpy(&half, at, sizeof half);
    memcpy(&f, at, sizeof f);
    *x = (double)f;
    return group_plausible(&as_float, half);
  }
  memcpy(&word, at, sizeof word);
  memcpy(x, at, sizeof *x);
  return group_plausible(&as_double, word);
}

// True if number I of a word agrees with the one at EXPECTED: a float or a double.
static bool group_numbers_agree(struct reading r, bool floats, unsigned i,
                                const char *expected, const char *got) {
  struct tolerance t = !floats ? r.group->as_double
      : r.scaled               ? r.group->as_float
                               : r.group->unscaled;
  double x, y;
  if (!group_number(floats, expected, &x) || !group_number(floats, got, &y))
    return false;
  t.atol = moved_atol(r, floats, i, x, t.atol);
  return verify_difference(floats ? AUTOTUNE_F32 : AUTOTUNE_F64, t, expected, got,
                           floats ? sizeof(float) : sizeof(double), 0, NULL) == SIZE_MAX;
}

// True if each half of the word at GOT is that at EXPECTED, or a float near to it.
static bool group_floats_agree(struct reading r, const char *expected, const char *got) {
  const size_t half = WORD / 2;
  for (unsigned i = 0; i < 2; i++)
    if (memcmp(expected + i * half, got + i * half, half) != 0 &&
        !group_numbers_agree(r, true, i, expected + i * half, got + i * half))
      return false;
  return true;
}

bool group_agree(struct reading r, const char *expected, const char *got) {
  if (memcmp(expected, got, WORD) == 0)
    return true;
  if (r.group && r.floats && r.group->floats)
    return group_floats_agree(r, expected, got);
  // 0 and a count of 1 are close as doubles, so both must look like numbers.
  return r.group && r.group->doubles && group_numbers_agree(r, false, 0, expected, got);
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
  const struct group *g = group_has_words(k) && k->group ? &u->groups[k->group] : NULL;
  return (struct reading){ g, k->floats >> word & 1, k->scaled >> word & 1,
                           g && g->table ? &u->tables[g->table - 1] : NULL,
                           u->moves + k->at / 2 + word * WORD };
}

// Returns how a word at AT that no piece holds is compared: like that of a neighbour. An
// address is compared bit for bit.
struct reading group_reading_at(const struct unnamed *u, const char *at,
                                const char *before) {
  size_t i = unnamed_after(u, at);
  const struct kept *last = i > 0 ? &u->list[i - 1] : NULL,
                    *next = i < u->sorted ? &u->list[i] : NULL;
  uint64_t word;
  memcpy(&word, before, sizeof word);
  if (group_is_address(u, word))
    return (struct reading){ 0 };
  struct reading r = { 0 };
  if (last && at - (last->base + last->size) <= NEIGHBOURS)
    r = group_reading(u, last, (last->size - 1) / WORD);
  else if (next && next->base - at <= NEIGHBOURS)
    r = group_reading(u, next, 0);
  r.own = NULL;
  return r;
}
