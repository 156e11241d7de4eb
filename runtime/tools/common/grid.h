/* SPDX-License-Identifier: Apache-2.0 */
/* grid.h: aligned columns. */
#ifndef AUTOTUNE_GRID_H
#define AUTOTUNE_GRID_H

#include <stdio.h>

/* A table. Its cells are in rows; the first row is the heading. */
struct grid {
  char **cells;
  unsigned columns, n, capacity;
  const char *right; /* a letter for each column: 'r' aligns it to the right */
};
/* Adds CELL (malloc'ed; NULL: "?"), made safe for a terminal. The grid owns CELL. */
void grid_add(struct grid *g, char *cell);
void grid_print(const struct grid *g);
void grid_free(struct grid *g);

#endif
