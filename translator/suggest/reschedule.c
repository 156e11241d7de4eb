// SPDX-License-Identifier: Apache-2.0
// reschedule.c: proposes `reschedule` for whole nests whose outermost loop threads cannot
// share: time steps, and factorisations. Tiles of several of its loops use what is in the
// cache again, and waves of tiles are shared out.
#include "front/affine/affine.h"
#include "suggest.h"

// True if LOOP is a step in time: no subscript and no bound of M mentions it.
static bool reschedule_is_time(const struct model *m, const struct iter *loop) {
  for (unsigned i = 0; i < m->n_accesses; i++)
    for (unsigned j = 0; j < m->accesses[i].n; j++)
      if (poly_has(m->accesses[i].index[j], loop->atom))
        return false;
  for (unsigned i = 0; i < m->n_iters; i++)
    if (poly_has(m->iters[i]->from, loop->atom) || poly_has(m->iters[i]->to, loop->atom))
      return false;
  return true;
}

// Returns how many loops are around the deepest place in LOOP, LOOP and those in it.
static unsigned reschedule_depth(const struct model *m, const struct iter *loop) {
  unsigned most = 0;
  for (unsigned i = 0; i < m->n_iters; i++) {
    unsigned n = 1;
    const struct iter *at = m->iters[i];
    for (; at && at != loop; at = at->outer)
      n++;
    most = at && n > most ? n : most;
  }
  return most;
}

// Appends sets of sizes for N loops, two or three: the last one runs along rows.
static void reschedule_put_sizes(unsigned n, struct text *t) {
  text_printf(t,
              n > 2 ? " sizes({8, 16, 32}, {16, 32, 64}, {64, 128, 256})"
                    : " sizes({8, 16, 32}, {64, 256, 1024})");
}

// Nests of four loops are left out: their spaces are large, and on a grid of three
// dimensions sharing the sweeps among threads was faster than what a first call finds.
bool reschedule_propose(struct model *m, struct iter *loop, const char *threads,
                        struct plan *plan) {
  bool written;
  size_t place = model_offset(m, loop->node, &written);
  unsigned depth = reschedule_depth(m, loop);
  if (!written || m->u.focus || loop->outer || plan_jumps(loop->node) ||
      !patch_begins_line(m->source, place) || depth > 3 ||
      (depth < 3 && !(depth == 2 && reschedule_is_time(m, loop))))
    return false;
  const struct affine *a = affine_of(m, loop, AFFINE_DEPTH);
  // A band of fewer loops leaves those in its tiles as they are.
  bool tiled = !a->why && a->depth == depth;
  for (unsigned i = 0; i < a->n; i++)
    tiled = tiled && a->parts[i].n > 1;
  if (!tiled)
    return false;
  struct text t = { 0 };
  text_printf(&t, "%s#pragma autotune reschedule", patch_indent(m->source, place));
  reschedule_put_sizes(a->depth, &t);
  text_printf(&t, " num_threads(%s)\n", threads);
  *GROW(plan->list, plan->n) = (struct insertion){ .offset = place, .text = t.data };
  plan->threads = true;
  return true;
}
