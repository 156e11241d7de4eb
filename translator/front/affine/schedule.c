// SPDX-License-Identifier: Apache-2.0
// schedule.c: asks isl for a schedule of a nest, and cuts its outermost bands into tiles.
//
// The sizes of tiles are not known here, so a tile is a box whose ends are params:
// low <= x < high for each tiled loop. isl writes the loops within one box; the loops
// over boxes are plain text (front/loops/reschedule.c). Any sizes are right, because no
// iteration depends on one that is later in any loop of a permutable band.
#include <string.h>

#include <isl/map.h>
#include <isl/mat.h>
#include <isl/options.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>

#include "scop.h"

void finder_fails(struct finder *f, const char *why) {
  if (f->a->why)
    return;
  f->a->why = why;
  f->a->at = f->s->all.first;
}

isl_set *points_boxes(isl_ctx *ctx, const unsigned *loop, unsigned n, unsigned count) {
  struct text t = { 0 };
  text_printf(&t, "[");
  for (unsigned i = 0; i < n; i++)
    text_printf(&t, "%sautotune_low%u, autotune_high%u", i ? ", " : "", loop[i], loop[i]);
  text_printf(&t, "] -> { [");
  for (unsigned i = 0; i < count; i++)
    text_printf(&t, "%sc%u", i ? ", " : "", i);
  text_printf(&t, "] : 1 = 1");
  for (unsigned i = 0; i < n; i++)
    text_printf(&t, " and autotune_low%u <= c%u < autotune_high%u", loop[i], loop[i],
                loop[i]);
  text_printf(&t, " }");
  return isl_set_read_from_str(ctx, t.data);
}

// ---- parts --------------------------------------------------------------------------

struct dims {
  unsigned n;
  bool differ;
};

static isl_stat dims_look(isl_map *map, void *user) {
  struct dims *d = user;
  unsigned n = (unsigned)isl_map_dim(map, isl_dim_out);
  d->differ = d->differ || (d->n && d->n != n);
  d->n = n;
  isl_map_free(map);
  return isl_stat_ok;
}

// Returns SCHEDULE, which it frees, of the iterations that NODE runs at the values of the
// loops around.
static isl_union_map *finder_runs(const struct finder *f, isl_schedule_node *node,
                                  isl_union_map *schedule) {
  schedule = isl_union_map_intersect_domain(schedule, isl_schedule_node_get_domain(node));
  if (f->pieces)
    schedule = isl_union_map_apply_domain(
        schedule, isl_union_map_reverse(isl_union_map_copy(f->pieces)));
  if (f->at)
    schedule = isl_union_map_intersect_domain(schedule, isl_union_set_copy(f->at));
  return isl_union_map_coalesce(schedule);
}

// Returns the order in which NODE's iterations run, as points of *COUNT coordinates.
// *COUNT 0: it is not known, or more than MOST_COORDINATES.
static isl_union_map *finder_schedule(const struct finder *f, isl_schedule_node *node,
                                      unsigned *count) {
  struct dims d = { 0 };
  isl_union_map *schedule =
      finder_runs(f, node, isl_schedule_node_get_subtree_schedule_union_map(node));
  isl_union_map_foreach_map(schedule, dims_look, &d);
  *count = d.differ || d.n > MOST_COORDINATES ? 0 : d.n;
  if (d.n || d.differ)
    return schedule;
  *count = 1; // one iteration of one statement
  return isl_union_map_from_domain_and_range(
      isl_union_map_domain(schedule), isl_union_set_read_from_str(f->s->ctx, "{ [0] }"));
}

unsigned hull_equalities(isl_basic_set *hull) {
  isl_mat *m = isl_basic_set_equalities_matrix(hull, isl_dim_set, isl_dim_div,
                                               isl_dim_param, isl_dim_cst);
  unsigned n = m ? (unsigned)isl_mat_rows(m) : 0;
  isl_mat_free(m);
  isl_basic_set_free(hull);
  return n;
}

// Raises USER, a number, to the loops that MAP's points need.
static isl_stat plain_look(isl_map *map, void *user) {
  unsigned *loops = user, all = (unsigned)isl_map_dim(map, isl_dim_out),
           n = hull_equalities(isl_set_affine_hull(isl_map_range(map)));
  *loops = all > n && all - n > *loops ? all - n : *loops;
  return isl_stat_ok;
}

