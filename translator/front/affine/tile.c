// SPDX-License-Identifier: Apache-2.0
// tile.c: the order of the iterations in a tile. Any loop of a permutable band may be the
// innermost one, and each statement may have innermost loops of its own, as far as no
// dependence forbids it.
#include <stdlib.h>

#include <isl/map.h>
#include <isl/val.h>

#include "scop.h"

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

// True if each iteration comes before those that depend on it in the order SCHEDULE.
static bool order_keeps(const struct scop *s, isl_union_map *schedule) {
  isl_union_map *later = isl_union_map_lex_lt_union_map(isl_union_map_copy(schedule),
                                                        isl_union_map_copy(schedule));
  isl_union_set *all = isl_union_map_domain(isl_union_map_copy(schedule));
  isl_union_map *d = isl_union_map_copy(s->needed);
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
  same = isl_union_map_intersect(same, isl_union_map_copy(s->needed));
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

// Returns SCHEDULE, of COUNT coordinates, with the loop INNER innermost. APART: each
// statement has an innermost loop of its own.
static struct inner inner_of(const struct scop *s, isl_union_map *schedule,
                             unsigned count, unsigned inner, bool apart) {
  unsigned order[MOST_COORDINATES], k = 0;
  struct inner in = { .count = count + 1, .inner = inner };
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
  in.sum = apart && order_is_vector(s->without_sums, in.order, in.count);
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
  struct inner in = { .count = count + 1, .inner = count };
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
struct inner inner_best(const struct scop *s, isl_union_map *schedule, unsigned n,
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
