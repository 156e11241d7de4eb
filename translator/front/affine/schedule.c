// SPDX-License-Identifier: Apache-2.0
// schedule.c: asks isl for a schedule of a nest, and cuts its outermost bands into tiles.
//
// The sizes of tiles are not known here, so a tile is a box whose ends are params:
// low <= x < high for each tiled loop. isl writes the loops within one box; the loops over
// boxes are plain text (front/loops/reschedule.c). Any sizes are right, because no
// iteration depends on one that is later in any loop of a permutable band.
#include <string.h>

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>

#include "scop.h"

enum { MOST_CODE = 60000 }; /* bytes of one part: more is no use to compilers */

struct finder {
  struct scop *s;
  struct affine *a;
  unsigned tiled;
};

static const char *finder_fails(struct finder *f, const char *why) {
  if (!f->a->why) {
    f->a->why = why;
    f->a->at = f->s->root->node;
  }
  return why;
}

// ---- maps between points ------------------------------------------------------------

// Returns the map { [c0, c1, …] -> [those ORDER names] }.
static isl_map *points_permuted(isl_ctx *ctx, const unsigned *order, unsigned n) {
  struct text t = { 0 };
  text_printf(&t, "{ [");
  for (unsigned i = 0; i < n; i++)
    text_printf(&t, "%sc%u", i ? ", " : "", i);
  text_printf(&t, "] -> [");
  for (unsigned i = 0; i < n; i++)
    text_printf(&t, "%sc%u", i ? ", " : "", order[i]);
  text_printf(&t, "] }");
  return isl_map_read_from_str(ctx, t.data);
}

