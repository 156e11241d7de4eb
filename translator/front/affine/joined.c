// SPDX-License-Identifier: Apache-2.0
// joined.c: the loops of a chain's nests as text: those of a tile, and those of all.
#include <limits.h>
#include <string.h>

#include "scop.h"

// Returns the order of L's iterations in a tile, as points of *COUNT coordinates: its
// loops, and the places of statements where these differ.
static isl_union_map *linker_order(const struct linker *k, const struct link *l,
                                   unsigned *count) {
  const struct scop *s = k->s;
  struct text from = { 0 }, to = { 0 };
  unsigned depth = 0;
  for (unsigned i = l->first; i < l->first + l->n; i++)
    depth = s->list[i].n > depth ? s->list[i].n : depth;
  *count = 0;
  for (unsigned i = 0; i <= 2 * AFFINE_DEPTH; i++) {
    bool differ = i % 2 && i / 2 < depth;
    for (unsigned j = l->first; j < l->first + l->n && i % 2 == 0 && i / 2 <= depth; j++)
      differ = differ || i / 2 > s->list[j].n || i / 2 > s->list[l->first].n ||
          s->list[j].at[i / 2] != s->list[l->first].at[i / 2];
    text_printf(&from, "%sc%u", i ? ", " : "", i);
    if (differ)
      text_printf(&to, "%sc%u", (*count)++ ? ", " : "", i);
  }
  isl_union_map *order = isl_union_map_copy(s->order);
  return isl_union_map_apply_range(
      order,
      isl_union_map_read_from_str(s->ctx,
                                  arena_printf("{ [%s] -> [%s] }", from.data, to.data)));
}

// Returns the loops that run L's iterations in RUNS, which it frees; NULL: none are
// found.
static const char *linker_loops(const struct linker *k, const struct link *l,
                                isl_union_set *runs) {
  struct scop *s = k->s;
  unsigned count;
  isl_union_map *order = linker_order(k, l, &count);
  runs = isl_union_set_intersect(runs, isl_union_set_copy(s->domain));
  order = isl_union_map_intersect_domain(order, runs);
  isl_set *context = isl_set_copy(s->facts);
  for (unsigned i = 0; i < k->c->n; i++)
    context = isl_set_intersect(
        context,
        isl_set_read_from_str(s->ctx,
                              arena_printf("[autotune_low%u, autotune_high%u] -> { : "
                                           "autotune_low%u < autotune_high%u }",
                                           i, i, i, i)));
  isl_ctx_reset_operations(s->ctx); // each nest has as many
  struct inner in = inner_best(s, order, 0, count);
  isl_union_map_free(order);
  if (!in.order) {
    isl_set_free(context);
    return NULL;
  }
  return code_of(s, in.order, context, in.count, in.vector, in.sum);
}

// Sets the bounds of the loop AT of the tiles.
static void linker_bounds(struct linker *k, unsigned at) {
  isl_union_set *all = isl_union_set_empty_ctx(k->s->ctx);
  for (unsigned i = 0; i < k->n; i++)
    if (k->list[i].result && !k->list[i].apart)
      all = isl_union_set_union(all, linker_runs(k, &k->list[i], false));
  all = isl_union_set_intersect_params(all, isl_set_copy(k->s->facts));
  isl_set *box = link_hull(all, at);
  if (!box || !code_bounds(box, 0, &k->c->first[at], &k->c->last[at]))
    scop_refuse(k->s, k->s->all.first, "its tiles have no bounds");
}

// Sets *P to all of L's nest.
static void linker_write_apart(struct linker *k, const struct link *l,
                               struct chain_part *p) {
  isl_union_set *runs = linker_runs(k, l, false);
  *p = (struct chain_part){ 0 };
  isl_set *box = l->kept[0] ? link_hull(isl_union_set_copy(runs), 0) : NULL;
  if (box && code_bounds(box, 0, &p->first, &p->last)) {
    isl_union_set_free(runs);
    struct link part = *l;
    memset(part.box, 0, sizeof part.box);
    part.box[0] = isl_set_read_from_str(
        k->s->ctx,
        "[autotune_low0, autotune_high0] -> { [x] : autotune_low0 <= x < autotune_high0 }");
    runs = linker_runs(k, &part, true);
    isl_set_free(part.box[0]);
  }
  p->code = linker_loops(k, l, runs);
  if (!p->code)
    scop_refuse(k->s, k->s->list[l->first].body.first, "its loops cannot be computed");
}

