// SPDX-License-Identifier: Apache-2.0
// schedule.c: asks isl for a schedule of a nest, and cuts its outermost bands into tiles.
//
// The sizes of tiles are not known here, so a tile is a box whose ends are params:
// low <= x < high for each tiled loop. isl writes the loops within one box; the loops
// over boxes are plain text (front/loops/reschedule.c). Any sizes are right, because no
// iteration depends on one that is later in any loop of a permutable band.
#include <stdlib.h>
#include <string.h>

#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/val.h>

#include "scop.h"

enum {
  MOST_CODE = 60000, /* bytes of one part: more is no use to compilers */
  /* A coordinate for each loop, and one before, between and after them. */
  MOST_COORDINATES = 2 * AFFINE_DEPTH + 2
};

struct finder {
  struct scop *s;
  struct affine *a;
  unsigned tiled;
};

static void finder_fails(struct finder *f, const char *why) {
  if (f->a->why)
    return;
  f->a->why = why;
  f->a->at = f->s->root->node;
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

// True if no iteration depends, by DEPENDENCES, on another one in the same innermost
// loop: at points of COUNT coordinates that differ in the last one alone.
static bool order_is_vector(isl_union_map *dependences, isl_union_map *schedule,
                            unsigned count) {
  isl_union_map *all = isl_union_map_copy(dependences);
  all = isl_union_map_apply_domain(all, isl_union_map_copy(schedule));
  all = isl_union_map_apply_range(all, isl_union_map_copy(schedule));
  if (isl_union_map_is_empty(all) == isl_bool_true) {
    isl_union_map_free(all);
    return true;
  }
  isl_map *d = isl_map_from_union_map(all); // from the point to those that depend on it
  for (unsigned i = 0; i + 1 < count; i++)
    d = isl_map_equate(d, isl_dim_in, (int)i, isl_dim_out, (int)i);
  isl_map *same = isl_map_equate(isl_map_copy(d), isl_dim_in, (int)count - 1, isl_dim_out,
                                 (int)count - 1);
  bool vector = isl_map_is_subset(d, same) == isl_bool_true;
  isl_map_free(d);
  isl_map_free(same);
  return vector;
}

// ---- which loop is innermost --------------------------------------------------------

struct strides {
  isl_union_map *schedule;
  unsigned at, count; /* the coordinate, of so many */
  int far;            /* accesses that move by more than one element */
};

// Adds ACCESS to USER if it moves by more than an element when the coordinate grows by
// one.
static isl_stat strides_add(isl_basic_map *access, void *user) {
  struct strides *st = user;
  struct text t = { 0 };
  isl_ctx *ctx = isl_basic_map_get_ctx(access);
  isl_union_map *points = isl_union_map_apply_domain(isl_union_map_from_basic_map(access),
                                                     isl_union_map_copy(st->schedule));
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
  bool near = true; // also if no iteration has a next one
  int n = set ? isl_set_dim(set, isl_dim_set) : 0;
  for (int i = 0; i < n && near; i++) {
    isl_val *v = isl_set_plain_get_val_if_fixed(set, isl_dim_set, (unsigned)i);
    near = isl_val_is_zero(v) == isl_bool_true ||
        (i + 1 == n &&
         (isl_val_is_one(v) == isl_bool_true || isl_val_is_negone(v) == isl_bool_true));
    isl_val_free(v);
  }
  st->far += !near;
  isl_set_free(set);
  isl_union_set_free(moved);
  return isl_stat_ok;
}

// The accesses of a statement to an array are the basic maps of MAP.
static isl_stat strides_look(isl_map *map, void *user) {
  isl_stat good = isl_map_foreach_basic_map(map, strides_add, user);
  isl_map_free(map);
  return good;
}

// Returns 1 if no access moves by more than an element when the coordinate AT of COUNT
// grows by one; otherwise minus the number of those that do.
static int strides_score(const struct scop *s, isl_union_map *schedule, unsigned at,
                         unsigned count) {
  struct strides st = { .schedule = schedule, .at = at, .count = count };
  isl_union_map *mine =
      isl_union_map_intersect_domain(isl_union_map_copy(s->accesses),
                                     isl_union_map_domain(isl_union_map_copy(schedule)));
  isl_union_map_foreach_map(mine, strides_look, &st);
  isl_union_map_free(mine);
  return st.far ? -st.far : 1;
}

// ---- the order of statements --------------------------------------------------------

struct ranks {
  bool before[SCOP_STATEMENTS][SCOP_STATEMENTS];
  bool failed;
};

static isl_stat ranks_look(isl_map *map, void *user) {
  struct ranks *r = user;
  const char *from = isl_map_get_tuple_name(map, isl_dim_in),
             *to = isl_map_get_tuple_name(map, isl_dim_out);
  unsigned a = from ? (unsigned)strtoul(from + 1, NULL, 10) : SCOP_STATEMENTS,
           b = to ? (unsigned)strtoul(to + 1, NULL, 10) : SCOP_STATEMENTS;
  r->failed = r->failed || a >= SCOP_STATEMENTS || b >= SCOP_STATEMENTS;
  if (!r->failed && a != b)
    r->before[a][b] = true;
  isl_map_free(map);
  return isl_stat_ok;
}

// Returns the next statement, in the order of the source, that no other one that is left
// must come before; S->n: there is none.
static unsigned ranks_next(const struct scop *s, const struct ranks *r,
                           const bool *done) {
  for (unsigned i = 0; i < s->n; i++) {
    bool ready = !done[i];
    for (unsigned j = 0; j < s->n && ready; j++)
      ready = done[j] || !r->before[j][i];
    if (ready)
      return i;
  }
  return s->n;
}

// Returns the map from iterations to the place of their statement among those that
// SCHEDULE runs at the same point. NULL: they depend on each other.
static isl_union_map *ranks_of(const struct scop *s, isl_union_map *schedule) {
  struct ranks r = { 0 };
  bool done[SCOP_STATEMENTS] = { false };
  struct text t = { 0 };
  isl_union_map *same = isl_union_map_apply_range(
      isl_union_map_copy(schedule), isl_union_map_reverse(isl_union_map_copy(schedule)));
  same = isl_union_map_intersect(same, isl_union_map_copy(s->dependences));
  isl_stat looked = isl_union_map_foreach_map(same, ranks_look, &r);
  r.failed = r.failed || looked != isl_stat_ok;
  isl_union_map_free(same);
  text_printf(&t, "{ ");
  for (unsigned rank = 0; rank < s->n && !r.failed; rank++) {
    unsigned i = ranks_next(s, &r, done);
    if (i == s->n)
      return NULL;
    done[i] = true;
    text_printf(&t, "%sS%u[", rank ? "; " : "", i);
    for (unsigned j = 0; j < s->list[i].n; j++)
      text_printf(&t, "%si%u", j ? ", " : "", j);
    text_printf(&t, "] -> [%u]", rank);
  }
  text_printf(&t, " }");
  return r.failed ? NULL : isl_union_map_read_from_str(s->ctx, t.data);
}

// ---- the order in a tile ------------------------------------------------------------

struct inner {
  isl_union_map *order; /* or NULL */
  unsigned count;       /* of its coordinates */
  bool vector, sum;     /* as in code_of */
  int score;
};

// Returns SCHEDULE, of COUNT coordinates, with the loop INNER innermost. APART: each
// statement has an innermost loop of its own.
static struct inner inner_of(const struct scop *s, isl_union_map *schedule,
                             unsigned count, unsigned inner, bool apart) {
  unsigned order[MOST_COORDINATES], k = 0;
  struct inner in = { .count = count + 1 };
  for (unsigned i = 0; i < count; i++)
    if (i != inner)
      order[k++] = i;
  order[k] = inner;
  isl_map *moved = points_permuted(s->ctx, order, count);
  isl_map *head = isl_map_project_out(isl_map_copy(moved), isl_dim_out, count - 1, 1),
          *tail = isl_map_project_out(isl_map_copy(moved), isl_dim_out, 0, count - 1);
  isl_union_map *before = isl_union_map_apply_range(
      isl_union_map_copy(schedule), isl_union_map_from_map(apart ? head : moved));
  isl_union_map *last = isl_union_map_apply_range(isl_union_map_copy(schedule),
                                                  isl_union_map_from_map(tail));
  isl_map_free(apart ? moved : head);
  isl_union_map *rank = ranks_of(s, before);
  in.order = rank ? isl_union_map_flat_range_product(before, rank)
                  : (isl_union_map_free(before), NULL);
  if (in.order && apart)
    in.order = isl_union_map_flat_range_product(in.order, last);
  else
    isl_union_map_free(last);
  if (in.order && !order_keeps(s, in.order))
    in.order = isl_union_map_free(in.order);
  if (!in.order)
    return in;
  // Best are vectors whose accesses are near, then sums whose accesses are, then other
  // vectors. Otherwise it does not pay to keep statements apart. Among equals fewer far
  // accesses count, and then the loop further in.
  int strides = strides_score(s, in.order, apart ? count : count - 1, in.count);
  in.sum = apart && order_is_vector(s->hard, in.order, in.count);
  in.vector = apart && order_is_vector(s->dependences, in.order, in.count);
  in.score = strides * 4 + (int)inner +
      (in.vector && strides > 0    ? 300
           : in.sum && strides > 0 ? 200
           : in.vector             ? 100
                                   : 0) -
      (apart && !in.sum ? 50 : 0);
  return in;
}

// Returns SCHEDULE with diagonals of its last two loops innermost. Their iterations do
// not depend on each other, so a processor need not wait for one to begin the next.
static struct inner inner_diagonal(const struct scop *s, isl_union_map *schedule,
                                   unsigned count) {
  struct inner in = { .count = count + 1 };
  struct text t = { 0 };
  text_printf(&t, "{ [");
  for (unsigned i = 0; i < count; i++)
    text_printf(&t, "%sc%u", i ? ", " : "", i);
  text_printf(&t, "] -> [");
  for (unsigned i = 0; i + 2 < count; i++)
    text_printf(&t, "c%u, ", i);
  text_printf(&t, "c%u + c%u, c%u] }", count - 2, count - 1, count - 2);
  isl_union_map *made = isl_union_map_apply_range(
      isl_union_map_copy(schedule), isl_union_map_read_from_str(s->ctx, t.data));
  isl_union_map *rank = ranks_of(s, made);
  in.order = rank ? isl_union_map_flat_range_product(made, rank)
                  : (isl_union_map_free(made), NULL);
  if (in.order && !order_keeps(s, in.order))
    in.order = isl_union_map_free(in.order);
  return in;
}

// Sets to true in USER, an array, the coordinates that are no number in MAP.
static isl_stat inner_look(isl_map *map, void *user) {
  bool *varies = user;
  int n = isl_map_dim(map, isl_dim_out);
  for (int i = 0; i < n && i < MOST_COORDINATES; i++) {
    isl_val *v = isl_map_plain_get_val_if_fixed(map, isl_dim_out, (unsigned)i);
    varies[i] = varies[i] || isl_val_is_int(v) != isl_bool_true;
    isl_val_free(v);
  }
  isl_map_free(map);
  return isl_stat_ok;
}

// Returns the best order in a tile of a band of N loops: for vectors if that is possible.
// SCHEDULE has points of COUNT coordinates, and at most MOST_COORDINATES.
static struct inner inner_best(const struct scop *s, isl_union_map *schedule, unsigned n,
                               unsigned count) {
  struct inner best = { 0 };
  bool varies[MOST_COORDINATES] = { false };
  isl_union_map_foreach_map(schedule, inner_look, varies);
  for (unsigned i = 0; i < 2 * count; i++) {
    if (!varies[i / 2])
      continue;
    struct inner in = inner_of(s, schedule, count, i / 2, i % 2 == 0);
    bool better = in.order && (!best.order || in.score > best.score);
    isl_union_map_free(better ? best.order : in.order);
    best = better ? in : best;
  }
  if (!best.order || best.vector || best.sum || count != n)
    return best;
  struct inner diagonal = inner_diagonal(s, schedule, count);
  isl_union_map_free(diagonal.order ? best.order : NULL);
  return diagonal.order ? diagonal : best;
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
    a->condition = conditions_text(m, m->assumed, m->n_assumed);
    if (isl_ctx_last_error(s->ctx) != isl_error_none) // in any call since it was made
      finder_fails(&f, "it is too large for isl");
    if (a->depth == 0)
      finder_fails(&f, "no two of its loops can be tiled");
  }
  isl_schedule_free(schedule);
  scop_free(s);
  return a;
}
