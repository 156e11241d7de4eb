// SPDX-License-Identifier: Apache-2.0
// fuse.c: makes one loop of the loops of a block (OpenMP 6.0, section 11.4). It runs as
// often as the longest of them; each body runs as often as in its own loop.
#include <stdlib.h>
#include <string.h>

#include "loops.h"

struct fused {
  struct dim **dims;
  unsigned n;
  struct nest *nest;
};

// Reads which loops of BLOCK looprange(first, count) selects.
static bool read_range(struct builder *b, const struct loop_directive *d, unsigned n,
                       unsigned *first, unsigned *count) {
  const struct dir_clause *c = directive_clause(d, "looprange");
  long v[2] = { 1, (long)n };
  for (unsigned i = 0; c && i < c->n_args && i < 2; i++) {
    char *end, *copy = arena_copy(c->args[i].text.data, c->args[i].text.size);
    v[i] = strtol(copy, &end, 10);
    if (end == copy || *end)
      v[i] = -1;
  }
  if (c && (c->n_args != 2 || v[0] < 1 || v[1] < 1 || v[0] + v[1] - 1 > (long)n))
    return FAIL(b, c->offset, strlen("looprange"), "write looprange(first, count)",
                "this is not a range of the %u loops of the block", n);
  *first = (unsigned)v[0] - 1;
  *count = (unsigned)v[1];
  return *count > 1 || FAIL_AT(b, d, NULL, "'fuse' needs at least two loops");
}

// Reads all statements of BLOCK, which must be loops without directives.
static bool fuse_read_loops(struct builder *b, TSNode block, TSNode **loops,
                            unsigned *n) {
  for (uint32_t i = 0; i < ts_node_named_child_count(block); i++) {
    TSNode c = ts_node_named_child(block, i);
    unsigned n_directives;
    if (node_is(c, "comment"))
      continue;
    size_t at = ts_node_start_byte(c);
    if (!node_is(c, "for_statement"))
      return FAIL(b, at, ts_node_end_byte(c) - at, NULL,
                  "'fuse' takes a block that holds nothing but loops");
    directives_on(b->f, c, &n_directives);
    if (n_directives)
      return FAIL(b, at, strlen("for"), NULL,
                  "'fuse' takes loops without directives of their own");
    *GROW(*loops, *n) = c;
  }
  return true;
}

static bool same_range(const struct dim *a, const struct dim *b) {
  return a->relation == b->relation && a->down == b->down && a->pointer == b->pointer &&
      slices_same(a->type, b->type) && a->type.size && slices_same(a->low, b->low) &&
      slices_same(a->bound, b->bound) && slices_same(a->step, b->step);
}

// Uses one range for all loops if their headers are spelled alike: the compiler then sees
// a plain loop.
static void share_range(struct fused *f) {
  f->nest->loops[0] = loop_of(f->dims[0]);
  for (unsigned i = 1; i < f->n; i++) {
    const struct dim *d = f->dims[i];
    struct part *p = &f->nest->parts[i];
    if (!slices_same(d->var, f->dims[0]->var))
      p->open = arena_printf("%.*s %.*s = %.*s;\n", (int)d->type.size, d->type.data,
                             (int)d->var.size, d->var.data, (int)f->dims[0]->var.size,
                             f->dims[0]->var.data);
  }
}

static void count_range(struct builder *b, struct fused *f) {
  struct text setup = { 0 }, longest = { 0 };
  uint64_t needs = 0;
  struct loop counter = { 0 };
  for (unsigned i = 0; i < f->n; i++) {
    struct loop l = loop_of(f->dims[i]);
    range_make(b, &l);
    if (i == 0)
      counter = range_counter(b, &l);
    needs |= l.needs;
    text_printf(&setup, "%s", l.setup);
    text_printf(&longest, "if (%1$s > %2$s) %2$s = %1$s;\n", l.count, counter.count);
    f->nest->parts[i].open = arena_printf("if (%s < %s) {\n%s %s = %s;\n", counter.var,
                                          l.count, l.type, l.var,
                                          range_at(&l, counter.var));
    f->nest->parts[i].close = "}\n";
  }
  counter.setup = arena_printf("%sunsigned long long %s = 0;\n%s", setup.data,
                               counter.count, longest.data);
  counter.needs = needs;
  counter.grid = false;
  f->nest->loops[0] = counter;
}

// Adds the bodies so that a `continue` in one does not skip the next.
static void add_bodies(struct fused *f) {
  for (unsigned i = 0; i < f->n; i++) {
    TSNode body = node_field(f->dims[i]->node, "body");
    struct part *p = GROW(f->nest->parts, f->nest->n_parts);
    *p = (struct part){
      .body = { body, body }, .open = "", .close = "", .skips = body_holds_continue(body)
    };
  }
}

static bool fuse_read_dims(struct builder *b, struct fused *f, const TSNode *loops,
                           struct dim *outer) {
  for (unsigned i = 0; i < f->n; i++) {
    struct dim *d = f->dims[i] = arena_alloc(sizeof *d);
    const char *why = NULL;
    TSNode at;
    d->outer = outer;
    d->id = new_id(b);
    if (!dim_parse(&b->u, loops[i], d, &why, &at))
      return FAIL(b, ts_node_start_byte(at),
                  ts_node_end_byte(at) - ts_node_start_byte(at), NULL,
                  "'fuse' needs loops in canonical form: %s", why);
    cut_dim(b, d);
    d->needs = dim_needs(d);
    d->affected = true;
  }
  return true;
}

static struct nest *fuse_begin(struct builder *b, TSNode block,
                               const struct loop_directive *d, struct dim *outer) {
  TSNode *loops = NULL;
  unsigned n = 0, first, count;
  if (!fuse_read_loops(b, block, &loops, &n) || !read_range(b, d, n, &first, &count))
    return NULL;
  struct nest *nest = arena_alloc(sizeof *nest);
  struct fused f = { arena_alloc((count + 1) * sizeof *f.dims), count, nest };
  if (!fuse_read_dims(b, &f, loops + first, outer))
    return NULL;
  nest->loops = arena_alloc(2 * sizeof *nest->loops);
  nest->n = 1;
  nest->dims = f.dims;
  nest->n_dims = count;
  nest->from = ts_node_start_byte(loops[first]);
  nest->to = ts_node_end_byte(loops[first + count - 1]);
  nest->block = block;
  add_bodies(&f);
  bool alike = true;
  for (unsigned i = 1; i < count; i++)
    alike = alike && same_range(f.dims[0], f.dims[i]);
  if (alike)
    share_range(&f);
  else
    count_range(b, &f);
  return b->failed ? NULL : nest;
}

static bool fuse_applies(struct builder *b, const struct nest *n,
                         const struct loop_directive *d) {
  (void)n;
  return FAIL_AT(b, d, "put it before '{ for … for … }'",
                 "'fuse' is not followed by a block of loops");
}

const struct transformation transform_fuse = { .begin = fuse_begin,
                                               .applies = fuse_applies };
