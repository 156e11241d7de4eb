// SPDX-License-Identifier: Apache-2.0
// sets.c: nests as sets of isl. These are read by isl from text, in its own notation:
// `[n] -> { S0[i, j] : 0 <= i < n and 0 <= j < i }`.
#include <isl/options.h>

#include "scop.h"

// isl counts its operations. Nests of real programs take less than a million; these are
// seconds.
enum { MOST_OPERATIONS = 2000000 };

const char *scop_symbol(unsigned i) {
  return arena_printf("autotune_symbol%u", i);
}

// ---- text for isl -------------------------------------------------------------------

static unsigned scop_symbol_of(struct scop *s, monomial m) {
  unsigned i = 0;
  while (i < s->n_symbols && s->symbols[i] != m)
    i++;
  if (i == s->n_symbols)
    *GROW(s->symbols, s->n_symbols) = m;
  return i;
}

// True if M is a loop that is a part of ST.
static bool scop_hides(const struct scop *s, const struct statement *st, monomial m) {
  for (unsigned i = 0; i < s->m->n_iters; i++)
    if (s->m->iters[i]->atom + 1 == m && body_covers(st->body, s->m->iters[i]->node))
      return true;
  return false;
}

// Appends P, of ST's loops, as isl writes it. A loop with the atom 7 that is a part of ST
// is h8.
static void scop_poly(struct scop *s, const struct statement *st, struct poly p,
                      struct text *t) {
  text_printf(t, "(0");
  for (unsigned i = 0; i < p.n; i++) {
    monomial m = p.terms[i].m;
    bool loop = false;
    for (monomial rest = m; rest; rest >>= 8)
      loop = loop || s->m->is_loop[(rest & 255) - 1];
    text_printf(t, " + %lld", (long long)p.terms[i].c);
    unsigned at = 0;
    while (loop && at < st->n && st->chain[at]->atom + 1 != m)
      at++;
    if (loop && at == st->n && scop_hides(s, st, m))
      text_printf(t, " h%u", (unsigned)m);
    else if (loop && at == st->n)
      scop_refuse(s, st->body.first,
                  "an index or a bound multiplies loop variables, or "
                  "uses one of a loop around the nest");
    else if (loop)
      text_printf(t, " i%u", at);
    else if (m)
      text_printf(t, " %s", scop_symbol(scop_symbol_of(s, m)));
  }
  text_printf(t, ")");
}

static void scop_tuple(const struct scop *s, const struct statement *st, struct text *t) {
  text_printf(t, "S%u[", (unsigned)(st - s->list));
  for (unsigned i = 0; i < st->n; i++)
    text_printf(t, "%si%u", i ? "," : "", i);
  text_printf(t, "]");
}

// Appends ST's iterations; WITHOUT as in scop_iterations, or NULL.
static void scop_write_iterations(struct scop *s, const struct statement *st,
                                  const bool *without, struct text *t) {
  bool some = false;
  scop_tuple(s, st, t);
  for (unsigned j = 0; j < st->n; j++) {
    if (without && without[j])
      continue;
    text_printf(t, some ? " and " : " : ");
    some = true;
    scop_poly(s, st, st->chain[j]->from, t);
    text_printf(t, " <= i%u <= ", j);
    if (st->chain[j] == s->last)
      text_printf(t, AFFINE_LAST);
    else
      scop_poly(s, st, st->chain[j]->to, t);
  }
}

static void scop_write_domain(struct scop *s, struct text *t) {
  for (unsigned i = 0; i < s->n; i++) {
    text_printf(t, i ? "; " : "");
    scop_write_iterations(s, &s->list[i], NULL, t);
  }
}

static void scop_write_order(struct scop *s, struct text *t) {
  for (unsigned i = 0; i < s->n; i++) {
    const struct statement *st = &s->list[i];
    text_printf(t, i ? "; " : "");
    scop_tuple(s, st, t);
    text_printf(t, " -> [");
    for (unsigned j = 0; j <= AFFINE_DEPTH; j++) {
      text_printf(t, "%s%u", j ? ", " : "", j <= st->n ? st->at[j] : 0);
      if (j < AFFINE_DEPTH)
        text_printf(t, j < st->n ? ", i%u" : ", 0", j);
    }
    text_printf(t, "]");
  }
}

// True if X is the element to which a statement adds something.
static bool scop_is_sum(const struct model *m, const struct access *x) {
  TSNode n = ts_node_parent(x->node);
  if (!node_is(n, "assignment_expression") || !ts_node_eq(node_field(n, "left"), x->node))
    return x->sum == '+';
  struct slice op = model_text(m, node_field(n, "operator"));
  return x->sum == '+' || slice_is(op, "+=") || slice_is(op, "-=");
}

