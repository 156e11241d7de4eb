// SPDX-License-Identifier: Apache-2.0
// fission.c: decides whether loops may be divided, so that each part of their body gets
// loops of its own (Allen and Kennedy, "Optimizing Compilers for Modern Architectures",
// 2001, section 5.6). All iterations of a part then come before those of the parts after
// it. So nothing of a later part, in an earlier iteration, may meet in one element with
// something of an earlier part, in a later iteration, if one of the two writes.
#include "analysis.h"

struct fission {
  struct model *m;
  struct iter *const *chain;
  unsigned n;
  const struct focus *parts;
  unsigned n_parts;
};

static struct body fission_body(const struct focus *part) {
  return (struct body){ part->first, part->last };
}

// Returns the part that holds NODE; the number of parts: none.
static unsigned fission_part(const struct fission *f, TSNode node) {
  unsigned i = 0;
  while (i < f->n_parts && !body_covers(fission_body(&f->parts[i]), node))
    i++;
  return i;
}

// ---- variables ----------------------------------------------------------------------

static unsigned fission_count(const struct model *m, TSNode n, struct slice name) {
  unsigned count = node_is(n, "identifier") && slices_same(model_text(m, n), name);
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    count += fission_count(m, ts_node_named_child(n, i), name);
  return count;
}

// True if N mentions NAME of a scope around N. A declaration in a block hides it from
// there on, but may read it itself.
static bool fission_mentions(const struct model *m, TSNode n, struct slice name) {
  if (node_is(n, "identifier"))
    return slices_same(model_text(m, n), name);
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++) {
    TSNode c = ts_node_named_child(n, i);
    if (node_is(c, "declaration") && usage_declares(&m->u, c, name))
      return fission_count(m, c, name) > 1;
    if (fission_mentions(m, c, name))
      return true;
  }
  return false;
}

static bool fission_part_mentions(const struct model *m, struct body b,
                                  struct slice name) {
  bool found = false;
  for (TSNode n = b.first; !ts_node_is_null(n) && !found; n = body_next(b, n))
    found = fission_mentions(m, n, name);
  return found;
}

// True if N, a statement, is `NAME = …;`.
static bool fission_sets(const struct model *m, TSNode n, struct slice name) {
  TSNode set = ts_node_named_child(n, 0);
  return node_is(n, "expression_statement") && node_is(set, "assignment_expression") &&
      node_is(node_field(set, "left"), "identifier") &&
      slice_is(model_text(m, node_field(set, "operator")), "=") &&
      slices_same(model_text(m, node_field(set, "left")), name);
}

// True if B may read the value that NAME has before it.
static bool fission_reads_first(const struct model *m, struct body b, struct slice name) {
  bool reads = false;
  for (TSNode n = b.first; !ts_node_is_null(n) && !reads; n = body_next(b, n)) {
    reads = live_reads_first(&m->u, n, name);
    if (fission_sets(m, n, name))
      break;
  }
  return reads;
}

// True if each part that mentions NAME, which some part changes, may have it for itself.
static bool fission_is_apart(const struct fission *f, struct slice name) {
  unsigned users = 0;
  bool reads = false;
  for (unsigned i = 0; i < f->n_parts; i++) {
    struct body b = fission_body(&f->parts[i]);
    if (fission_part_mentions(f->m, b, name)) {
      users++;
      reads = reads || fission_reads_first(f->m, b, name);
    }
  }
  return users < 2 || (!reads && !live_read_after(&f->m->u, f->chain[0]->node, name));
}

static const char *fission_check_variables(const struct fission *f, TSNode *at) {
  for (unsigned i = 0; i < f->m->u.n_changes; i++) {
    const struct change *c = &f->m->u.changes[i];
    if (fission_part(f, c->node) == f->n_parts || c->part == PART_ELEMENT ||
        c->how == BY_POINTER)
      continue;
    *at = c->node;
    if (c->how == BY_ADDRESS)
      return "what this points to is not followed";
    if (!fission_is_apart(f, c->name))
      return arena_printf("several parts use '%.*s', which is set in each iteration",
                          (int)c->name.size, c->name.data);
  }
  return NULL;
}

// ---- elements -----------------------------------------------------------------------

// Checks X of an earlier part and Y of a later one, of the same array.
static const char *fission_check_pair(const struct fission *f, const struct access *x,
                                      const struct access *y, TSNode *at) {
  if ((!x->write && !y->write) || (x->sum && x->sum == y->sum))
    return NULL;
  *at = y->node;
  return depend_goes_back(f->m, f->chain, f->n, x, y)
      ? arena_printf("a later iteration uses '%.*s' in a part before this one",
                     (int)y->array->name.size, y->array->name.data)
      : NULL;
}

static const char *fission_check_elements(const struct fission *f, TSNode *at) {
  const struct model *m = f->m;
  TSNode root = f->chain[0]->node;
  const char *why = NULL;
  for (unsigned i = 0; i < m->n_accesses && !why; i++) {
    const struct access *x = &m->accesses[i];
    if (!node_within(x->node, root) || !focus_holds(&m->u, x->node) ||
        !depend_is_written(m, x->array, root))
      continue;
    *at = x->node;
    why = depend_why_not(x, f->chain[f->n - 1]);
    unsigned part = fission_part(f, x->node);
    for (unsigned j = 0; j < m->n_accesses && !why; j++) {
      const struct access *y = &m->accesses[j];
      unsigned other = fission_part(f, y->node);
      if (y->array != x->array || other <= part || other == f->n_parts)
        continue;
      *at = y->node;
      why = depend_why_not(y, f->chain[f->n - 1]);
      if (!why)
        why = fission_check_pair(f, x, y, at);
    }
  }
  return why;
}

const char *fission_why_not(struct model *m, struct iter *const *chain, unsigned n,
                            const struct focus *parts, unsigned n_parts, TSNode *at) {
  struct fission f = { m, chain, n, parts, n_parts };
  for (unsigned i = 0; i < m->n_refusals; i++)
    if (node_within(m->refusals[i].at, chain[0]->node) ||
        node_within(chain[0]->node, m->refusals[i].at)) {
      *at = m->refusals[i].at;
      return m->refusals[i].text;
    }
  const char *why = fission_check_variables(&f, at);
  return why ? why : fission_check_elements(&f, at);
}
