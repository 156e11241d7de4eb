/* SPDX-License-Identifier: Apache-2.0 */
/* verify.h: compares outputs with the default variant's. */
#ifndef AUTOTUNE_VERIFY_H
#define AUTOTUNE_VERIFY_H

#include "base/base.h"

struct tolerance {
  bool off, exact;
  double rtol, atol;
};
struct tolerance verify_tolerance(const struct autotune_kernel *k,
                                  enum autotune_element e, const void *reference,
                                  size_t bytes);
/* True if GOT agrees with REFERENCE. Else MESSAGE (of SIZE) says where they differ and
 * by how much. */
bool verify_compare(enum autotune_element e, struct tolerance t, const void *reference,
                    const void *got, size_t bytes, char *message, size_t size);
/* The parts of verify_compare, for outputs that are not in one piece of memory. In this
 * order: the index of the first whole element that does not agree, or SIZE_MAX; the
 * message about element INDEX; bytes of an element; the tolerance if none is declared;
 * the sum of the squares of the finite elements, and their number. */
size_t verify_difference(enum autotune_element e, struct tolerance t,
                         const void *reference, const void *got, size_t bytes);
void verify_tell(enum autotune_element e, size_t index, const void *reference,
                 const void *got, char *message, size_t size);
size_t verify_element_size(enum autotune_element e);
double verify_rtol(enum autotune_element e);
double verify_squares(enum autotune_element e, const void *data, size_t bytes,
                      size_t *finite);

#endif
