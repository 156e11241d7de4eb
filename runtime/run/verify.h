/* SPDX-License-Identifier: Apache-2.0 */
/* verify.h: compares outputs with the default variant's.
 *
 *   verify.c    numbers of all formats, and the rule
 *   rounding.c  how far right answers may be apart: scales, and rounding that was
 * measured */
#ifndef AUTOTUNE_VERIFY_H
#define AUTOTUNE_VERIFY_H

#include <string.h>

#include "base/base.h"

/* The rule, as an expression of C and of the kernel that compares on a device
 * (cuda/compare.cu.h): an element agrees if
 *   |got - want| <= atol + rtol * |want|,
 * NaN agrees with NaN alone, and an infinity with itself. */
#define VERIFY_AGREES                             \
  (want == got || (want != want && got != got) || \
   (is_finite(want) && is_finite(got) &&          \
    magnitude(got - want) <= atol + rtol * magnitude(want)))

/* Numbers are sorted by size: 0 is zero, and the others are binary exponents, 1024 for
 * the numbers from 1 to 2. */
#define VERIFY_SIZES_NUMBER 2048
enum { VERIFY_SIZES = VERIFY_SIZES_NUMBER };

/* What the elements of one output may differ by. */
struct tolerance {
  bool off, exact;
  double rtol, atol;   /* atol below 0: not known yet; verify_scaled sets it */
  const double *atols; /* by the size of the expected number, in place of ATOL; NULL: one
                          for all. Owned by whoever set it */
  const unsigned char *undetermined; /* a bit for each element that may be off by
                                        FURTHEST; NULL: none may. Likewise */
  double furthest;
};
/* What K allows elements E to differ by, before the reference is known. */
struct tolerance verify_allowed(const struct autotune_kernel *k, enum autotune_element e);
/* True if T needs the scale of the reference. */
bool verify_needs_scale(struct tolerance t);

/* The finite numbers of an output, by size. */
struct verify_counts {
  unsigned long long n[VERIFY_SIZES];
  double squares[VERIFY_SIZES];                   /* sums of (x / 2^exponent)^2 */
  double least[VERIFY_SIZES], most[VERIFY_SIZES]; /* magnitudes; 0: there is none */
};
/* Adds the elements of DATA to C, which is zero at first. */
void verify_count(enum autotune_element e, const void *data, size_t bytes,
                  struct verify_counts *c);
/* Returns the scale of the numbers in C: their root mean square without sentinels. A
 * sentinel is one number that stands at least three times and in at least one element of
 * 64, and is at least 1000 times larger than all other numbers. ZEROS: also where these
 * are all zero. */
double verify_scale(const struct verify_counts *c, bool zeros);
/* Returns T for a reference of that SCALE: atol is rtol * SCALE. */
struct tolerance verify_scaled(struct tolerance t, double scale);
/* Returns T, without ATOLS, with FRACTION of what it allows. */
struct tolerance verify_part(struct tolerance t, double fraction);
/* Does all of that for a REFERENCE in one piece of memory. */
struct tolerance verify_tolerance(const struct autotune_kernel *k,
                                  enum autotune_element e, const void *reference,
                                  size_t bytes);

/* ---- the rounding of the default, measured -------------------------------------------
 */

/* How far the numbers of an output moved, by the size of the reference. */
struct verify_moves {
  unsigned n[VERIFY_SIZES];  /* how many moved */
  double most[VERIFY_SIZES]; /* the largest distance */
  double next[VERIFY_SIZES]; /* the largest of other elements; 0: there is none */
  size_t at[VERIFY_SIZES];   /* the element that moved furthest */
  bool again[VERIFY_SIZES];  /* it did so in more than one run */
};
/* What is known of an output of the default variant. */
struct verify_noise {
  double step;  /* the relative change of the inputs to which `nudged` is the answer */
  double limit; /* elements that move further are undetermined */
  double small; /* elements up to that may be what larger ones left when they cancelled */
  double wide;  /* the limit of these, where numbers are nudged apart */
  unsigned char *undetermined; /* a bit for each element */
  bool apart; /* numbers are nudged apart: moves beyond the limit do not count */
  size_t n_undetermined;
  double furthest;            /* the largest move of those */
  bool rounded;               /* `up` is known */
  struct verify_moves up;     /* the default again, all its operations rounded up */
  struct verify_moves nudged; /* the default again, its inputs nudged; all 0: not known */
  struct verify_moves written; /* the kernel as written, by another compiler; all 0: the
                                  same bits, or not known */
};
/* True if to run the default once more with nudged inputs, after DONE such runs that have
 * taken TAKEN seconds. The default alone takes SECONDS. Every second run is nudged apart.
 */
bool verify_nudges_again(unsigned done, double seconds, double taken);
enum {
  VERIFY_WILD = 16,     /* times as far as was seen may undetermined elements be off */
  VERIFY_LEFT = 16,     /* steps of the data that a sum of several may leave of them */
  VERIFY_DETERMINED = 8 /* one element of so many must be determined; else none counts as
                           undetermined */
};
/* Returns the limit for numbers of this SCALE and relative tolerance: sqrt(RTOL) * SCALE
 * / 16. 16 times that is no rounding of such numbers. */
