// SPDX-License-Identifier: Apache-2.0
// fission.c: `fission` gives each part of a body of several statements a nest of its own,
// with copies of the loops around that body. The nests run one after the other. While the
// nest of a part is built and written, the others are out of focus (analysis/focus.c).
#include "loops.h"

const struct loop_directive *fission_present(const struct builder *b, TSNode loop) {
  const struct loop_directive *d = fission_of(&b->u, loop);
  return d && node_is(loop, "for_statement") && directive_present(b, d) ? d : NULL;
}

// Rejects other directives on the loops that D divides, as it would not be clear which of
// the nests they are for, and loops that cannot be copied.
static bool fission_check_loops(struct builder *b, TSNode loop,
                                const struct loop_directive *d) {
  for (; node_is(loop, "for_statement"); loop = nest_inner(&b->u, loop)) {
    struct dim dim = { 0 };
    const char *why;
    TSNode at;
    unsigned n;
    const struct loop_directive **list = directives_of(&b->u, loop, &n);
    for (unsigned i = 0; i < n; i++)
      if (list[i] != d)
        return FAIL_AT(b, list[i], "write it before the part of the body that it is for",
                       "'%s' cannot stand on a loop that 'fission' divides",
                       directive_name(list[i]->kind));
    if (!dim_parse(&b->u, loop, &dim, &why, &at))
      return FAIL(b, ts_node_start_byte(at),
                  ts_node_end_byte(at) - ts_node_start_byte(at), NULL,
                  "'fission' needs a loop in canonical form: %s", why);
  }
  return !lex_mentions(b->lead, slice_of("omp")) ||
      FAIL_AT(b, d, "write 'omp' as 'autotune', before the part that it is for",
              "'fission' cannot divide a loop under a pragma of OpenMP");
}

void fission_visit(const struct variants *v, const struct loop_directive *d) {
  struct builder *b = v->b;
  struct focus *parts;
  const char *why;
  TSNode at;
  if (!fission_check_loops(b, v->root, d))
    return;
  unsigned n = focus_parts(&b->u, v->root, &parts, &why, &at);
  if (n == 0) {
    size_t from = ts_node_start_byte(at);
    FAIL(b, from, ts_node_end_byte(at) - from, NULL,
         "'fission' cannot divide this body: %s", why);
    return;
  }
  text_printf(v->out, "{\n"); // the loops may be the one statement of an `if`
  for (unsigned i = 0; i < n; i++) {
    struct variants part = { .b = b, .root = v->root, .visit = v->visit, .out = v->out };
    b->u.focus = &parts[i];
    variants_visit(&part);
    text_printf(v->out, part.written ? "#endif\n" : "");
    b->u.focus = parts[i].outer;
  }
  text_printf(v->out, "}\n");
}

// Makes the params of D depend on the param FISSION, whose value may omit D.
static void fission_depend_on(struct kernel *k, struct loop_directive *d, int fission) {
  if (pragma_has(d->pragma, "optional")) {
    k->params[d->present].when = fission;
    return;
  }
  d->present = fission;
  for (unsigned i = 0; i < d->n_clauses; i++)
    for (unsigned j = 0; j < d->clauses[i].n_args; j++) {
      int p = d->clauses[i].args[j].param;
      if (p >= 0 && !k->params[p].named)
        k->params[p].when = fission;
    }
}

void fission_depend(const struct source *s, struct kernel *k, struct function *f) {
  struct usage u = { .s = s, .f = f };
  for (unsigned i = 0; i < f->n_directives; i++) {
    struct loop_directive *d = &f->directives[i];
    const struct focus *part = focus_of(&u, d->loop);
    struct usage around = { .s = s, .f = f, .focus = part ? part->outer : NULL };
    const struct loop_directive *fission = part ? fission_of(&around, part->loop) : NULL;
    if (fission && fission->present >= 0)
      fission_depend_on(k, d, fission->present);
  }
}

// ---- variables that parts share -----------------------------------------------------

