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

#include "base/rng.h"
#include "verify.h"

typedef verify_number number;

enum {
  BIAS = 1023,
  NEAR = 10,      // sizes: numbers up to 1000 times as large
  ENOUGH = 8,     // elements that moved, to know their largest move
  SENTINELS = 3,  // equal numbers, at least
  PART = 64,      // and one in so many
  ALLOWANCE = 16, // times what was seen
  DIRECTED = 4,   // the same of operations that are all rounded in one direction
  ALONE = 64,     // times as far as all others of that size
  MOST = 8        // all but one of so many
};

// Returns the power of two of a size.
static int rounding_exponent(unsigned size) {
  return size > 1 ? (int)size - 1 - BIAS : 1 - BIAS;
}

// Returns how many of LEFT numbers are read at once.
static size_t rounding_block(size_t left) {
  return left < VERIFY_BLOCK ? left : VERIFY_BLOCK;
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

// Adds X, a finite magnitude, to C.
static void rounding_count(struct verify_counts *c, double x) {
  unsigned size = verify_size(x);
  double part = rounding_part(x);
  c->least[size] = c->n[size] && c->least[size] < x ? c->least[size] : x;
  c->most[size] = c->most[size] > x ? c->most[size] : x;
  c->squares[size] += part * part;
  c->n[size]++;
}

void verify_count(enum autotune_element e, const void *data, size_t bytes,
                  struct verify_counts *c) {
  double block[VERIFY_BLOCK];
  size_t n = verify_reader(e) ? bytes / verify_element_size(e) : 0;
  for (size_t i = 0; i < n; i += VERIFY_BLOCK) {
    size_t some = rounding_block(n - i);
    verify_read(e, data, i, some, block);
    for (size_t k = 0; k < some; k++)
      if (isfinite(block[k]))
        rounding_count(c, fabs(block[k]));
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
    if (top == 0 || c->n[next] == 0 || top - next < NEAR ||
        c->least[top] != c->most[top] || c->n[top] < SENTINELS || c->n[top] < all / PART)
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
  double was[VERIFY_BLOCK], moves[VERIFY_BLOCK];
  size_t n = verify_reader(e) ? bytes / verify_element_size(e) : 0;
  for (size_t i = 0; i < n; i += VERIFY_BLOCK) {
    size_t some = rounding_block(n - i);
    verify_distances(e, reference, other, i, some, was, moves);
    for (size_t k = 0; k < some; k++) {
      *moved += isfinite(moves[k]) && moves[k] > 0;
      *far += isfinite(moves[k]) && moves[k] > limit;
    }
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

static bool rounding_is_excluded(const struct verify_noise *n, size_t i) {
  return n->undetermined[i / 8] >> i % 8 & 1;
}

// Notes that element I, of SIZE, moved by MOVE.
static void rounding_rank(struct verify_moves *m, unsigned size, size_t i, double move) {
  const double most = m->most[size];
  m->n[size] += m->n[size] < UINT32_MAX;
  if (most > 0 && m->at[size] == i) {
    m->again[size] = move > 4 * most ? false : m->again[size] || 4 * move > most;
    m->most[size] = fmax(most, move);
  } else if (move > most) {
    m->next[size] = most;
    m->most[size] = move;
    m->at[size] = i;
    m->again[size] = false;
  } else {
    m->next[size] = fmax(m->next[size], move);
  }
}

// Notes that element I, which was WAS, moved by MOVE, which is not 0.
static void rounding_note(struct verify_noise *n, struct verify_moves *m, size_t i,
                          double was, double move) {
  unsigned size = verify_size(was);
  bool left = n->apart && fabs(was) <= n->small;
  if (!isfinite(move))
    return;
  if (move > (left ? fmax(n->limit, n->wide) : n->limit)) {
    if (!n->apart)
      rounding_exclude(n, i, move);
    return;
  }
  rounding_rank(m, size, i, move);
}

void verify_move(enum autotune_element e, const void *reference, const void *other,
                 size_t bytes, size_t first, struct verify_noise *n,
                 struct verify_moves *m) {
  double was[VERIFY_BLOCK], moves[VERIFY_BLOCK];
  size_t count = verify_reader(e) ? bytes / verify_element_size(e) : 0;
  if (count == 0 || memcmp(reference, other, bytes) == 0)
    return;
  for (size_t i = 0; i < count; i += VERIFY_BLOCK) {
    size_t some = rounding_block(count - i);
    verify_distances(e, reference, other, i, some, was, moves);
    for (size_t k = 0; k < some; k++)
      if (moves[k] != 0)
        rounding_note(n, m, first + i + k, was[k], moves[k]);
  }
}

double verify_step(unsigned digits) {
  return ldexp(1, 2 - (int)digits); // nudges are 1/4 to 3/2 of that
}

// Returns 1 to 3, by the magnitude of X and by the seed; apart also by I, its index.
static double rounding_steps(double x, size_t i, struct nudge nudge) {
  double magnitude = fabs(x);
  uint64_t state;
  memcpy(&state, &magnitude, sizeof state);
  state ^= (uint64_t)nudge.seed << 32;
  if (nudge.apart)
    state += (nudge.first + i) * UINT64_C(0x9e3779b97f4a7c15);
  return 1 + 2 * rng_unit(&state);
}

// Takes BY last digits from element I of DATA, of EACH bytes, at most 8, towards zero.
static bool rounding_step(void *data, size_t i, size_t each, uint64_t by) {
  char *at = (char *)data + i * each;
  uint64_t bits = 0;
  memcpy(&bits, at, each); // as little-endian numbers
  uint64_t sign = UINT64_C(1) << (8 * each - 1), magnitude = bits & ~sign;
  if (magnitude < 64 * by) // so far below the normal numbers that this would be no nudge
    return false;
  bits -= by;
  memcpy(at, &bits, each);
  return true;
}

// The same for numbers that a double cannot hold: takes the fraction BY from element I.
static bool rounding_reduce(enum autotune_element e, void *data, size_t i, number by) {
  number x = verify_reader(e)(data, i);
  long double y = x - x * by;
#ifdef __SIZEOF_FLOAT128__
  __float128 wide = (__float128)y;
  if (e == AUTOTUNE_F128) {
    memcpy((char *)data + i * sizeof wide, &wide, sizeof wide);
    return true;
  }
#endif
  memcpy((char *)data + i * sizeof y, &y, sizeof y);
  return true;
}

static bool rounding_is_integer(double x) {
  return fabs(x) < 0x1p31 && x == (double)(int32_t)x;
}

size_t verify_nudge(enum autotune_element e, void *data, size_t bytes,
                    struct nudge nudge) {
  double block[VERIFY_BLOCK];
  const unsigned own = verify_digits(e);
  const size_t each = verify_element_size(e);
  size_t n = verify_reader(e) ? bytes / each : 0, changed = 0;
  const unsigned digits = nudge.digits < own ? nudge.digits : own;
  const double last = ldexp(1, (int)(own - digits)), part = ldexp(1, -(int)digits);
  for (size_t i = 0; i < n; i++) {
    double *x = &block[i % VERIFY_BLOCK];
    if (x == block)
      verify_read(e, data, i, rounding_block(n - i), block);
    if (!isfinite(*x) || rounding_is_integer(*x))
      continue;
    double steps = rounding_steps(*x, i, nudge);
    changed += own <= DBL_MANT_DIG
        ? rounding_step(data, i, each, (uint64_t)(steps * last))
        : rounding_reduce(e, data, i, (number)(steps * part));
  }
  return changed;
}

bool verify_nudges_again(unsigned done, double seconds, double taken) {
  static const double quick = 0.02, slow = 0.25; // seconds
  enum {
    NUDGES = 2, // of a call that does not take very long: alike and apart
    MORE = 8    // of one so small that all of them do not, which may have few elements
  };
  return done < NUDGES ? seconds < slow : done < MORE && taken < quick;
}

// ---- what it allows -------------------------------------------------------------------

// True if one element of SIZE moved much further than all others.
static bool rounding_is_alone(const struct verify_moves *m, unsigned size) {
  return m->next[size] > 0 && m->most[size] > ALONE * m->next[size];
}

// Makes the element of SIZE that moved furthest undetermined. It may be as far off as
// before.
static void rounding_isolate(struct verify_noise *n, struct verify_moves *m,
                             unsigned size, double rtol, double data) {
  double conditioned = rtol * fmin(m->most[size] / n->step, data);
  rounding_exclude(n, m->at[size], fmax(m->most[size], conditioned / VERIFY_WILD));
  m->most[size] = m->next[size];
  m->again[size] = false;
}

void verify_exclude(struct verify_noise *n, double rtol, double data) {
  struct verify_moves *a = &n->nudged, *b = &n->written;
  for (unsigned size = 0; size < VERIFY_SIZES; size++) {
    bool nudged = rounding_is_alone(a, size), written = rounding_is_alone(b, size);
    bool both = nudged && written && a->at[size] == b->at[size];
    if (nudged && (a->again[size] || both))
      rounding_isolate(n, a, size, rtol, data);
    if (written && rounding_is_excluded(n, b->at[size]))
      rounding_isolate(n, b, size, rtol, data);
  }
}

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
  const unsigned up = rounding_end(&n->up);
  const double plain = isfinite(scale) ? rtol * scale : 0,
               least = fmin(plain, VERIFY_LEFT * n->step * scale);
  for (unsigned size = 0; size < VERIFY_SIZES; size++) {
    bool answers, differs, rounded;
    double move = rounding_near(&n->nudged, size, nudged, &answers);
    double other = rounding_near(&n->written, size, written, &differs);
    double conditioned = answers ? rtol * fmin(move / n->step, data) : 0;
    double seen = ALLOWANCE * fmax(move, other);
    double directed = DIRECTED * rounding_near(&n->up, size, up, &rounded);
    atols[size] = answers || differs ? fmax(conditioned, seen)
        : n->rounded                 ? fmin(plain, fmax(directed, least))
                                     : plain;
  }
}
