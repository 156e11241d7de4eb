// SPDX-License-Identifier: Apache-2.0
// made_up.c: data that a call has not had. docs/design.md says why each set is sound.
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "made_up.h"
#include "verify.h"

enum { ORDERED = 8, SPECIAL = 4 }; // numbers that say something, or have room for two
static const double larger = 256, another_zero = 0.3125, another = 0.75;
enum { SMALLER = 24 }; // binary digits, at most

const char *const made_up_names[MADE_UPS] = {
  [MADE_UP_NONE] = "the call's own data",   [MADE_UP_FILLED] = "other values",
  [MADE_UP_LARGE] = "larger values",        [MADE_UP_SIGNS] = "other signs",
  [MADE_UP_SPECIAL] = "a NaN, an infinity", [MADE_UP_SIZE] = "a smaller size",
  [MADE_UP_DIGITS] = "more digits",         [MADE_UP_MIXED] = "mixed sizes",
};

static bool made_up_knows(enum autotune_element e) {
  return e == AUTOTUNE_F32 || e == AUTOTUNE_F64;
}

// Writes X as element I of DATA, which need not be aligned.
static void made_up_set(enum autotune_element e, void *data, size_t i, double x) {
  float f = (float)x;
  if (e == AUTOTUNE_F64)
    memcpy((char *)data + i * sizeof x, &x, sizeof x);
  else
    memcpy((char *)data + i * sizeof f, &f, sizeof f);
}

static bool made_up_is_whole(double x) {
  return fabs(x) < 0x1p53 ? x == (double)(int64_t)x : x == trunc(x);
}

struct numbers made_up_look(enum autotune_element e, const void *data, size_t bytes) {
  struct numbers n = { 0 };
  double block[VERIFY_BLOCK];
  bool rises = true, falls = true;
  if (!made_up_knows(e) || bytes == 0)
    return n;
  n = (struct numbers){ .n = bytes / (e == AUTOTUNE_F64 ? sizeof(double) : sizeof(float)),
                        .finite = true,
                        .whole = true };
  verify_read(e, data, 0, 1, &n.first);
  double last = n.first;
  for (size_t i = 0; i < n.n; i++) {
    double x = block[i % VERIFY_BLOCK];
    if (i % VERIFY_BLOCK == 0) {
      verify_read(e, data, i, n.n - i < VERIFY_BLOCK ? n.n - i : VERIFY_BLOCK, block);
      x = block[0];
    }
    n.finite &= isfinite(x) != 0;
    n.whole = n.whole && made_up_is_whole(x);
    rises &= x >= last;
    falls &= x <= last;
    last = x;
  }
  n.equal = rises && falls;
  n.zero = n.equal && n.first == 0;
  n.sorted = (rises || falls) && !n.equal && n.n >= ORDERED;
  return n;
}

bool made_up_changes(enum made_up set, const struct numbers *n, bool indices) {
  bool filled = n->n > 0 && n->finite && n->equal && (!indices || !n->whole || n->zero);
  if (n->n == 0 || !n->finite || set == MADE_UP_NONE || set == MADE_UP_SIZE)
    return false;
  if (set == MADE_UP_FILLED || (indices && filled))
    return filled;
  if (indices || (n->zero && n->n == 1)) // one zero may be a count, or a sum that begins
    return false;
  return set != MADE_UP_SPECIAL || n->n >= SPECIAL;
}

double made_up_scalar(double x, bool indices) {
  bool whole = x == trunc(x);
  if (!isfinite(x) || (indices && whole && x != 0))
    return x;
  return x == 0 ? another_zero : another * x;
}

// ---- writing ------------------------------------------------------------------------

// Returns a number below 1 that depends on the bits of SEED alone.
static double made_up_unit(uint64_t seed) {
  return rng_unit(&(uint64_t){ seed * 0x9E3779B97F4A7C15u + 1 });
}

// Returns a number in place of element I of a section of equal numbers. It stays within
// half of X and X, and converted to an integer never leaves 0 to X.
static double made_up_fill(double x, uint64_t seed, size_t i) {
  double u = made_up_unit(seed + i);
  return x == 0 ? 0.0625 + 0.4 * u : x * (0.5 + 0.5 * u);
}

// Depends on the magnitude alone, so that equal numbers keep equal signs.
static double made_up_turn(double x) {
  const uint64_t sign = UINT64_C(1) << 63;
  uint64_t bits, magnitude;
  memcpy(&bits, &x, sizeof bits);
  magnitude = bits & ~sign;
  bits ^= rng_next(&magnitude) & sign;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// Likewise.
static double made_up_shrink(double x) {
  double magnitude = fabs(x);
  uint64_t state;
  memcpy(&state, &magnitude, sizeof state);
  return ldexp(x, -(int)(rng_next(&state) % (SMALLER + 1)));
}

// Likewise.
static double made_up_extend(double x) {
  double magnitude = fabs(x);
  uint64_t seed;
  memcpy(&seed, &magnitude, sizeof seed);
  return x + 0x1p-20 * made_up_unit(seed) * x;
}

void made_up_write(enum made_up set, enum autotune_element e, const struct numbers *n,
                   uint64_t seed, void *data) {
  double block[VERIFY_BLOCK];
  for (size_t i = 0; i < n->n; i++) {
    if (i % VERIFY_BLOCK == 0)
      verify_read(e, data, i, n->n - i < VERIFY_BLOCK ? n->n - i : VERIFY_BLOCK, block);
    double x = block[i % VERIFY_BLOCK];
    if (n->equal)
      x = n->n == 1 ? made_up_scalar(x, false) : made_up_fill(x, seed, i);
    if (set == MADE_UP_LARGE)
      x *= larger;
    else if (set == MADE_UP_SIGNS)
      x = made_up_turn(x);
    else if (set == MADE_UP_MIXED)
      x = made_up_shrink(x);
    else if (set == MADE_UP_DIGITS)
      x = made_up_extend(x);
    made_up_set(e, data, i, x);
  }
  if (set != MADE_UP_SPECIAL)
    return;
  size_t at = (size_t)(made_up_unit(seed) * (double)n->n);
  made_up_set(e, data, at, NAN);
  made_up_set(e, data, (at + 1 + (n->n - 1) / 2) % n->n, INFINITY);
}
