// SPDX-License-Identifier: Apache-2.0
// shared.c: warns if threads write one variable: it is declared outside of the loop that
// they share, assigned in the loop, and in no clause. OpenMP shares such a variable, and
// so do we, except for variables of loops that nobody reads later. A variant with several
// threads is then wrong now and then, and its verification may not notice. Also warns of
// sums in a `simd` loop.
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

// True if N is in the nest of LOOP.
static bool shared_is_in(const struct usage *u, TSNode n, TSNode loop) {
  return node_within(n, loop) && focus_holds(u, n);
}

static bool in_clauses(const struct loop_directive *d, struct slice name) {
  for (unsigned i = 0; i < d->pragma->n_clauses; i++)
    if (lex_mentions(d->pragma->clauses[i].body, name))
      return true;
  return false;
}

// ---- variables of loops -------------------------------------------------------------

// Returns the outermost loop with a directive in whose nest LOOP is.
static TSNode shared_root(const struct builder *b, TSNode loop) {
  unsigned n;
  const struct nest_root *roots = nest_roots(&b->u, &n);
  struct usage u = b->u;
  for (unsigned i = 0; i < n; i++) {
    u.focus = roots[i].focus;
    for (TSNode at = roots[i].loop; node_is(at, "for_statement"); at = nest_inner(&u, at))
      if (ts_node_eq(at, loop))
        return roots[i].loop;
  }
  return loop;
}

// True if the nest that is written for LOOP, which threads share, declares NAME itself.
static bool shared_is_private(const struct builder *b, TSNode loop, struct slice name) {
  struct body body = { loop, loop };
  const char *why;
  for (TSNode at = loop; node_is(at, "for_statement"); at = nest_inner(&b->u, at)) {
    struct dim d = { 0 };
    TSNode place;
    if (dim_parse(&b->u, at, &d, &why, &place) && slices_same(d.var, name))
      return true;
    body.first = nest_body(&b->u, at, &body.last);
  }
  return !node_is(loop, "for_statement") ||
      live_is_counter(&b->u, shared_root(b, loop), body, name);
}

// ---- sums ---------------------------------------------------------------------------

static unsigned shared_count(const struct usage *u, TSNode n, struct slice name) {
  unsigned count = node_is(n, "identifier") && slices_same(source_slice(u->s, n), name);
  if (!focus_holds(u, n))
    return 0;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    count += shared_count(u, ts_node_named_child(n, i), name);
  return count;
}

// Returns the operation of the reduction that N is, `s += e;`, `s = s + e;` or `s++;`; 0:
// it is none. *USES: how often it mentions S.
static char shared_operation(const struct usage *u, TSNode n, unsigned *uses) {
  TSNode right = node_field(n, "right");
  struct slice op = source_slice(u->s, node_field(n, "operator"));
  *uses = 1;
  if (!node_is(ts_node_parent(n), "expression_statement"))
    return 0;
  if (slice_is(op, "=") && node_is(right, "binary_expression") &&
      slices_same(source_slice(u->s, node_field(right, "left")),
                  source_slice(u->s, node_field(n, "left")))) {
    op = source_slice(u->s, node_field(right, "operator"));
    *uses = 2;
    return slice_is(op, "+") || slice_is(op, "*") ? *op.data : 0;
  }
  return slice_is(op, "*=")                                                         ? '*'
      : slice_is(op, "+=") || slice_is(op, "-=") || node_is(n, "update_expression") ? '+'
                                                                                    : 0;
}

// Returns the operation of a reduction if LOOP does nothing else with NAME; 0: it does.
static char shared_sum(const struct usage *u, TSNode loop, struct slice name) {
  unsigned all = 0, uses;
  char sum = 0;
  for (unsigned i = 0; i < u->n_changes; i++) {
    const struct change *c = &u->changes[i];
    if (!slices_same(c->name, name) || !shared_is_in(u, c->node, loop))
      continue;
    char op = shared_operation(u, c->node, &uses);
    if (!op || (sum && op != sum))
      return 0;
    sum = op;
    all += uses;
  }
  return all == shared_count(u, loop, name) ? sum : 0;
}

