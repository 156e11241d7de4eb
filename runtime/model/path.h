/* SPDX-License-Identifier: Apache-2.0 */
/* path.h: what the files of this folder share: a point that is built parameter by
 * parameter in the space's order. Positions count in that order. */
#ifndef AUTOTUNE_PATH_H
#define AUTOTUNE_PATH_H

#include "space.h"

/* Points or parts of them looked at in one search for an allowed one: some tenths of a
 * second. */
enum { STEP_LIMIT = 4 * 1000 * 1000 };

struct path {
  const struct space *space;
  choice *point;
  const struct autotune_value *values[MAX_PARAMS]; /* POINT's, as conditions want them */
};
/* POINT's first AT positions are set already; the others' values are their first. */
void path_begin(struct path *w, const struct space *s, choice *point, unsigned at);
/* How many values there are at position AT: one where its parameter does not matter. */
unsigned path_width(const struct path *w, unsigned at);
/* False: no allowed point has VALUE there. */
bool path_set(struct path *w, unsigned at, choice value);
/* The first way in order to set positions up to END, beginning at POINT's value at
 * position AT: what is before is set, what is behind is 0. *STEPS is what is left of the
 * search's bound. */
bool path_search(struct path *w, unsigned at, unsigned end, uint64_t *steps);

/* ---- range.c --------------------------------------------------------------------- */
void range_init(struct space *s); /* the order is set already */
double range_number(const struct space *s, unsigned param,
                    const struct autotune_value *v);
/* False: condition C cannot hold, whatever is chosen behind position AT. */
bool range_may_hold(const struct path *w, unsigned c, unsigned at);

/* Would drawing blindly find an allowed point less than once in some hundred draws? */
bool sample_is_sparse(const struct space *s);

#endif
