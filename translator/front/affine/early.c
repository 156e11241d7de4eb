// SPDX-License-Identifier: Apache-2.0
// early.c: iterations that can run before all others of a tile, because they depend on
// none of these. In `t[i][j] = max(t[i][j], t[i][k] + t[k + 1][j])`, where t is a
// triangle, the tile of some rows and columns needs all terms k between them. Those that
// are neither one of its rows nor one of its columns need other tiles alone. They are
// like the terms of a product of matrices, and can run in blocks (registers.c).
#include <stdlib.h>

#include <isl/map.h>

#include "scop.h"

struct early {
  struct scop *s;
  struct affine_part *p;
  unsigned terms;       // the coordinate that is not a loop of the tile
  isl_union_set *later; // those that depend on others of the tile
  isl_union_map *rest;  // the order of those that do not run early
};

// Sets USER to SET if that may have many values of a coordinate. Most pieces have one.
static isl_stat widest_look(isl_basic_set *set, void *user) {
  isl_set **widest = user; // or NULL
  bool wide = isl_basic_set_dim(set, isl_dim_div) == 0 &&
      hull_equalities(isl_basic_set_affine_hull(isl_basic_set_copy(set))) == 0;
  if (wide && !*widest)
    *widest = isl_set_from_basic_set(set);
  else
    isl_basic_set_free(set);
  return isl_stat_ok;
}

// Sets E's bounds to the terms which all rows and columns of a tile have, and for which
// no iteration of MAP is a later one, or to some of these. False: there are none.
static bool early_bounds(const struct early *e, isl_map *map, struct affine_early *x) {
  const struct scop *s = e->s;
  isl_union_set *late =
      isl_union_set_intersect(isl_union_set_copy(e->later),
                              isl_union_set_from_set(isl_map_domain(isl_map_copy(map))));
  late = isl_union_set_apply(late, isl_union_map_from_map(isl_map_copy(map)));
  isl_set *points = isl_map_range(isl_map_copy(map)),
          *later = isl_union_set_extract_set(late, isl_set_get_space(points)),
          *places = isl_set_eliminate(isl_set_copy(points), isl_dim_set, e->terms, 1),
          *terms = isl_set_copy(points);
  isl_union_set_free(late);
  isl_set *first = isl_set_subtract(points, later);
  for (unsigned i = 0; i < e->p->n; i++)
    terms = isl_set_eliminate(terms, isl_dim_set, e->p->loop[i], 1);
  isl_set *bad = isl_set_subtract(isl_set_intersect(places, isl_set_copy(terms)), first);
  for (unsigned i = 0; i < e->p->n; i++)
    bad = isl_set_eliminate(bad, isl_dim_set, e->p->loop[i], 1);
  terms = isl_set_coalesce(isl_set_subtract(terms, bad));
  terms = isl_set_coalesce(isl_set_gist_params(terms, isl_set_copy(s->facts)));
  isl_set *wide = NULL;
  isl_set_foreach_basic_set(terms, widest_look, &wide);
  isl_set_free(terms);
  x->some = wide ? code_condition(s, isl_set_params(isl_set_copy(wide))) : NULL;
  bool good = x->some && code_bounds(isl_set_copy(wide), e->terms, &x->first, &x->last);
  isl_set_free(wide);
  return good;
}

// Returns MAP, which it frees, without the points of COUNT coordinates whose terms are
// early.
static isl_map *early_others(const struct early *e, isl_map *map, unsigned count) {
  struct text t = { 0 };
  text_printf(&t, "[autotune_early0, autotune_early1] -> { [");
  for (unsigned i = 0; i < count; i++)
    text_printf(&t, "%sc%u", i ? ", " : "", i);
  text_printf(&t, "] : c%u < autotune_early0 or c%u >= autotune_early1 }", e->terms,
              e->terms);
  return isl_map_intersect_range(map, isl_set_read_from_str(e->s->ctx, t.data));
}

// Adds to USER the order of MAP's iterations that do not run early.
static isl_stat early_try(isl_map *map, void *user) {
  struct early *e = user;
  unsigned count = (unsigned)isl_map_dim(map, isl_dim_out);
  struct affine_part q = *e->p;
  struct affine_early x = { .loop = e->terms };
  q.loop[q.n++] = e->terms;
  isl_union_map *mine = isl_union_map_from_map(isl_map_copy(map));
  if (!e->p->early)
    registers_find(e->s, &q, mine, count);
  if (!e->p->early && q.block && early_bounds(e, map, &x)) {
    isl_union_map *box = isl_union_map_intersect_range(
        isl_union_map_copy(mine),
        isl_union_set_from_set(points_boxes(e->s->ctx, q.loop, q.n, count)));
    struct inner in = inner_best(e->s, box, q.n, count);
    x.block = q.block;
    x.blocked = arena_printf("%s && %s", q.blocked, q.fits);
    if (in.order)
      x.code =
          code_of(e->s, in.order, isl_set_copy(e->s->facts), in.count, in.vector, in.sum);
    isl_union_map_free(box);
    if (x.code) {
      e->p->early = arena_alloc(sizeof x);
      *e->p->early = x;
      map = early_others(e, map, count);
    }
  }
  isl_union_map_free(mine);
  e->rest = isl_union_map_union(e->rest, isl_union_map_from_map(map));
  return isl_stat_ok;
}

isl_union_map *early_find(struct scop *s, struct affine_part *p, isl_union_map *tile,
                          unsigned count) {
  struct early e = { .s = s, .p = p };
  if (!s->picks || p->n != ROLES - 1 || count != ROLES)
    return tile;
  for (unsigned i = 0; i < p->n; i++)
    e.terms += p->loop[i] == e.terms; // the lowest one that is left
  for (unsigned i = 0; i < p->n; i++)
    e.terms += p->loop[i] == e.terms;
  isl_union_set *here = isl_union_map_domain(isl_union_map_copy(tile));
  isl_union_map *d = isl_union_map_copy(s->needed);
  d = isl_union_map_intersect_domain(d, isl_union_set_copy(here));
  e.later = isl_union_map_range(isl_union_map_intersect_range(d, here));
  e.rest = isl_union_map_empty(isl_union_map_get_space(tile));
  isl_union_map_foreach_map(tile, early_try, &e);
  isl_union_set_free(e.later);
  isl_union_map_free(tile);
  return e.rest;
}