double verify_limit(double rtol, double scale);
/* Adds to *MOVED the numbers of OTHER that differ from REFERENCE, and to *FAR those that
 * do by more than LIMIT. */
void verify_far(enum autotune_element e, const void *reference, const void *other,
                size_t bytes, double limit, size_t *moved, size_t *far);
/* True if an output is nothing but rounding: nearly all that moved, moved FAR. */
bool verify_is_residual(size_t moved, size_t far);
/* Adds to N, and to M in it, what differs between REFERENCE and OTHER. NaN and infinities
 * do not count. FIRST: the index of the first element among those of N. */
void verify_move(enum autotune_element e, const void *reference, const void *other,
                 size_t bytes, size_t first, struct verify_noise *n,
                 struct verify_moves *m);
/* Makes elements undetermined that, in more than one run, moved much further than all
 * others of their size: rounding decides them, and they say nothing of the others. RTOL
 * and DATA: as for verify_settle. */
void verify_exclude(struct verify_noise *n, double rtol, double data);
/* Sets ATOLS (VERIFY_SIZES of them) for the sizes of the reference. RTOL: of the
 * tolerance. SCALE: of the reference; DATA: the largest scale of all that the call reads
 * and writes, at least SCALE.
 *
 * An element has the conditioned scale S: the answer to a nudge, divided by the nudge.
 * It is the largest of those elements of its size that moved; with fewer than 8 of them,
 * also of the next larger ones, up to 1000 times as large. Then
 *   atol = max(rtol * min(S, DATA), 16 * M)
 * where M is the largest move that was seen of those elements, by a nudge or by the other
 * compiler. Where nothing moved, atol is rtol * SCALE; if
 * `rounded`, at most four times what it moved then, or VERIFY_LEFT steps of SCALE. */
void verify_settle(const struct verify_noise *n, double rtol, double scale, double data,
                   double *atols);
struct nudge {
  unsigned digits; /* binary, of the numbers whose last digits change */
  unsigned seed;   /* chooses by how many */
  bool apart;      /* equal numbers change by different amounts */
  size_t first;    /* if they do: the index of the first number */
};
/* Changes numbers of DATA (elements E) by one to three last digits, towards zero, equal
 * ones and opposite ones alike unless NUDGE says otherwise. Zero, NaN, infinities and
 * integers below 2^31, which may be indices or flags, stay. Returns how many numbers
 * changed.
 *
 * Alike, what is equal stays equal, so no comparison goes the other way by our fault.
 * But then equal numbers that cancel still cancel exactly, as in a uniform flow, and the
 * rounding of their sum in another order does not show. Apart, it does. */
size_t verify_nudge(enum autotune_element e, void *data, size_t bytes,
                    struct nudge nudge);
/* Returns the binary digits of an element; 0: it is no number. */
unsigned verify_digits(enum autotune_element e);
/* Returns the step of such a nudge (struct verify_noise). */
double verify_step(unsigned digits);

/* ---- comparing
 * ------------------------------------------------------------------------- */

/* The element that comes closest to what is allowed. */
struct deviation {
  bool found;      /* an element differs; false: bit for bit the same */
  double absolute; /* |got - want| */
  double relative; /* the same by |want|; infinite where that is 0 */
  double part;     /* of what is allowed */
  size_t index;    /* of the element */
};
/* Returns the index of the first of BYTES bytes of elements that does not agree, or
 * SIZE_MAX. FIRST: the index of the first of them in T's bits and in MOST. MOST,
 * unless it is NULL, becomes the largest deviation of elements that agree, if that is
 * larger than what it holds. */
size_t verify_difference(enum autotune_element e, struct tolerance t,
                         const void *reference, const void *got, size_t bytes,
                         size_t first, struct deviation *most);
/* Writes what is wrong with element INDEX to MESSAGE. */
void verify_tell(enum autotune_element e, size_t index, const void *reference,
                 const void *got, char *message, size_t size);
size_t verify_element_size(enum autotune_element e); /* bytes */

/* ---- numbers
 * ---------------------------------------------------------------------------- */

typedef long double verify_number;
typedef verify_number verify_read_fn(const void *data, size_t i);
/* Returns the function that reads element I, which need not be aligned; NULL: elements
 * are no numbers. */
verify_read_fn *verify_reader(enum autotune_element e);
/* Reads N numbers from element FIRST on into OUT; those with more digits than a double
 * are rounded. E: with a reader. */
void verify_read(enum autotune_element e, const void *data, size_t first, size_t n,
                 double *out);
/* Does the same for REFERENCE, into WAS, and writes the distances of the elements of
 * OTHER from them into MOVES. */
void verify_distances(enum autotune_element e, const void *reference, const void *other,
                      size_t first, size_t n, double *was, double *moves);
enum { VERIFY_BLOCK = 128 }; /* a good N */
/* Returns how many elements of DATA are NaN or infinite. */
size_t verify_strange(enum autotune_element e, const void *data, size_t bytes);
/* Returns the size of X, an index below VERIFY_SIZES. */
static inline unsigned verify_size(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  unsigned exponent = bits >> 52 & 0x7ff;
  return x == 0 ? 0 : exponent < VERIFY_SIZES - 1 ? exponent + 1 : VERIFY_SIZES - 1;
}

#endif
