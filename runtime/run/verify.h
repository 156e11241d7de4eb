/* SPDX-License-Identifier: Apache-2.0 */
/* verify.h: compares outputs with the default variant's. */
#ifndef AUTOTUNE_VERIFY_H
#define AUTOTUNE_VERIFY_H

#include "base/base.h"

/* The rule, as an expression of C and of the kernel that compares on a device
 * (cuda/compare.cu.h): an element agrees if
 *   |got - want| <= atol + rtol * |want|,
 * NaN agrees with NaN alone, and an infinity with itself. */
#define VERIFY_AGREES                             \
  (want == got || (want != want && got != got) || \
   (is_finite(want) && is_finite(got) &&          \
    magnitude(got - want) <= atol + rtol * magnitude(want)))

/* What the elements of one output may differ by. */
struct tolerance {
  bool off, exact;
  double rtol, atol; /* atol below 0: not known yet; verify_scaled sets it */
};
/* What K allows elements E to differ by, before the reference is known. */
struct tolerance verify_allowed(const struct autotune_kernel *k, enum autotune_element e);
/* True if T needs the scale of the reference. */
bool verify_needs_scale(struct tolerance t);
/* Returns the scale of N finite elements: their root mean square, from the sum of their
 * SQUARES. */
double verify_scale(double squares, size_t n);
/* Returns T for a reference of that SCALE. */
struct tolerance verify_scaled(struct tolerance t, double scale);
/* Does all of that for a REFERENCE in one piece of memory. */
struct tolerance verify_tolerance(const struct autotune_kernel *k,
                                  enum autotune_element e, const void *reference,
                                  size_t bytes);
/* True if GOT agrees with REFERENCE. Else MESSAGE (of SIZE) says where they differ and
 * by how much. */
bool verify_compare(enum autotune_element e, struct tolerance t, const void *reference,
                    const void *got, size_t bytes, char *message, size_t size);
/* The parts of verify_compare, for outputs that are not in one piece of memory. In this
 * order: the index of the first whole element that does not agree, or SIZE_MAX; the
 * message about element INDEX; bytes of an element; the sum of the squares of the finite
 * elements, and their number. */
size_t verify_difference(enum autotune_element e, struct tolerance t,
                         const void *reference, const void *got, size_t bytes);
void verify_tell(enum autotune_element e, size_t index, const void *reference,
                 const void *got, char *message, size_t size);
size_t verify_element_size(enum autotune_element e);
double verify_squares(enum autotune_element e, const void *data, size_t bytes,
                      size_t *finite);

#endif
