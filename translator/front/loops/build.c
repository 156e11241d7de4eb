// SPDX-License-Identifier: Apache-2.0
// build.c: builds the nest of one variant, from the innermost loop outwards. On each loop
// it applies the directives from the nearest one upwards.
#include <string.h>

#include "loops.h"

bool directive_present(const struct builder *b, const struct loop_directive *d) {
  const struct param *params = b->k->params;
  for (int p = d->present; p >= 0 && p != b->k->choose && !b->resolve; p = params[p].when)
    if (params[p].values[b->point[p]].i == 0)
      return false;
  return true;
}

const struct loop_directive **directives_of_chain(const struct builder *b, TSNode loop,
                                                  unsigned *n) {
  const struct loop_directive **all = NULL;
  *n = 0;
  while (!ts_node_is_null(loop)) {
    unsigned m;
    const struct loop_directive **some = directives_of(&b->u, loop, &m);
    for (unsigned i = 0; i < m; i++)
      *GROW(all, *n) = some[i];
    loop = node_is(loop, "for_statement") ? nest_inner(&b->u, loop) : (TSNode){ 0 };
  }
  return all;
}

struct loop loop_of(struct dim *d) {
  return (struct loop){ .id = d->id,
                        .dim = d,
                        .raw = true,
                        .needs = d->needs,
                        .setup = "",
                        .prelude = "",
                        .var = arena_copy(d->var.data, d->var.size) };
}

// Returns the directive on BLOCK that makes one nest of it; NULL: this variant has none.
static const struct loop_directive *build_beginning(const struct builder *b,
                                                    TSNode block) {
  unsigned n;
  const struct loop_directive **list = directives_of(&b->u, block, &n);
  bool begins = n && transformation_of(list[n - 1])->begin;
  return begins && directive_present(b, list[n - 1]) ? list[n - 1] : NULL;
}

static struct nest *build_chain(struct builder *b, TSNode loop, struct dim *outer);

// Returns a nest without loops, with D's body.
static struct nest *nest_of(const struct builder *b, const struct dim *d) {
  struct nest *n = arena_alloc(sizeof *n);
  struct part *p = GROW(n->parts, n->n_parts);
  *p = (struct part){ .open = "", .close = "" };
  p->body.first = nest_body(&b->u, d->node, &p->body.last);
  return n;
}

// Returns the nest of the loop in D that only declarations stand before; if there is
// none, D's body as a nest.
static struct nest *build_after_declarations(struct builder *b, struct dim *d) {
  struct slice text;
  TSNode inner = { 0 };
  unsigned loops = 0;
  for (const struct dim *o = d; o; o = o->outer)
    loops++;
  if (loops < b->nests)
    inner = nest_after_declarations(&b->u, d->node, &text);
  if (ts_node_is_null(inner))
    return nest_of(b, d);
  struct nest *n = build_chain(b, inner, d);
  if (n)
    *GROW(n->between, n->n_between) = (struct between){ text, d };
  return n;
}

// Returns the nest of the one loop in D, or, if D holds no such loop, D's body as a nest.
static struct nest *build_inner(struct builder *b, struct dim *d) {
  TSNode inner = nest_inner(&b->u, d->node), at;
  unsigned n_directives;
  struct dim trial = { 0 };
  const char *why;
  if (ts_node_is_null(inner))
    return build_after_declarations(b, d);
  directives_of(&b->u, inner, &n_directives);
  if (node_is(inner, "compound_statement") && !build_beginning(b, inner))
    return nest_of(b, d);
  if (n_directives || dim_parse(&b->u, inner, &trial, &why, &at))
    return build_chain(b, inner, d);
  struct nest *n = nest_of(b, d);
  n->stop = inner;
  return n;
}

static bool build_prepend(struct nest *n, struct dim *d) {
  struct loop *loops = arena_alloc((n->n + 1) * sizeof *loops);
  struct dim **dims = arena_alloc((n->n_dims + 1) * sizeof *dims);
  if (n->n)
    memcpy(loops + 1, n->loops, n->n * sizeof *loops);
  if (n->n_dims)
    memcpy(dims + 1, n->dims, n->n_dims * sizeof *dims);
  loops[0] = loop_of(d);
  dims[0] = d;
  n->loops = loops, n->n++;
  n->dims = dims, n->n_dims++;
  return true;
}

static struct nest *build_for(struct builder *b, TSNode loop, struct dim *outer,
                              const struct loop_directive *first) {
  struct dim *d = arena_alloc(sizeof *d);
  const char *why = NULL;
  TSNode at;
  d->id = new_id(b);
  d->outer = outer;
  if (!dim_parse(&b->u, loop, d, &why, &at)) {
    FAIL(b, ts_node_start_byte(at), ts_node_end_byte(at) - ts_node_start_byte(at), NULL,
         "'%s' needs a loop in canonical form: %s",
         first ? directive_name(first->kind) : "for", why);
    return NULL;
  }
  cut_dim(b, d);
  d->needs = dim_needs(d);
  struct nest *n = build_inner(b, d);
  if (!n || b->failed)
    return NULL;
  build_prepend(n, d);
  return n;
}

