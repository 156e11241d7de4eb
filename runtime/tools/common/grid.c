// SPDX-License-Identifier: Apache-2.0
// grid.c: prints aligned columns, each as wide as its widest cell. The first row is the
// heading.
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "clean.h"
#include "grid.h"
#include "sheet.h"

void grid_add(struct grid *g, char *cell) {
  if (g->n == g->capacity) {
    unsigned capacity = g->capacity ? 2 * g->capacity : 64;
    char **more = sys_realloc(g->cells, capacity * sizeof *more);
    if (!more) {
      free(cell);
      return;
    }
    g->cells = more;
    g->capacity = capacity;
  }
  g->cells[g->n++] = clean_text(cell ? cell : "?");
  free(cell);
}

static size_t grid_widest(const struct grid *g, unsigned column) {
  size_t most = 0;
  for (unsigned i = column; i < g->n; i += g->columns) {
    size_t n = sheet_width(g->cells[i]);
    most = n > most ? n : most;
  }
  return most;
}

void grid_print(const struct grid *g) {
  for (unsigned i = 0; i + g->columns <= g->n; i += g->columns) {
    size_t blanks = 0; // not yet printed, so that no line ends with blanks
    for (unsigned c = 0; c < g->columns; c++) {
      const char *cell = g->cells[i + c];
      size_t rest = grid_widest(g, c) - sheet_width(cell);
      bool right = g->right[c] == 'r';
      blanks += right ? rest : 0;
      if (*cell)
        printf("%*s%s", (int)blanks, "", cell);
      blanks = (*cell ? 0 : blanks + sheet_width(cell)) + (right ? 0 : rest) + 2;
    }
    putchar('\n');
  }
}

void grid_free(struct grid *g) {
  for (unsigned i = 0; i < g->n; i++)
    clean_free(g->cells[i]);
  free(g->cells);
  *g = (struct grid){ 0 };
}
