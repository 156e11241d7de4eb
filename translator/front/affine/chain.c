// SPDX-License-Identifier: Apache-2.0
// chain.c: nests of which each reads what earlier ones wrote, run tile by tile. The nests
// with results, which write arrays that are read after the block, are cut into tiles:
// each of their iterations is in one. What these need of the other nests is computed in
// each tile again (overlapped tiling: S. Krishnamoorthy et al., "Effective Automatic
// Parallelization of Stencil Computations", PLDI 2007; R. T. Mullapudi et al.,
// "PolyMage", ASPLOS 2015; `compute_at` of Halide).
//
// From the last nest back to the first one, the elements that a tile reads lead to the
// iterations that may have written them. The box around these runs, and what it reads is
// added. In a tile the nests, and the iterations of each, keep their order. So a tile
// reads what the source reads if
//   - all writes of an element that come before a read of it are in the tile: in the box
//     are all values of a loop, unless what depends on an iteration of the nest has the
//     same value of that loop;
//   - no other tile writes what it reads;
//   - each element of a buffer that is read has been written.
#include <string.h>

#include <isl/map.h>

#include "scop.h"

// ---- nests --------------------------------------------------------------------------

// Returns the number of loops that are around all statements of L.
static unsigned link_loops(const struct scop *s, const struct link *l) {
  const struct statement *first = &s->list[l->first];
  unsigned n = first->n;
  for (unsigned i = l->first; i < l->first + l->n; i++) {
    unsigned same = 0;
    while (same < n && same < s->list[i].n &&
           s->list[i].chain[same] == first->chain[same])
      same++;
    n = same;
  }
  return n;
}

static const struct link *linker_link(const struct linker *k,
                                      const struct statement *st) {
  unsigned at = (unsigned)(st - k->s->list), i = 0;
  while (at >= k->list[i].first + k->list[i].n)
    i++;
  return &k->list[i];
}

static bool linker_is_local(const struct linker *k, const struct array *a) {
  bool local = false;
  for (unsigned i = 0; i < k->s->n_buffers; i++)
    local = local || k->s->buffers[i] == a;
  return local;
}

isl_set *link_iterations(const struct linker *k, const struct link *l,
                         const struct statement *st) {
  bool boxed[AFFINE_DEPTH] = { false };
  for (unsigned i = 0; i < l->loops; i++)
    boxed[i] = l->box[i] != NULL;
  isl_set *set = scop_iterations(k->s, st, boxed);
  for (unsigned i = 0; i < l->loops; i++) {
    if (!l->box[i])
      continue;
    isl_set *box = isl_set_insert_dims(isl_set_copy(l->box[i]), isl_dim_set, 0, i);
    box = isl_set_insert_dims(box, isl_dim_set, i + 1, st->n - i - 1);
    const char *name = isl_set_get_tuple_name(set);
    box = isl_set_set_tuple_name(box, name ? name : "");
    set = isl_set_intersect(set, box);
  }
  return set;
}

isl_union_set *linker_runs(const struct linker *k, const struct link *l, bool tile) {
  isl_union_set *all = isl_union_set_empty_ctx(k->s->ctx);
  for (unsigned i = l->first; i < l->first + l->n; i++) {
    const struct statement *st = &k->s->list[i];
    isl_set *one = tile ? link_iterations(k, l, st) : scop_iterations(k->s, st, NULL);
    all = isl_union_set_union(all, isl_union_set_from_set(one));
  }
  return all;
}

// Returns the iterations of L, of any integers, that write one of ELEMENTS.
static isl_union_set *linker_writers(const struct linker *k, const struct link *l,
                                     isl_union_set *elements) {
  const bool any[AFFINE_DEPTH] = { true, true, true, true, true, true };
  isl_union_set *nest = isl_union_set_empty_ctx(k->s->ctx);
  for (unsigned i = l->first; i < l->first + l->n; i++)
    nest = isl_union_set_union(
        nest, isl_union_set_from_set(scop_iterations(k->s, &k->s->list[i], any)));
  isl_union_map *writes = isl_union_map_copy(k->writes);
  writes = isl_union_map_intersect_domain(writes, nest);
  return isl_union_set_apply(elements, isl_union_map_reverse(writes));
}