static void finder_plain(struct finder *f, isl_schedule_node *node) {
  unsigned count;
  isl_union_map *schedule = finder_schedule(f, node, &count);
  struct affine_part p = { 0 };
  isl_union_map_foreach_map(schedule, plain_look, &p.plain);
  if (count)
    p.code = code_of(f->s, isl_union_map_copy(schedule), isl_set_copy(f->facts), count,
                     false, false);
  isl_union_map_free(schedule);
  if (!p.code)
    finder_fails(f, "isl cannot write its loops");
  struct affine_part *before = f->a->n ? &f->a->parts[f->a->n - 1] : NULL;
  if (p.code && before && before->n == 0 && before->code)
    *before = (struct affine_part){ .code = arena_printf("%s%s", before->code, p.code),
                                    .plain = before->plain > p.plain ? before->plain
                                                                     : p.plain };
  else
    *GROW(f->a->parts, f->a->n) = p;
}

// Sets the bounds of P's loops over boxes; POINTS are those of all iterations.
static bool part_bounds(const struct finder *f, struct affine_part *p, isl_set *points,
                        unsigned count) {
  bool good = true;
  for (unsigned i = 0; i < p->n && good; i++) {
    isl_set *in = isl_set_intersect(isl_set_copy(points),
                                    points_boxes(f->s->ctx, p->loop, i, count));
    in = isl_set_intersect_params(in, isl_set_copy(f->facts));
    good = code_bounds(in, p->loop[i], &p->first[i], &p->last[i]);
  }
  if (good && p->wave) {
    isl_set *all = isl_set_intersect_params(isl_set_copy(points), isl_set_copy(f->facts));
    good = code_bounds(all, p->loop[1], &p->second_first, &p->second_last);
  }
  return good;
}

// True if tiles of one wave may update the same element: the updates that picks reorder
// go forward in one of the band's two outermost loops, and back in the other one. They
// are at points of COUNT coordinates in SCHEDULE.
static bool finder_races(const struct finder *f, isl_union_map *schedule,
                         unsigned count) {
  struct text t = { 0 };
  if (!f->s->picks)
    return false;
  for (unsigned side = 0; side < 2; side++)
    for (unsigned i = 0; i < count; i++)
      text_printf(&t, "%s%c%u", i ? ", " : side ? "] -> [" : "{ [", "cd"[side], i);
  text_printf(&t, "] : (c0 < d0 and c1 > d1) or (c0 > d0 and c1 < d1) }");
  isl_union_map *d = isl_union_map_copy(f->s->dependences);
  d = isl_union_map_apply_domain(d, isl_union_map_copy(schedule));
  d = isl_union_map_apply_range(d, isl_union_map_copy(schedule));
  d = isl_union_map_intersect(d, isl_union_map_read_from_str(f->s->ctx, t.data));
  bool races = isl_union_map_is_empty(d) != isl_bool_true;
  isl_union_map_free(d);
  return races;
}

static void finder_band(struct finder *f, isl_schedule_node *node) {
  unsigned count, n = (unsigned)isl_schedule_node_band_n_member(node), parallel = n;
  isl_union_map *schedule = finder_schedule(f, node, &count);
  struct affine_part p = { .n = n < f->tiled ? n : f->tiled };
  for (unsigned i = n; i-- > 0;)
    if (isl_schedule_node_band_member_get_coincident(node, (int)i) == isl_bool_true)
      parallel = i;
  p.wave = parallel == n || parallel >= p.n;
  p.loop[0] = p.wave ? 0 : parallel;
  for (unsigned i = 0, k = 1; i < p.n; i++)
    if (i != p.loop[0])
      p.loop[k++] = i;
  isl_set *points = count
      ? isl_set_from_union_set(isl_union_map_range(isl_union_map_copy(schedule)))
      : NULL;
  bool good = points && part_bounds(f, &p, points, count),
       races = good && p.wave && finder_races(f, schedule, count);
  isl_set_free(points);
  if (good)
    registers_find(f->s, &p, schedule, count);
  isl_set *boxes = good ? points_boxes(f->s->ctx, p.loop, p.n, count) : NULL;
  struct inner in = { 0 };
  if (good) {
    schedule = isl_union_map_intersect_range(schedule, isl_union_set_from_set(boxes));
    schedule = early_find(f->s, &p, schedule, count);
    in = inner_best(f->s, schedule, n, count);
  }
  isl_union_map_free(schedule);
  if (in.order)
    p.code = code_of(f->s, in.order, isl_set_copy(f->facts), in.count, in.vector, in.sum);
  if (races)
    finder_fails(f, "no two of its loops can be tiled");
  else if (!good)
    finder_fails(f, "its tiles have no bounds");
  else if (!in.order)
    finder_fails(f, "no order is found for the iterations of a tile");
  else if (!p.code || strlen(p.code) > MOST_CODE)
    finder_fails(f,
                 p.code ? "a tile has too many different loops"
                        : "the loops of a tile cannot be computed");
  f->a->depth = n > f->a->depth ? n : f->a->depth;
  *GROW(f->a->parts, f->a->n) = p;
}

