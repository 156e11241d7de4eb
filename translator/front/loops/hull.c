// SPDX-License-Identifier: Apache-2.0
// hull.c: blocks of a loop whose bounds depend on loops between the loop over its blocks
// and itself, as in a triangular nest or for rows of a sparse matrix. The blocks are
// windows of equal width on the loop's values, from the first value with which any of
// those iterations begins to the last with which any ends. Within a window each iteration
// runs the part of its own range. So each body is executed exactly once, for any bounds.
#include <string.h>

#include "loops.h"

#define COUNTER "unsigned long long"

// Returns the distance from A to B, in steps of one, where L runs from A to B.
static const char *hull_distance(const struct loop *l, const char *a, const char *b) {
  if (l->pointer)
    return arena_printf("(" COUNTER ")(%s - %s)", l->down ? a : b, l->down ? b : a);
  return arena_printf("AUTOTUNE_DISTANCE(%s, %s)", l->down ? b : a, l->down ? a : b);
}

// Visits the iterations of POINTS. Stores the first value of L in `lo` and the last in
// `hi`.
static void write_hull(const struct builder *b, struct text *t, const struct loop *l,
                       unsigned id, const struct loop *points, unsigned n) {
  char before = l->down ? '>' : '<', after = l->down ? '<' : '>';
  text_printf(
      t,
      "%1$s autotune_lo%2$u = 0; %1$s autotune_hi%2$u = 0; int autotune_a%2$u = 0;\n{\n",
      l->type, id);
  for (unsigned i = 0; i < n; i++) {
    text_printf(t, "%s", points[i].setup);
    if (points[i].guard)
      text_printf(t, "if (%s)\n", points[i].guard);
    range_header(t, b, &points[i]);
    text_printf(t, "{\n%s", points[i].prelude);
  }
  text_printf(t, "%1$sif (%2$s) {\n%3$s autotune_y = %4$s; %3$s autotune_z = %5$s;\n",
              l->setup, l->count, l->type, l->start,
              range_at(l, arena_printf("%s - 1", l->count)));
  text_printf(
      t,
      "if (!autotune_a%1$u || autotune_y %2$c autotune_lo%1$u) autotune_lo%1$u = autotune_y;\n"
      "if (!autotune_a%1$u || autotune_z %3$c autotune_hi%1$u) autotune_hi%1$u = autotune_z;\n"
      "autotune_a%1$u = 1;\n}\n",
      id, before, after);
  for (unsigned i = 0; i <= n; i++)
    text_add(t, "}\n", 2);
}

// Writes the part of L's own range that is in the window: iterations x to y. It is empty
// unless x is less than y.
static void write_window(struct text *t, const struct loop *l, const struct loop *grid,
                         struct loop *point) {
  unsigned id = grid->id;
  const char *to = hull_distance(l, arena_printf("autotune_lo%u", id), l->start);
  bool inclusive = strlen(l->op) == 2 && *l->op != '!';
  point->start = arena_printf("autotune_b%u", id);
  point->end = arena_printf("autotune_f%u", id);
  point->count = arena_printf("autotune_m%u", id);
  point->guard = arena_printf("autotune_x%u < autotune_y%u", id, id);
  text_printf(t, "%s" COUNTER " autotune_d%u = %s, autotune_o%u = %s * autotune_w%u;\n",
              l->setup, id, to, id, grid->var, id);
  text_printf(t,
              COUNTER " autotune_x%1$u = autotune_d%1$u >= autotune_o%1$u ? 0 : "
                      "(autotune_o%1$u - autotune_d%1$u + %2$s - 1) / %2$s;\n",
              id, l->step);
  text_printf(
      t,
      COUNTER
      " autotune_y%1$u = %2$s == 0 || autotune_o%1$u + autotune_w%1$u <= "
      "autotune_d%1$u ? 0 : (autotune_o%1$u + autotune_w%1$u - autotune_d%1$u - 1) / %3$s + 1;\n"
      "if (autotune_y%1$u > %2$s) autotune_y%1$u = %2$s;\n",
      id, l->count, l->step);
  text_printf(t, COUNTER " %s = %s ? autotune_y%u - autotune_x%u : 0;\n", point->count,
              point->guard, id, id);
  text_printf(
      t, "%s %s = %s;\n%s %s = autotune_y%u == %s ? %s : %s;\n", l->type, point->start,
      range_at(l, arena_printf("autotune_x%u", id)), l->type, point->end, id, l->count,
      l->end,
      range_at(l, arena_printf(inclusive ? "autotune_y%u - 1" : "autotune_y%u", id)));
}

void range_strip_hull(struct builder *b, const struct loop *l, const char *size,
                      const struct loop *points, unsigned n, struct loop *grid,
                      struct loop *point) {
  struct loop g = range_counter(b, l), p = *l;
  struct text hull = { 0 }, window = { 0 };
  uint64_t own = 0;
  text_printf(&hull, COUNTER " autotune_w%u = (%s)", g.id, size);
  if (strcmp(l->step, "1") != 0)
    text_printf(&hull, " * (" COUNTER ")(%.*s)", (int)l->dim->step.size,
                l->dim->step.data);
  text_add(&hull, ";\n", 2);
  write_hull(b, &hull, l, g.id, points, n);
  const char *width = hull_distance(l, arena_printf("autotune_lo%u", g.id),
                                    arena_printf("autotune_hi%u", g.id));
  text_printf(&hull, COUNTER " %s = autotune_a%u ? %s / autotune_w%u + 1 : 0;\n", g.count,
              g.id, width, g.id);
  g.setup = hull.data;
  for (unsigned i = 0; i < n; i++) {
    own |= BIT(points[i].id);
    g.needs |= points[i].needs;
  }
  g.needs &= ~own;
  write_window(&window, l, &g, &p);
  p.setup = window.data;
  p.needs |= BIT(g.id);
  *grid = g;
  *point = p;
}