// Returns the dependences from A to B.
static isl_union_map *linker_depend(const struct linker *k, const struct link *a,
                                    const struct link *b) {
  isl_union_map *d = isl_union_map_copy(k->s->dependences);
  d = isl_union_map_intersect_domain(d, linker_runs(k, a, false));
  return isl_union_map_intersect_range(d, linker_runs(k, b, false));
}

struct keeping {
  unsigned loops;
  bool kept[AFFINE_DEPTH];
};

static isl_stat keeping_look(isl_map *map, void *user) {
  struct keeping *w = user;
  for (unsigned i = 0; i < w->loops; i++) {
    isl_map *same =
        isl_map_equate(isl_map_copy(map), isl_dim_in, (int)i, isl_dim_out, (int)i);
    w->kept[i] = w->kept[i] && isl_map_is_subset(map, same) == isl_bool_true;
    isl_map_free(same);
  }
  isl_map_free(map);
  return isl_stat_ok;
}

// Sets *W to the loops, of the first LOOPS, of which all that depend on each other in A
// and B have the same value.
static void linker_keep(const struct linker *k, const struct link *a,
                        const struct link *b, unsigned loops, struct keeping *w) {
  isl_union_map *d = linker_depend(k, a, b);
  w->loops = loops;
  for (unsigned i = 0; i < loops; i++)
    w->kept[i] = d != NULL;
  isl_union_map_foreach_map(d, keeping_look, w);
  isl_union_map_free(d);
}

static void linker_find(struct linker *k) {
  const struct scop *s = k->s;
  for (unsigned i = 0; i < s->n; i++) {
    struct link *l = k->n ? &k->list[k->n - 1] : NULL;
    if (!l || s->list[i].at[0] != s->list[l->first].at[0]) {
      l = GROW(k->list, k->n);
      *l = (struct link){ .first = i };
    }
    l->n++;
  }
  for (unsigned i = 0; i < s->m->n_accesses + s->n_more; i++) {
    const struct access *x = scop_access(s, i);
    const struct statement *st = scop_statement(k->s, x->node);
    if (st && x->write && !linker_is_local(k, x->array))
      k->list[linker_link(k, st) - k->list].result = true;
  }
  for (unsigned i = 0; i < k->n; i++) {
    struct link *l = &k->list[i];
    struct keeping w;
    l->loops = link_loops(s, l);
    linker_keep(k, l, l, l->loops, &w);
    memcpy(l->kept, w.kept, l->loops * sizeof *w.kept);
  }
}

// Marks nests that can run before all tiles, as they use no local array.
static void linker_find_apart(struct linker *k) {
  for (unsigned i = 0; i < k->n; i++) {
    bool uses = false;
    for (unsigned j = 0; j < k->s->m->n_accesses + k->s->n_more; j++) {
      const struct access *x = scop_access(k->s, j);
      const struct statement *st = scop_statement(k->s, x->node);
      uses = uses ||
          (st && linker_link(k, st) == &k->list[i] && linker_is_local(k, x->array));
    }
    for (unsigned j = 0; j < i && !uses; j++) {
      isl_union_map *d = linker_depend(k, &k->list[j], &k->list[i]);
      uses = !k->list[j].apart && isl_union_map_is_empty(d) != isl_bool_true;
      isl_union_map_free(d);
    }
    k->list[i].apart = !uses;
  }
}

// ---- what a tile needs --------------------------------------------------------------

