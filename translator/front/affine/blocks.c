// SPDX-License-Identifier: Apache-2.0
// blocks.c: a statement of a tile in blocks of sums (registers.c), as text in C:
//
//     copy what is packed
//     for each block of rows of the tile
//       for each block of the columns that all these rows have
//         load the sums; for each term, add to all of them; store them
//       for each of these rows
//         for each term, for each column that is left, add
//
// The last block of rows, or of columns, begins where it ends with the last one. It
// stores no row or column that the block before it has stored. These are updated twice,
// once in vain, so that is only done for a sum of floating-point numbers: another second
// update might divide by what the first one left, or overflow. For others, what is left
// is added column by column.
#include <isl/set.h>

#include "scop.h"

enum { REAL_TYPE = 8 }; /* what __builtin_classify_type says of floating-point numbers */

struct blocked_writer {
  const struct scop *s;
  const struct blocked *k;
  struct text *out;
};

static const struct dim *blocked_dim(const struct blocked_writer *w, unsigned role) {
  return &w->k->st->chain[w->k->loop[role]]->dim;
}

// Returns the value of the variable of ROLE for the coordinate COORDINATE.
static const char *blocked_variable(const struct blocked_writer *w, unsigned role,
                                    const char *coordinate) {
  const struct statement *st = w->k->st;
  const char *loops[AFFINE_DEPTH] = { 0 },
             *value = arena_printf("%s + %s", coordinate, w->k->offset[role]);
  loops[w->k->loop[role]] = value;
  return blocked_is_plain(w->k, role)
      ? value
      : code_poly(w->s, st, st->chain[w->k->loop[role]]->value, loops);
}

// Writes the declaration of the variable of ROLE: its value for the coordinate
// COORDINATE.
static void write_variable(const struct blocked_writer *w, unsigned role,
                           const char *coordinate) {
  const struct dim *d = blocked_dim(w, role);
  text_printf(w->out, "const %.*s %.*s = (%.*s)(%s);\n(void)%.*s;\n", (int)d->type.size,
              d->type.data, (int)d->var.size, d->var.data, (int)d->type.size,
              d->type.data, blocked_variable(w, role, coordinate), (int)d->var.size,
              d->var.data);
}

// Writes the head of a loop of ROLE, from the coordinate FIRST to the one before AFTER.
// Its variable is the source's where it counts up: compilers know more of `int j` in
// a[i * n + j] than of a longer number that is converted to it.
static void write_loop(const struct blocked_writer *w, unsigned role, const char *first,
                       const char *after) {
  const struct dim *d = blocked_dim(w, role);
  int type = (int)d->type.size, var = (int)d->var.size;
  if (blocked_is_plain(w->k, role)) {
    text_printf(w->out, "for (%.*s %.*s = (%.*s)(%s); %.*s < (%.*s)(%s); %.*s++) {\n",
                type, d->type.data, var, d->var.data, type, d->type.data,
                blocked_variable(w, role, first), var, d->var.data, type, d->type.data,
                blocked_variable(w, role, after), var, d->var.data);
    return;
  }
  const char *at = code_iterator(w->k->coordinate[role]);
  text_printf(w->out, "for (long long %s = %s; %s < %s; %s++) {\n", at, first, at, after,
              at);
  write_variable(w, role, at);
}

// Returns the coordinate of ROLE in a loop that write_loop wrote.
static const char *blocked_coordinate(const struct blocked_writer *w, unsigned role) {
  const struct dim *d = blocked_dim(w, role);
  return blocked_is_plain(w->k, role)
      ? arena_printf("((long long)%.*s - (%s))", (int)d->var.size, d->var.data,
                     w->k->offset[role])
      : code_iterator(w->k->coordinate[role]);
}

// Writes the variable of ROLE for the coordinate FROM plus BY. Where it counts up, it is
// the one that write_base wrote plus BY.
static void write_moved(const struct blocked_writer *w, unsigned role, const char *from,
                        const char *by) {
  const struct dim *d = blocked_dim(w, role);
  if (!blocked_is_plain(w->k, role))
    return write_variable(w, role, arena_printf("%s + %s", from, by));
  text_printf(w->out, "const %.*s %.*s = autotune_base%u + (%.*s)%s;\n(void)%.*s;\n",
              (int)d->type.size, d->type.data, (int)d->var.size, d->var.data, role,
              (int)d->type.size, d->type.data, by, (int)d->var.size, d->var.data);
}

static void write_base(const struct blocked_writer *w, unsigned role, const char *from) {
  const struct dim *d = blocked_dim(w, role);
  if (blocked_is_plain(w->k, role))
    text_printf(w->out, "const %.*s autotune_base%u = (%.*s)(%s);\n", (int)d->type.size,
                d->type.data, role, (int)d->type.size, d->type.data,
                blocked_variable(w, role, from));
}

// Returns the text of the element that X is.
static struct slice element_text(const struct scop *s, const struct access *x) {
  const struct forward *f = forward_at(s, x->node);
  return model_text(s->m, f ? f->element->node : x->node);
}

