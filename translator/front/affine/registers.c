// SPDX-License-Identifier: Apache-2.0
// registers.c: blocks of sums that stay in registers, for tiles in which statements like
// `c[i][j] += a[i][k] * b[k][j]` alone run. Its three loops are called
//
//   rows      a loop of the element c[i][j] along which it moves far, here i
//   columns   the loop along which the element moves by one, here j
//   terms     the loop whose iterations add to one element, here k
//
// In blocks of some rows and columns the terms are innermost but for the block itself, as
// in the inner kernel of libraries for linear algebra (K. Goto, R. van de Geijn, "Anatomy
// of High-Performance Matrix Multiplication", ACM TOMS 34, 2008). Elements like b[k][j],
// which each block of rows reads again, are first copied into a packed array: in it they
// are next to each other, and no two rows of it take each other's place in the cache. An
// access like b[j][k] moves by a whole row from column to column, and must be packed, so
// that vectors can read it.
//
// The rows of a triangle differ in length. A block takes the columns that all its rows
// have; those that remain are added row by row.
#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/val.h>

#include "scop.h"

enum { MOST_PACKED_BYTES = 65536 }; /* they are on the stack, which may be small */

struct blocks {
  struct scop *s;
  const struct affine_part *p;
  unsigned count;          /* of the coordinates of a point */
  isl_union_map *schedule; /* within the box of a tile */
  isl_set *bad;            /* params for which a tile cannot run so */
  struct blocked list[SCOP_STATEMENTS];
  unsigned n;
};

// ---- the loops of a statement -------------------------------------------------------

enum moves { STAYS, NEAR, FAR };

// Returns how X moves when the loop ATOM does.
static enum moves access_moves(const struct access *x, unsigned atom) {
  enum moves moves = STAYS;
  for (unsigned i = 0; i < x->n; i++) {
    struct poly rest;
    if (!poly_has(x->index[i], atom))
      continue;
    bool one = i + 1 == x->n && moves == STAYS &&
        poly_same(poly_coefficient(x->index[i], atom, &rest), poly_int(1));
    moves = one ? NEAR : FAR;
  }
  return moves;
}

// Sets *AT to the coordinate that VALUE is, but for *OFFSET, which does not change, as C.
// False: it is not so.
static bool blocked_loop(const struct blocks *b, isl_aff *value, unsigned *at,
                         const char **offset) {
  struct text t = { 0 };
  unsigned found = 0;
  bool good = isl_aff_is_cst(value) == isl_bool_false &&
      isl_aff_dim(value, isl_dim_div) == 0;
  for (unsigned c = 0; c < b->count && good; c++) {
    isl_val *v = isl_aff_get_coefficient_val(value, isl_dim_in, (int)c);
    bool one = isl_val_is_one(v) == isl_bool_true;
    good = one || isl_val_is_zero(v) == isl_bool_true;
    isl_val_free(v);
    if (one)
      *at = c, found++;
  }
  isl_val *v = isl_aff_get_constant_val(value);
  good = good && isl_val_is_int(v) == isl_bool_true;
  text_printf(&t, "%ldLL", isl_val_get_num_si(v));
  isl_val_free(v);
  for (int i = 0; i < isl_aff_dim(value, isl_dim_param) && good; i++) {
    v = isl_aff_get_coefficient_val(value, isl_dim_param, i);
    good = isl_val_is_int(v) == isl_bool_true;
    if (isl_val_is_zero(v) != isl_bool_true)
      text_printf(&t, " + (%ldLL) * %s", isl_val_get_num_si(v),
                  isl_aff_get_dim_name(value, isl_dim_param, (unsigned)i));
    isl_val_free(v);
  }
  *offset = t.data;
  return good && found == 1;
}

