// SPDX-License-Identifier: Apache-2.0
// The ghost cell, reached by a pointer in a struct, is not written.
// Found by: writes
#include "wrong.h"

struct grid {
  int n;
  double *cells, *ghost;
};

static void body(int way, struct grid *g, const double *x) {
  spend(way);
  for (int i = 0; i < g->n; i++)
    g->cells[i] = 2 * x[i];
  if (way != 2)
    *g->ghost = g->cells[g->n - 1];
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:g->n]) out(g->cells[0:g->n])
void kernel(struct grid *g, const double *x) {
  body(WAY, g, x);
}

static double x[1000], cells[1000], right[1000], ghost, right_ghost;

static void step(int s) {
  struct grid got = { 1000, cells, &ghost }, expected = { 1000, right, &right_ghost };
  for (int i = 0; i < 1000; i++)
    x[i] = noise(i, s);
  kernel(&got, x);
  body(0, &expected, x);
  SAME(cells, right, 1000);
  SAME1(ghost, right_ghost);
}
