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

// True if LOOP may be a product of matrices, or the like: three loops deep are updates of
// elements that one of these loops does not select.
static bool reschedule_has_updates(const struct model *m, const struct iter *loop) {
  for (unsigned i = 0; i < m->n_accesses; i++) {
    const struct access *x = &m->accesses[i];
    unsigned around = 0, selects = 0;
    const struct iter *at = x->loop;
    for (; at; at = at->outer) {
      bool used = false;
      for (unsigned j = 0; j < x->n; j++)
        used = used || poly_has(x->index[j], at->atom);
      around++;
      selects += used;
      if (at == loop)
        break;
    }
    if (at && around == 3 && selects == 2 && x->write)
      return true;
  }
  for (unsigned i = 0; i < m->n_scalars; i++) { // it may stand for an element
    unsigned around = 0;
    for (unsigned j = 0; j < m->n_iters; j++)
      around += node_within(m->iters[j]->node, loop->node) &&
          node_within(m->scalars[i].node, m->iters[j]->node);
    if (around == 3)
      return true;
  }
  return false;
}

// Appends sets of sizes for N loops, up to three: the last one runs along rows. Sets for
// blocks are small: all these tiles are in the cache, and a first call tries few.
static void reschedule_put_sizes(unsigned n, bool blocks, struct text *t) {
  text_printf(t, "%s",
              blocks ? " sizes({128, 64}, {32, 64}, {128, 64}) registers(4, {32, 16, 8})"
                  : n < 2 ? " sizes({8, 16, 32})"
                  : n > 2 ? " sizes({8, 16, 32}, {16, 32, 64}, {64, 128, 256})"
                          : " sizes({8, 16, 32}, {64, 256, 1024})");
}

// True if LOOP may be ordered, and the pragma can stand before it.
static bool reschedule_may(const struct model *m, const struct iter *loop) {
  bool written;
  size_t place = model_offset(m, loop->node, &written);
  return written && !m->u.focus && !loop->outer && !plan_jumps(loop->node) &&
      patch_begins_line(m->source, place) && reschedule_depth(m, loop) <= 3;
}

static void reschedule_add(const struct model *m, const struct iter *loop,
                           const struct affine *a, const char *threads,
                           struct plan *plan) {
  struct text t = { 0 };
  size_t place = model_offset(m, loop->node, NULL);
  bool blocks = affine_has_blocks(a);
  text_printf(&t, "%s#pragma autotune reschedule", patch_indent(m->source, place));
  reschedule_put_sizes(a->depth, blocks, &t);
  text_printf(&t, " num_threads(%s)%s\n", threads, blocks ? " schedule(dynamic)" : "");
  *GROW(plan->list, plan->n) = (struct insertion){ .offset = place, .text = t.data };
  plan->threads = true;
}

bool reschedule_propose_blocks(struct model *m, struct iter *loop, const char *threads,
                               struct plan *plan) {
  if (!reschedule_may(m, loop) || !reschedule_has_updates(m, loop))
    return false;
  const struct affine *a = affine_of(m, loop, AFFINE_DEPTH, true);
  if (a->why || !affine_has_blocks(a))
    return false;
  reschedule_add(m, loop, a, threads, plan);
  return true;
}

// Nests of four loops are left out: their spaces are large, and on a grid of three
// dimensions sharing the sweeps among threads was faster than what a first call finds.
bool reschedule_propose(struct model *m, struct iter *loop, const char *threads,
                        struct plan *plan) {
  if (!reschedule_may(m, loop))
    return false;
  unsigned depth = reschedule_depth(m, loop);
  if (depth < 3 && !(depth == 2 && reschedule_is_time(m, loop)))
    return false;
  const struct affine *a = affine_of(m, loop, AFFINE_DEPTH, false);
  // A band of fewer loops leaves those in its tiles as they are. A loop around bands is a
  // gain where threads can share each of them, and do nearly all of the work. So are
  // tiles with buffers.
  bool buffers = affine_has_buffers(a),
       tiled = !a->why && (buffers || a->depth + a->outer == depth);
  for (unsigned i = 0; i < a->n; i++) {
    const struct affine_part *p = &a->parts[i];
    bool small = a->outer && p->plain + a->outer < depth;
    tiled = tiled &&
        (p->outer_first || p->ends || small || p->local ||
         (p->n > 1 && !(a->outer && p->wave)));
  }
  if (tiled)
    reschedule_add(m, loop, a, threads, plan);
  return tiled;
}