// Returns the loop I of K as a function of points, or NULL.
static isl_aff *blocked_value(const struct blocked *k, unsigned i) {
  isl_map *back = isl_map_reverse(isl_map_copy(k->map));
  back = isl_map_project_out(back, isl_dim_out, i + 1, k->st->n - i - 1);
  back = isl_map_project_out(back, isl_dim_out, 0, i);
  if (isl_map_is_single_valued(back) != isl_bool_true) {
    isl_map_free(back);
    return NULL;
  }
  isl_pw_multi_aff *all = isl_pw_multi_aff_from_map(back);
  isl_aff *value = NULL;
  if (isl_pw_multi_aff_n_piece(all) == 1) {
    isl_set *domain = isl_pw_multi_aff_domain(isl_pw_multi_aff_copy(all));
    all = isl_pw_multi_aff_gist(all, domain);
    isl_multi_aff *one = isl_pw_multi_aff_isa_multi_aff(all) == isl_bool_true
        ? isl_pw_multi_aff_as_multi_aff(isl_pw_multi_aff_copy(all))
        : NULL;
    value = one ? isl_multi_aff_get_aff(one, 0) : NULL;
    isl_multi_aff_free(one);
  }
  isl_pw_multi_aff_free(all);
  return value;
}

// True if X and Y are one element in each iteration.
static bool access_same(const struct access *x, const struct access *y) {
  bool same = x->array == y->array && x->n == y->n;
  for (unsigned i = 0; i < x->n && same; i++)
    same = poly_same(x->index[i], y->index[i]);
  return same;
}

bool blocked_is_plain(const struct blocked *k, unsigned role) {
  const struct iter *loop = k->st->chain[k->loop[role]];
  return poly_same(loop->value, poly_atom(loop->atom));
}

// Returns the role of the loop I of K, by how the element moves; ROLES: it has none.
static unsigned blocked_role(const struct blocked *k, unsigned i) {
  const struct iter *loop = k->st->chain[i];
  bool plain = poly_same(loop->value, poly_atom(loop->atom)), alone = true;
  for (unsigned j = 0; j < k->st->n; j++)
    alone = alone && (j == i || !poly_has(loop->value, k->st->chain[j]->atom));
  enum moves moves = access_moves(k->updates[0], loop->atom);
  if (!alone || lex_mentions(loop->dim.type, slice_of("auto")) ||
      (moves == NEAR && !plain))
    return ROLES;
  return moves == STAYS ? TERMS : moves == NEAR ? COLUMNS : ROWS;
}

// Finds the one element that K's statement writes in an iteration. False: there are
// several, or it may not be there where a condition is not met.
static bool blocked_find_updates(const struct scop *s, struct blocked *k) {
  bool always = false, read = false;
  const struct access *first = NULL;
  for (unsigned i = 0; i < s->m->n_accesses + s->n_more; i++) {
    const struct access *x = scop_access(s, i);
    if (!x->write || !body_covers(k->st->body, x->node))
      continue;
    if (first && !access_same(first, x))
      return false;
    first = x;
  }
  for (unsigned i = 0; first && i < s->m->n_accesses + s->n_more; i++) {
    const struct access *x = scop_access(s, i);
    if (!body_covers(k->st->body, x->node))
      continue;
    if (x->loop && body_covers(k->st->body, x->loop->node))
      return false;
    if (!access_same(first, x))
      continue;
    if (k->n_updates == MOST_UPDATES)
      return false;
    always = always || !x->conditional;
    read = read || x->read;
    k->updates[k->n_updates++] = x;
  }
  return first && always && read;
}

