// SPDX-License-Identifier: Apache-2.0
// transform.c: what tile, stripe, reverse, unroll and unroll_and_jam make of a nest.
#include <string.h>

#include "front/kernel/kernel.h"
#include "loops.h"

const struct dir_clause *directive_clause(const struct loop_directive *d,
                                          const char *name) {
  for (unsigned i = 0; i < d->n_clauses; i++)
    if (strcmp(d->clauses[i].name, name) == 0)
      return &d->clauses[i];
  return NULL;
}

int arg_param(const struct builder *b, const struct dir_arg *a) {
  return a->param >= 0 ? a->param : kernel_param(b->k, a->text);
}

const char *arg_text(const struct builder *b, const struct dir_arg *a) {
  const struct param *p = a->param >= 0 ? &b->k->params[a->param] : NULL;
  if (p)
    return b->fixed ? p->values[b->point[a->param]].define : p->macro;
  return arena_copy(a->text.data, a->text.size);
}

static bool transform_digits(struct slice s) {
  return s.size > 0 && strspn(arena_copy(s.data, s.size), "0123456789") == s.size;
}

static size_t slice_offset(const struct loop_directive *d, struct slice s) {
  return pragma_offset(d->pragma, s);
}

// Diagnoses a size or factor that is not positive.
static bool transform_check_size(struct builder *b, const struct loop_directive *d,
                                 const struct dir_arg *a, const char *what) {
  int p = arg_param(b, a);
  const struct param *param = p >= 0 ? &b->k->params[p] : NULL;
  bool fine = !param || param->kind == VALUE_INT;
  for (unsigned i = 0; fine && param && i < param->n_values; i++)
    fine = param->values[i].i >= 1;
  if (!param && transform_digits(a->text))
    fine = strspn(arena_copy(a->text.data, a->text.size), "0") < a->text.size;
  fine = fine && !(a->text.size && *a->text.data == '-');
  return fine ||
      FAIL(b, slice_offset(d, a->text), a->text.size, NULL,
           "%s must be a positive integer", what);
}

// What ended the chain of loops too early, where that is known.
static const char *why_so_few(const struct builder *b, const struct nest *n) {
  struct dim d = { 0 };
  const char *why = NULL;
  TSNode at;
  if (ts_node_is_null(n->stop))
    return "loops count as nested when nothing stands between them";
  if (dim_parse(&b->u, n->stop, &d, &why, &at))
    return NULL;
  unsigned line = source_where(b->s, ts_node_start_byte(n->stop), NULL, NULL);
  return arena_printf("the loop in line %u does not count: %s", line, why);
}

bool nest_take(struct builder *b, struct nest *n, const struct loop_directive *d,
               unsigned count) {
  size_t at = d->pragma->offset, size = d->pragma->end - at;
  const char *name = directive_name(d->kind);
  if (count > n->n)
    return FAIL(b, at, size, why_so_few(b, n), "'%s' needs %u nested loops, here %s %u",
                name, count, n->n == 1 ? "is" : "are", n->n);
  for (unsigned i = 0; i < count; i++) {
    struct loop *l = &n->loops[i];
    if (l->pragma && (l->sharing || l->pragma_loop == ts_node_start_byte(d->loop)))
      return FAIL(
          b, at, size, "directives act from the loop upwards: put it nearer to the loop",
          "'%s' cannot change loops that an OpenMP directive below it takes", name);
    l->dim->affected = true;
  }
  return true;
}

// The loops among POINTS[0..i) that the loop L depends on, directly or through one
// another.
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

static bool constant_step(struct builder *b, const struct loop_directive *d,
                          const struct loop *l, const struct loop *points, unsigned n) {
  if (strcmp(l->step, "1") == 0 || transform_digits(slice_of(l->step)))
    return true;
  for (unsigned i = 0; i < n; i++)
    if (lex_mentions(l->dim->step, points[i].dim->var))
      return FAIL(b, d->pragma->offset, d->pragma->end - d->pragma->offset, NULL,
                  "'%s' cannot take a loop whose step depends on an outer loop",
                  directive_name(d->kind));
  return true;
}

static bool transform_tile(struct builder *b, struct nest *n,
                           const struct loop_directive *d) {
  const struct dir_clause *c = directive_clause(d, "sizes");
  unsigned count = c ? c->n_args : 0;
  if (!nest_take(b, n, d, count))
    return false;
  struct loop *loops = arena_alloc((n->n + count + 1) * sizeof *loops);
  struct loop *grids = loops, *points = loops + count;
  struct loop *inner = arena_alloc((count + 1) * sizeof *inner);
  for (unsigned i = 0; i < count; i++) {
    struct loop *l = &n->loops[i];
    const char *size = arg_text(b, &c->args[i]);
    range_make(b, l);
    unsigned m = depended_on(l, points, i, inner);
    if (!transform_check_size(b, d, &c->args[i], "a size") ||
        !constant_step(b, d, l, inner, m))
      return false;
    if (d->kind == DIR_STRIPE && m)
      return FAIL(b, slice_offset(d, c->args[i].text), c->args[i].text.size, NULL,
                  "'stripe' cannot take a loop whose bounds depend on '%.*s'",
                  (int)inner->dim->var.size, inner->dim->var.data);
    if (d->kind == DIR_STRIPE)
      range_stripe(b, l, size, &grids[i], &points[i]);
    else if (m)
      range_strip_hull(b, l, size, inner, m, &grids[i], &points[i]);
    else
      range_strip(b, l, size, &grids[i], &points[i]);
    points[i].block = d->kind == DIR_TILE ? &c->args[i] : NULL;
    points[i].block_of = l->jam ? l->jam->arg : NULL;
  }
  memcpy(loops + 2 * count, n->loops + count, (n->n - count) * sizeof *loops);
  n->loops = loops;
  n->n += count;
  return !b->failed;
}

