/* SPDX-License-Identifier: Apache-2.0 */
/* grid.h: aligned columns. */
#ifndef AUTOTUNE_GRID_H
#define AUTOTUNE_GRID_H

#include <stdio.h>

/* A table: cells row by row, the first row is the heading. */
struct grid {
  char **cells;
  unsigned columns, n, capacity;
  const char *right; /* a letter for each column: 'r' aligns it at its right */
};
/* Takes CELL (malloc'ed; NULL: "?") over and makes it fit for a terminal. */
void grid_add(struct grid *g, char *cell);
void grid_print(const struct grid *g, FILE *out);
void grid_free(struct grid *g);

#endif