// Sets *NEXT to N if N begins at FROM or later, and before *NEXT.
static void node_take(TSNode *next, TSNode n, size_t from) {
  if (!ts_node_is_null(n) && ts_node_start_byte(n) >= from &&
      (ts_node_is_null(*next) || ts_node_start_byte(n) < ts_node_start_byte(*next)))
    *next = n;
}

// Writes the statement. Where it reads a packed element, its text reads the copy. INSIDE
// a block, its text also updates the element's copy in the block, not the array.
static void write_statement(const struct blocked_writer *w, bool inside) {
  const struct blocked *k = w->k;
  size_t from = ts_node_start_byte(k->st->body.first),
         end = ts_node_end_byte(k->st->body.last);
  while (from < end) {
    TSNode next = { 0 };
    unsigned at = 0;
    for (unsigned i = 0; i < k->n_updates && inside; i++) {
      node_take(&next, k->updates[i]->node, from);
      node_take(&next, k->updates[i]->again, from);
    }
    for (unsigned i = 0; i < k->n_packed; i++)
      node_take(&next, k->packed[i]->node, from);
    while (at < k->n_packed && !ts_node_eq(k->packed[at]->node, next))
      at++;
    bool found = !ts_node_is_null(next);
    forward_text(w->s, from, found ? ts_node_start_byte(next) : end, k->st->body.first,
                 w->out);
    if (found && at < k->n_packed)
      text_printf(w->out, "autotune_packed%u[%s - autotune_low%u][%s - autotune_from]",
                  k->copy[at], blocked_coordinate(w, TERMS), k->coordinate[TERMS],
                  blocked_coordinate(w, COLUMNS));
    else if (found)
      text_printf(w->out, "autotune_block[autotune_u][autotune_w]");
    from = found ? ts_node_end_byte(next) : end;
  }
  text_printf(w->out, "\n");
}

static void write_packed(const struct blocked_writer *w, const char *low,
                         const char *high) {
  const struct blocked *k = w->k;
  const char *first = NULL, *last = NULL;
  unsigned columns = k->coordinate[COLUMNS] > k->coordinate[ROWS];
  if (k->n_packed == 0 || !code_bounds(isl_set_copy(k->area), columns, &first, &last))
    return;
  text_printf(w->out, "const long long autotune_from = %s, autotune_to = %s + 1;\n",
              first, last);
  for (unsigned i = 0; i < k->n_packed; i++) {
    if (k->copy[i] != i)
      continue;
    struct slice x = element_text(w->s, k->packed[i]);
    text_printf(w->out,
                "__attribute__((__aligned__(64))) __typeof__(+(%.*s)) "
                "autotune_packed%u[%s - %s][autotune_to - autotune_from];\n",
                (int)x.size, x.data, i, high, low);
    if (!k->near[i])
      write_loop(w, COLUMNS, "autotune_from", "autotune_to");
    write_loop(w, TERMS, low, high);
    if (k->near[i])
      write_loop(w, COLUMNS, "autotune_from", "autotune_to");
    text_printf(w->out, "autotune_packed%u[%s - %s][%s - autotune_from] = %.*s;\n}\n}\n",
                i, blocked_coordinate(w, TERMS), low, blocked_coordinate(w, COLUMNS),
                (int)x.size, x.data);
  }
}

// Writes loops over the elements of a block of COLUMNS, around BODY. HOW: pragmas for
// them, lines.
static void write_elements(const struct blocked_writer *w, const char *columns,
                           const char *how, const char *body) {
  text_printf(w->out,
              "%sfor (int autotune_u = 0; autotune_u < autotune_rows; autotune_u++) {\n",
              how);
  write_moved(w, ROWS, "autotune_first", "autotune_u");
  text_printf(w->out, "%sfor (int autotune_w = 0; autotune_w < %s; autotune_w++) {\n",
              how, columns);
  write_moved(w, COLUMNS, "autotune_column", "autotune_w");
  text_printf(w->out, "%s}\n}\n", body);
}

// Writes the sums of a block back: all of them, or only those that no block has stored.
static void write_stores(const struct blocked_writer *w, const char *columns,
                         struct slice x) {
  static const char *const unrolled =
      "#ifdef __clang__\n#pragma clang loop unroll(full)\n#else\n"
      "#pragma GCC unroll 64\n#endif\n";
  const char *store = arena_printf("%.*s = autotune_block[autotune_u][autotune_w];\n",
                                   (int)x.size, x.data);
  text_printf(w->out, "if (autotune_above == 0 && autotune_left == 0) {\n");
  write_elements(w, columns, "", store);
  text_printf(w->out, "} else {\n");
  write_elements(w, columns, unrolled,
                 arena_printf("if (autotune_u >= autotune_above && "
                              "autotune_w >= autotune_left)\n%s",
                              store));
  text_printf(w->out, "}\n");
}