// ---- directives ---------------------------------------------------------------------

// True if LOOP assigns C's variable before C.
static bool shared_is_known(const struct usage *u, TSNode loop, const struct change *c) {
  for (const struct change *o = u->changes; o < c; o++)
    if (slices_same(o->name, c->name) && shared_is_in(u, o->node, loop) &&
        o->part == PART_WHOLE && o->how == BY_ASSIGNMENT)
      return true;
  return false;
}

// True if C's variable is that of a loop in LOOP.
static bool shared_is_counter(const struct usage *u, TSNode loop,
                              const struct change *c) {
  for (unsigned i = 0; i < u->n_changes; i++)
    if (u->changes[i].counter && slices_same(u->changes[i].name, c->name) &&
        shared_is_in(u, u->changes[i].node, loop))
      return true;
  return false;
}

// Returns what to do about NAME, which threads of LOOP share.
static const char *shared_hint(const struct usage *u, TSNode loop, struct slice name,
                               char sum) {
  int size = (int)name.size;
  TSNode body = node_is(loop, "for_statement") ? node_field(loop, "body") : loop;
  if (sum)
    return arena_printf("add reduction(%c: %.*s)", sum, size, name.data);
  if (live_reads_first(u, body, name))
    return "let another loop be parallel: an iteration reads what others left in it";
  return arena_printf(live_read_after(u, loop, name)
                          ? "declare another one in the loop, or add lastprivate(%.*s)"
                          : "declare it in the loop, or add private(%.*s)",
                      size, name.data);
}

// Warns of C, a change in the loop of D.
static void shared_check_change(const struct builder *b, const struct loop_directive *d,
                                const struct change *c) {
  TSNode loop = directive_loop(&b->u, d);
  size_t at = ts_node_start_byte(c->node), size = ts_node_end_byte(c->node) - at;
  int length = (int)c->name.size;
  char sum = shared_sum(&b->u, loop, c->name);
  bool threads = directive_groups(d->kind) & GROUP_THREADS;
  if (threads &&
      !(shared_is_counter(&b->u, loop, c) && shared_is_private(b, loop, c->name)))
    diag_warning(b->s, at, size, shared_hint(&b->u, loop, c->name, sum),
                 "threads of '%s' share '%.*s', which the loop assigns",
                 directive_name(d->kind), length, c->name.data);
  if (!threads && sum)
    diag_warning(b->s, at, size, shared_hint(&b->u, loop, c->name, sum),
                 "iterations that '%s' runs at the same time all add to '%.*s'",
                 directive_name(d->kind), length, c->name.data);
}

static void shared_check_loop(const struct builder *b, const struct loop_directive *d) {
  TSNode loop = directive_loop(&b->u, d);
  for (unsigned i = 0; i < b->u.n_changes; i++) {
    const struct change *c = &b->u.changes[i];
    if (c->part == PART_WHOLE && c->how == BY_ASSIGNMENT &&
        shared_is_in(&b->u, c->node, loop) && !in_clauses(d, c->name) &&
        shared_is_outside(&b->u, loop, c->name) && !shared_is_known(&b->u, loop, c))
      shared_check_change(b, d, c);
  }
}

void shared_check(const struct builder *b) {
  for (unsigned i = 0; i < b->f->n_directives; i++) {
    const struct loop_directive *d = &b->f->directives[i];
    struct builder part = *b;
    part.u.focus = focus_of(&b->u, d->loop);
    // OpenMP's own directives in the loop (atomic, critical) may make the shared access
    // correct; the author's pragma above D has the clauses for D's variables.
    if (!(i > 0 && around_meets(d - 1, d)) &&
        (directive_groups(d->kind) &
         (GROUP_TEAM | GROUP_WORKSHARE | GROUP_LOOP | GROUP_SIMD)) &&
        !(directive_groups(d->kind) & GROUP_TASKLOOP) &&
        !lex_mentions(source_slice(b->s, directive_loop(&part.u, d)), slice_of("omp")))
      shared_check_loop(&part, d);
  }
}