// Returns "[params] -> { BODY }".
static const char *scop_braces(const struct scop *s, const struct text *body) {
  struct text t = { 0 };
  text_printf(&t, "[" AFFINE_LAST);
  for (unsigned i = 0; i < s->n_symbols; i++)
    text_printf(&t, ", %s", scop_symbol(i));
  text_printf(&t, "] -> { %s }", body->size ? body->data : "");
  return t.data;
}

// Returns the only expression in ST; null: it has more than one, or something else.
static TSNode scop_expression(const struct statement *st) {
  TSNode n = st->body.first;
  while (node_is(n, "compound_statement") && ts_node_named_child_count(n) == 1)
    n = ts_node_named_child(n, 0);
  return ts_node_eq(st->body.first, st->body.last) && node_is(n, "expression_statement")
      ? ts_node_named_child(n, 0)
      : (TSNode){ 0 };
}

isl_union_set *scop_meeting(struct scop *s, const struct statement *st,
                            const struct access *x, const struct access *y) {
  struct text t = { 0 };
  bool loops = (x->loop && body_covers(st->body, x->loop->node)) ||
      (y->loop && body_covers(st->body, y->loop->node)); // then they may always be
  scop_tuple(s, st, &t);
  for (unsigned i = 0; i < x->n && !loops; i++) {
    text_printf(&t, i ? " and " : " : ");
    scop_poly(s, st, x->index[i], &t);
    text_printf(&t, " = ");
    scop_poly(s, st, y->index[i], &t);
  }
  isl_union_set *meet = isl_union_set_read_from_str(s->ctx, scop_braces(s, &t));
  return isl_union_set_intersect(meet, isl_union_set_copy(s->domain));
}

// True if X and Y, accesses of ST, are the same element in some iteration.
static bool scop_meet(struct scop *s, const struct statement *st, const struct access *x,
                      const struct access *y) {
  isl_union_set *meet = scop_meeting(s, st, x, y);
  bool empty = isl_union_set_is_empty(meet) == isl_bool_true;
  isl_union_set_free(meet);
  return !empty;
}

// Finds the statements that are sums. Those like `x = x + e` read no other element of the
// array (sum_of_element).
static void scop_find_sums(struct scop *s) {
  const struct model *m = s->m;
  for (unsigned i = 0; i < m->n_accesses + s->n_more; i++) {
    const struct access *x = scop_access(s, i);
    struct statement *st = scop_statement(s, x->node);
    TSNode n = st && scop_is_sum(m, x) ? scop_expression(st) : (TSNode){ 0 };
    bool adds = node_is(n, "assignment_expression") &&
        ts_node_eq(node_field(n, "left"), x->node),
         plain = adds && slice_is(model_text(m, node_field(n, "operator")), "=");
    for (unsigned j = 0; j < m->n_accesses + s->n_more && adds && !plain; j++) {
      const struct access *y = scop_access(s, j);
      adds = j == i || y->array != x->array || scop_statement(s, y->node) != st ||
          !scop_meet(s, st, x, y);
    }
    if (adds)
      st->adds = true;
    if (adds && !plain)
      st->sum = x;
  }
}

// Refuses variables that stand for an element which something else uses meanwhile.
static void scop_check_forwards(struct scop *s) {
  unsigned n = s->m->n_accesses + s->n_more;
  for (unsigned i = 0; i < s->n_forwards * n; i++) {
    const struct forward *f = &s->forwards[i / n];
    const struct access *y = scop_access(s, i % n), *x = f->element;
    struct statement *st = scop_statement(s, y->node);
    if (i % n >= s->m->n_accesses && forward_at(s, y->node) == f)
      continue;
    bool result = node_within(y->node, f->last) && y->write && !y->read &&
        slices_same(model_text(s->m, y->node), model_text(s->m, x->node));
    if (st && y->array == x->array && !result &&
        body_covers((struct body){ f->first, f->last }, y->node) &&
        scop_meet(s, st, x, y))
      scop_refuse(s, y->node,
                  "a variable stands for an element, and this may be the same");
  }
}

unsigned scop_array(const struct scop *s, const struct array *a) {
  unsigned i = 0;
  while (s->m->arrays[i] != a)
    i++;
  return i;
}

