// SPDX-License-Identifier: Apache-2.0
// buffers.c: the elements of an array that a tile touches. A buffer of the tile has room
// for the box around them.
#include <stdlib.h>
#include <string.h>

#include <isl/constraint.h>
#include <isl/map.h>
#include <isl/val.h>

#include "scop.h"

// ---- boxes --------------------------------------------------------------------------

struct hull {
  isl_set *points; // of one coordinate; or NULL
  unsigned at;
};

static isl_stat hull_add(isl_set *set, void *user) {
  struct hull *h = user;
  unsigned n = (unsigned)isl_set_dim(set, isl_dim_set);
  set = isl_set_reset_tuple_id(set);
  set = isl_set_project_out(set, isl_dim_set, h->at + 1, n - h->at - 1);
  set = isl_set_project_out(set, isl_dim_set, 0, h->at);
  h->points = h->points ? isl_set_union(h->points, set) : set;
  return isl_stat_ok;
}

isl_set *link_hull(isl_union_set *all, unsigned at) {
  struct hull h = { .at = at };
  isl_union_set_foreach_set(all, hull_add, &h);
  isl_union_set_free(all);
  if (!h.points)
    return NULL;
  isl_set *box = isl_set_coalesce(isl_set_remove_divs(h.points));
  box = isl_set_from_basic_set(isl_set_simple_hull(box));
  box = isl_set_remove_divs(box);
  if (isl_set_dim_has_lower_bound(box, isl_dim_set, 0) == isl_bool_true &&
      isl_set_dim_has_upper_bound(box, isl_dim_set, 0) == isl_bool_true)
    return box;
  isl_set_free(box);
  return NULL;
}

// ---- from tile to tile --------------------------------------------------------------

struct slide {
  bool grows, fixed;
};

static isl_stat slide_bound(isl_constraint *c, void *user) {
  struct slide *s = user;
  int n = (int)isl_constraint_dim(c, isl_dim_param);
  isl_val *x = isl_constraint_get_coefficient_val(c, isl_dim_set, 0);
  int sign = isl_val_sgn(x);
  isl_val_free(x);
  for (int i = 0; i < n && sign; i++) {
    const char *name = isl_constraint_get_dim_name(c, isl_dim_param, (unsigned)i);
    isl_val *v = isl_constraint_get_coefficient_val(c, isl_dim_param, i);
    bool moves = isl_val_sgn(v) &&
        (strcmp(name, "autotune_low0") == 0 || strcmp(name, "autotune_high0") == 0);
    s->fixed = s->fixed && !moves;
    s->grows = s->grows && !(moves && isl_val_sgn(v) * sign > 0);
    isl_val_free(v);
  }
  isl_constraint_free(c);
  return isl_stat_ok;
}

static isl_stat slide_look(isl_basic_set *set, void *user) {
  isl_stat good = isl_basic_set_foreach_constraint(set, slide_bound, user);
  isl_basic_set_free(set);
  return good;
}

bool link_slides(const isl_set *box, bool first) {
  struct slide s = { true, true };
  isl_stat good = isl_set_foreach_basic_set((isl_set *)box, slide_look, &s);
  return good == isl_stat_ok && (first ? s.grows : s.fixed);
}

// ---- extents ------------------------------------------------------------------------

static isl_set *buffer_drop(isl_set *set, const char *param) {
  int at = isl_set_find_dim_by_name(set, isl_dim_param, param);
  return at < 0 ? set : isl_set_project_out(set, isl_dim_param, (unsigned)at, 1);
}

// Returns the most by which two of BOX, values of one coordinate in a tile of TILED
// loops, differ, in the sizes of tiles and, unless CONSTANT, in the params; NULL: it has
// no bound.
static const char *buffer_most(const struct scop *s, unsigned tiled, const isl_set *facts,
                               isl_set *box, bool constant) {
  struct text t = { 0 };
  text_printf(&t, "[");
  for (unsigned i = 0; i < tiled; i++)
    text_printf(&t, "%sautotune_low%u, autotune_high%u, autotune_size%u", i ? ", " : "",
                i, i, i);
  text_printf(&t, "] -> { : 1 = 1");
  for (unsigned i = 0; i < tiled; i++)
    text_printf(
        &t, " and autotune_low%u < autotune_high%u <= autotune_low%u + autotune_size%u",
        i, i, i, i);
  text_printf(&t, " }");
  isl_map *pairs = isl_map_from_domain_and_range(isl_set_copy(box), isl_set_copy(box));
  isl_set *moved = isl_map_deltas(pairs);
  moved = isl_set_intersect_params(moved, isl_set_read_from_str(s->ctx, t.data));
  moved = isl_set_intersect_params(moved, isl_set_copy((isl_set *)facts));
  for (unsigned i = 0; i < tiled; i++) {
    moved = buffer_drop(moved, arena_printf("autotune_low%u", i));
    moved = buffer_drop(moved, arena_printf("autotune_high%u", i));
  }
  for (unsigned i = 0; i < AFFINE_DEPTH; i++) // loops around the tiles
    moved = buffer_drop(moved, arena_printf("autotune_outer%u", i));
  for (unsigned i = 0; i < s->n_symbols && constant; i++)
    moved = buffer_drop(moved, scop_symbol(i));
  moved = constant ? buffer_drop(moved, AFFINE_LAST) : moved;
  moved = isl_set_coalesce(isl_set_remove_divs(moved));
  moved = isl_set_from_basic_set(isl_set_simple_hull(moved));
  const char *least, *most = NULL;
  bool bounded = isl_set_dim_has_upper_bound(moved, isl_dim_set, 0) == isl_bool_true;
  if (bounded && code_bounds(isl_set_copy(moved), 0, &least, &most))
    most = arena_printf("((%s) + 1)", most);
  else
    most = NULL;
  isl_set_free(moved);
  return most;
}

