/* SPDX-License-Identifier: Apache-2.0 */
/* layout.h: the numbers in the memory of a section, leaf by leaf.
 *
 *   struct layout_plain plain;
 *   const struct autotune_layout *t = layout_of_section(k, i, &plain);
 *   for (unsigned l = 0; l < t->n_leaves; l++) {
 *     struct layout_walk w = layout_walk(t, l, bytes);
 *     for (struct layout_run r; layout_next(&w, &r);)
 *       … r.count numbers, the first at base + r.offset, r.stride bytes apart
 *   }
 *
 * A leaf is what is compared with one scale: a field of all elements. */
#ifndef AUTOTUNE_LAYOUT_H
#define AUTOTUNE_LAYOUT_H

#include "base/base.h"

/* The layout of a section whose elements are numbers of one kind. */
struct layout_plain {
  struct autotune_layout layout;
  struct autotune_leaf leaf;
};
/* Returns the layout of section I of K, or of the value that K returns. It lives as long
 * as K and PLAIN, which is used if K has none. */
const struct autotune_layout *layout_of_section(const struct autotune_kernel *k,
                                                unsigned i, struct layout_plain *plain);
const struct autotune_layout *layout_of_result(const struct autotune_kernel *k,
                                               struct layout_plain *plain);
/* Makes PLAIN the layout of elements E of SIZE bytes, and returns it. */
const struct autotune_layout *layout_plain(enum autotune_element e, size_t size,
                                           struct layout_plain *plain);
/* True if all leaves of T lie within its element. */
bool layout_is_valid(const struct autotune_layout *t);

/* How LEAF is compared: `element`, or AUTOTUNE_BYTES where its size is not that of such a
 * number or a mask is given. */
enum autotune_element layout_element(const struct autotune_leaf *leaf);
/* True for the floating-point kinds. */
bool layout_is_real(enum autotune_element e);

/* COUNT numbers, the first OFFSET bytes after the section's beginning. */
struct layout_run {
  size_t offset, count, stride;
};
struct layout_walk {
  size_t offset;
  unsigned n; /* dimensions, the outermost first; the last is the run */
  struct autotune_repeat dims[AUTOTUNE_MOST_REPEATS + 1];
  size_t at[AUTOTUNE_MOST_REPEATS + 1];
  bool ended;
};
/* Begins a walk over all numbers of leaf L in the whole elements of BYTES bytes. */
struct layout_walk layout_walk(const struct autotune_layout *t, unsigned l, size_t bytes);
/* Sets *RUN to the next run. False: there is none. */
bool layout_next(struct layout_walk *w, struct layout_run *run);
/* Returns how many numbers a walk visits. */
size_t layout_count(const struct autotune_layout *t, unsigned l, size_t bytes);

/* Writes to TEXT (of SIZE) the name of the number of leaf L that stands AT bytes after
 * the beginning of section NAME: "t->p[17].im", or "A[i:n], .im of element 17" where the
 * first index is no number. */
void layout_name(const struct autotune_layout *t, unsigned l, const char *name, size_t at,
                 char *text, size_t size);

/* The same for the number REST bytes after the beginning of an element that is called
 * ELEMENT. */
void layout_name_in(const struct autotune_layout *t, unsigned l, const char *element,
                    size_t rest, char *text, size_t size);

#endif
