// SPDX-License-Identifier: Apache-2.0
// contract.c: arrays of which each iteration of a parallel loop reads only what it has
// written itself (array contraction). Such a loop in a loop over time steps writes its
// elements again in the next step, so nobody reads what a tile would store before that
// step. The tile has a buffer instead, and stores the elements in the last step alone.
#include <stdlib.h>

#include <isl/flow.h>
#include <isl/map.h>

#include "scop.h"

// ---- accesses of an array -----------------------------------------------------------

struct selection {
  const struct contract *c;
  const struct scop *s;
  bool others;
  isl_union_map *found;
};

static isl_stat selection_add(isl_map *map, void *user) {
  struct selection *x = user;
  const char *name = isl_map_get_tuple_name(map, isl_dim_out);
  bool in = false;
  for (unsigned i = 0; i < x->c->n && name; i++)
    in = in || strtoul(name + 1, NULL, 10) == scop_array(x->s, x->c->list[i]);
  if (in != x->others)
    x->found = isl_union_map_add_map(x->found, map);
  else
    isl_map_free(map);
  return isl_stat_ok;
}

// Returns those of ACCESSES, which it frees, to arrays that C has, or to others.
static isl_union_map *contract_select(const struct scop *s, const struct contract *c,
                                      isl_union_map *accesses, bool others) {
  struct selection x = { c, s, others,
                         isl_union_map_empty(isl_union_map_get_space(accesses)) };
  isl_union_map_foreach_map(accesses, selection_add, &x);
  isl_union_map_free(accesses);
  return x.found;
}

isl_union_map *contract_accesses(const struct scop *s, const struct contract *c,
                                 bool others) {
  return contract_select(s, c, isl_union_map_copy(s->accesses), others);
}

// ---- which arrays -------------------------------------------------------------------

struct finding {
  struct scop *s;
  isl_union_set *inside; // the iterations of the group
  isl_union_map *same;   // from each of them to those in the same one of the loop
  isl_set *facts;
  isl_union_map *reads, *writes, *sure; // accesses of one array
  isl_union_map *flow; // from the write of each element in the group to its reads
};

// Returns the reads of A, but for those of an element that their statement wrote before.
static isl_union_map *finding_reads(const struct finding *f, const struct array *a) {
  struct scop *s = f->s;
  isl_union_map *all = isl_union_map_empty(isl_union_map_get_space(s->accesses));
  for (unsigned i = 0; i < s->m->n_accesses + s->n_more; i++) {
    const struct access *x = scop_access(s, i);
    if (x->array == a && x->read && scop_statement(s, x->node) &&
        !scop_wrote_before(s, x))
      all = isl_union_map_union(all, scop_touches(s, x));
  }
  return all;
}

// True if iterations of the group read only what the same iteration of the loop wrote,
// and no others read that.
static bool finding_is_own(struct finding *f) {
  isl_union_access_info *info =
      isl_union_access_info_from_sink(isl_union_map_copy(f->reads));
  info = isl_union_access_info_set_must_source(info, isl_union_map_copy(f->sure));
  info = isl_union_access_info_set_may_source(
      info,
      isl_union_map_subtract(isl_union_map_copy(f->writes), isl_union_map_copy(f->sure)));
  info = isl_union_access_info_set_schedule_map(info, isl_union_map_copy(f->s->order));
  isl_union_flow *flow = isl_union_access_info_compute_flow(info);
  isl_union_map *all = isl_union_flow_get_may_dependence(flow),
                *before = isl_union_flow_get_may_no_source(flow);
  isl_union_flow_free(flow);
  before = isl_union_map_intersect_domain(before, isl_union_set_copy(f->inside));
  before = isl_union_map_intersect_params(before, isl_set_copy(f->facts));
  isl_union_map *to = isl_union_map_intersect_range(isl_union_map_copy(all),
                                                    isl_union_set_copy(f->inside));
  all = isl_union_map_union(
      isl_union_map_intersect_domain(all, isl_union_set_copy(f->inside)), to);
  all = isl_union_map_intersect_params(all, isl_set_copy(f->facts));
  bool own = isl_union_map_is_empty(before) == isl_bool_true &&
      isl_union_map_is_subset(all, f->same) == isl_bool_true;
  isl_union_map_free(before);
  f->flow = all;
  return own;
}

// Returns the params with which some element that the group writes is not written again
// afterwards, by something else.
static isl_set *finding_stores(const struct finding *f) {
  isl_union_set *others = isl_union_set_subtract(isl_union_set_copy(f->s->domain),
                                                 isl_union_set_copy(f->inside));
  isl_union_map *mine = isl_union_map_intersect_domain(isl_union_map_copy(f->writes),
                                                       isl_union_set_copy(f->inside)),
                *later =
                    isl_union_map_intersect_domain(isl_union_map_copy(f->sure), others),
                *order = isl_union_map_lex_lt_union_map(isl_union_map_copy(f->s->order),
                                                        isl_union_map_copy(f->s->order));
  isl_union_map *pairs = isl_union_map_range_product(
      isl_union_map_reverse(isl_union_map_copy(mine)), isl_union_map_reverse(later));
  pairs = isl_union_map_intersect_range(pairs, isl_union_map_wrap(order));
  isl_union_set *left =
      isl_union_set_subtract(isl_union_map_range(mine), isl_union_map_domain(pairs));
  left = isl_union_set_intersect_params(left, isl_set_copy(f->facts));
  return isl_set_coalesce(isl_union_set_params(left));
}

