// SPDX-License-Identifier: Apache-2.0
// verify.c: compares outputs with the default variant's, by the rule of verify.h. Where
// no rtol is declared, it allows what reordering a sum costs; where no atol is,
// rounding.c finds it, because such errors do not shrink with an element that happens to
// be near zero.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"

typedef verify_number number;

static number verify_half(uint16_t bits, int exponent_bits) {
  int fraction_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
  int e = (bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  int f = bits & ((1 << fraction_bits) - 1);
  number sign = bits >> 15 ? -1 : 1;
  if (e == (1 << exponent_bits) - 1)
    return f ? (number)NAN : sign * INFINITY;
  if (e == 0)
    return sign * ldexpl(f, 1 - bias - fraction_bits);
  return sign * ldexpl(f + (1 << fraction_bits), e - bias - fraction_bits);
}

// Element I of DATA, which need not be aligned.
#define AT(type, data, i)                                              \
  ({                                                                   \
    type at_;                                                          \
    memcpy(&at_, (const char *)(data) + (i) * sizeof at_, sizeof at_); \
    at_;                                                               \
  })

static number read_f16(const void *d, size_t i) {
  return verify_half(AT(uint16_t, d, i), 5);
}
static number read_bf16(const void *d, size_t i) {
  return verify_half(AT(uint16_t, d, i), 8);
}
static number read_f32(const void *d, size_t i) {
  return AT(float, d, i);
}
static number read_f64(const void *d, size_t i) {
  return AT(double, d, i);
}
static number read_f80(const void *d, size_t i) {
  return AT(long double, d, i);
}
#ifdef __SIZEOF_FLOAT128__
static number read_f128(const void *d, size_t i) {
  return (number)AT(__float128, d, i);
}
#else
#define read_f128 NULL
#endif

static const struct format {
  size_t size, significant; // bytes of an element, and those of them that hold anything
  double rtol;              // where none is declared
  unsigned digits;          // binary
  verify_read_fn *read;
} formats[] = {
  [AUTOTUNE_BYTES] = { 1, 1, 0, 0, NULL },
  [AUTOTUNE_F16] = { 2, 2, 5e-3, 11, read_f16 },
  [AUTOTUNE_BF16] = { 2, 2, 4e-2, 8, read_bf16 },
  [AUTOTUNE_F32] = { 4, 4, 1e-4, FLT_MANT_DIG, read_f32 },
  [AUTOTUNE_F64] = { 8, 8, 1e-9, DBL_MANT_DIG, read_f64 },
  [AUTOTUNE_F80] = { sizeof(long double), LDBL_MANT_DIG == 64 ? 10 : sizeof(long double),
                     1e-12, LDBL_MANT_DIG, read_f80 },
  [AUTOTUNE_F128] = { 16, 16, 1e-12, LDBL_MANT_DIG, read_f128 },
};

static const struct format *verify_format(enum autotune_element e) {
  bool known = (unsigned)e < sizeof formats / sizeof *formats && formats[e].read;
  return &formats[known ? e : AUTOTUNE_BYTES];
}

size_t verify_element_size(enum autotune_element e) {
  return verify_format(e)->size;
}

unsigned verify_digits(enum autotune_element e) {
  return verify_format(e)->digits;
}

verify_read_fn *verify_reader(enum autotune_element e) {
  return verify_format(e)->read;
}

// Loops of one format each, so that compilers make vector code of them.
void verify_read(enum autotune_element e, const void *data, size_t first, size_t n,
                 double *out) {
  verify_read_fn *read = verify_reader(e);
  if (e == AUTOTUNE_F64)
    memcpy(out, (const char *)data + first * sizeof *out, n * sizeof *out);
  else if (e == AUTOTUNE_F32)
    for (size_t i = 0; i < n; i++)
      out[i] = AT(float, data, first + i);
  else
    for (size_t i = 0; i < n; i++)
      out[i] = (double)read(data, first + i);
}

void verify_distances(enum autotune_element e, const void *reference, const void *other,
                      size_t first, size_t n, double *was, double *moves) {
  verify_read_fn *read = verify_reader(e);
  verify_read(e, reference, first, n, was);
  verify_read(e, other, first, n, moves);
  if (verify_digits(e) <= DBL_MANT_DIG)
    for (size_t i = 0; i < n; i++)
      moves[i] = fabs(moves[i] - was[i]);
  else
    for (size_t i = 0; i < n; i++)
      moves[i] = (double)fabsl(read(other, first + i) - read(reference, first + i));
}

size_t verify_strange(enum autotune_element e, const void *data, size_t bytes) {
  const uint32_t exponent32 = 0x7f800000;
  const uint64_t exponent64 = 0x7ff0000000000000;
  verify_read_fn *read = verify_reader(e);
  size_t n = read ? bytes / verify_element_size(e) : 0, strange = 0;
  if (e == AUTOTUNE_F64)
    for (size_t i = 0; i < n; i++)
      strange += (AT(uint64_t, data, i) & exponent64) == exponent64;
  else if (e == AUTOTUNE_F32)
    for (size_t i = 0; i < n; i++)
      strange += (AT(uint32_t, data, i) & exponent32) == exponent32;
  else
    for (size_t i = 0; i < n; i++)
      strange += !isfinite(read(data, i));
  return strange;
}

struct tolerance verify_allowed(const struct autotune_kernel *k,
                                enum autotune_element e) {
  const struct format *f = verify_format(e);
  bool given = k->verify == AUTOTUNE_VERIFY_TOLERANCE;
  return (struct tolerance){ .off = k->verify == AUTOTUNE_VERIFY_OFF,
                             .exact = k->verify == AUTOTUNE_VERIFY_EXACT || !f->read,
                             .rtol = given ? k->rtol : f->rtol,
                             .atol = given ? k->atol : -1 };
}

bool verify_needs_scale(struct tolerance t) {
  return !t.off && !t.exact && t.atol < 0;
}

struct tolerance verify_scaled(struct tolerance t, double scale) {
  t.atol = isfinite(scale) ? t.rtol * scale : 0;
  return t;
}

struct tolerance verify_part(struct tolerance t, double fraction) {
  t.rtol *= fraction;
  t.atol *= fraction;
  return t;
}

static bool verify_agrees(number want, number got, struct tolerance t, double atol) {
#define is_finite isfinite
#define magnitude fabsl
  double rtol = t.rtol;
  return VERIFY_AGREES;
#undef is_finite
#undef magnitude
}

static bool same_bits(const struct format *f, const void *a, const void *b, size_t i) {
  return memcmp((const char *)a + i * f->size, (const char *)b + i * f->size,
                f->significant) == 0;
}

void verify_tell(enum autotune_element e, size_t index, const void *reference,
                 const void *got, char *message, size_t size) {
  const struct format *f = verify_format(e);
  if (f->read)
    snprintf(message, size, "element %zu is %.9Lg instead of %.9Lg", index,
             f->read(got, 0), f->read(reference, 0));
  else
    snprintf(message, size, "byte %zu is 0x%02x instead of 0x%02x", index,
             *(const unsigned char *)got, *(const unsigned char *)reference);
}

static double verify_atol(struct tolerance t, number want) {
  return t.atols ? t.atols[verify_size((double)want)] : t.atol;
}

// Notes in MOST that element I, which is GOT where WANT is expected, agrees.
static void verify_note(struct deviation *most, struct tolerance t, size_t i, number want,
                        number got) {
  number off = fabsl(got - want), size = fabsl(want);
  bool first = !most->found;
  most->found = true;
  // No part of what is allowed is more than off / (rtol * size).
  if (!isfinite(off) || (!first && off <= (number)most->part * t.rtol * size))
    return;
  number allowed = verify_atol(t, want) + t.rtol * size;
  number part = off > 0 ? off / allowed : 0;
  if (first || part > most->part)
    *most = (struct deviation){ .found = true,
                                .absolute = (double)off,
                                .relative = off > 0 ? (double)(off / size) : 0,
                                .part = (double)part,
                                .index = i };
}

// True if the inputs do not determine element I, and GOT may be in its place.
static bool verify_undetermined(struct tolerance t, size_t i, number want, number got) {
  return t.undetermined && (t.undetermined[i / 8] >> i % 8 & 1) &&
      verify_agrees(want, got, t, t.furthest);
}

// True if WANT and GOT, element I, agree.
static bool verify_element(struct tolerance t, size_t i, number want, number got,
                           struct deviation *most) {
  if (!verify_agrees(want, got, t, 0) &&
      !verify_agrees(want, got, t, verify_atol(t, want)))
    return verify_undetermined(t, i, want, got);
  if (most)
    verify_note(most, t, i, want, got);
  return true;
}

// Returns how many of N elements from I on need a closer look: those that are further off
// than PART of what is allowed, and NaN and infinities.
static unsigned verify_beyond(enum autotune_element e, struct tolerance t,
                              const void *reference, const void *got, size_t i, size_t n,
                              double part) {
  double want[VERIFY_BLOCK], is[VERIFY_BLOCK], atol[VERIFY_BLOCK];
  unsigned beyond = 0;
  verify_read(e, reference, i, n, want);
  verify_read(e, got, i, n, is);
  for (size_t k = 0; k < n; k++)
    atol[k] = t.atols ? t.atols[verify_size(want[k])] : t.atol;
  for (size_t k = 0; k < n; k++)
    beyond += !(fabs(is[k] - want[k]) <= part * (atol[k] + t.rtol * fabs(want[k])));
  return beyond;
}

// Returns how many of LEFT elements from I on need no closer look: they agree, and none
// comes closer to what is allowed than MOST.
static size_t verify_skip(enum autotune_element e, struct tolerance t,
                          const void *reference, const void *got, size_t i, size_t left,
                          const struct deviation *most) {
  static const double margin = 1 - 0x1p-40; // for the rounding of doubles
  const struct format *f = verify_format(e);
  size_t n = left < VERIFY_BLOCK ? left : VERIFY_BLOCK, at = i * f->size;
  if (most && !most->found) // the first that differs, whatever it is
    return memcmp((const char *)reference + at, (const char *)got + at, n * f->size) == 0
        ? n
        : 0;
  if (t.exact || (e != AUTOTUNE_F32 && e != AUTOTUNE_F64))
    return 0;
  double part = margin * (most && most->part < 1 ? most->part : 1);
  return verify_beyond(e, t, reference, got, i, n, part) == 0 ? n : 0;
}

size_t verify_difference(enum autotune_element e, struct tolerance t,
                         const void *reference, const void *got, size_t bytes,
                         size_t first, struct deviation *most) {
  const struct format *f = verify_format(e);
  size_t n = bytes / f->size;
  if (t.off || bytes == 0 || memcmp(reference, got, bytes) == 0)
    return SIZE_MAX;
  for (size_t i = 0; i < n; i++) {
    if (i % VERIFY_BLOCK == 0) {
      size_t skipped;
      while (i < n && (skipped = verify_skip(e, t, reference, got, i, n - i, most)) > 0)
        i += skipped;
      if (i >= n)
        break;
    }
    if (!same_bits(f, reference, got, i) &&
        (t.exact || !f->read ||
         !verify_element(t, first + i, f->read(reference, i), f->read(got, i), most)))
      return i;
  }
  return SIZE_MAX;
}