static bool transform_reverse(struct builder *b, struct nest *n,
                              const struct loop_directive *d) {
  if (!nest_take(b, n, d, 1))
    return false;
  range_make(b, &n->loops[0]);
  range_reverse(b, &n->loops[0]);
  return !b->failed;
}

static bool transform_unroll(struct builder *b, struct nest *n,
                             const struct loop_directive *d) {
  const struct dir_clause *partial = directive_clause(d, "partial");
  struct loop *l = &n->loops[0];
  if (!nest_take(b, n, d, 1))
    return false;
  if (l->hint)
    return FAIL(b, d->pragma->offset, d->pragma->end - d->pragma->offset, NULL,
                "this loop is unrolled already");
  if (partial && directive_clause(d, "full"))
    return FAIL(b, partial->offset, strlen("partial"), NULL,
                "'partial' and 'full' exclude each other");
  if (partial && partial->n_args &&
      !transform_check_size(b, d, &partial->args[0], "a factor"))
    return false;
  l->hint = directive_clause(d, "full") ? HINT_FULL
      : partial && partial->n_args      ? HINT_PARTIAL
                                        : HINT_AUTO;
  if (l->hint == HINT_PARTIAL)
    l->factor = arg_text(b, &partial->args[0]);
  return true;
}

// The next loop from I on that is no loop over tiles: register blocks are wanted within
// them.
static unsigned next_to_jam(const struct nest *n, unsigned i) {
  while (i < n->n && n->loops[i].grid)
    i++;
  return i;
}

static bool may_jam(struct builder *b, struct nest *n, unsigned at,
                    const struct loop_directive *d) {
  const struct loop *l = &n->loops[at];
  size_t from = d->pragma->offset, size = d->pragma->end - from;
  if (l->jam)
    return FAIL(b, from, size, NULL, "this loop is unrolled and jammed already");
  for (unsigned i = 0; i < n->n; i++) {
    if (i >= at)
      n->loops[i].dim->affected = true;
    if (i != at && (n->loops[i].needs & BIT(l->id)))
      return FAIL(
          b, from, size, "jam an inner loop, or tile the nest by other sizes",
          "'unroll_and_jam' cannot take the loop of '%.*s': bounds of an inner loop depend on it",
          (int)l->dim->var.size, l->dim->var.data);
  }
  return true;
}

// Blocks of FACTOR iterations, whose loop goes innermost.
static bool jam_loop(struct builder *b, struct nest *n, unsigned at,
                     const struct loop_directive *d, const struct dir_arg *a) {
  struct loop *l = &n->loops[at], grid;
  struct jam *jam = arena_alloc(sizeof *jam);
  int p = arg_param(b, a);
  if (!transform_check_size(b, d, a, "a factor") || !may_jam(b, n, at, d))
    return false;
  jam->point = arena_alloc(sizeof *jam->point);
  jam->factor = arg_text(b, a);
  jam->arg = a;
  jam->elide = transform_digits(a->text) || (p >= 0 && b->k->params[p].kind == VALUE_INT);
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
  return !b->failed;
}

// True when another loop stands somewhere below LOOP, though not as its whole body.
static bool transform_holds_loop(TSNode loop) {
  TSTreeCursor cursor = ts_tree_cursor_new(loop);
  bool found = false;
  while (!found && cursor_next(&cursor, true))
    found = node_is(ts_tree_cursor_current_node(&cursor), "for_statement");
  ts_tree_cursor_delete(&cursor);
  return found;
}

static bool unroll_and_jam(struct builder *b, struct nest *n,
                           const struct loop_directive *d) {
  const struct dir_clause *c = directive_clause(d, "partial");
  size_t from = d->pragma->offset, size = d->pragma->end - from;
  if (n->n < 2)
    return FAIL(
        b, from, size,
        !ts_node_is_null(n->stop) ? why_so_few(b, n)
            : transform_holds_loop(d->loop)
            ? "nothing may stand between the loops; a sum may be kept in memory, as "
              "in 'y[i] += …', and be set to 0 before the nest"
            : "write 'unroll partial(…)' on a single loop",
        "'unroll_and_jam' needs a loop inside of the loop");
  if (!nest_take(b, n, d, 1))
    return false;
  unsigned at = 0;
  for (unsigned i = 0; i < c->n_args; i++, at++) {
    at = next_to_jam(n, at);
    if (at >= n->n)
      return FAIL(b, slice_offset(d, c->args[i].text), c->args[i].text.size,
                  why_so_few(b, n), "there are only %u loops to unroll and jam", i);
    if (n->loops[at].sharing)
      return nest_take(b, n, d, at + 1);
    if (!jam_loop(b, n, at, d, &c->args[i]))
      return false;
  }
  return true;
}

bool transform(struct builder *b, struct nest *n, const struct loop_directive *d) {
  switch (d->kind) {
  case DIR_TILE:
  case DIR_STRIPE:
    return transform_tile(b, n, d);
  case DIR_INTERCHANGE:
    return transform_interchange(b, n, d);
  case DIR_REVERSE:
    return transform_reverse(b, n, d);
  case DIR_UNROLL:
    return transform_unroll(b, n, d);
  case DIR_UNROLL_AND_JAM:
    return unroll_and_jam(b, n, d);
  default:
    return attach_openmp(b, n, d);
  }
}