// Finds what is packed: accesses that move along the columns and the terms, and stay the
// same along the rows, so that each block of rows reads them again. Those that move far
// along the columns must be. False: something else moves far, or may not be there.
static bool blocked_find_packed(const struct scop *s, struct blocked *k) {
  unsigned columns = k->st->chain[k->loop[COLUMNS]]->atom,
           rows = k->st->chain[k->loop[ROWS]]->atom,
           terms = k->st->chain[k->loop[TERMS]]->atom;
  bool always[MOST_PACKED] = { false };
  for (unsigned i = 0; i < s->m->n_accesses + s->n_more; i++) {
    const struct access *x = scop_access(s, i);
    if (!body_covers(k->st->body, x->node) || access_same(x, k->updates[0]))
      continue;
    enum moves moves = access_moves(x, columns);
    bool can = k->n_packed < MOST_PACKED && access_moves(x, rows) == STAYS &&
        !node_is(ts_node_parent(x->node), "field_expression") && !forward_at(s, x->node),
         gains = can && moves == NEAR && access_moves(x, terms) == FAR && !x->conditional;
    if (moves == FAR && !can)
      return false;
    if (moves != FAR && !gains)
      continue;
    unsigned same = 0;
    while (same < k->n_packed && !access_same(k->packed[same], x))
      same++;
    always[same] = always[same] || !x->conditional;
    k->copy[k->n_packed] = same;
    k->near[k->n_packed] = moves == NEAR;
    k->packed[k->n_packed++] = x;
  }
  bool all = true;
  for (unsigned i = 0; i < k->n_packed; i++)
    all = all && always[k->copy[i]];
  return all;
}

// Reads the statement of MAP. False: it cannot run in blocks.
static bool blocked_read(const struct blocks *b, const struct statement *st, isl_map *map,
                         struct blocked *k) {
  bool seen[ROLES] = { false };
  *k = (struct blocked){ .st = st, .map = map };
  if (!ts_node_eq(st->body.first, st->body.last) || st->n != ROLES || st->n_own ||
      !blocked_find_updates(b->s, k))
    return false;
  for (unsigned i = 0; i < ROLES; i++) {
    unsigned role = blocked_role(k, i), at = 0;
    isl_aff *value = role < ROLES && !seen[role] ? blocked_value(k, i) : NULL;
    bool good = value && blocked_loop(b, value, &at, &k->offset[role]), tiled = false;
    isl_aff_free(value);
    for (unsigned j = 0; j < b->p->n && good; j++)
      tiled = tiled || b->p->loop[j] == at;
    if (!tiled)
      return false;
    seen[role] = true;
    k->loop[role] = i;
    k->coordinate[role] = at;
  }
  return blocked_find_packed(b->s, k);
}

// ---- when a tile can run so ---------------------------------------------------------

static void blocks_exclude(struct blocks *b, isl_set *params) {
  b->bad = isl_set_coalesce(isl_set_union(b->bad, params));
}

// Sorts the statements: in USER's list are those that can run in blocks. A tile that has
// others cannot.
static isl_stat blocks_add(isl_map *map, void *user) {
  struct blocks *b = user;
  const char *name = isl_map_get_tuple_name(map, isl_dim_in);
  unsigned at = name ? (unsigned)strtoul(name + 1, NULL, 10) : b->s->n;
  if (at < b->s->n && blocked_read(b, &b->s->list[at], map, &b->list[b->n])) {
    b->n++;
  } else {
    blocks_exclude(b, isl_map_params(map));
  }
  return isl_stat_ok;
}

// Excludes tiles in which iterations depend on each other, but for those that add to one
// element in one statement.
static isl_stat blocks_look(isl_map *d, void *user) {
  struct blocks *b = user;
  const char *from = isl_map_get_tuple_name(d, isl_dim_in),
             *to = isl_map_get_tuple_name(d, isl_dim_out);
  for (unsigned i = 0; i < b->n && from && to && strcmp(from, to) == 0; i++) {
    const struct blocked *k = &b->list[i];
    const char *name = isl_map_get_tuple_name(k->map, isl_dim_in);
    if (!name || strcmp(name, from) != 0)
      continue;
    isl_map *same = isl_map_universe(isl_map_get_space(d));
    for (unsigned role = ROWS; role <= COLUMNS; role++)
      same = isl_map_equate(same, isl_dim_in, (int)k->loop[role], isl_dim_out,
                            (int)k->loop[role]);
    d = isl_map_subtract(d, same);
    break;
  }
  blocks_exclude(b, isl_map_params(d));
  return isl_stat_ok;
}

