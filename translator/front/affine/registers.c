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
// of High-Performance Matrix Multiplication", ACM TOMS 34, 2008). What is read along
// columns with a stride, like b[j][k], is first copied to where it has none.
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

enum { ROWS, COLUMNS, TERMS, ROLES };
enum { MOST_PACKED = 4, MOST_PACKED_ELEMENTS = 65536 };

struct kernel_of { /* a statement that can run so */
  const struct statement *st;
  isl_map *map;               /* from its iterations to points */
  unsigned coordinate[ROLES]; /* of each role */
  unsigned loop[ROLES];       /* its loop, in the statement's chain … */
  const char *offset[ROLES];  /* … whose value is the coordinate plus this, as C */
  const struct access *packed[MOST_PACKED];
  unsigned n_packed;
  isl_set *area;                         /* the rows and columns of the box */
  const char *first[2], *last[2], *some; /* see area_read */
};
struct blocks {
  const struct scop *s;
  const struct affine_part *p;
  unsigned count;          /* of the coordinates of a point */
  isl_union_map *schedule; /* within the box of a tile */
  isl_set *bad;            /* params for which a tile cannot run so */
  struct kernel_of list[SCOP_STATEMENTS];
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

// Sets the coordinate AT, whose value in iteration is that of the loop I of K plus
// something that does not change. False: it is not so.
static bool kernel_loop(const struct blocks *b, isl_aff *value, unsigned *at,
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
static isl_aff *kernel_value(const struct kernel_of *k, unsigned i) {
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

// Returns the role of the loop I of ST, by how the element moves; ROLES: it has none.
static unsigned kernel_role(const struct statement *st, unsigned i) {
  const struct iter *loop = st->chain[i];
  bool plain = poly_same(loop->value, poly_atom(loop->atom)) &&
      !lex_mentions(loop->dim.type, slice_of("auto"));
  enum moves moves = access_moves(st->sum, loop->atom);
  return !plain ? ROLES : moves == STAYS ? TERMS : moves == NEAR ? COLUMNS : ROWS;
}

// Finds what must be packed: what moves far along the columns, and not along the rows.
// False: something else moves far.
static bool kernel_find_packed(const struct scop *s, struct kernel_of *k) {
  unsigned columns = k->st->chain[k->loop[COLUMNS]]->atom,
           rows = k->st->chain[k->loop[ROWS]]->atom;
  for (unsigned i = 0; i < s->m->n_accesses + s->n_more; i++) {
    const struct access *x = scop_access(s, i);
    if (x == k->st->sum || !body_covers(k->st->body, x->node) ||
        access_moves(x, columns) != FAR)
      continue;
    if (k->n_packed == MOST_PACKED || x->conditional || access_moves(x, rows) != STAYS ||
        forward_at(s, x->node))
      return false;
    k->packed[k->n_packed++] = x;
  }
  return true;
}

// Reads the statement of MAP. False: it cannot run in blocks.
static bool kernel_read(const struct blocks *b, const struct statement *st, isl_map *map,
                        struct kernel_of *k) {
  bool seen[ROLES] = { false };
  *k = (struct kernel_of){ .st = st, .map = map };
  if (!st->sum || st->n != ROLES || st->n_own)
    return false;
  for (unsigned i = 0; i < ROLES; i++) {
    unsigned role = kernel_role(st, i), at = 0;
    isl_aff *value = role < ROLES && !seen[role] ? kernel_value(k, i) : NULL;
    bool good = value && kernel_loop(b, value, &at, &k->offset[role]), tiled = false;
    isl_aff_free(value);
    for (unsigned j = 0; j < b->p->n && good; j++)
      tiled = tiled || b->p->loop[j] == at;
    if (!tiled)
      return false;
    seen[role] = true;
    k->loop[role] = i;
    k->coordinate[role] = at;
  }
  return kernel_find_packed(b->s, k);
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
  if (at < b->s->n && kernel_read(b, &b->s->list[at], map, &b->list[b->n])) {
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
    const struct kernel_of *k = &b->list[i];
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

static void blocks_find_dependences(struct blocks *b) {
  isl_union_set *here = isl_union_map_domain(isl_union_map_copy(b->schedule));
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
static bool area_read(struct blocks *b, struct kernel_of *k) {
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
  plain = plain && k->some && code_bounds(row, columns, &k->first[1], &k->last[1]) &&
      code_bounds(isl_set_copy(points), rows, &k->first[0], &k->last[0]);
  k->area = points;
  return plain;
}

// ---- text ---------------------------------------------------------------------------

struct kernel_writer {
  const struct blocks *b;
  const struct kernel_of *k;
  struct text *out;
};

// Writes the declaration of the variable of ROLE: its value for the coordinate VALUE.
static void write_variable(const struct kernel_writer *w, unsigned role,
                           const char *value) {
  const struct dim *d = &w->k->st->chain[w->k->loop[role]]->dim;
  text_printf(w->out, "const %.*s %.*s = (%.*s)(%s + %s);\n(void)%.*s;\n",
              (int)d->type.size, d->type.data, (int)d->var.size, d->var.data,
              (int)d->type.size, d->type.data, value, w->k->offset[role],
              (int)d->var.size, d->var.data);
}

// Writes the head of a loop of the variable of ROLE, from the coordinate FIRST to the one
// before AFTER. Compilers know more of `int j` in a[i * n + j] than of a longer number
// that is converted to it.
static void write_loop(const struct kernel_writer *w, unsigned role, const char *first,
                       const char *after) {
  const struct dim *d = &w->k->st->chain[w->k->loop[role]]->dim;
  int type = (int)d->type.size, var = (int)d->var.size;
  const char *offset = w->k->offset[role];
  text_printf(w->out,
              "for (%.*s %.*s = (%.*s)(%s + %s); %.*s < (%.*s)(%s + %s); %.*s++) {\n",
              type, d->type.data, var, d->var.data, type, d->type.data, first, offset,
              var, d->var.data, type, d->type.data, after, offset, var, d->var.data);
}

// Writes the variable of ROLE as the one that write_base wrote plus BY.
static void write_moved(const struct kernel_writer *w, unsigned role, const char *by) {
  const struct dim *d = &w->k->st->chain[w->k->loop[role]]->dim;
  text_printf(w->out, "const %.*s %.*s = autotune_base%u + (%.*s)%s;\n(void)%.*s;\n",
              (int)d->type.size, d->type.data, (int)d->var.size, d->var.data, role,
              (int)d->type.size, d->type.data, by, (int)d->var.size, d->var.data);
}

static void write_base(const struct kernel_writer *w, unsigned role, const char *value) {
  const struct dim *d = &w->k->st->chain[w->k->loop[role]]->dim;
  text_printf(w->out, "const %.*s autotune_base%u = (%.*s)(%s + %s);\n",
              (int)d->type.size, d->type.data, role, (int)d->type.size, d->type.data,
              value, w->k->offset[role]);
}

// Returns the element to which K's statement adds.
static struct slice kernel_element(const struct kernel_writer *w) {
  const struct scop *s = w->b->s;
  const struct forward *f = forward_at(s, w->k->st->sum->node);
  return model_text(s->m, f ? f->element->node : w->k->st->sum->node);
}

// Writes ` += e;`, where what is packed is read from there.
static void write_addition(const struct kernel_writer *w) {
  const struct scop *s = w->b->s;
  TSNode sum = w->k->st->sum->node, adds = ts_node_parent(sum);
  const struct dim *row = &w->k->st->chain[w->k->loop[TERMS]]->dim,
                   *column = &w->k->st->chain[w->k->loop[COLUMNS]]->dim;
  size_t from = ts_node_end_byte(sum), end = ts_node_end_byte(adds);
  while (from < end) {
    unsigned next = w->k->n_packed;
    for (unsigned i = 0; i < w->k->n_packed; i++)
      if (ts_node_start_byte(w->k->packed[i]->node) >= from &&
          (next == w->k->n_packed ||
           ts_node_start_byte(w->k->packed[i]->node) <
               ts_node_start_byte(w->k->packed[next]->node)))
        next = i;
    bool found = next < w->k->n_packed;
    size_t to = found ? ts_node_start_byte(w->k->packed[next]->node) : end;
    forward_text(s, from, to, adds, w->out);
    if (found)
      text_printf(w->out,
                  "autotune_packed%u[(long long)%.*s - autotune_top]"
                  "[(long long)%.*s - autotune_left]",
                  next, (int)row->var.size, row->var.data, (int)column->var.size,
                  column->var.data);
    from = found ? ts_node_end_byte(w->k->packed[next]->node) : end;
  }
  text_printf(w->out, ";\n");
}

static void write_packed(const struct kernel_writer *w, const char *low,
                         const char *high) {
  const struct kernel_of *k = w->k;
  const char *first = NULL, *last = NULL;
  unsigned columns = k->coordinate[COLUMNS] > k->coordinate[ROWS];
  if (k->n_packed == 0 || !code_bounds(isl_set_copy(k->area), columns, &first, &last))
    return;
  const struct dim *row = &k->st->chain[k->loop[TERMS]]->dim,
                   *column = &k->st->chain[k->loop[COLUMNS]]->dim;
  text_printf(w->out,
              "const long long autotune_top = %s + %s, autotune_from = %s, "
              "autotune_to = %s + 1, autotune_left = autotune_from + %s;\n",
              low, k->offset[TERMS], first, last, k->offset[COLUMNS]);
  for (unsigned i = 0; i < k->n_packed; i++) {
    struct slice x = model_text(w->b->s->m, k->packed[i]->node);
    text_printf(w->out,
                "__typeof__(+(%.*s)) autotune_packed%u[%s - %s]"
                "[autotune_to - autotune_from];\n",
                (int)x.size, x.data, i, high, low);
    write_loop(w, COLUMNS, "autotune_from", "autotune_to");
    write_loop(w, TERMS, low, high);
    text_printf(w->out,
                "autotune_packed%u[(long long)%.*s - autotune_top]"
                "[(long long)%.*s - autotune_left] = %.*s;\n}\n}\n",
                i, (int)row->var.size, row->var.data, (int)column->var.size,
                column->var.data, (int)x.size, x.data);
  }
}

// Writes loops over the elements of a block, around BODY.
static void write_elements(const struct kernel_writer *w, const char *body) {
  text_printf(w->out,
              "for (int autotune_u = 0; autotune_u < autotune_rows; autotune_u++) {\n");
  write_moved(w, ROWS, "autotune_u");
  text_printf(
      w->out,
      "for (int autotune_w = 0; autotune_w < autotune_columns; autotune_w++) {\n");
  write_moved(w, COLUMNS, "autotune_w");
  text_printf(w->out, "%s}\n}\n", body);
}

static void write_block(const struct kernel_writer *w, const char *low,
                        const char *high) {
  struct slice x = kernel_element(w);
  text_printf(w->out,
              "for (long long autotune_column = autotune_begin; "
              "autotune_column < autotune_end; autotune_column += autotune_columns) {\n"
              "autotune_type autotune_block[autotune_rows][autotune_columns];\n");
  write_base(w, ROWS, "autotune_row");
  write_base(w, COLUMNS, "autotune_column");
  write_elements(w,
                 arena_printf("autotune_block[autotune_u][autotune_w] = %.*s;\n",
                              (int)x.size, x.data));
  write_loop(w, TERMS, low, high);
  text_printf(
      w->out,
      "#pragma omp simd\n"
      "for (int autotune_w = 0; autotune_w < autotune_columns; autotune_w++) {\n");
  write_moved(w, COLUMNS, "autotune_w");
  text_printf(w->out,
              "#ifdef __clang__\n#pragma clang loop unroll(full)\n#else\n"
              "#pragma GCC unroll 64\n#endif\n"
              "for (int autotune_u = 0; autotune_u < autotune_rows; autotune_u++) {\n");
  write_moved(w, ROWS, "autotune_u");
  text_printf(w->out, "autotune_block[autotune_u][autotune_w]");
  write_addition(w);
  text_printf(w->out, "}\n}\n}\n");
  write_elements(w,
                 arena_printf("%.*s = autotune_block[autotune_u][autotune_w];\n",
                              (int)x.size, x.data));
  text_printf(w->out, "}\n");
}

// Writes the loops over the columns of the rows of a block that the block leaves.
static void write_rest(const struct kernel_writer *w, const char *low, const char *high) {
  const struct kernel_of *k = w->k;
  const char *at = code_iterator(k->coordinate[ROWS]);
  struct slice x = kernel_element(w);
  static const char *const from[] = { "autotune_f",
                                      "AUTOTUNE_MORE(autotune_end, autotune_f)" },
                           *const to[] = { "AUTOTUNE_LESS(autotune_begin, autotune_l)",
                                           "autotune_l" };
  text_printf(w->out,
              "for (long long %s = autotune_row; %s < autotune_row + autotune_rows && "
              "%s <= autotune_bottom; %s++) {\n"
              "const long long autotune_f = %s, autotune_l = %s + 1;\n",
              at, at, at, at, k->first[1], k->last[1]);
  write_variable(w, ROWS, at);
  for (unsigned i = 0; i < 2; i++) {
    text_printf(w->out, "if (%s < %s)\n", from[i], to[i]);
    write_loop(w, TERMS, low, high);
    text_printf(w->out, "#pragma omp simd\n");
    write_loop(w, COLUMNS, from[i], to[i]);
    text_printf(w->out, "%.*s", (int)x.size, x.data);
    write_addition(w);
    text_printf(w->out, "}\n}\n");
  }
  text_printf(w->out, "}\n");
}

static void write_kernel(const struct kernel_writer *w) {
  const struct kernel_of *k = w->k;
  const char *low = arena_printf("autotune_low%u", k->coordinate[TERMS]),
             *high = arena_printf("autotune_high%u", k->coordinate[TERMS]),
             *left = arena_printf("autotune_low%u", k->coordinate[COLUMNS]),
             *row = code_iterator(k->coordinate[ROWS]);
  struct slice x = kernel_element(w);
  text_printf(
      w->out,
      "if (%s) {\nconst long long autotune_start = %s, autotune_bottom = %s;\n{\n",
      k->some, k->first[0], k->last[0]);
  write_variable(w, ROWS, "autotune_start");
  write_variable(w, COLUMNS, left);
  write_variable(w, TERMS, low);
  text_printf(w->out, "typedef __typeof__(%.*s) autotune_type;\n", (int)x.size, x.data);
  write_packed(w, low, high);
  text_printf(w->out,
              "for (long long autotune_row = autotune_start; autotune_row <= "
              "autotune_bottom; autotune_row += autotune_rows) {\n"
              "long long autotune_begin = %s, autotune_end = %s;\n"
              "if (autotune_row + autotune_rows - 1 <= autotune_bottom) {\n"
              "for (int autotune_u = 0; autotune_u < autotune_rows; autotune_u++) {\n"
              "const long long %s = autotune_row + autotune_u, autotune_f = %s, "
              "autotune_l = %s + 1;\n"
              "autotune_begin = AUTOTUNE_MORE(autotune_begin, autotune_f);\n"
              "autotune_end = autotune_u ? AUTOTUNE_LESS(autotune_end, autotune_l) : "
              "autotune_l;\n}\n"
              "if (autotune_end < autotune_begin)\nautotune_end = autotune_begin = %s;\n"
              "autotune_end -= (autotune_end - autotune_begin) %% autotune_columns;\n}\n",
              left, left, row, k->first[1], k->last[1], left);
  write_block(w, low, high);
  write_rest(w, low, high);
  text_printf(w->out, "}\n}\n}\n");
}

// ---- the whole ----------------------------------------------------------------------

// Sets the condition and the text of P's blocks. Nothing runs in a box that is empty, so
// what is right there does not matter.
static void blocks_write(struct blocks *b, struct affine_part *p) {
  isl_set *known = isl_set_copy(b->s->facts);
  for (unsigned i = 0; i < p->n; i++)
    known = isl_set_intersect(
        known, isl_set_params(points_boxes(b->s->ctx, &p->loop[i], 1, b->count)));
  struct text t = { 0 }, when = { 0 };
  isl_set *bad = isl_set_gist(isl_set_copy(b->bad), isl_set_copy(known));
  bool some = isl_set_is_subset(known, bad) == isl_bool_false;
  const char *condition = code_condition(b->s, isl_set_coalesce(bad));
  isl_set_free(known);
  if (!condition || !some)
    return;
  text_printf(&when, "!(%s)", condition);
  for (unsigned i = 0; i < b->n; i++) {
    const struct kernel_of *k = &b->list[i];
    struct kernel_writer w = { b, k, &t };
    unsigned c = k->coordinate[COLUMNS], r = k->coordinate[TERMS];
    if (k->n_packed) // on the stack
      text_printf(&when,
                  " && (autotune_high%u - autotune_low%u) * "
                  "(autotune_high%u - autotune_low%u) <= %d",
                  c, c, r, r, MOST_PACKED_ELEMENTS / (int)k->n_packed);
    write_kernel(&w);
  }
  p->block = t.data;
  p->blocked = when.data;
}

void registers_find(const struct scop *s, struct affine_part *p, isl_union_map *schedule,
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
