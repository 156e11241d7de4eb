// SPDX-License-Identifier: Apache-2.0
// blocks.c: a statement of a tile in blocks of sums (registers.c), as text in C:
//
//     copy what is packed
//     for each block of rows of the tile
//       for each block of the columns that all these rows have
//         load the sums; for each term, add to all of them; store them
//       for each of these rows
//         for each term, for each column that is left, add
#include <isl/set.h>

#include "scop.h"

struct blocked_writer {
  const struct scop *s;
  const struct blocked *k;
  struct text *out;
};

// Writes the declaration of the variable of ROLE: its value for the coordinate VALUE.
static void write_variable(const struct blocked_writer *w, unsigned role,
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
static void write_loop(const struct blocked_writer *w, unsigned role, const char *first,
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
static void write_moved(const struct blocked_writer *w, unsigned role, const char *by) {
  const struct dim *d = &w->k->st->chain[w->k->loop[role]]->dim;
  text_printf(w->out, "const %.*s %.*s = autotune_base%u + (%.*s)%s;\n(void)%.*s;\n",
              (int)d->type.size, d->type.data, (int)d->var.size, d->var.data, role,
              (int)d->type.size, d->type.data, by, (int)d->var.size, d->var.data);
}

static void write_base(const struct blocked_writer *w, unsigned role, const char *value) {
  const struct dim *d = &w->k->st->chain[w->k->loop[role]]->dim;
  text_printf(w->out, "const %.*s autotune_base%u = (%.*s)(%s + %s);\n",
              (int)d->type.size, d->type.data, role, (int)d->type.size, d->type.data,
              value, w->k->offset[role]);
}

// Returns the element to which K's statement adds.
static struct slice blocked_element(const struct blocked_writer *w) {
  const struct scop *s = w->s;
  const struct forward *f = forward_at(s, w->k->st->sum->node);
  return model_text(s->m, f ? f->element->node : w->k->st->sum->node);
}

// Writes ` += e;`, where what is packed is read from there.
static void write_addition(const struct blocked_writer *w) {
  const struct scop *s = w->s;
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

static void write_packed(const struct blocked_writer *w, const char *low,
                         const char *high) {
  const struct blocked *k = w->k;
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
    struct slice x = model_text(w->s->m, k->packed[i]->node);
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
static void write_elements(const struct blocked_writer *w, const char *body) {
  text_printf(w->out,
              "for (int autotune_u = 0; autotune_u < autotune_rows; autotune_u++) {\n");
  write_moved(w, ROWS, "autotune_u");
  text_printf(
      w->out,
      "for (int autotune_w = 0; autotune_w < autotune_columns; autotune_w++) {\n");
  write_moved(w, COLUMNS, "autotune_w");
  text_printf(w->out, "%s}\n}\n", body);
}

static void write_block(const struct blocked_writer *w, const char *low,
                        const char *high) {
  struct slice x = blocked_element(w);
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
static void write_rest(const struct blocked_writer *w, const char *low,
                       const char *high) {
  const struct blocked *k = w->k;
  const char *at = code_iterator(k->coordinate[ROWS]);
  struct slice x = blocked_element(w);
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

void blocked_write(const struct scop *s, const struct blocked *k, struct text *out) {
  const struct blocked_writer all = { s, k, out }, *w = &all;
  const char *low = arena_printf("autotune_low%u", k->coordinate[TERMS]),
             *high = arena_printf("autotune_high%u", k->coordinate[TERMS]),
             *left = arena_printf("autotune_low%u", k->coordinate[COLUMNS]),
             *row = code_iterator(k->coordinate[ROWS]);
  struct slice x = blocked_element(w);
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