// True if one nest alone writes each array that has a buffer.
static bool linker_writes_once(const struct linker *k) {
  const struct scop *s = k->s;
  for (unsigned i = 0; i < s->n_buffers; i++) {
    unsigned place = UINT_MAX;
    for (unsigned j = 0; j < s->m->n_accesses + s->n_more; j++) {
      const struct access *x = scop_access(s, j);
      const struct statement *st = scop_statement(k->s, x->node);
      if (!st || x->array != s->buffers[i] || !x->write)
        continue;
      if (place != UINT_MAX && place != st->at[0])
        return false;
      place = st->at[0];
    }
  }
  return true;
}

// Returns the iterations of L that no earlier tile has run, in a tile; the number of L is
// AT.
static isl_union_set *linker_not_done(const struct linker *k, const struct link *l,
                                      unsigned at) {
  isl_union_set *all = isl_union_set_empty_ctx(k->s->ctx);
  for (unsigned i = l->first; i < l->first + l->n; i++) {
    isl_set *one = link_iterations(k, l, &k->s->list[i]);
    struct text t = { 0 };
    text_printf(&t, "[autotune_done%u] -> { S%u[", at, i);
    for (unsigned j = 0; j < k->s->list[i].n; j++)
      text_printf(&t, "%si%u", j ? ", " : "", j);
    text_printf(&t, "] : i0 >= autotune_done%u }", at);
    one = isl_set_intersect(one, isl_set_read_from_str(k->s->ctx, t.data));
    all = isl_union_set_union(all, isl_union_set_from_set(one));
  }
  return all;
}

// Sets `slid` of K->c. Nothing changes if tiles cannot keep what the next ones need: the
// first coordinate of boxes must move upwards, with all others the same.
static void linker_slide(struct linker *k) {
  struct chain *c = k->c;
  struct text all = { 0 };
  bool slides = linker_writes_once(k);
  for (unsigned i = 0; i < c->n_buffers; i++)
    slides = slides && c->buffers[i].slides;
  for (unsigned i = 0; i < k->n && slides; i++) {
    const struct link *l = &k->list[i];
    if (l->apart || !l->needed)
      continue;
    slides = l->box[0] && link_slides(l->box[0], true);
    for (unsigned j = 1; j < l->loops && slides; j++)
      slides = !l->box[j] || link_slides(l->box[j], false);
    const char *first, *code = NULL;
    if (slides && l->result)
      code = linker_loops(k, l, linker_runs(k, l, true));
    else if (slides && c->n_done < CHAIN_NESTS &&
             code_bounds(isl_set_copy(l->box[0]), 0, &first, &c->done[c->n_done]))
      code = linker_loops(k, l, linker_not_done(k, l, c->n_done++));
    slides = slides && code;
    text_printf(&all, "%s", code ? code : "");
  }
  if (slides && all.size <= MOST_CODE)
    c->slid = all.data;
}

void linker_write(struct linker *k) {
  struct text all = { 0 };
  for (unsigned i = 0; i < k->c->n && !k->s->why; i++)
    linker_bounds(k, i);
  for (unsigned i = 0; i < k->n && !k->s->why; i++) {
    const struct link *l = &k->list[i];
    if (l->apart)
      linker_write_apart(k, l, GROW(k->c->apart, k->c->n_apart));
    if (l->apart || !l->needed)
      continue;
    const char *code = linker_loops(k, l, linker_runs(k, l, true));
    if (!code)
      scop_refuse(k->s, k->s->list[l->first].body.first, "its loops cannot be computed");
    text_printf(&all, "%s", code ? code : "");
  }
  if (all.size > MOST_CODE)
    scop_refuse(k->s, k->s->all.first, "a tile has too many different loops");
  k->c->code = all.data;
  if (!k->s->why)
    linker_slide(k);
  k->s->n_buffers = 0; // what follows uses the arrays
  for (unsigned i = 0; i < k->n && !k->s->why; i++)
    linker_write_apart(k, &k->list[i], GROW(k->c->whole, k->c->n_whole));
}
