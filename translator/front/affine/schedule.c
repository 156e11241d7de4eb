// SPDX-License-Identifier: Apache-2.0
// schedule.c: asks isl for a schedule of a nest, and cuts its outermost bands into tiles.
//
// The sizes of tiles are not known here, so a tile is a box whose ends are params:
// low <= x < high for each tiled loop. isl writes the loops within one box; the loops
// over boxes are plain text (front/loops/reschedule.c). Any sizes are right, because no
// iteration depends on one that is later in any loop of a permutable band.
#include <string.h>

#include <isl/map.h>
#include <isl/options.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>

#include "scop.h"

struct finder {
  struct scop *s;
  struct affine *a;
  unsigned tiled;
};

static void finder_fails(struct finder *f, const char *why) {
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

// Returns the order in which NODE's iterations run, as points of *COUNT coordinates.
// *COUNT 0: it is not known, or more than MOST_COORDINATES.
static isl_union_map *finder_schedule(isl_schedule_node *node, unsigned *count) {
  struct dims d = { 0 };
  isl_union_map *schedule = isl_schedule_node_get_subtree_schedule_union_map(node);
  schedule = isl_union_map_intersect_domain(schedule, isl_schedule_node_get_domain(node));
  isl_union_map_foreach_map(schedule, dims_look, &d);
  *count = d.differ || d.n > MOST_COORDINATES ? 0 : d.n;
  return schedule;
}

static void finder_plain(struct finder *f, isl_schedule_node *node) {
  unsigned count;
  isl_union_map *schedule = finder_schedule(node, &count);
  struct affine_part p = { 0 };
  if (count)
    p.code = code_of(f->s, isl_union_map_copy(schedule), isl_set_copy(f->s->facts), count,
                     false, false);
  isl_union_map_free(schedule);
  if (!p.code)
    finder_fails(f, "isl cannot write its loops");
  *GROW(f->a->parts, f->a->n) = p;
}

// Sets the bounds of P's loops over boxes; POINTS are those of all iterations.
static bool part_bounds(const struct finder *f, struct affine_part *p, isl_set *points,
                        unsigned count) {
  bool good = true;
  for (unsigned i = 0; i < p->n && good; i++) {
    isl_set *in = isl_set_intersect(isl_set_copy(points),
                                    points_boxes(f->s->ctx, p->loop, i, count));
    in = isl_set_intersect_params(in, isl_set_copy(f->s->facts));
    good = code_bounds(in, p->loop[i], &p->first[i], &p->last[i]);
  }
  if (good && p->wave) {
    isl_set *all =
        isl_set_intersect_params(isl_set_copy(points), isl_set_copy(f->s->facts));
    good = code_bounds(all, p->loop[1], &p->second_first, &p->second_last);
  }
  return good;
}

static void finder_band(struct finder *f, isl_schedule_node *node) {
  unsigned count, n = (unsigned)isl_schedule_node_band_n_member(node), parallel = n;
  isl_union_map *schedule = finder_schedule(node, &count);
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
  bool good = points && part_bounds(f, &p, points, count);
  isl_set_free(points);
  if (good)
    registers_find(f->s, &p, schedule, count);
  isl_set *boxes = good ? points_boxes(f->s->ctx, p.loop, p.n, count) : NULL;
  struct inner in = { 0 };
  if (good) {
    schedule = isl_union_map_intersect_range(schedule, isl_union_set_from_set(boxes));
    in = inner_best(f->s, schedule, n, count);
  }
  isl_union_map_free(schedule);
  if (in.order)
    p.code =
        code_of(f->s, in.order, isl_set_copy(f->s->facts), in.count, in.vector, in.sum);
  if (!good)
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

static void finder_visit(struct finder *f, isl_schedule_node *node) {
  int n = isl_schedule_node_n_children(node);
  enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
  bool through = type == isl_schedule_node_domain || type == isl_schedule_node_filter ||
      type == isl_schedule_node_sequence || type == isl_schedule_node_set;
  if (type == isl_schedule_node_band && isl_schedule_node_band_n_member(node) > 1 &&
      isl_schedule_node_band_get_permutable(node) == isl_bool_true)
    finder_band(f, node);
  else if (!through)
    finder_plain(f, node);
  for (int i = 0; through && i < n && !f->a->why; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(node, i);
    finder_visit(f, child);
    isl_schedule_node_free(child);
  }
}

static isl_schedule *finder_compute(const struct scop *s) {
  isl_schedule_constraints *c =
      isl_schedule_constraints_on_domain(isl_union_set_copy(s->domain));
  isl_union_map *d = s->dependences;
  c = isl_schedule_constraints_set_context(c, isl_set_copy(s->facts));
  c = isl_schedule_constraints_set_validity(c, isl_union_map_copy(d));
  c = isl_schedule_constraints_set_proximity(c, isl_union_map_copy(d));
  c = isl_schedule_constraints_set_coincidence(c, isl_union_map_copy(d));
  return isl_schedule_constraints_compute_schedule(c);
}

void affine_symbols(const struct scop *s, const char **symbols, const char **last) {
  struct text t = { 0 };
  const struct statement none = { .n = 0 };
  text_add(&t, "", 0);
  for (unsigned i = 0; i < s->n_symbols; i++) {
    text_printf(&t, "const long long %s = 1", scop_symbol(i));
    for (monomial m = s->symbols[i]; m; m >>= 8) {
      struct slice name = s->m->atoms[(m & 255) - 1];
      const char *read = member_condition(s->m, name); // else no loop needs it
      text_printf(&t, read ? " * (%s ? (long long)(%.*s) : 0)" : "%s * (long long)(%.*s)",
                  read ? read : "", (int)name.size, name.data);
    }
    text_printf(&t, ";\n");
  }
  *symbols = t.data;
  struct scop plain = *s; // with the names of the source
  plain.n_symbols = 0;
  *last = code_poly(&plain, &none, s->last->to, NULL);
}

// Returns the order that isl finds. APART: statements whose iterations need not alternate
// have loops of their own.
static struct affine *affine_try(struct model *m, struct scop *s, unsigned tiled,
                                 bool apart) {
  struct affine *a = arena_alloc(sizeof *a);
  struct finder f = { .s = s, .a = a, .tiled = tiled };
  isl_ctx_reset_operations(s->ctx);
  isl_ctx_reset_error(s->ctx);
  isl_options_set_schedule_serialize_sccs(s->ctx, apart);
  isl_schedule *schedule = finder_compute(s);
  if (!schedule)
    finder_fails(&f, "isl finds no order for it");
  if (schedule) {
    isl_schedule_node *node = isl_schedule_get_root(schedule);
    finder_visit(&f, node);
    isl_schedule_node_free(node);
    affine_symbols(s, &a->symbols, &a->last);
    a->condition = conditions_text(m, m->assumed, m->n_assumed);
    if (isl_ctx_last_error(s->ctx) != isl_error_none) // in any call since it was made
      finder_fails(&f, "it is too large for isl");
    if (a->depth == 0)
      finder_fails(&f, "no two of its loops can be tiled");
  }
  isl_schedule_free(schedule);
  return a;
}

struct affine *affine_of(struct model *m, struct iter *root, unsigned tiled) {
  struct scop *s = scop_read(m, (struct body){ root->node, root->node }, root);
  struct affine *a, *apart;
  if (s->why) {
    a = arena_alloc(sizeof *a);
    a->why = s->why;
    a->at = s->at;
  } else {
    a = affine_try(m, s, tiled, false);
    apart = a->why || !affine_has_blocks(a) ? affine_try(m, s, tiled, true) : a;
    if (!apart->why && (a->why || affine_has_blocks(apart)))
      a = apart;
  }
  scop_free(s);
  return a;
}

bool affine_has_blocks(const struct affine *a) {
  for (unsigned i = 0; i < a->n; i++)
    if (a->parts[i].block)
      return true;
  return false;
}