// Sets the box of L: all iterations that write one of WANTED, and those between.
static void linker_box(struct linker *k, struct link *l, isl_union_set *wanted) {
  isl_union_set *needed = linker_writers(k, l, isl_union_set_copy(wanted));
  bool some = isl_union_set_is_empty(needed) != isl_bool_true, cut = false;
  if (l->result) {
    for (unsigned i = 0; i < k->c->n; i++)
      l->box[i] = isl_set_read_from_str(
          k->s->ctx,
          arena_printf("[autotune_low%u, autotune_high%u] -> { [x] : "
                       "autotune_low%u <= x < autotune_high%u }",
                       i, i, i, i));
    l->needed = true;
    isl_union_set *own = linker_runs(k, l, true);
    needed = isl_union_set_intersect(needed, linker_runs(k, l, false));
    needed = isl_union_set_intersect_params(needed, isl_set_copy(k->s->facts));
    if (isl_union_set_is_subset(needed, own) != isl_bool_true)
      scop_refuse(
          k->s, k->s->list[l->first].body.first,
          "several tiles would run this, and it writes an array that is not local");
    isl_union_set_free(own);
    isl_union_set_free(needed);
    return;
  }
  for (unsigned i = 0; i < l->loops && some; i++) {
    l->box[i] = l->kept[i] ? link_hull(isl_union_set_copy(needed), i) : NULL;
    cut = cut || l->box[i];
  }
  l->needed = some;
  isl_union_set_free(needed);
  if (some && !cut)
    scop_refuse(k->s, k->s->list[l->first].body.first,
                "each tile would need all iterations of this nest");
}

static void linker_find_boxes(struct linker *k) {
  isl_union_set *wanted = isl_union_set_empty_ctx(k->s->ctx);
  for (unsigned i = k->n; i-- > 0 && !k->s->why;) {
    struct link *l = &k->list[i];
    if (l->apart)
      continue;
    linker_box(k, l, wanted);
    if (l->needed)
      wanted = isl_union_set_union(
          wanted,
          isl_union_set_apply(linker_runs(k, l, true), isl_union_map_copy(k->reads)));
  }
  isl_union_set_free(wanted);
}

// ---- what is refused ----------------------------------------------------------------

// Refuses nests with results whose tiles depend on each other.
static void linker_check_results(struct linker *k) {
  unsigned n = 0;
  for (unsigned i = 0; i < k->n && !k->s->why; i++) {
    const struct link *b = &k->list[i];
    TSNode at = k->s->list[b->first].body.first;
    if (b->apart || !b->result)
      continue;
    n++;
    if (b->loops < k->c->n)
      scop_refuse(k->s, at,
                  "a nest that writes an array which is not local has fewer loops than "
                  "there are sizes");
    for (unsigned j = 0; j <= i && !k->s->why; j++) {
      struct keeping w;
      if (k->list[j].apart || !k->list[j].result)
        continue;
      linker_keep(k, &k->list[j], b, k->c->n, &w);
      for (unsigned t = 0; t < k->c->n; t++)
        if (!w.kept[t])
          scop_refuse(k->s, at, "tiles would depend on each other");
    }
  }
  if (n == 0)
    scop_refuse(k->s, k->s->all.first,
                "no nest reads a local array and writes one that is not local");
}

// Refuses a write of X, which is not local, if an earlier nest that several tiles may run
// reads the element.
static void linker_check_write(struct linker *k, const struct access *x) {
  const struct link *writer = linker_link(k, scop_statement(k->s, x->node));
  for (const struct link *l = k->list; l < writer && !k->s->why; l++) {
    if (l->result || writer->apart)
      continue;
    isl_union_set *meet =
        isl_union_set_apply(linker_runs(k, l, false), isl_union_map_copy(k->reads));
    meet = isl_union_set_intersect(meet, isl_union_map_range(scop_touches(k->s, x)));
    meet = isl_union_set_intersect_params(meet, isl_set_copy(k->s->facts));
    if (isl_union_set_is_empty(meet) != isl_bool_true)
      scop_refuse(k->s, x->node, "this writes what an earlier nest reads in other tiles");
    isl_union_set_free(meet);
  }
}

