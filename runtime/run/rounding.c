// SPDX-License-Identifier: Apache-2.0
// rounding.c: how far apart right answers of one kernel may be.
//
// Rounding errors of an element are a fraction of the numbers from which it was computed.
// These may be much larger than the element, where they cancel: a residual, an orthogonal
// vector, a bin of a transform in which there is no tone. Nothing in the output tells how
// large they were, and its mean tells little: one sentinel or one sum next to small
// numbers hides what is wrong with those. So it is measured. The default runs again, with
// each input changed in its last digit. What this does to an element, divided by the
// change, is the scale of the numbers behind it, and rtol of that is what it may be off.
//
// Some rounding does not show this way: of inputs that are integers, and of sums that
// lose digits on the way. Where the kernel as written already gives other bits when the
// variants' compiler makes it, variants may be as far off, too.
//
// An element that changes altogether is not determined by the inputs, but by rounding:
// the direction of a vector of which nothing but noise was left. No answer is right or
// wrong there. Such elements are known one by one, and the others are compared as usual.
//
// Elements of one size share what was measured, because that of one element alone may be
// small by chance.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "verify.h"

typedef verify_number number;

enum {
  BIAS = 1023,
  NEAR = 10,      // sizes: numbers up to 1000 times as large
  ENOUGH = 8,     // elements that moved, to know their largest move
  SENTINELS = 3,  // equal numbers, at least
  PART = 64,      // and one in so many
  ALLOWANCE = 16, // times what was seen
  MOST = 8        // all but one of so many
};

unsigned verify_size(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  unsigned exponent = bits >> 52 & 0x7ff;
  return x == 0 ? 0 : exponent < VERIFY_SIZES - 1 ? exponent + 1 : VERIFY_SIZES - 1;
}

// Returns the power of two of a size.
static int rounding_exponent(unsigned size) {
  return size > 1 ? (int)size - 1 - BIAS : 1 - BIAS;
}

// ---- scales -------------------------------------------------------------------------

// Returns X, which is not negative, divided by the power of two of its size.
static double rounding_part(double x) {
  uint64_t bits;
  if (x < DBL_MIN)
    return x * 0x1p1022;
  memcpy(&bits, &x, sizeof bits);
  bits = (bits & 0xfffffffffffffu) | (uint64_t)BIAS << 52;
  memcpy(&x, &bits, sizeof x);
  return x;
}

void verify_count(enum autotune_element e, const void *data, size_t bytes,
                  struct verify_counts *c) {
  verify_read_fn *read = verify_reader(e);
  size_t n = read ? bytes / verify_element_size(e) : 0;
  for (size_t i = 0; i < n; i++) {
    number wide = read(data, i);
    double x = fabs((double)wide);
    if (!isfinite(x))
      continue;
    unsigned size = verify_size(x);
    double part = rounding_part(x);
    c->least[size] = c->n[size] ? fmin(c->least[size], x) : x;
    c->most[size] = fmax(c->most[size], x);
    c->squares[size] += part * part;
    c->n[size]++;
  }
}

// Returns the largest size below TOP (0: none) that numbers have.
static unsigned rounding_below(const struct verify_counts *c, unsigned top) {
  while (top > 0 && c->n[--top] == 0)
    ;
  return c->n[top] ? top : 0;
}

// Returns one more than the largest size without sentinels.
static unsigned rounding_top(const struct verify_counts *c, unsigned long long all,
                             bool zeros) {
  unsigned top = rounding_below(c, VERIFY_SIZES);
  for (unsigned next; (next = rounding_below(c, top)) > 0 || zeros; top = next)
    if (top == 0 || top - next < NEAR || c->least[top] != c->most[top] ||
        c->n[top] < SENTINELS || c->n[top] < all / PART)
      break;
  return top + 1;
}

double verify_scale(const struct verify_counts *c, bool zeros) {
  unsigned long long all = 0, n = 0;
  number squares = 0;
  for (unsigned i = 0; i < VERIFY_SIZES; i++)
    all += c->n[i];
  unsigned top = rounding_top(c, all, zeros);
  for (unsigned i = 0; i < top; i++) {
    n += c->n[i];
    squares += ldexpl(c->squares[i], 2 * rounding_exponent(i));
  }
  return n ? (double)sqrtl(squares / (number)n) : 0;
}

struct tolerance verify_tolerance(const struct autotune_kernel *k,
                                  enum autotune_element e, const void *reference,
                                  size_t bytes) {
  struct tolerance t = verify_allowed(k, e);
  if (!verify_needs_scale(t))
    return t;
  struct verify_counts *c = sys_calloc(1, sizeof *c);
  if (c)
    verify_count(e, reference, bytes, c);
  t = verify_scaled(t, c ? verify_scale(c, false) : 0);
  free(c);
  return t;
}

// ---- measuring ----------------------------------------------------------------------

double verify_limit(double rtol, double scale) {
  return sqrt(rtol) * scale / ALLOWANCE;
}

void verify_far(enum autotune_element e, const void *reference, const void *other,
                size_t bytes, double limit, size_t *moved, size_t *far) {
  verify_read_fn *read = verify_reader(e);
  size_t n = read ? bytes / verify_element_size(e) : 0;
  for (size_t i = 0; i < n; i++) {
    number move = fabsl(read(other, i) - read(reference, i));
    *moved += isfinite(move) && move > 0;
    *far += isfinite(move) && move > limit;
  }
}

