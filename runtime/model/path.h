/* SPDX-License-Identifier: Apache-2.0 */
/* path.h: shared by space.c, range.c, sample.c and near.c: a point that is built
 * parameter by parameter in the space's order. Positions count in that order. */
#ifndef AUTOTUNE_PATH_H
#define AUTOTUNE_PATH_H

#include "space.h"

/* Limit on the points, or parts of points, that one search for an allowed point visits:
 * some tenths of a second. */
enum { STEP_LIMIT = 4 * 1000 * 1000 };

struct path {
  const struct space *space;
  choice *point;
  const struct autotune_value
      *values[MAX_PARAMS]; /* POINT's values, in the form that conditions take */
};
/* Begins a path over POINT, whose first AT positions are set already. The values of the
 * others are their first. */
void path_begin(struct path *w, const struct space *s, choice *point, unsigned at);
/* Returns how many values there are at position AT: one where its parameter does not
 * matter. */
unsigned path_width(const struct path *w, unsigned at);
/* Sets position AT to VALUE. False: no allowed point has that value there. */
bool path_set(struct path *w, unsigned at, choice value);
/* Finds the first way in order to set positions up to END, beginning at POINT's value at
 * position AT. Positions before AT are set already; those after END become 0. *STEPS is
 * what is left of the search's limit, and is counted down. False: there is no way, or
 * the limit is reached. */
bool path_search(struct path *w, unsigned at, unsigned end, uint64_t *steps);

/* ---- range.c --------------------------------------------------------------------- */
void range_init(struct space *s); /* the order must be set before */
/* False: condition C cannot hold, whatever is chosen after position AT. */
bool range_may_hold(const struct path *w, unsigned c, unsigned at);

/* True if blind drawing finds an allowed point less than once in a hundred draws. */
bool sample_is_sparse(const struct space *s);

#endif
