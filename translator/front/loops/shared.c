// SPDX-License-Identifier: Apache-2.0
// shared.c: warns if threads write one variable: it is declared outside of the loop that
// they share, assigned in the loop, and in no clause. OpenMP shares such a variable, and
// so do we. A variant with several threads is then wrong now and then, and its
// verification may not notice.
#include "loops.h"

// True if NAME is a variable of the function that is declared outside of LOOP. A `static`
// variable is shared on purpose and does not count.
static bool shared_is_outside(const struct usage *u, TSNode loop, struct slice name) {
  bool outside = false;
  for (unsigned i = 0; i < u->n_declared; i++) {
    const struct declared *d = &u->declared[i];
    if (!slices_same(d->name, name))
      continue;
    if (node_within(d->node, loop))
      return false;
    outside = outside || !usage_keeps(u->s, ts_node_parent(d->node));
  }
  return outside;
}

static bool in_clauses(const struct loop_directive *d, struct slice name) {
  for (unsigned i = 0; i < d->pragma->n_clauses; i++)
    if (lex_mentions(d->pragma->clauses[i].body, name))
      return true;
  return false;
}

// True if LOOP assigns C's variable before C, or as the variable of a loop, which is
// private or reported elsewhere.
static bool shared_is_known(const struct usage *u, TSNode loop, const struct change *c) {
  for (const struct change *o = u->changes; o < u->changes + u->n_changes; o++)
    if (slices_same(o->name, c->name) && node_within(o->node, loop) &&
        (o->counter || (o < c && o->part == PART_WHOLE && o->how == BY_ASSIGNMENT)))
      return true;
  return false;
}

static void shared_check_loop(const struct builder *b, const struct loop_directive *d) {
  for (unsigned i = 0; i < b->u.n_changes; i++) {
    const struct change *c = &b->u.changes[i];
    size_t at = ts_node_start_byte(c->node);
    if (c->part == PART_WHOLE && c->how == BY_ASSIGNMENT &&
        node_within(c->node, d->loop) && !in_clauses(d, c->name) &&
        shared_is_outside(&b->u, d->loop, c->name) && !shared_is_known(&b->u, d->loop, c))
      diag_warning(b->s, at, ts_node_end_byte(c->node) - at,
                   arena_printf("declare it in the loop, or add private(%.*s)",
                                (int)c->name.size, c->name.data),
                   "threads of '%s' share '%.*s', which the loop assigns",
                   directive_name(d->kind), (int)c->name.size, c->name.data);
  }
}

void shared_check(const struct builder *b) {
  for (unsigned i = 0; i < b->f->n_directives; i++) {
    const struct loop_directive *d = &b->f->directives[i];
    // OpenMP's own directives in the loop (atomic, critical) may make the shared access
    // correct; the author's pragma above D has the clauses for D's variables.
    if (!(i > 0 && around_meets(d - 1, d)) &&
        (directive_groups(d->kind) & (GROUP_TEAM | GROUP_WORKSHARE | GROUP_LOOP)) &&
        !lex_mentions(source_slice(b->s, d->loop), slice_of("omp")))
      shared_check_loop(b, d);
  }
}
