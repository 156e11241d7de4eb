// SPDX-License-Identifier: Apache-2.0
// fused.c: loops next to each other that become one loop, whose iterations run at the
// same time (loop fusion: K. Kennedy, K. S. McKinley, "Maximizing Loop Parallelism and
// Improving Data Locality via Loop Fusion and Distribution", LCPC 1993). isl gives loops
// of their own to statements that need not alternate; a tile of one loop for them all
// uses what is in the cache again, and may keep it for itself (contract.c).
#include <isl/map.h>

#include "scop.h"

// Returns C's iterations at the coordinate that is parallel.
static isl_union_map *fused_values(const struct scop *s, const struct fused *c) {
  struct text t = { 0 };
  text_printf(&t, "{ [");
  for (unsigned i = 0; i < c->count; i++)
    text_printf(&t, "%sc%u", i ? ", " : "", i);
  text_printf(&t, "] -> [c%u] }", c->parallel);
  return isl_union_map_apply_range(isl_union_map_copy(c->schedule),
                                   isl_union_map_read_from_str(s->ctx, t.data));
}

// Returns what of D leads from A to B.
static isl_union_map *fused_between(isl_union_map *d, const struct fused *a,
                                    const struct fused *b) {
  d = isl_union_map_intersect_domain(
      isl_union_map_copy(d), isl_union_map_domain(isl_union_map_copy(a->schedule)));
  return isl_union_map_intersect_range(
      d, isl_union_map_domain(isl_union_map_copy(b->schedule)));
}

enum fusible { NOT_AT_ALL, SAME_VALUE, ANY_VALUE };

// Returns at which values of their parallel loops iterations of B depend on those of A,
// or of A on those of B: picks may run in another order than the source's.
static enum fusible fused_relation(const struct scop *s, const struct fused *a,
                                   const struct fused *b) {
  isl_union_map *d = fused_between(s->dependences, a, b);
  d = isl_union_map_union(d, isl_union_map_reverse(fused_between(s->dependences, b, a)));
  enum fusible found = ANY_VALUE;
  if (isl_union_map_is_empty(d) == isl_bool_true) {
    found = NOT_AT_ALL;
  } else if (a->parallel < a->count && b->parallel < b->count) {
    d = isl_union_map_apply_domain(d, fused_values(s, a));
    d = isl_union_map_apply_range(d, fused_values(s, b));
    isl_union_map *same = isl_union_map_read_from_str(s->ctx, "{ [x] -> [x] }");
    found = isl_union_map_is_subset(d, same) == isl_bool_true ? SAME_VALUE : ANY_VALUE;
    isl_union_map_free(same);
  }
  isl_union_map_free(d);
  return found;
}

// True if there is FLOW from A to B.
static bool fused_flows(isl_union_map *flow, const struct fused *a,
                        const struct fused *b) {
  isl_union_map *d = fused_between(flow, a, b);
  bool flows = isl_union_map_is_empty(d) == isl_bool_false;
  isl_union_map_free(d);
  return flows;
}

// Returns the group of child AT, of N, that is possible from FIRST on; GROUPS: a new one.
static unsigned fused_choose(const struct fused *list, unsigned n, unsigned at,
                             unsigned first, unsigned groups, isl_union_map *flow) {
  unsigned group = groups;
  bool begins = false;
  for (unsigned j = at; j-- > 0;)
    if (list[j].group >= first && list[j].parallel < list[j].count &&
        fused_flows(flow, &list[j], &list[at]))
      return list[j].group;
  for (unsigned j = at + 1; j < n; j++)
    begins = begins || fused_flows(flow, &list[at], &list[j]);
  for (unsigned j = at; j-- > 0 && !begins;)
    if (list[j].group >= first && list[j].group < group &&
        list[j].parallel < list[j].count)
      group = list[j].group;
  return group;
}

// Returns those of FLOW that lead from a value of the children's parallel loops to the
// same value alone.
static isl_union_map *fused_kept(const struct scop *s, const struct fused *list,
                                 unsigned n, isl_union_map *const *flow,
                                 unsigned n_flow) {
  isl_union_map *kept = isl_union_map_empty_ctx(s->ctx),
                *values = isl_union_map_empty_ctx(s->ctx),
                *same = isl_union_map_read_from_str(s->ctx, "{ [x] -> [x] }");
  for (unsigned i = 0; i < n; i++)
    if (list[i].parallel < list[i].count)
      values = isl_union_map_union(values, fused_values(s, &list[i]));
  for (unsigned i = 0; i < n_flow; i++) {
    isl_union_map *d = isl_union_map_copy(flow[i]);
    d = isl_union_map_apply_domain(d, isl_union_map_copy(values));
    d = isl_union_map_apply_range(d, isl_union_map_copy(values));
    if (isl_union_map_is_subset(d, same) == isl_bool_true)
      kept = isl_union_map_union(kept, isl_union_map_copy(flow[i]));
    isl_union_map_free(d);
  }
  isl_union_map_free(values);
  isl_union_map_free(same);
  return kept;
}

unsigned fused_group(const struct scop *s, struct fused *list, unsigned n,
                     isl_union_map *const *flow, unsigned n_flow) {
  isl_union_map *kept = fused_kept(s, list, n, flow, n_flow);
  unsigned groups = 0;
  for (unsigned i = 0; i < n; i++) {
    struct fused *c = &list[i];
    unsigned first = 0; // the first group that can hold it
    for (unsigned j = 0; j <= i; j++) {
      enum fusible r = fused_relation(s, &list[j], c);
      if (i == j && r == ANY_VALUE)
        c->parallel = c->count;
      else if (i != j && r != NOT_AT_ALL && list[j].group + (r == ANY_VALUE) > first)
        first = list[j].group + (r == ANY_VALUE);
    }
    c->group = c->parallel < c->count ? fused_choose(list, n, i, first, groups, kept)
                                      : groups;
    groups += c->group == groups;
  }
  isl_union_map_free(kept);
  return groups;
}

isl_union_map *fused_schedule(const struct scop *s, const struct fused *list, unsigned n,
                              unsigned group, unsigned *count) {
  isl_union_map *all = isl_union_map_empty_ctx(s->ctx);
  unsigned most = 0, rank = 0;
  for (unsigned i = 0; i < n; i++)
    most = list[i].group == group && list[i].count > most ? list[i].count : most;
  *count = most + 1 > MOST_COORDINATES ? 0 : most + 1;
  for (unsigned i = 0; i < n; i++) {
    const struct fused *c = &list[i];
    struct text t = { 0 };
    if (c->group != group)
      continue;
    text_printf(&t, "{ [");
    for (unsigned j = 0; j < c->count; j++)
      text_printf(&t, "%sc%u", j ? ", " : "", j);
    text_printf(&t, "] -> [c%u, %u", c->parallel, rank++);
    for (unsigned j = 0; j < c->count; j++)
      if (j != c->parallel)
        text_printf(&t, ", c%u", j);
    for (unsigned j = c->count; j < most; j++)
      text_printf(&t, ", 0");
    text_printf(&t, "] }");
    all = isl_union_map_union(
        all,
        isl_union_map_apply_range(isl_union_map_copy(c->schedule),
                                  isl_union_map_read_from_str(s->ctx, t.data)));
  }
  return all;
}