// Writes the loop over blocks of COLUMNS.
static void write_block(const struct blocked_writer *w, const char *columns,
                        const char *low, const char *high) {
  struct slice x = element_text(w->s, w->k->updates[0]);
  text_printf(w->out,
              "for (long long autotune_next = autotune_begin; "
              "autotune_next < autotune_end; autotune_next += %s) {\n"
              "const long long autotune_column = "
              "AUTOTUNE_LESS(autotune_next, autotune_end - %s);\n"
              "const int autotune_left = (int)(autotune_next - autotune_column);\n"
              "autotune_type autotune_block[autotune_rows][%s];\n",
              columns, columns, columns);
  write_base(w, ROWS, "autotune_first");
  write_base(w, COLUMNS, "autotune_column");
  write_elements(w, columns, "",
                 arena_printf("autotune_block[autotune_u][autotune_w] = %.*s;\n",
                              (int)x.size, x.data));
  write_loop(w, TERMS, low, high);
  text_printf(w->out,
              "#pragma omp simd\n"
              "for (int autotune_w = 0; autotune_w < %s; autotune_w++) {\n",
              columns);
  write_moved(w, COLUMNS, "autotune_column", "autotune_w");
  text_printf(w->out,
              "#ifdef __clang__\n#pragma clang loop unroll(full)\n#else\n"
              "#pragma GCC unroll 64\n#endif\n"
              "for (int autotune_u = 0; autotune_u < autotune_rows; autotune_u++) {\n");
  write_moved(w, ROWS, "autotune_first", "autotune_u");
  write_statement(w, true);
  text_printf(w->out, "}\n}\n}\n");
  write_stores(w, columns, x);
  text_printf(w->out, "}\n");
}

// Writes the loops over the columns of the rows of a block that the block leaves.
static void write_rest(const struct blocked_writer *w, const char *low,
                       const char *high) {
  const struct blocked *k = w->k;
  const char *at = code_iterator(k->coordinate[ROWS]);
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
    write_statement(w, false);
    text_printf(w->out, "}\n}\n");
  }
  text_printf(w->out, "}\n");
}

void blocked_write(const struct scop *s, const struct blocked *k, struct text *out) {
  const struct blocked_writer all = { s, k, out }, *w = &all;
  const char *low = arena_printf("autotune_low%u", k->coordinate[TERMS]),
             *high = arena_printf("autotune_high%u", k->coordinate[TERMS]),
             *left = arena_printf("autotune_low%u", k->coordinate[COLUMNS]),
             *row = code_iterator(k->coordinate[ROWS]);
  struct slice x = element_text(w->s, w->k->updates[0]);
  text_printf(
      w->out,
      "if (%s) {\nconst long long autotune_start = %s, autotune_bottom = %s;\n{\n",
      k->some, k->first[0], k->last[0]);
  write_variable(w, ROWS, "autotune_start");
  write_variable(w, COLUMNS, left);
  write_variable(w, TERMS, low);
  text_printf(w->out,
              "typedef __typeof__(%.*s) autotune_type;\n"
              "const int autotune_overlap = %s;\n",
              (int)x.size, x.data,
              k->st->adds ? arena_printf("__builtin_classify_type(%.*s) == %d",
                                         (int)x.size, x.data, REAL_TYPE)
                          : "0");
  write_packed(w, low, high);
  text_printf(
      w->out,
      "for (long long autotune_row = autotune_start; autotune_row <= "
      "autotune_bottom; autotune_row += autotune_rows) {\n"
      "const long long autotune_first = autotune_overlap ? "
      "AUTOTUNE_LESS(autotune_row, autotune_bottom - autotune_rows + 1) : "
      "autotune_row;\n"
      "long long autotune_begin = %s, autotune_end = %s;\n"
      "if (autotune_first >= autotune_start && "
      "autotune_first + autotune_rows - 1 <= autotune_bottom) {\n"
      "for (int autotune_u = 0; autotune_u < autotune_rows; autotune_u++) {\n"
      "const long long %s = autotune_first + autotune_u, autotune_f = %s, "
      "autotune_l = %s + 1;\n"
      "autotune_begin = AUTOTUNE_MORE(autotune_begin, autotune_f);\n"
      "autotune_end = autotune_u ? AUTOTUNE_LESS(autotune_end, autotune_l) : "
      "autotune_l;\n}\n"
      "if (autotune_end < autotune_begin)\n"
      "autotune_end = autotune_begin = %s;\n"
      "if (!autotune_overlap && autotune_end - autotune_begin >= autotune_columns)\n"
      "autotune_end -= (autotune_end - autotune_begin) %% autotune_columns;\n}\n"
      "const int autotune_above = (int)(autotune_row - autotune_first);\n"
      "if (autotune_end - autotune_begin >= autotune_columns) {\n",
      left, left, row, k->first[1], k->last[1], left);
  write_block(w, "autotune_columns", low, high);
  text_printf(w->out, "} else {\n");
  write_block(w, "1", low, high);
  text_printf(w->out, "}\n");
  write_rest(w, low, high);
  text_printf(w->out, "}\n}\n}\n");
}
