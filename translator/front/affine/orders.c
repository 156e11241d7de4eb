// SPDX-License-Identifier: Apache-2.0
// orders.c: tries several ways in which isl may order a nest, and takes the best one.
#include <isl/options.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>

#include "scop.h"

void affine_symbols(const struct scop *s, const char **symbols, const char **last) {
  struct text t = { 0 };
  const struct statement none = { .n = 0 };
  text_add(&t, "", 0);
  for (unsigned i = 0; i < s->n_symbols; i++) {
    text_printf(&t, "const long long %s = 1", scop_symbol(i));
    for (monomial m = s->symbols[i]; m; m >>= 8) {
      struct slice name = s->m->atoms[(m & 255) - 1];
      const char *read = member_condition(s->m, name); // else no loop needs it
      text_printf(&t, read ? " * (%s ? (long long)(%.*s) : 0)" : "%s * (long long)(%.*s)",
                  read ? read : "", (int)name.size, name.data);
    }
    text_printf(&t, ";\n");
  }
  *symbols = t.data;
  struct scop plain = *s; // with the names of the source
  plain.n_symbols = 0;
  *last = code_poly(&plain, &none, s->last->to, NULL);
}

// Returns the map from each iteration of S to its value of the outermost loop.
static isl_union_map *outermost_values(const struct scop *s) {
  struct text t = { 0 };
  for (unsigned i = 0; i < s->n; i++) {
    text_printf(&t, "%sS%u[", i ? "; " : "{ ", i);
    for (unsigned j = 0; j < s->list[i].n; j++)
      text_printf(&t, "%si%u", j ? ", " : "", j);
    text_printf(&t, "] -> [i0]");
  }
  text_printf(&t, " }");
  return isl_union_map_intersect_domain(isl_union_map_read_from_str(s->ctx, t.data),
                                        isl_union_set_copy(s->domain));
}

// Begins the outermost loop. False: each array leads from one of its iterations to
// another one, or others use it.
static bool finder_keeps(struct finder *f) {
  isl_union_map *values = outermost_values(f->s);
  finder_open(f, isl_union_map_copy(values));
  values = isl_union_map_intersect_domain(values, isl_union_set_copy(f->at));
  f->keeps = contract_find(f->s, values, 1, f->facts);
  isl_union_map_free(values);
  return f->keeps.n > 0;
}

// What affine_try looks for.
enum search {
  TOGETHER, // tiles of as many statements as possible
  APART,    // statements whose iterations need not alternate have loops of their own
  FUSED     // the same in the source's outermost loop, and such loops may become one
};

// Returns the order that isl finds. PIECES: as in struct finder.
static struct affine *affine_try(struct model *m, struct scop *s, unsigned tiled,
                                 enum search search, isl_union_map *pieces) {
  struct affine *a = arena_alloc(sizeof *a);
  struct finder f = {
    .s = s, .a = a, .tiled = tiled, .pieces = pieces, .facts = s->facts
  };
  const struct finder around = f;
  isl_ctx_reset_operations(s->ctx);
  isl_ctx_reset_error(s->ctx);
  isl_options_set_schedule_serialize_sccs(s->ctx, search != TOGETHER);
  if (search == FUSED && !finder_keeps(&f))
    finder_fails(&f, "no array could have a buffer");
  isl_schedule *schedule = a->why ? NULL : finder_compute(&f);
  if (!schedule)
    finder_fails(&f, "isl finds no order for it");
  if (schedule) {
    isl_schedule_node *node = isl_schedule_get_root(schedule);
    finder_visit(&f, node);
    isl_schedule_node_free(node);
    affine_symbols(s, &a->symbols, &a->last);
    a->condition = conditions_text(m, m->assumed, m->n_assumed);
    if (s->integers)
      a->condition = a->condition ? arena_printf("(%s) && %s", a->condition, s->integers)
                                  : s->integers;
  }
  contract_free(&f.keeps);
  if (search == FUSED)
    finder_close(&f, &around);
  if (isl_ctx_last_error(s->ctx) != isl_error_none) // in any call since it was made
    finder_fails(&f, "it is too large for isl");
  if (a->depth == 0)
    finder_fails(&f, "no two of its loops can be tiled");
  isl_schedule_free(schedule);
  return a;
}

// True if all tiles of a loop, in each part with tiles, may run at the same time.
static bool affine_is_parallel(const struct affine *a) {
  bool parallel = !a->why;
  for (unsigned i = 0; i < a->n; i++)
    parallel = parallel && !a->parts[i].wave;
  return parallel;
}

// True if A has no part without tiles that does as much as the whole nest: one in as many
// loops as the deepest statement of S is.
static bool affine_tiles_all(const struct affine *a, const struct scop *s) {
  unsigned depth = 0;
  bool all = true;
  for (unsigned i = 0; i < s->n; i++)
    depth = s->list[i].n > depth ? s->list[i].n : depth;
  for (unsigned i = 0; i < a->n; i++)
    all = all &&
        (a->parts[i].n || !a->parts[i].code || a->parts[i].plain + a->outer < depth);
  return all;
}

// Returns the best of several orders. BLOCKS: one in which some tiles run in blocks, if
// there is one.
static struct affine *affine_best(struct model *m, struct scop *s, unsigned tiled,
                                  bool blocks) {
  struct affine *fused = affine_try(m, s, tiled, FUSED, NULL), *a, *other;
  bool buffers = !fused->why && affine_has_buffers(fused),
       fits = buffers && (!blocks || affine_has_blocks(fused));
  if (fits && affine_tiles_all(fused, s))
    return fused;
  a = other = affine_try(m, s, tiled, TOGETHER, NULL);
  if (a->why || !affine_has_blocks(a))
    other = affine_try(m, s, tiled, APART, NULL);
  if (!other->why &&
      (a->why || affine_has_blocks(other) ||
       (a->outer && !affine_is_parallel(a) && affine_is_parallel(other))))
    a = other;
  isl_union_map *pieces = affine_is_parallel(a) ? NULL : pieces_of(s);
  other = pieces ? affine_try(m, s, tiled, APART, pieces) : a;
  isl_union_map_free(pieces);
  a = affine_is_parallel(other) ? other : a;
  return (buffers && a->why) || (fits && !affine_tiles_all(a, s)) ? fused : a;
}

struct affine *affine_of(struct model *m, struct iter *root, unsigned tiled,
                         bool blocks) {
  struct scop *s = scop_read(m, (struct body){ root->node, root->node }, root);
  struct affine *a;
  if (s->why) {
    a = arena_alloc(sizeof *a);
    a->why = s->why;
    a->at = s->at;
  } else {
    a = affine_best(m, s, tiled, blocks);
    if (a->why && s->picks) {
      picks_forget(s);
      a = affine_best(m, s, tiled, blocks);
    }
  }
  scop_free(s);
  return a;
}

bool affine_has_blocks(const struct affine *a) {
  for (unsigned i = 0; i < a->n; i++)
    if (a->parts[i].block || a->parts[i].early)
      return true;
  return false;
}

bool affine_has_buffers(const struct affine *a) {
  for (unsigned i = 0; i < a->n; i++)
    if (a->parts[i].local)
      return true;
  return false;
}