// Appends the access X of ST.
static void scop_write_access(struct scop *s, const struct statement *st,
                              const struct access *x, struct text *t) {
  if (x->why || x->array->why)
    scop_refuse(s, x->node, x->why ? x->why : x->array->why);
  const struct iter *inner = x->loop, *l;
  bool plain = !inner || !body_covers(st->body, inner->node);
  scop_tuple(s, st, t);
  text_printf(t, " -> A%u[", scop_array(s, x->array));
  for (unsigned j = 0; j < x->n; j++) {
    text_printf(t, plain ? "%s" : "%so%u", j ? ", " : "", j);
    if (plain)
      scop_poly(s, st, x->index[j], t);
  }
  text_printf(t, "]");
  if (plain)
    return;
  for (l = inner; l && body_covers(st->body, l->node); l = l->outer)
    text_printf(t, "%sh%u", l == inner ? " : exists " : ", ", l->atom + 1);
  text_printf(t, " : 1 = 1");
  for (unsigned j = 0; j < x->n; j++) {
    text_printf(t, " and o%u = ", j);
    scop_poly(s, st, x->index[j], t);
  }
  for (l = inner; l && body_covers(st->body, l->node); l = l->outer) {
    text_printf(t, " and ");
    scop_poly(s, st, l->from, t);
    text_printf(t, " <= h%u <= ", l->atom + 1);
    scop_poly(s, st, l->to, t);
  }
}

// Returns the `if` in ST that alone decides whether N, an element that is assigned to, is
// reached; null: more does, or nothing.
static TSNode scop_condition(const struct statement *st, TSNode n) {
  static const char *const plain[] = { "assignment_expression", "expression_statement",
                                       "compound_statement", "else_clause", NULL };
  TSNode found = { 0 }, none = { 0 };
  for (n = ts_node_parent(n); body_covers(st->body, n); n = ts_node_parent(n)) {
    bool decides = node_is(n, "if_statement");
    if (decides ? !ts_node_is_null(found) : !node_is_any(n, plain))
      return none;
    found = decides ? n : found;
  }
  return found;
}

bool scop_is_sure(struct scop *s, const struct access *x) {
  const struct statement *st = scop_statement(s, x->node);
  TSNode all = x->conditional ? scop_condition(st, x->node) : (TSNode){ 0 };
  if (!x->conditional || ts_node_is_null(all))
    return !x->conditional;
  TSNode branch = node_field(all, "consequence");
  for (unsigned i = 0; i < s->m->n_accesses; i++) { // in the other branch, too?
    const struct access *y = &s->m->accesses[i];
    bool same = y->write && y->array == x->array && scop_statement(s, y->node) == st &&
        node_within(x->node, branch) != node_within(y->node, branch);
    TSNode other = same ? scop_condition(st, y->node) : (TSNode){ 0 };
    same = same && !ts_node_is_null(other) && ts_node_eq(other, all);
    for (unsigned j = 0; j < x->n && same; j++)
      same = poly_same(x->index[j], y->index[j]);
    if (same)
      return true;
  }
  return false;
}

// Returns the statement of the source with N.
static TSNode access_statement(TSNode n) {
  while (!node_is(n, "expression_statement") && !node_is(n, "declaration") &&
         !ts_node_is_null(ts_node_parent(n)))
    n = ts_node_parent(n);
  return n;
}

bool scop_wrote_before(struct scop *s, const struct access *x) {
  for (unsigned i = 0; i < s->m->n_accesses + s->n_more; i++) {
    const struct access *y = scop_access(s, i);
    bool same = y->write && y->array == x->array && !y->conditional &&
        scop_statement(s, y->node) == scop_statement(s, x->node) &&
        ts_node_end_byte(access_statement(y->node)) <= ts_node_start_byte(x->node);
    for (unsigned j = 0; j < x->n && same; j++)
      same = poly_same(x->index[j], y->index[j]);
    if (same)
      return true;
  }
  return false;
}

// Appends the accesses in the nest that WHICH selects.
static void scop_write_accesses(struct scop *s, unsigned which, struct text *t) {
  const struct model *m = s->m;
  bool some = false;
  for (unsigned i = 0; i < m->n_accesses + s->n_more; i++) {
    const struct access *x = scop_access(s, i);
    const struct statement *st = scop_statement(s, x->node);
    if (!st || ((which & WRITES) && !x->write) ||
        ((which & OTHERS) && scop_is_sum(m, x)) ||
        ((which & UNPICKED) && s->picks && s->picks[i]) ||
        ((which & READS) && !x->read) || ((which & SURE) && !scop_is_sure(s, x)) ||
        (x->array->local && body_covers(st->body, x->array->home))) // each run's own
      continue;
    text_printf(t, some ? "; " : "");
    some = true;
    scop_write_access(s, st, x, t);
  }
}

