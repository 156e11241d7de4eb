// SPDX-License-Identifier: Apache-2.0
// jam.c: `unroll_and_jam` runs over blocks of an outer loop's iterations. The iterations
// of a block go innermost, so that blocks stay in registers.
#include "loops.h"

// True if A says that its loop stays as it is: the bounds of others may then depend on
// it.
static bool jam_is_one(const struct dir_arg *a) {
  return slice_is(slice_trim(a->text), "1");
}

// Returns the next loop from I on that does not run over tiles: register blocks belong
// inside of tiles.
static unsigned next_to_jam(const struct nest *n, unsigned i) {
  while (i < n->n && n->loops[i].grid)
    i++;
  return i;
}

static bool may_jam(struct builder *b, const struct nest *n, unsigned at,
                    const struct loop_directive *d) {
  const struct loop *l = &n->loops[at];
  if (l->jam)
    return FAIL_AT(b, d, NULL, "this loop is unrolled and jammed already");
  for (unsigned i = 0; i < n->n; i++)
    if (i != at && (n->loops[i].needs & BIT(l->id)))
      return FAIL_AT(
          b, d, "jam an inner loop, or tile the nest by other sizes",
          "'unroll_and_jam' cannot take the loop of '%.*s': bounds of an inner loop "
          "depend on it",
          (int)l->dim->var.size, l->dim->var.data);
  return true;
}

// Returns a loop in N, or N, whose copies would run one after the other; null: there is
// none. One that ends at a number is short: compilers unroll it.
static TSNode jam_loop_in(TSNode n) {
  TSNode found = { 0 };
  if (node_is(n, "for_statement")) {
    TSNode c = node_field(n, "condition");
    bool ends = !ts_node_is_null(c) && node_is(c, "binary_expression") &&
        node_is(node_field(c, "right"), "number_literal");
    if (!ends)
      return n;
  }
  for (uint32_t i = 0; i < ts_node_named_child_count(n) && ts_node_is_null(found); i++)
    found = jam_loop_in(ts_node_named_child(n, i));
  return found;
}

// Warns of a loop in N's body, once.
static void jam_warn(const struct builder *b, const struct nest *n,
                     const struct loop_directive *d) {
  TSNode loop = { 0 };
  for (unsigned i = 0; b->resolve && i < n->n_parts && ts_node_is_null(loop); i++)
    for (TSNode s = n->parts[i].body.first; !ts_node_is_null(s) && ts_node_is_null(loop);
         s = body_next(n->parts[i].body, s))
      loop = jam_loop_in(s);
  if (!ts_node_is_null(loop))
    diag_warning(
        b->s, d->pragma->offset, d->pragma->end - d->pragma->offset,
        "divide the body with 'fission', and write this before the loop in it",
        "'unroll_and_jam' copies the loop in line %u, and does not jam the copies",
        source_where(b->s, ts_node_start_byte(loop), NULL, NULL));
}

static bool jam_applies(struct builder *b, const struct nest *n,
                        const struct loop_directive *d) {
  const struct dir_clause *c = directive_clause(d, "partial");
  bool block = node_is(d->loop, "compound_statement"); // the block that `fuse` stands on
  TSNode inside = block ? d->loop : node_field(d->loop, "body");
  if (n->n < 2)
    return FAIL_AT(
        b, d,
        !ts_node_is_null(n->stop) ? nest_why_so_few(b, n)
            : node_holds(inside, "for_statement")
            ? "only declarations of numbers and pointers that stay the same may be "
              "between the loops; a sum may be kept in memory, as "
              "in 'y[i] += …', and be set to 0 before the nest"
            : "write 'unroll partial(…)' on a single loop",
        "'unroll_and_jam' needs a loop inside of the loop");
  if (!nest_has(b, n, d, 1))
    return false;
  jam_warn(b, n, d);
  for (unsigned i = 0, at = 0; i < c->n_args; i++, at++) {
    const struct dir_arg *a = &c->args[i];
    at = next_to_jam(n, at);
    if (at >= n->n)
      return FAIL(b, pragma_offset(d->pragma, a->text), a->text.size,
                  nest_why_so_few(b, n), "there are only %u loops to unroll and jam", i);
    if (n->loops[at].sharing)
      return nest_has(b, n, d, at + 1);
    if (!arg_is_positive(b, d->pragma, a, "a factor") ||
        !(jam_is_one(a) || may_jam(b, n, at, d)))
      return false;
  }
  return true;
}

// Turns L into blocks of A iterations, whose loop goes innermost.
static void jam_loop(struct builder *b, struct loop *l, const struct dir_arg *a) {
  struct jam *jam = arena_alloc(sizeof *jam);
  struct loop grid;
  int p = arg_param(b, a);
  jam->point = arena_alloc(sizeof *jam->point);
  jam->factor = arg_text(b, a);
  jam->arg = a;
  jam->elide = is_digits(a->text) || (p >= 0 && b->k->params[p].kind == VALUE_INT);
  range_make(b, l);
  range_strip(b, l, jam->factor, &grid, jam->point);
  jam->full = arena_printf("autotune_l%u >= (%s)", grid.id, jam->factor);
  jam->point->pragma = NULL;
  grid.pragma = l->pragma, grid.pragma_loop = l->pragma_loop,
  grid.innermost = l->innermost;
  grid.grid = false;
  grid.block = l->block;
  grid.block_of = l->block_of;
  grid.jam = jam;
  *l = grid;
}

static void jam_make(struct builder *b, struct nest *n, const struct loop_directive *d) {
  const struct dir_clause *c = directive_clause(d, "partial");
  nest_touch(n, 0, 1);
  for (unsigned i = 0, at = 0; i < c->n_args; i++, at++) {
    at = next_to_jam(n, at);
    if (jam_is_one(&c->args[i]))
      continue;
    nest_touch(n, at, n->n);
    jam_loop(b, &n->loops[at], &c->args[i]);
  }
}

const struct transformation transform_jam = { .applies = jam_applies, .make = jam_make };
