/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c: graphs are lists of operations, in the order in which they were captured. */
#include <stdlib.h>
#include <string.h>

#include "emulator.h"

struct graph *graph_new(void) {
  struct graph *g = calloc(1, sizeof *g);
  if (g)
    g->last = &g->first;
  return g;
}

void graph_add(struct graph *g, struct operation *o) {
  o->next = NULL;
  *g->last = o;
  g->last = &o->next;
  g->n++;
}

static struct operation *operation_copy(const struct operation *o) {
  struct operation *copy = malloc(o->size);
  if (copy)
    memcpy(copy, o, o->size);
  return copy;
}

struct graph *graph_copy(const struct graph *g) {
  struct graph *copy = graph_new();
  for (const struct operation *o = g->first; o && copy; o = o->next) {
    struct operation *one = operation_copy(o);
    if (!one) {
      graph_free(copy);
      return NULL;
    }
    graph_add(copy, one);
  }
  return copy;
}

void graph_free(struct graph *g) {
  if (!g)
    return;
  for (struct operation *o = g->first, *next; o; o = next) {
    next = o->next;
    free(o);
  }
  free(g);
}

CUresult graph_launch(struct CUctx_st *c, const struct graph *g, CUstream stream) {
  for (const struct operation *o = g->first; o; o = o->next) {
    CUresult e = queue_add(c, stream, operation_copy(o));
    if (e != CUDA_SUCCESS)
      return e;
  }
  return CUDA_SUCCESS;
}