// Adds loops that are one in tiles. POINTS: as fused_schedule returns them, of COUNT
// coordinates.
static void finder_fused(struct finder *f, isl_union_map *points, unsigned count) {
  struct scop *s = f->s;
  struct affine_part p = { .n = 1 };
  isl_set *all = isl_set_from_union_set(isl_union_map_range(isl_union_map_copy(points)));
  bool good = part_bounds(f, &p, all, count);
  isl_set_free(all);
  struct contract c = contract_find(s, points, count, f->facts);
  isl_union_map *tile = isl_union_map_intersect_range(
      isl_union_map_copy(points),
      isl_union_set_from_set(points_boxes(s->ctx, p.loop, p.n, count)));
  isl_union_map *accesses = s->accesses;
  s->accesses = contract_accesses(s, &c, true); // buffers have neighbours side by side
  struct inner in = inner_best(s, tile, p.n, count);
  isl_union_map_free(s->accesses);
  s->accesses = accesses;
  isl_union_set *runs = isl_union_map_domain(tile);
  if (good && in.order && c.n)
    contract_write(s, &c, runs, &in, f->facts, &p);
  isl_union_set_free(runs);
  contract_free(&c);
  if (in.order)
    p.code = code_of(s, in.order, isl_set_copy(f->facts), in.count, in.vector, in.sum);
  if (!good || !p.code || strlen(p.code) > MOST_CODE)
    finder_fails(f, "the loops of a tile cannot be computed");
  f->a->depth = f->a->depth ? f->a->depth : 1;
  *GROW(f->a->parts, f->a->n) = p;
}

// Sets *C to CHILD, a child of a sequence.
static void finder_child(const struct finder *f, isl_schedule_node *child,
                         struct fused *c) {
  isl_schedule_node *node = isl_schedule_node_get_child(child, 0);
  *c = (struct fused){ 0 };
  c->schedule = finder_schedule(f, node, &c->count);
  c->parallel = c->count;
  unsigned n = isl_schedule_node_get_type(node) == isl_schedule_node_band
      ? (unsigned)isl_schedule_node_band_n_member(node)
      : 0;
  for (unsigned i = n; i-- > 0 && c->count;)
    if (isl_schedule_node_band_member_get_coincident(node, (int)i) == isl_bool_true &&
        (i == 0 || isl_schedule_node_band_get_permutable(node) == isl_bool_true))
      c->parallel = i;
  isl_schedule_node_free(node);
}

// Adds NODE, a sequence, with loops that become one. False: there are none.
static bool finder_fuse(struct finder *f, isl_schedule_node *node) {
  struct fused list[SCOP_STATEMENTS];
  unsigned n = (unsigned)isl_schedule_node_n_children(node), groups = n;
  if (!f->keeps.n || isl_schedule_node_get_type(node) != isl_schedule_node_sequence ||
      n > SCOP_STATEMENTS)
    return false;
  for (unsigned i = 0; i < n; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(node, (int)i);
    finder_child(f, child, &list[i]);
    isl_schedule_node_free(child);
  }
  groups = fused_group(f->s, list, n, f->keeps.flow, f->keeps.n_flow);
  for (unsigned g = 0; g < groups && groups < n; g++) {
    unsigned members = 0, last = 0, count;
    for (unsigned i = 0; i < n; i++) {
      members += list[i].group == g;
      last = list[i].group == g ? i : last;
    }
    isl_schedule_node *child = isl_schedule_node_get_child(node, (int)last);
    isl_union_map *points = members > 1 ? fused_schedule(f->s, list, n, g, &count) : NULL;
    if (!points)
      finder_visit(f, child);
    else if (count)
      finder_fused(f, points, count);
    else
      finder_fails(f, "the loops of a tile cannot be computed");
    isl_union_map_free(points);
    isl_schedule_node_free(child);
  }
  for (unsigned i = 0; i < n; i++)
    isl_union_map_free(list[i].schedule);
  return groups < n;
}

// True if several loops next to each other can be tiled.
static isl_bool finder_is_band(isl_schedule_node *node, void *user) {
  bool *found = user;
  bool is = isl_schedule_node_get_type(node) == isl_schedule_node_band &&
      isl_schedule_node_band_n_member(node) > 1 &&
      isl_schedule_node_band_get_permutable(node) == isl_bool_true;
  if (found)
    *found = *found || is;
  return is ? isl_bool_true : isl_bool_false;
}