// Excludes tiles in which another access of K is the element that it updates.
static void blocks_meet(struct blocks *b, const struct blocked *k, isl_union_set *here) {
  for (unsigned i = 0; i < b->s->m->n_accesses + b->s->n_more; i++) {
    const struct access *x = scop_access(b->s, i);
    if (!body_covers(k->st->body, x->node) || x->array != k->updates[0]->array ||
        access_same(x, k->updates[0]))
      continue;
    isl_union_set *meet = scop_meeting(b->s, k->st, k->updates[0], x);
    meet = isl_union_set_intersect(meet, isl_union_set_copy(here));
    blocks_exclude(b, isl_union_set_params(meet));
  }
}

static void blocks_find_dependences(struct blocks *b) {
  isl_union_set *here = isl_union_map_domain(isl_union_map_copy(b->schedule));
  for (unsigned i = 0; i < b->n; i++)
    blocks_meet(b, &b->list[i], here);
  isl_union_map *d = isl_union_map_copy(b->s->dependences);
  d = isl_union_map_intersect_domain(d, isl_union_set_copy(here));
  d = isl_union_map_intersect_range(d, here);
  isl_union_map_foreach_map(d, blocks_look, b);
  isl_union_map_free(d);
}

// ---- the rows and columns of a tile -------------------------------------------------

static isl_stat area_check(isl_constraint *c, void *user) {
  bool *plain = user;
  int n = isl_constraint_dim(c, isl_dim_set);
  for (int i = 0; i < n; i++) {
    isl_val *v = isl_constraint_get_coefficient_val(c, isl_dim_set, i);
    *plain = *plain &&
        (isl_val_is_zero(v) == isl_bool_true || isl_val_is_one(v) == isl_bool_true ||
         isl_val_is_negone(v) == isl_bool_true);
    isl_val_free(v);
  }
  *plain = *plain && isl_constraint_dim(c, isl_dim_div) == 0;
  isl_constraint_free(c);
  return isl_stat_ok;
}

static isl_stat area_look(isl_basic_set *set, void *user) {
  isl_stat good = isl_basic_set_foreach_constraint(set, area_check, user);
  isl_basic_set_free(set);
  return good;
}

// Finds the bounds of K's rows, and of the columns of the row whose coordinate has its
// value, and when there are any. False: they are not exact. Tiles in which terms of
// columns differ are excluded.
static bool area_read(struct blocks *b, struct blocked *k) {
  const unsigned *at = k->coordinate;
  isl_set *points = isl_map_range(isl_map_copy(k->map)),
          *all = isl_set_eliminate(isl_set_copy(points), isl_dim_set, at[TERMS], 1);
  all = isl_set_intersect(all, points_boxes(b->s->ctx, &at[TERMS], 1, b->count));
  blocks_exclude(b, isl_set_params(isl_set_subtract(all, isl_set_copy(points))));
  points = isl_set_eliminate(points, isl_dim_set, at[TERMS], 1);
  for (unsigned i = b->count; i-- > 0;)
    if (i != at[ROWS] && i != at[COLUMNS])
      points = isl_set_project_out(points, isl_dim_set, i, 1);
  points = isl_set_gist_params(isl_set_coalesce(points), isl_set_copy(b->s->facts));
  bool plain = isl_set_n_basic_set(points) == 1;
  isl_set_foreach_basic_set(points, area_look, &plain);
  unsigned rows = at[ROWS] > at[COLUMNS], columns = 1 - rows;
  isl_set *row = isl_set_copy(points); // one whose coordinate is a param
  isl_id *id = isl_id_alloc(b->s->ctx, code_iterator(at[ROWS]), NULL);
  int param = isl_set_dim(row, isl_dim_param);
  row = isl_set_insert_dims(row, isl_dim_param, (unsigned)param, 1);
  row = isl_set_set_dim_id(row, isl_dim_param, (unsigned)param, id);
  row = isl_set_equate(row, isl_dim_param, param, isl_dim_set, (int)rows);
  k->some = code_condition(b->s, isl_set_params(isl_set_copy(points)));
  plain = code_bounds(row, columns, &k->first[1], &k->last[1]) && plain && k->some &&
      code_bounds(isl_set_copy(points), rows, &k->first[0], &k->last[0]);
  k->area = points;
  return plain;
}