static void scop_write_facts(struct scop *s, struct text *t) {
  text_printf(t, ": " AFFINE_LAST " <= ");
  scop_poly(s, &s->list[0], s->last->to, t);
  for (unsigned i = 0; i < s->n_symbols; i++) {
    monomial m = s->symbols[i];
    if ((m & ~(monomial)255) == 0 && s->m->is_natural[m - 1])
      text_printf(t, " and %s >= %d", scop_symbol(i), s->m->is_positive[m - 1]);
  }
}

// ---- the whole ----------------------------------------------------------------------

static isl_union_map *scop_read_map(struct scop *s, const struct text *body) {
  isl_union_map *map = isl_union_map_read_from_str(s->ctx, scop_braces(s, body));
  return isl_union_map_intersect_domain(map, isl_union_set_copy(s->domain));
}

isl_union_map *scop_accesses(struct scop *s, unsigned which) {
  struct text t = { 0 };
  scop_write_accesses(s, which, &t);
  return isl_union_map_read_from_str(s->ctx, scop_braces(s, &t));
}

isl_union_map *scop_touches(struct scop *s, const struct access *x) {
  struct text t = { 0 };
  scop_write_access(s, scop_statement(s, x->node), x, &t);
  return scop_read_map(s, &t);
}

isl_set *scop_iterations(struct scop *s, const struct statement *st,
                         const bool *without) {
  struct text t = { 0 };
  scop_write_iterations(s, st, without, &t);
  return isl_set_read_from_str(s->ctx, scop_braces(s, &t));
}

// Returns those accesses of iterations that the loops run.
static isl_union_map *scop_run(struct scop *s, unsigned which) {
  return isl_union_map_intersect_domain(scop_accesses(s, which),
                                        isl_union_set_copy(s->domain));
}

// Returns the dependences from each iteration to the later ones that access the same
// element, if one of both accesses is in WRITES, and the other one in ACCESSES. Frees
// both.
static isl_union_map *scop_depend(struct scop *s, isl_union_map *writes,
                                  isl_union_map *accesses) {
  isl_union_map *to = isl_union_map_reverse(isl_union_map_copy(accesses));
  isl_union_map *all = isl_union_map_apply_range(isl_union_map_copy(writes), to);
  all = isl_union_map_union(
      all, isl_union_map_apply_range(accesses, isl_union_map_reverse(writes)));
  isl_union_map *later = isl_union_map_lex_lt_union_map(isl_union_map_copy(s->order),
                                                        isl_union_map_copy(s->order));
  all = isl_union_map_intersect(all, later);
  all = isl_union_map_intersect_params(all, isl_set_copy(s->facts));
  return isl_union_map_detect_equalities(isl_union_map_coalesce(all));
}

void scop_build(struct scop *s) {
  struct text domain = { 0 }, order = { 0 }, accesses = { 0 }, facts = { 0 };
  scop_write_domain(s, &domain);
  scop_write_order(s, &order);
  scop_write_accesses(s, 0, &accesses); // for its params
  scop_write_facts(s, &facts);
  if (s->why)
    return;
  s->ctx = isl_ctx_alloc();
  if (!s->ctx)
    return scop_refuse(s, s->all.first, "there is no memory for isl");
  isl_options_set_on_error(s->ctx, ISL_ON_ERROR_CONTINUE);
  isl_ctx_set_max_operations(s->ctx, MOST_OPERATIONS);
  s->facts = isl_set_read_from_str(s->ctx, scop_braces(s, &facts));
  s->domain = isl_union_set_read_from_str(s->ctx, scop_braces(s, &domain));
  s->order = scop_read_map(s, &order);
  s->accesses = scop_read_map(s, &accesses);
  s->dependences = scop_depend(s, scop_run(s, WRITES), isl_union_map_copy(s->accesses));
  s->without_sums = isl_union_map_union(
      scop_depend(s, scop_run(s, WRITES | OTHERS), isl_union_map_copy(s->accesses)),
      scop_depend(s, scop_run(s, WRITES), scop_run(s, OTHERS)));
  picks_find(s);
  s->needed = s->picks
      ? isl_union_map_union(scop_depend(s, scop_run(s, WRITES | UNPICKED),
                                        isl_union_map_copy(s->accesses)),
                            scop_depend(s, scop_run(s, WRITES), scop_run(s, UNPICKED)))
      : isl_union_map_copy(s->dependences);
  if (!s->dependences || !s->without_sums || !s->needed)
    scop_refuse(s, s->all.first, "its dependences are too many to be computed");
  else
    scop_check_forwards(s);
  if (!s->why)
    scop_find_sums(s);
}
