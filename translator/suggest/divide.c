// SPDX-License-Identifier: Apache-2.0
// divide.c: finds loops that `fission` may divide, and compares what the directives of
// the nests that result are worth with those of the loop as it is.
#include "suggest.h"

// Blocks of two loops read each element of a matrix once: no more than the loop as it is,
// which may read it once for several parts.
bool gain_is_more(struct gain a, struct gain b) {
  bool deeper = a.depth > b.depth && a.depth > 2;
  return a.starts <= b.starts &&
      (deeper || (a.reordered && !b.reordered) || a.starts < b.starts);
}

struct gain gain_both(struct gain a, struct gain b) {
  return (struct gain){ .depth = a.depth > b.depth ? a.depth : b.depth,
                        .reordered = a.reordered || b.reordered,
                        .starts = a.starts < b.starts ? a.starts : b.starts };
}

TSNode divide_stand(const struct model *m, TSNode loop) {
  const struct focus *f = m->u.focus;
  return f && ts_node_eq(f->loop, loop) ? f->first : loop;
}

bool divide_may_stand(const struct model *m, TSNode loop) {
  const struct focus *f = m->u.focus;
  return !f || ts_node_eq(f->loop, loop) ||
      (node_within(loop, f->first) && !ts_node_eq(loop, f->first));
}

// True if the file, whose macros are not replaced, has the same N parts PARTS in the body
// of LOOP, and directives may stand before those that are loops.
static bool divide_is_written(const struct model *m, TSNode loop,
                              const struct focus *parts, unsigned n) {
  struct focus *own = NULL;
  const char *why;
  bool written;
  TSNode at, outer = node_for_at(m->function->node, model_offset(m, loop, &written));
  struct usage u = usage_of(m->source, m->function, m->function->node);
  if (ts_node_is_null(outer) || focus_parts(&u, outer, &own, &why, &at) != n)
    return false;
  for (unsigned i = 0; i < n; i++) {
    bool is_loop = node_is(parts[i].first, "for_statement");
    size_t place = model_offset(m, parts[i].first, &written);
    bool stands = written && place == ts_node_start_byte(own[i].first) &&
        patch_begins_line(m->source, place);
    if (is_loop != node_is(own[i].first, "for_statement") || (is_loop && !stands))
      return false;
  }
  return true;
}

unsigned divide_find(struct model *m, struct iter *const *chain, unsigned n,
                     struct focus **parts, unsigned *n_parts) {
  const char *why;
  TSNode at;
  *n_parts = 0;
  if (n == 0 || plan_jumps(chain[0]->node) ||
      node_is(nest_inner(&m->u, chain[n - 1]->node), "for_statement"))
    return n;
  for (unsigned i = 0; i < n; i++) {
    TSNode loop = chain[i]->node;
    if (divide_may_stand(m, loop) &&
        patch_begins_line(m->source, model_offset(m, divide_stand(m, loop), NULL)) &&
        (*n_parts = focus_parts(&m->u, loop, parts, &why, &at)) > 0 &&
        divide_is_written(m, chain[n - 1]->node, *parts, *n_parts) &&
        !fission_why_not(m, chain + i, n - i, *parts, *n_parts, &at))
      return i;
  }
  return n;
}
