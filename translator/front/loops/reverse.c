// SPDX-License-Identifier: Apache-2.0
// reverse.c: `reverse` runs the iterations of a loop from the last to the first.
#include "loops.h"

static bool reverse_applies(struct builder *b, const struct nest *n,
                            const struct loop_directive *d) {
  return nest_has(b, n, d, 1);
}

static void reverse_make(struct builder *b, struct nest *n,
                         const struct loop_directive *d) {
  (void)d;
  nest_touch(n, 0, 1);
  range_make(b, &n->loops[0]);
  range_reverse(b, &n->loops[0]);
}

const struct transformation transform_reverse = { .applies = reverse_applies,
                                                  .make = reverse_make };