// Refuses a read of X, which is local, if nothing may have written the element.
// SURE: writes without conditions.
static void linker_check_read(struct linker *k, const struct access *x,
                              isl_union_map *sure) {
  struct scop *s = k->s;
  isl_union_map *reads = scop_touches(s, x);
  reads = isl_union_map_intersect_params(reads, isl_set_copy(s->facts));
  isl_union_map *from = isl_union_map_apply_range(
      isl_union_map_copy(reads), isl_union_map_reverse(isl_union_map_copy(sure)));
  from = isl_union_map_intersect(
      from,
      isl_union_map_lex_gt_union_map(isl_union_map_copy(s->order),
                                     isl_union_map_copy(s->order)));
  isl_union_set *written = isl_union_map_domain(from), *all = isl_union_map_domain(reads);
  if (isl_union_set_is_subset(all, written) != isl_bool_true)
    scop_refuse(s, x->node, "an element that is read here may not have been written");
  isl_union_set_free(written);
  isl_union_set_free(all);
}

static void linker_check(struct linker *k) {
  struct scop *s = k->s;
  isl_union_map *sure = scop_accesses(s, WRITES | SURE);
  sure = isl_union_map_intersect_domain(sure, isl_union_set_copy(s->domain));
  for (unsigned i = 0; i < s->m->n_accesses + s->n_more && !s->why; i++) {
    const struct access *x = scop_access(s, i);
    const struct statement *st = scop_statement(s, x->node);
    bool local = st && linker_is_local(k, x->array);
    if (st && x->write && !local)
      linker_check_write(k, x);
    if (local && x->read && linker_link(k, st)->needed && !scop_wrote_before(s, x))
      linker_check_read(k, x, sure);
  }
  isl_union_map_free(sure);
}

// ---- the whole ----------------------------------------------------------------------

static void chain_find_all(struct linker *k) {
  struct scop *s = k->s;
  for (unsigned i = 0; i < s->n; i++)
    if (s->list[i].n == 0)
      return scop_refuse(s, s->list[i].body.first, "this is in none of the nests");
  k->reads = scop_accesses(s, READS);
  k->writes = scop_accesses(s, WRITES);
  linker_find(k);
  linker_find_apart(k);
  linker_check_results(k);
  if (!s->why)
    linker_find_boxes(k);
  if (!s->why)
    linker_check(k);
  if (!s->why)
    buffers_find(k);
  if (!s->why)
    linker_write(k);
}

struct chain *chain_of(struct model *m, struct body nests, struct iter *last,
                       unsigned tiled, struct array **local, unsigned n) {
  struct chain *c = arena_alloc(sizeof *c);
  struct scop *s = scop_read(m, nests, last);
  struct linker k = { .s = s, .c = c };
  c->n = tiled;
  for (unsigned i = 0; i < n; i++)
    *GROW(s->buffers, s->n_buffers) = local[i];
  for (unsigned i = 0; i < n && !s->why; i++)
    if (live_read_after(&m->u, last->node, local[i]->name))
      scop_refuse(s, nests.first, "an array in `local` is read after the block");
  TSNode at;
  const char *why = s->why ? NULL : forward_why_not(s, &at);
  if (why)
    scop_refuse(s, at, why);
  if (!s->why) {
    picks_forget(s); // a chain tests no types
    chain_find_all(&k);
    affine_symbols(s, &c->symbols, &c->last_value);
    c->condition = conditions_text(m, m->assumed, m->n_assumed);
    if (isl_ctx_last_error(s->ctx) != isl_error_none)
      s->why = "it is too large for isl";
  }
  c->why = s->why;
  c->at = s->at;
  for (unsigned i = 0; i < k.n; i++)
    for (unsigned j = 0; j < AFFINE_DEPTH; j++)
      isl_set_free(k.list[i].box[j]);
  isl_union_map_free(k.reads);
  isl_union_map_free(k.writes);
  scop_free(s);
  return c;
}
