// SPDX-License-Identifier: Apache-2.0
// transfer.c: tells the search the costs of variants for the nearest key, or on another
// machine, before it proposes anything. Hints (hints.c) say what to try first; these
// costs say what need not be tried, and in which direction costs fall. If few variants
// are tried for a key, most of the knowledge about it comes from its neighbours.
#include <stdlib.h>
#include <string.h>

#include "model/space.h"
#include "keep/store/store.h"
#include "tune.h"

enum {
  MOST = 5000,                   // variants that are looked at
  FASTEST = MAX_TRANSFERRED / 2, // of the variants told, so many are the fastest; the
                                 // others are spread over the rest
};

struct priced {
  choice *point;
  double cost;
};
struct gathered {
  const struct space *space;
  struct priced *items;
  unsigned n;
};

// Adds a variant of the near key. Skips a variant that does not exist here, or is another
// variant here.
static void transfer_gather(const char *values, double cost, void *data) {
  struct gathered *g = data;
  choice point[MAX_PARAMS];
  size_t size = g->space->kernel->n_params * sizeof *point;
  char *own = g->n < MOST && hints_point(g->space, values, point)
      ? space_values(g->space->kernel, point)
      : NULL;
  choice *copy = own && strcmp(own, values) == 0 ? sys_malloc(size + 1) : NULL;
  free(own);
  if (!copy)
    return;
  memcpy(copy, point, size);
  g->items[g->n++] = (struct priced){ copy, cost };
}

static int transfer_by_cost(const void *a, const void *b) {
  double left = ((const struct priced *)a)->cost,
         right = ((const struct priced *)b)->cost;
  return (left > right) - (left < right);
}

// Returns the index of the I-th of the N items to tell, where ALL are sorted.
static unsigned transfer_chosen(unsigned i, unsigned n, unsigned all) {
  return n == all || i < FASTEST
      ? i
      : FASTEST + (unsigned)((uint64_t)(i - FASTEST) * (all - FASTEST) / (n - FASTEST));
}

static unsigned transfer_tell(const struct gathered *g,
                              const struct strategy_class *class, struct strategy *st) {
  unsigned n = g->n < MAX_TRANSFERRED ? g->n : MAX_TRANSFERRED;
  qsort(g->items, g->n, sizeof *g->items, transfer_by_cost);
  for (unsigned i = n; i-- > 0;) {
    const struct priced *t = &g->items[transfer_chosen(i, n, g->n)];
    class->transfer(st, t->point, t->cost);
  }
  return n;
}

unsigned transfer_near(struct store *store, const struct space *space,
                       const struct identity *id, const struct strategy_class *class,
                       struct strategy *st, char name[96]) {
  struct relative relatives[MAX_RELATIVES];
  unsigned all = store && class->transfer ? store_relatives(store, id, relatives) : 0,
           at = 0;
  struct gathered g = { .space = space };
  while (at < all && !relatives[at].close)
    at++;
  if (at == all || !(g.items = sys_malloc(MOST * sizeof *g.items)))
    return 0;
  store_times(store, relatives[at].problem, transfer_gather, &g);
  unsigned n = transfer_tell(&g, class, st);
  memcpy(name, relatives[at].name, sizeof relatives->name);
  for (unsigned i = 0; i < g.n; i++)
    free(g.items[i].point);
  free(g.items);
  return n;
}