// Only directives may stand between directives and their loop.
static bool check_gap(struct builder *b, const struct loop_directive *d) {
  if (only_ours(b->s, d->pragma->end, ts_node_start_byte(d->loop)))
    return true;
  return FAIL(b, d->pragma->offset, d->pragma->end - d->pragma->offset,
              directive_groups(d->kind) & GROUP_OPENMP
                  ? "put it below that line"
                  : "write 'omp' as 'autotune', and other pragmas above",
              "a line of the preprocessor is between this directive and its loop");
}

static struct nest *build_chain(struct builder *b, TSNode loop, struct dim *outer) {
  unsigned n;
  const struct loop_directive **list = directives_of(&b->u, loop, &n);
  struct nest *nest = NULL;
  if (n && !check_gap(b, list[0]))
    return NULL;
  if (node_is(loop, "for_statement")) {
    nest = build_for(b, loop, outer, n ? list[n - 1] : NULL);
  } else {
    const struct loop_directive *first = build_beginning(b, loop);
    if (first)
      nest = transformation_of(first)->begin(b, loop, first, outer);
    else
      FAIL_AT(b, list[n - 1],
              node_is(loop, "compound_statement")
                  ? "'fuse' must be the directive next to the block, and not optional"
                  : "only a part of a body that 'fission' divides needs no loop",
              "'%s' is not followed by a 'for'", directive_name(list[n - 1]->kind));
    n--;
  }
  for (unsigned i = n; nest && !b->failed && i-- > 0;) {
    if (!directive_present(b, list[i]))
      continue;
    if (i > 0 && around_meets(list[i - 1], list[i]))
      list[i - 1] = around_join(b, list[i - 1], list[i]);
    else
      transform(b, nest, list[i]);
  }
  return b->failed ? NULL : nest;
}

// Makes variables declared outside of the nest private to it where possible, also those
// of loops without a directive: threads must not share them, and in the end they must
// have the value that the original order leaves.
static void build_privatise(const struct builder *b, struct nest *n) {
  for (unsigned i = 0; i < n->n_dims; i++)
    if (n->dims[i]->type.size == 0 && !body_changes(b, n, n->dims[i]))
      n->dims[i]->affected = true;
}

static unsigned build_numbers(struct slice text) {
  struct lexer l = lexer_of(text);
  unsigned n = 0;
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l))
    n += t.kind == TOKEN_NUMBER;
  return n;
}

// Returns the number of loops that permutation C orders; `any` two or more.
static unsigned build_ordered(const struct builder *b, const struct dir_clause *c) {
  int p = c->n_args ? arg_param(b, &c->args[0]) : -1;
  unsigned most = 2, n = 0;
  for (unsigned i = 0; p >= 0 && i < b->k->params[p].n_values; i++) {
    n = build_numbers(slice_of(b->k->params[p].values[i].text));
    most = n > most ? n : most;
  }
  for (unsigned i = 0; p < 0 && i < c->n_args; i++)
    n += build_numbers(c->args[i].text);
  return n > most ? n : most;
}

// Returns how many loops, one in the other, D acts on, at most.
static unsigned build_wants(const struct builder *b, const struct loop_directive *d) {
  unsigned groups = directive_groups(d->kind), n = groups & GROUP_ORDER ? 2 : 1;
  for (unsigned i = 0; i < d->n_clauses; i++) {
    const struct dir_clause *c = &d->clauses[i];
    if (groups & GROUP_SIZES)
      n = c->n_args > n && strcmp(c->name, "sizes") == 0 ? c->n_args : n;
    else if (groups & GROUP_JAM)
      n = c->n_args + 1; // and the innermost one
    else if ((groups & GROUP_ORDER) && c->n_args)
      n = build_ordered(b, c);
  }
  return n;
}

// Returns how many of the loops that begin with LOOP must count as nested for directives
// that act on more than stand next to each other; 0: there are none.
static unsigned build_reorders(const struct builder *b, TSNode loop) {
  unsigned n, made = 0, most = 0;
  const struct loop_directive **all = directives_of_chain(b, loop, &n);
  for (unsigned i = n; i-- > 0;) {
    unsigned loops = made, around = 0, wants = build_wants(b, all[i]);
    TSNode from = directive_loop(&b->u, all[i]);
    for (TSNode at = from; node_is(at, "for_statement"); loops++)
      at = nest_inner(&b->u, at);
    for (TSNode at = loop; node_is(at, "for_statement") && !ts_node_eq(at, from);
         around++)
      at = nest_inner(&b->u, at);
    if (wants > loops && around + wants - made > most)
      most = around + wants - made;
    made += directive_groups(all[i]->kind) & GROUP_SIZES ? wants : 0;
  }
  return most;
}

struct nest *nest_build(struct builder *b, TSNode loop) {
  b->next_id = 0;
  b->nests = build_reorders(b, loop);
  struct nest *n = build_chain(b, loop, NULL);
  if (n) {
    n->root = loop;
    build_privatise(b, n);
  }
  return n && body_check(b, n) ? n : NULL;
}