// ---- the whole ----------------------------------------------------------------------

// Adds to FITS, a condition, that K's copies fit on the stack in a tile. Lowers *PIECE to
// the iterations along each loop with which they do.
static void blocks_fit(const struct blocked *k, struct text *fits, unsigned *piece) {
  unsigned c = k->coordinate[COLUMNS], r = k->coordinate[TERMS], n = 0;
  struct text bytes = { 0 };
  for (unsigned i = 0; i < k->n_packed; i++)
    if (k->copy[i] == i)
      text_printf(&bytes, "%s(long long)sizeof(+(%s))", n++ ? " + " : "",
                  buffer_element(k->packed[i]->array));
  while (n * *piece * *piece * sizeof(double) > MOST_PACKED_BYTES)
    *piece /= 2;
  if (n)
    text_printf(fits,
                "%s(autotune_high%u - autotune_low%u) * "
                "(autotune_high%u - autotune_low%u) * (%s) <= %d",
                fits->size ? " && " : "", c, c, r, r, bytes.data, MOST_PACKED_BYTES);
}

// Sets the condition and the text of P's blocks. Nothing runs in a box that is empty, so
// what is right there does not matter.
static void blocks_write(struct blocks *b, struct affine_part *p) {
  isl_set *known = isl_set_copy(b->s->facts);
  for (unsigned i = 0; i < p->n; i++)
    known = isl_set_intersect(
        known, isl_set_params(points_boxes(b->s->ctx, &p->loop[i], 1, b->count)));
  struct text t = { 0 }, fits = { 0 };
  isl_set *bad = isl_set_gist(isl_set_copy(b->bad), isl_set_copy(known));
  bool some = isl_set_is_subset(known, bad) == isl_bool_false;
  const char *condition = code_condition(b->s, isl_set_coalesce(bad));
  isl_set_free(known);
  if (!condition || !some)
    return;
  p->piece = 64;
  for (unsigned i = 0; i < b->n; i++) {
    const struct blocked *k = &b->list[i];
    blocks_fit(k, &fits, &p->piece);
    blocked_write(b->s, k, &t);
  }
  p->block = t.data;
  p->blocked = arena_printf("!(%s)", condition);
  p->fits = fits.size ? fits.data : "1";
}

void registers_find(struct scop *s, struct affine_part *p, isl_union_map *schedule,
                    unsigned count) {
  isl_set *box = points_boxes(s->ctx, p->loop, p->n, count);
  struct blocks b = { .s = s, .p = p, .count = count };
  b.schedule = isl_union_map_intersect_range(isl_union_map_copy(schedule),
                                             isl_union_set_from_set(box));
  b.schedule = isl_union_map_intersect_params(b.schedule, isl_set_copy(s->facts));
  b.bad = isl_set_empty(isl_set_get_space(s->facts));
  isl_union_map_foreach_map(b.schedule, blocks_add, &b);
  if (b.n) {
    blocks_find_dependences(&b);
    bool good = true;
    for (unsigned i = 0; i < b.n && good; i++)
      good = area_read(&b, &b.list[i]);
    if (good)
      blocks_write(&b, p);
  }
  for (unsigned i = 0; i < b.n; i++) {
    isl_map_free(b.list[i].map);
    isl_set_free(b.list[i].area);
  }
  isl_set_free(b.bad);
  isl_union_map_free(b.schedule);
}
