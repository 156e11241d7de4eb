// SPDX-License-Identifier: Apache-2.0
// tile.c: `tile` cuts loops into blocks and runs over the blocks of all of them first;
// `stripe` runs over every size-th iteration instead.
#include <string.h>

#include "loops.h"

// Stores in OUT the loops among the N loops POINTS that L depends on, directly or
// indirectly. Returns their number.
static unsigned depended_on(const struct loop *l, const struct loop *points, unsigned n,
                            struct loop *out) {
  uint64_t set = l->needs;
  unsigned found = 0;
  for (unsigned i = n; i-- > 0;)
    if (set & BIT(points[i].id))
      set |= points[i].needs;
  for (unsigned i = 0; i < n; i++)
    if (set & BIT(points[i].id))
      out[found++] = points[i];
  return found;
}

static bool has_constant_step(struct builder *b, const struct loop_directive *d,
                              const struct loop *l, const struct loop *outer,
                              unsigned n) {
  if (is_digits(l->raw ? l->dim->step : slice_of(l->step)))
    return true;
  for (unsigned i = 0; i < n; i++)
    if (lex_mentions(l->dim->step, outer[i].dim->var))
      return FAIL_AT(b, d, NULL,
                     "'%s' cannot take a loop whose step depends on an outer loop",
                     directive_name(d->kind));
  return true;
}

static bool tile_applies(struct builder *b, const struct nest *n,
                         const struct loop_directive *d) {
  const struct dir_clause *c = directive_clause(d, "sizes");
  if (!nest_has(b, n, d, c->n_args))
    return false;
  struct loop *outer = arena_alloc((c->n_args + 1) * sizeof *outer);
  for (unsigned i = 0; i < c->n_args; i++) {
    const struct loop *l = &n->loops[i];
    unsigned m = depended_on(l, n->loops, i, outer);
    if (!arg_is_positive(b, d->pragma, &c->args[i], "a size") ||
        !has_constant_step(b, d, l, outer, m))
      return false;
  }
  return true;
}

static bool stripe_applies(struct builder *b, const struct nest *n,
                           const struct loop_directive *d) {
  const struct dir_clause *c = directive_clause(d, "sizes");
  if (!tile_applies(b, n, d))
    return false;
  struct loop *outer = arena_alloc((c->n_args + 1) * sizeof *outer);
  for (unsigned i = 0; i < c->n_args; i++)
    if (depended_on(&n->loops[i], n->loops, i, outer))
      return FAIL(b, pragma_offset(d->pragma, c->args[i].text), c->args[i].text.size,
                  NULL, "'stripe' cannot take a loop whose bounds depend on '%.*s'",
                  (int)outer->dim->var.size, outer->dim->var.data);
  return true;
}

// Turns each loop that D applies to into two: all outer ones stand before all inner ones.
static void make_tiles(struct builder *b, struct nest *n, const struct loop_directive *d,
                       bool stripe) {
  const struct dir_clause *c = directive_clause(d, "sizes");
  unsigned count = c->n_args;
  struct loop *loops = arena_alloc((n->n + count + 1) * sizeof *loops);
  struct loop *grids = loops, *points = loops + count;
  struct loop *inner = arena_alloc((count + 1) * sizeof *inner);
  nest_touch(n, 0, count);
  for (unsigned i = 0; i < count; i++) {
    struct loop *l = &n->loops[i];
    const char *size = arg_text(b, &c->args[i]);
    range_make(b, l);
    unsigned m = depended_on(l, points, i, inner);
    if (stripe)
      range_stripe(b, l, size, &grids[i], &points[i]);
    else if (m)
      range_strip_hull(b, l, size, inner, m, &grids[i], &points[i]);
    else
      range_strip(b, l, size, &grids[i], &points[i]);
    points[i].block = stripe ? NULL : &c->args[i];
    points[i].block_of = l->jam ? l->jam->arg : NULL;
  }
  memcpy(loops + 2 * count, n->loops + count, (n->n - count) * sizeof *loops);
  n->loops = loops;
  n->n += count;
}

static void make_tile(struct builder *b, struct nest *n, const struct loop_directive *d) {
  make_tiles(b, n, d, false);
}

static void make_stripe(struct builder *b, struct nest *n,
                        const struct loop_directive *d) {
  make_tiles(b, n, d, true);
}

const struct transformation transform_tile = { .applies = tile_applies,
                                               .make = make_tile };
const struct transformation transform_stripe = { .applies = stripe_applies,
                                                 .make = make_stripe };