// Returns the points in the boxes of the N loops LOOP, of COUNT coordinates.
static isl_set *points_boxes(isl_ctx *ctx, const unsigned *loop, unsigned n,
                             unsigned count) {
  struct text t = { 0 };
  text_printf(&t, "[");
  for (unsigned i = 0; i < n; i++)
    text_printf(&t, "%sautotune_low%u, autotune_high%u", i ? ", " : "", loop[i],
                loop[i]);
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

// True if each iteration comes before those that depend on it in the order SCHEDULE.
static bool order_keeps(const struct scop *s, isl_union_map *schedule) {
  isl_union_map *later = isl_union_map_lex_lt_union_map(isl_union_map_copy(schedule),
                                                        isl_union_map_copy(schedule));
  isl_union_set *all = isl_union_map_domain(isl_union_map_copy(schedule));
  isl_union_map *d = isl_union_map_copy(s->dependences);
  d = isl_union_map_intersect_domain(d, isl_union_set_copy(all));
  d = isl_union_map_intersect_range(d, all);
  bool keeps = isl_union_map_is_subset(d, later) == isl_bool_true;
  isl_union_map_free(later);
  isl_union_map_free(d);
  return keeps;
}

// Returns the pairs of points of which the second depends on the first.
static isl_map *order_carried(const struct scop *s, isl_union_map *schedule) {
  isl_union_map *d = isl_union_map_copy(s->dependences);
  d = isl_union_map_apply_domain(d, isl_union_map_copy(schedule));
  d = isl_union_map_apply_range(d, isl_union_map_copy(schedule));
  return isl_union_map_is_empty(d) == isl_bool_true ? isl_union_map_free(d), NULL
                                                    : isl_map_from_union_map(d);
}

// True if no iteration depends on another one in the same innermost loop.
static bool order_is_vector(const struct scop *s, isl_union_map *schedule,
                            unsigned count) {
  isl_map *d = order_carried(s, schedule);
  for (unsigned i = 0; d && i + 1 < count; i++)
    d = isl_map_equate(d, isl_dim_in, (int)i, isl_dim_out, (int)i);
  isl_map *same = d ? isl_map_equate(isl_map_copy(d), isl_dim_in, (int)count - 1,
                                     isl_dim_out, (int)count - 1)
                    : NULL;
  bool vector = !d || isl_map_is_subset(d, same) == isl_bool_true;
  isl_map_free(d);
  isl_map_free(same);
  return vector;
}

// ---- which loop is innermost --------------------------------------------------------

struct strides {
  isl_union_map *schedule;
  unsigned at, count; /* the coordinate, of so many */
  int near, far;      /* accesses that move by one element or none, or further */
};

// Counts how the access ACCESS moves when the coordinate grows by one.
static isl_stat strides_add(isl_map *access, void *user) {
  struct strides *st = user;
  struct text t = { 0 };
  isl_ctx *ctx = isl_map_get_ctx(access);
  isl_union_map *points = isl_union_map_apply_domain(
      isl_union_map_from_map(access), isl_union_map_copy(st->schedule));
  text_printf(&t, "{ [");
  for (unsigned i = 0; i < st->count; i++)
    text_printf(&t, "%sc%u", i ? ", " : "", i);
  text_printf(&t, "] -> [");
  for (unsigned i = 0; i < st->count; i++)
    text_printf(&t, "%sc%u%s", i ? ", " : "", i, i == st->at ? " + 1" : "");
  text_printf(&t, "] }");
  isl_union_map *step = isl_union_map_read_from_str(ctx, t.data);
  step = isl_union_map_apply_domain(step, isl_union_map_copy(points));
  step = isl_union_map_apply_range(step, points);
  isl_union_set *moved = isl_union_map_deltas(step);
  isl_set *set = isl_union_set_is_empty(moved) == isl_bool_false
      ? isl_set_from_union_set(isl_union_set_copy(moved))
      : NULL;
  bool near = !set;
  int n = set ? isl_set_dim(set, isl_dim_set) : 0;
  if (set) {
    near = true;
    for (int i = 0; i < n && near; i++) {
      isl_val *v = isl_set_plain_get_val_if_fixed(set, isl_dim_set, (unsigned)i);
      long long by = v && isl_val_is_int(v) == isl_bool_true ? isl_val_get_num_si(v) : 99;
      near = by == 0 || (by == 1 && i + 1 == n) || (by == -1 && i + 1 == n);
      isl_val_free(v);
    }
  }
  st->near += near;
  st->far += !near;
  isl_set_free(set);
  isl_union_set_free(moved);
  return isl_stat_ok;
}

// Returns how many accesses are near less those that are far, if AT is innermost.
static int strides_score(const struct scop *s, isl_union_map *schedule, unsigned at,
                         unsigned count) {
  struct strides st = { .schedule = schedule, .at = at, .count = count };
  isl_union_map *mine = isl_union_map_intersect_domain(
      isl_union_map_copy(s->accesses),
      isl_union_map_domain(isl_union_map_copy(schedule)));
  isl_union_map_foreach_map(mine, strides_add, &st);
  isl_union_map_free(mine);
  return st.near - 3 * st.far;
}

// Moves a loop of the band of N inwards, and statements apart, where that is better for
// vectors. Returns the new schedule. *VECTOR: its innermost loops have no dependences.
static isl_union_map *order_inner(const struct scop *s, isl_union_map *schedule,
                                  unsigned n, unsigned count, bool *vector) {
  isl_union_map *best = NULL;
  int most = 0;
  for (unsigned inner = 0; inner < n; inner++)
    for (int apart = 1; apart >= 0; apart--) {
      unsigned order[2 * AFFINE_DEPTH + 2], k = 0;
      for (unsigned i = 0; i < n; i++)
        if (i != inner)
          order[k++] = i;
      if (!apart)
        order[k++] = inner;
      for (unsigned i = n; i < count; i++)
        order[k++] = i;
      if (apart)
        order[k++] = inner;
      isl_union_map *made = isl_union_map_apply_range(
          isl_union_map_copy(schedule),
          isl_union_map_from_map(points_permuted(s->ctx, order, count)));
      unsigned at = 0;
      while (order[at] != inner)
        at++;
      bool can = order_keeps(s, made), fast = apart && order_is_vector(s, made, count);
      int score = strides_score(s, made, at, count) * 2 + 100 * fast + (int)inner +
          (apart && !fast ? -50 : 0);
      if (can && (!best || score > most)) {
        isl_union_map_free(best);
        best = isl_union_map_copy(made);
        most = score;
        *vector = fast;
      }
      isl_union_map_free(made);
    }
  isl_union_map_free(schedule);
  return best;
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

// Returns the map from iterations to the number of their statement.
static isl_union_map *finder_ranks(const struct scop *s) {
  struct text t = { 0 };
  text_printf(&t, "{ ");
  for (unsigned i = 0; i < s->n; i++) {
    text_printf(&t, "%sS%u[", i ? "; " : "", i);
    for (unsigned j = 0; j < s->list[i].n; j++)
      text_printf(&t, "%si%u", j ? ", " : "", j);
    text_printf(&t, "] -> [%u]", i);
  }
  text_printf(&t, " }");
  return isl_union_map_read_from_str(s->ctx, t.data);
}

// Returns the order in which NODE's iterations run, as points of *COUNT coordinates, of
// which the last is the statement's number. *COUNT 0: it is not known.
static isl_union_map *finder_schedule(const struct finder *f, isl_schedule_node *node,
                                      unsigned *count) {
  struct dims d = { 0 };
  isl_union_map *schedule = isl_schedule_node_get_subtree_schedule_union_map(node);
  schedule =
      isl_union_map_intersect_domain(schedule, isl_schedule_node_get_domain(node));
  isl_union_map_foreach_map(schedule, dims_look, &d);
  *count = d.differ ? 0 : d.n + 1;
  return d.differ ? schedule
                  : isl_union_map_flat_range_product(schedule, finder_ranks(f->s));
}

static void finder_plain(struct finder *f, isl_schedule_node *node) {
  unsigned count;
  isl_union_map *schedule = finder_schedule(f, node, &count);
  struct affine_part p = { 0 };
  if (count)
    p.code = code_of(f->s, isl_union_map_copy(schedule), isl_set_copy(f->s->facts), count,
                     false);
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
  isl_union_map *schedule = finder_schedule(f, node, &count);
  struct affine_part p = { .n = n < f->tiled ? n : f->tiled };
  bool vector = false;
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
  isl_set *boxes = good ? points_boxes(f->s->ctx, p.loop, p.n, count) : NULL;
  isl_union_map *inner = good
      ? order_inner(f->s,
                    isl_union_map_intersect_range(isl_union_map_copy(schedule),
                                                  isl_union_set_from_set(boxes)),
                    n, count, &vector)
      : NULL;
  isl_union_map_free(schedule);
  if (inner)
    p.code = code_of(f->s, inner, isl_set_copy(f->s->facts), count, vector);
  if (!p.code || strlen(p.code) > MOST_CODE)
    finder_fails(f, "isl cannot write its loops, or makes too many of them");
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

// Sets the text of A's params.
static void affine_symbols(const struct scop *s, struct affine *a) {
  struct text t = { 0 };
  const struct statement none = { .n = 0 };
  text_add(&t, "", 0);
  for (unsigned i = 0; i < s->n_symbols; i++) {
    text_printf(&t, "const long long %s = 1", scop_symbol(i));
    for (monomial m = s->symbols[i]; m; m >>= 8) {
      struct slice name = s->m->atoms[(m & 255) - 1];
      text_printf(&t, " * (long long)(%.*s)", (int)name.size, name.data);
    }
    text_printf(&t, ";\n");
  }
  a->symbols = t.data;
  struct scop plain = *s; // with the names of the source
  plain.n_symbols = 0;
  a->last = code_poly(&plain, &none, s->root->to, NULL);
}

struct affine *affine_of(struct model *m, struct iter *root, unsigned tiled) {
  struct affine *a = arena_alloc(sizeof *a);
  struct scop *s = scop_read(m, root);
  struct finder f = { .s = s, .a = a, .tiled = tiled };
  a->why = s->why;
  a->at = s->at;
  isl_schedule *schedule = s->why ? NULL : finder_compute(s);
  if (!s->why && !schedule)
    finder_fails(&f, "isl finds no order for it");
  if (schedule) {
    isl_schedule_node *node = isl_schedule_get_root(schedule);
    finder_visit(&f, node);
    isl_schedule_node_free(node);
    affine_symbols(s, a);
    if (a->depth == 0)
      finder_fails(&f, "no two of its loops can be tiled");
  }
  isl_schedule_free(schedule);
  scop_free(s);
  return a;
}