static isl_bool finder_goes_on(isl_schedule_node *node, void *user) {
  return isl_bool_not(finder_is_band(node, user));
}

// True if NODE is one loop around bands.
static bool finder_is_outer(const struct finder *f, isl_schedule_node *node) {
  bool found = false;
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band ||
      isl_schedule_node_band_n_member(node) != 1 || f->outer == MOST_OUTER)
    return false;
  isl_schedule_node_foreach_descendant_top_down(node, finder_goes_on, &found);
  return found;
}

void finder_open(struct finder *f, isl_union_map *order) {
  struct affine_part p = { .outer = f->outer++ };
  isl_set *values =
      isl_set_from_union_set(isl_union_map_range(isl_union_map_copy(order)));
  values = isl_set_intersect_params(values, isl_set_copy(f->facts));
  const char *name = arena_printf("autotune_outer%u", p.outer);
  isl_set *value = isl_set_read_from_str(
      f->s->ctx, arena_printf("[%s] -> { [c] : c = %s }", name, name));
  isl_set *some =
      isl_set_params(isl_set_intersect(isl_set_copy(values), isl_set_copy(value)));
  p.outer_some = code_condition(
      f->s, isl_set_coalesce(isl_set_gist(isl_set_copy(some), isl_set_copy(f->facts))));
  f->facts = isl_set_intersect(isl_set_copy(f->facts), some);
  f->at = isl_union_map_domain(
      isl_union_map_intersect_range(order, isl_union_set_from_set(value)));
  if (!code_bounds(values, 0, &p.outer_first, &p.outer_last) || !p.outer_some)
    finder_fails(f, "a loop around the tiles has no bounds");
  *GROW(f->a->parts, f->a->n) = p;
}

void finder_close(struct finder *f, const struct finder *around) {
  *GROW(f->a->parts, f->a->n) = (struct affine_part){ .ends = true };
  f->a->outer = f->outer > f->a->outer ? f->outer : f->a->outer;
  isl_union_set_free(f->at);
  isl_set_free(f->facts);
  *f = *around;
}

// Adds a loop, and the parts that it runs.
static void finder_outer(struct finder *f, isl_schedule_node *node) {
  const struct finder around = *f;
  finder_open(
      f,
      finder_runs(f, node, isl_schedule_node_band_get_partial_schedule_union_map(node)));
  isl_schedule_node *child = isl_schedule_node_get_child(node, 0);
  finder_visit(f, child);
  isl_schedule_node_free(child);
  finder_close(f, &around);
}

void finder_visit(struct finder *f, isl_schedule_node *node) {
  int n = isl_schedule_node_n_children(node);
  enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
  if (finder_fuse(f, node))
    return;
  bool through = type == isl_schedule_node_domain || type == isl_schedule_node_filter ||
      type == isl_schedule_node_sequence || type == isl_schedule_node_set;
  if (finder_is_band(node, NULL) == isl_bool_true)
    finder_band(f, node);
  else if (finder_is_outer(f, node))
    finder_outer(f, node);
  else if (!through)
    finder_plain(f, node);
  for (int i = 0; through && i < n && !f->a->why; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(node, i);
    finder_visit(f, child);
    isl_schedule_node_free(child);
  }
}

// Returns DEPENDENCES among what isl orders.
static isl_union_map *finder_among(const struct finder *f, isl_union_map *dependences) {
  isl_union_map *d = isl_union_map_copy(dependences);
  if (f->at)
    d = isl_union_map_intersect_range(
        isl_union_map_intersect_domain(d, isl_union_set_copy(f->at)),
        isl_union_set_copy(f->at));
  if (!f->pieces)
    return d;
  d = isl_union_map_apply_domain(d, isl_union_map_copy(f->pieces));
  return isl_union_map_apply_range(d, isl_union_map_copy(f->pieces));
}

isl_schedule *finder_compute(const struct finder *f) {
  const struct scop *s = f->s;
  isl_union_set *domain = isl_union_set_copy(f->at ? f->at : s->domain);
  isl_union_map *d = finder_among(f, s->dependences),
                *needed = finder_among(f, s->needed);
  if (f->pieces)
    domain = isl_union_set_apply(domain, isl_union_map_copy(f->pieces));
  isl_schedule_constraints *c = isl_schedule_constraints_on_domain(domain);
  c = isl_schedule_constraints_set_context(c, isl_set_copy(f->facts));
  c = isl_schedule_constraints_set_validity(c, needed);
  c = isl_schedule_constraints_set_proximity(c, isl_union_map_copy(d));
  c = isl_schedule_constraints_set_coincidence(c, d);
  return isl_schedule_constraints_compute_schedule(c);
}