// ---- the whole ----------------------------------------------------------------------

struct only {
  isl_union_set *found;
  unsigned array;
};

static isl_stat only_add(isl_set *set, void *user) {
  struct only *o = user;
  const char *name = isl_set_get_tuple_name(set);
  if (!name || strtoul(name + 1, NULL, 10) != o->array) {
    isl_set_free(set);
    return isl_stat_ok;
  }
  isl_union_set *one = isl_union_set_from_set(set);
  o->found = o->found ? isl_union_set_union(o->found, one) : one;
  return isl_stat_ok;
}

// Returns the elements of A that a tile touches; NULL: none. WITHIN: the bounds of loops
// that are cut count, too.
static isl_union_set *buffer_elements(const struct linker *k, const struct array *a,
                                      bool within) {
  struct only o = { .array = scop_array(k->s, a) };
  for (unsigned i = 0; i < k->n; i++) {
    const struct link *l = &k->list[i];
    for (unsigned j = l->first; j < l->first + l->n && l->needed && !l->apart; j++) {
      isl_union_set *st = isl_union_set_from_set(link_iterations(k, l, &k->s->list[j]));
      if (within)
        st = isl_union_set_intersect_params(
            isl_union_set_intersect(st, isl_union_set_copy(k->s->domain)),
            isl_set_copy(k->s->facts));
      isl_union_map *all = isl_union_map_union(isl_union_map_copy(k->reads),
                                               isl_union_map_copy(k->writes));
      isl_union_set *touched = isl_union_set_apply(st, all);
      isl_union_set_foreach_set(touched, only_add, &o);
      isl_union_set_free(touched);
    }
  }
  return o.found;
}

const char *buffer_element(const struct array *a) {
  struct text t = { 0 };
  text_printf(&t, "%.*s", (int)a->name.size, a->name.data);
  for (unsigned i = 0; i < a->rank; i++)
    text_printf(&t, "[0]");
  return t.data;
}

bool buffer_set(const struct scop *s, const struct array *a, unsigned tiled,
                const isl_set *facts, isl_union_set *elements, isl_union_set *within,
                struct tile_buffer *b) {
  bool bounded = true;
  *b = (struct tile_buffer){ .element = buffer_element(a),
                             .n = a->rank + a->n_strides,
                             .constant = true,
                             .slides = true };
  b->near = b->n - 1;
  for (unsigned i = 0; i < b->n; i++) {
    isl_set *box = elements ? link_hull(isl_union_set_copy(elements), i) : NULL;
    if (!box && within)
      box = link_hull(isl_union_set_copy(within), i);
    const char *last;
    bounded = bounded && (!elements || box);
    if (!box) { // no tile needs it
      b->origin[i] = "0LL";
      b->most[i] = "1";
      continue;
    }
    b->slides = b->slides && link_slides(box, i == 0);
    const char *most = buffer_most(s, tiled, facts, box, true);
    b->constant = b->constant && most;
    b->most[i] = most ? most : buffer_most(s, tiled, facts, box, false);
    bounded = code_bounds(box, 0, &b->origin[i], &last) && bounded && b->most[i];
  }
  return bounded;
}

static void buffer_add(struct linker *k, const struct array *a) {
  isl_union_set *elements = buffer_elements(k, a, false), *within = NULL;
  for (unsigned i = 0; elements && !within && i < a->rank + a->n_strides; i++) {
    isl_set *box = link_hull(isl_union_set_copy(elements), i);
    if (!box) // some nest runs all of a loop
      within = buffer_elements(k, a, true);
    isl_set_free(box);
  }
  if (!buffer_set(k->s, a, k->c->n, k->s->facts, elements, within,
                  GROW(k->c->buffers, k->c->n_buffers)))
    scop_refuse(k->s, k->s->all.first,
                "the elements of a local array that a tile needs have no bounds");
  isl_union_set_free(elements);
  isl_union_set_free(within);
}

void buffers_find(struct linker *k) {
  for (unsigned i = 0; i < k->s->n_buffers && !k->s->why; i++)
    buffer_add(k, k->s->buffers[i]);
}