bool verify_is_residual(size_t moved, size_t far) {
  return far * MOST >= moved * (MOST - 1);
}

// Notes that element I is undetermined: it moved by MOVE.
static void rounding_exclude(struct verify_noise *n, size_t i, double move) {
  unsigned char bit = (unsigned char)(1 << i % 8);
  n->n_undetermined += !(n->undetermined[i / 8] & bit);
  n->undetermined[i / 8] |= bit;
  n->furthest = fmax(n->furthest, move);
}

void verify_move(enum autotune_element e, const void *reference, const void *other,
                 size_t bytes, size_t first, struct verify_noise *n,
                 struct verify_moves *m) {
  verify_read_fn *read = verify_reader(e);
  size_t each = verify_element_size(e), count = read ? bytes / each : 0;
  if (count == 0 || memcmp(reference, other, bytes) == 0)
    return;
  for (size_t i = 0; i < count; i++) {
    if (memcmp((const char *)reference + i * each, (const char *)other + i * each,
               each) == 0)
      continue;
    number was = read(reference, i);
    double move = (double)fabsl(read(other, i) - was);
    unsigned size = verify_size((double)was);
    if (move > n->limit && isfinite(move)) {
      rounding_exclude(n, first + i, move);
    } else if (isfinite(move) && move > 0) {
      m->n[size] += m->n[size] < UINT32_MAX;
      m->most[size] = fmax(m->most[size], move);
    }
  }
}

double verify_step(unsigned digits) {
  return ldexp(1, 2 - (int)digits); // nudges are 1/4 to 3/2 of that
}

// Returns 1 to 3, by the magnitude of X and by SEED.
static double rounding_steps(number x, unsigned seed) {
  double high = fabs((double)x);
  return 1 + 2 * (double)(XXH3_64bits_withSeed(&high, sizeof high, seed) >> 11) * 0x1p-53;
}

// Changes element I, whose value is X, to nearly Y.
static bool rounding_put(enum autotune_element e, void *data, size_t i, number x,
                         number steps, unsigned digits) {
  size_t each = verify_element_size(e);
  char *at = (char *)data + i * each;
  if (e == AUTOTUNE_F80) {
    long double y = x - x * ldexpl(steps, -(int)digits);
    memcpy(at, &y, sizeof y);
    return true;
  }
#ifdef __SIZEOF_FLOAT128__
  if (e == AUTOTUNE_F128) {
    __float128 y = (__float128)(x - x * ldexpl(steps, -(int)digits));
    memcpy(at, &y, sizeof y);
    return true;
  }
#endif
  uint64_t bits = 0;
  memcpy(&bits, at, each); // as little-endian numbers
  uint64_t sign = UINT64_C(1) << (8 * each - 1), magnitude = bits & ~sign;
  uint64_t by = (uint64_t)(steps * ldexpl(1, (int)(verify_digits(e) - digits)));
  if (magnitude < 64 * by) // so far below the normal numbers that this would be no nudge
    return false;
  bits -= by;
  memcpy(at, &bits, each);
  return true;
}

size_t verify_nudge(enum autotune_element e, void *data, size_t bytes, unsigned digits,
                    unsigned seed) {
  verify_read_fn *read = verify_reader(e);
  size_t n = read ? bytes / verify_element_size(e) : 0, changed = 0;
  if (digits > verify_digits(e))
    digits = verify_digits(e);
  for (size_t i = 0; i < n; i++) {
    number x = read(data, i);
    if (!isfinite(x) || (fabsl(x) < 0x1p31L && x == truncl(x)))
      continue;
    changed += rounding_put(e, data, i, x, rounding_steps(x, seed), digits);
  }
  return changed;
}

// ---- what it allows -------------------------------------------------------------------

// Returns the largest move of elements of SIZE, and of larger ones where those are few.
// *KNOWN: there is any.
static double rounding_near(const struct verify_moves *m, unsigned size, unsigned top,
                            bool *known) {
  unsigned long long n = 0;
  double most = 0;
  for (unsigned i = size; i < top && n < ENOUGH && (n == 0 || i <= size + NEAR); i++) {
    n += m->n[i];
    most = fmax(most, m->most[i]);
  }
  *known = n > 0;
  return most;
}

static unsigned rounding_end(const struct verify_moves *m) {
  unsigned end = VERIFY_SIZES;
  while (end > 0 && m->n[end - 1] == 0)
    end--;
  return end;
}

void verify_settle(const struct verify_noise *n, double rtol, double scale, double data,
                   double *atols) {
  const unsigned nudged = rounding_end(&n->nudged), written = rounding_end(&n->written);
  const double plain = isfinite(scale) ? rtol * scale : 0;
  for (unsigned size = 0; size < VERIFY_SIZES; size++) {
    bool answers, differs;
    double move = rounding_near(&n->nudged, size, nudged, &answers);
    double other = rounding_near(&n->written, size, written, &differs);
    double conditioned = answers ? rtol * fmin(move / n->step, data) : 0;
    double seen = ALLOWANCE * fmax(move, other);
    atols[size] = answers || differs ? fmax(conditioned, seen) : plain;
  }
}