// True if C gives its variable another value in each iteration of the loops around PART's
// body.
static bool fission_varies(const struct usage *u, const struct focus *part,
                           const struct change *c) {
  TSNode right = node_field(c->node, "right"), at;
  bool varies = ts_node_is_null(right) ||
      !slice_is(source_slice(u->s, node_field(c->node, "operator")), "=");
  for (TSNode loop = part->loop; !varies && node_is(loop, "for_statement");
       loop = nest_inner(u, loop)) {
    struct dim d = { 0 };
    const char *why;
    varies = dim_parse(u, loop, &d, &why, &at) && node_mentions(u->s, right, d.var);
  }
  return varies;
}

// True if PART may read the value that NAME has before an iteration runs it.
static bool fission_reads(const struct usage *u, const struct focus *part,
                          struct slice name) {
  struct body body = { part->first, part->last };
  bool reads = false, set = false;
  for (TSNode n = body.first; !reads && !set && !ts_node_is_null(n);
       n = body_next(body, n)) {
    TSNode what = ts_node_named_child(n, 0);
    reads = live_reads_first(u, n, name);
    set = node_is(n, "expression_statement") && node_is(what, "assignment_expression") &&
        slices_same(source_slice(u->s, node_field(what, "left")), name);
  }
  return reads;
}

// True if PART assigns NAME. COUNTS: also if a loop of it counts by NAME.
static bool fission_sets(const struct usage *u, const struct focus *part,
                         struct slice name, bool counts) {
  bool sets = false;
  for (unsigned i = 0; i < u->n_changes; i++) {
    const struct change *c = &u->changes[i];
    bool here = slices_same(c->name, name) && c->part == PART_WHOLE &&
        c->how == BY_ASSIGNMENT &&
        body_covers((struct body){ part->first, part->last }, c->node);
    if (here && c->counter && !counts)
      return false;
    sets = sets || here;
  }
  return sets;
}

// True if another one of PARTS reads what PARTS[AT] has set NAME to, in the source.
static bool fission_passes(const struct usage *u, const struct focus *parts, unsigned at,
                           struct slice name) {
  unsigned n = parts[at].n;
  for (unsigned i = 1; i < n; i++) {
    unsigned reader = (at + i) % n;
    if (fission_reads(u, &parts[reader], name))
      return true;
    if (fission_sets(u, &parts[reader], name, true))
      return false;
  }
  return false;
}

static void fission_check_change(const struct usage *u, const struct focus *parts,
                                 unsigned at, const struct change *c) {
  if (fission_sets(u, &parts[at], c->name, false) && fission_varies(u, &parts[at], c) &&
      fission_passes(u, parts, at, c->name))
    diag_warning(u->s, ts_node_start_byte(c->node),
                 ts_node_end_byte(c->node) - ts_node_start_byte(c->node),
                 "make it an array, or put braces around both to make them one part",
                 "'fission' lets another part read only the last value of '%.*s'",
                 (int)c->name.size, c->name.data);
}

void fission_check(const struct builder *b) {
  unsigned n;
  const struct nest_root *roots = nest_roots(&b->u, &n);
  for (unsigned i = 0; i < n; i++) {
    struct usage u = b->u;
    struct focus *parts;
    const char *why;
    TSNode at, loop = roots[i].loop;
    u.focus = roots[i].focus;
    unsigned n_parts = roots[i].fission ? focus_parts(&u, loop, &parts, &why, &at) : 0;
    for (unsigned j = 0; j < n_parts * u.n_changes; j++) {
      const struct change *c = &u.changes[j % u.n_changes];
      const struct focus *part = &parts[j / u.n_changes];
      if (c->part == PART_WHOLE && c->how == BY_ASSIGNMENT &&
          body_covers((struct body){ part->first, part->last }, c->node) &&
          !usage_declares(&u, loop, c->name))
        fission_check_change(&u, parts, part->at, c);
    }
  }
}

static bool fission_applies(struct builder *b, const struct nest *n,
                            const struct loop_directive *d) {
  (void)n;
  return FAIL_AT(b, d, NULL, "'fission' is not followed by the loops that it divides");
}

const struct transformation transform_fission = { .applies = fission_applies };