// Adds A to C if a tile can have a buffer in place of it.
static void finding_try(struct finding *f, const struct array *a, struct contract *c) {
  struct scop *s = f->s;
  const struct contract only = { .list = &a, .n = 1 };
  TSNode at;
  s->buffers = only.list;
  s->n_buffers = 1;
  bool plain = !a->why && !forward_why_not(s, &at);
  s->n_buffers = 0;
  if (!plain)
    return;
  f->writes = contract_select(s, &only, scop_accesses(s, WRITES), false);
  f->sure = contract_select(s, &only, scop_accesses(s, WRITES | SURE), false);
  f->writes = isl_union_map_intersect_domain(f->writes, isl_union_set_copy(s->domain));
  f->sure = isl_union_map_intersect_domain(f->sure, isl_union_set_copy(s->domain));
  f->reads = finding_reads(f, a);
  isl_union_map *here = isl_union_map_intersect_domain(isl_union_map_copy(f->writes),
                                                       isl_union_set_copy(f->inside));
  isl_set *stores = NULL;
  f->flow = NULL;
  if (isl_union_map_is_empty(here) == isl_bool_false && finding_is_own(f))
    stores = a->local && !live_read_after(&s->m->u, s->last->node, a->name)
        ? isl_set_empty(isl_set_get_space(f->facts))
        : finding_stores(f);
  isl_union_map_free(here);
  if (stores && isl_set_is_subset(f->facts, stores) == isl_bool_false) {
    *GROW(c->list, c->n) = a;
    c->stores = c->stores ? isl_set_union(c->stores, stores) : stores;
    *GROW(c->flow, c->n_flow) = f->flow;
  } else {
    isl_set_free(stores);
    isl_union_map_free(f->flow);
  }
  isl_union_map_free(f->reads);
  isl_union_map_free(f->writes);
  isl_union_map_free(f->sure);
}

struct contract contract_find(struct scop *s, isl_union_map *group, unsigned count,
                              isl_set *facts) {
  struct contract c = { 0 };
  struct text t = { 0 };
  text_printf(&t, "{ [");
  for (unsigned i = 0; i < count; i++)
    text_printf(&t, "%sc%u", i ? ", " : "", i);
  text_printf(&t, "] -> [c0] }");
  isl_union_map *value = isl_union_map_apply_range(
      isl_union_map_copy(group), isl_union_map_read_from_str(s->ctx, t.data));
  struct finding f = { .s = s,
                       .inside = isl_union_map_domain(isl_union_map_copy(group)),
                       .facts = facts };
  f.same = isl_union_map_apply_range(isl_union_map_copy(value),
                                     isl_union_map_reverse(isl_union_map_copy(value)));
  isl_union_map_free(value);
  for (unsigned i = 0; i < s->m->n_arrays; i++)
    finding_try(&f, s->m->arrays[i], &c);
  isl_union_set_free(f.inside);
  isl_union_map_free(f.same);
  return c;
}

// ---- text ---------------------------------------------------------------------------

// Returns the subscript of B that changes from tile to tile; the last one if none does.
static unsigned contract_near(const isl_union_set *elements,
                              const struct tile_buffer *b) {
  for (unsigned i = 0; i < b->n; i++) {
    isl_set *box = link_hull(isl_union_set_copy((isl_union_set *)elements), i);
    bool fixed = !box || link_slides(box, false);
    isl_set_free(box);
    if (!fixed)
      return i;
  }
  return b->n - 1;
}

void contract_write(struct scop *s, const struct contract *c, isl_union_set *tile,
                    const struct inner *in, const isl_set *facts, struct affine_part *p) {
  struct tile_buffer *list = NULL;
  unsigned *near = NULL, n = 0, n_near = 0;
  bool good = true;
  for (unsigned i = 0; i < c->n && good; i++) {
    const struct contract only = { .list = &c->list[i], .n = 1 };
    struct tile_buffer *b = GROW(list, n);
    isl_union_set *elements =
        isl_union_set_apply(isl_union_set_copy(tile), contract_accesses(s, &only, false));
    good = buffer_set(s, c->list[i], p->n, facts, elements, NULL, b);
    if (good && in->inner == 0) // neighbours are in the loop that is cut
      b->near = contract_near(elements, b);
    *GROW(near, n_near) = b->near;
    isl_union_set_free(elements);
  }
  isl_set *stores = isl_set_gist(isl_set_copy(c->stores), isl_set_copy((isl_set *)facts));
  p->stores = code_condition(s, stores);
  if (!good || !p->stores)
    return;
  s->buffers = c->list;
  s->n_buffers = c->n;
  s->near = near;
  p->local = code_of(s, isl_union_map_copy(in->order), isl_set_copy((isl_set *)facts),
                     in->count, in->vector, in->sum);
  s->n_buffers = 0;
  s->near = NULL;
  p->buffers = list;
  p->n_buffers = n;
}

void contract_free(struct contract *c) {
  isl_set_free(c->stores);
  for (unsigned i = 0; i < c->n_flow; i++)
    isl_union_map_free(c->flow[i]);
}
