// SPDX-License-Identifier: Apache-2.0
// picks.c: statements like `x = x >= e ? x : e`, the greater or the smaller one of two
// integers. Those that update one element with the same comparison give the same value in
// any order, so they need not keep theirs. For floating-point numbers that does not hold:
// a NaN is neither greater nor smaller, and 0.0 is no greater than -0.0. Nor does it
// where an assignment narrows the value.
#include <string.h>

#include "front/lang/language.h"
#include "scop.h"

static TSNode pick_inner(TSNode n) {
  while (node_is(n, "parenthesized_expression") && ts_node_named_child_count(n) == 1)
    n = ts_node_named_child(n, 0);
  return n;
}

// True if A and B are the same text but for white space.
static bool pick_same(const struct model *m, TSNode a, TSNode b) {
  uint32_t n = ts_node_child_count(a);
  bool same = ts_node_symbol(a) == ts_node_symbol(b) && n == ts_node_child_count(b);
  for (uint32_t i = 0; i < n && same; i++)
    same = pick_same(m, ts_node_child(a, i), ts_node_child(b, i));
  return same && (n > 0 || slices_same(model_text(m, a), model_text(m, b)));
}

struct pick {
  TSNode value;    // e
  TSNode compared; // x, in the condition
  TSNode kept;     // x, where it is the result
  bool greater;    // it takes the greater one
};

// Reads the assignment to X. False: it is something else, or what it gives is used again.
static bool pick_read(const struct scop *s, const struct access *x, struct pick *p) {
  const struct model *m = s->m;
  TSNode n = ts_node_parent(x->node), right = pick_inner(node_field(n, "right")),
         outer = ts_node_parent(n);
  while (node_is(outer, "parenthesized_expression"))
    outer = ts_node_parent(outer);
  if (!node_is(n, "assignment_expression") || !node_is(outer, "expression_statement") ||
      !ts_node_eq(node_field(n, "left"), x->node) ||
      !slice_is(model_text(m, node_field(n, "operator")), "=") ||
      !node_is(right, "conditional_expression"))
    return false;
  TSNode test = pick_inner(node_field(right, "condition")),
         yes = pick_inner(node_field(right, "consequence")),
         no = pick_inner(node_field(right, "alternative"));
  if (!node_is(test, "binary_expression"))
    return false;
  TSNode a = pick_inner(node_field(test, "left")),
         b = pick_inner(node_field(test, "right"));
  struct slice op = model_text(m, node_field(test, "operator"));
  bool more = slice_is(op, ">") || slice_is(op, ">="),
       less = slice_is(op, "<") || slice_is(op, "<="), left = pick_same(m, a, x->node),
       first = pick_same(m, yes, x->node);
  p->compared = left ? a : b;
  p->kept = first ? yes : no;
  p->value = left ? b : a;
  p->greater = more == (left == first);
  return (more || less) && !node_holds(p->value, "assignment_expression") &&
      !node_holds(p->value, "update_expression") && pick_same(m, p->compared, x->node) &&
      pick_same(m, p->kept, x->node) && pick_same(m, first ? no : yes, p->value);
}

// True if the source shows that X is no integer, or is one that C computes as an int.
static bool pick_is_other(const struct model *m, const struct access *x) {
  struct slice type = forward_type(m, x->array);
  struct integer_type t = model_type(m, type);
  return type.size && (!t.known || t.size < 4);
}

static void pick_declare(struct slice type, struct slice name, const char *value,
                         struct text *t) {
  text_printf(t, "%.*s %.*s = %s; (void)%.*s; ", (int)type.size, type.data,
              (int)name.size, name.data, value, (int)name.size, name.data);
}

// Appends declarations of the variables in N that ST declares. False: these are no
// numbers.
static bool pick_locals(const struct scop *s, const struct statement *st, TSNode n,
                        struct text *t) {
  const struct usage *u = &s->m->u;
  struct slice name = model_text(s->m, n);
  bool good = !node_is(n, "identifier") || !forward_at(s, n);
  for (uint32_t i = 0; i < ts_node_named_child_count(n) && good; i++)
    good = pick_locals(s, st, ts_node_named_child(n, i), t);
  for (TSNode b = st->body.first; node_is(n, "identifier") && !ts_node_is_null(b) && good;
       b = body_next(st->body, b)) {
    struct slice type = usage_type(u, b, name);
    if (!usage_declares(u, b, name))
      continue;
    good = type.size && !usage_is_pointer(u, name) &&
        !lex_mentions(type, slice_of("auto")) &&
        !lex_mentions(type, slice_of("__auto_type"));
    for (unsigned i = 0; i < st->n; i++)
      good = good && !slices_same(st->chain[i]->dim.var, name);
    const char *known = arena_printf(" %.*s = ", (int)name.size, name.data);
    if (good && !strstr(t->data, known))
      pick_declare(type, name, "{ 0 }", t);
  }
  return good;
}

// Appends the condition, in C, that E is an integer of X's type. False: there is none.
static bool pick_types(const struct scop *s, const struct statement *st,
                       const struct access *x, TSNode e, struct text *all) {
  struct slice me = model_text(s->m, x->node), other = model_text(s->m, e);
  struct text t = { 0 };
  text_printf(&t, "%s__extension__({ ", all->size ? " && " : "");
  for (unsigned i = 0; i < st->n; i++)
    pick_declare(st->chain[i]->dim.type, st->chain[i]->dim.var, "0", &t);
  if (!pick_locals(s, st, x->node, &t) || !pick_locals(s, st, e, &t))
    return false;
  text_printf(
      &t,
      "__builtin_types_compatible_p(__typeof__(%.*s), __typeof__(1 ? (%.*s) : 0)) "
      "&& __builtin_classify_type(1 ? (%.*s) : 0) == 1; })",
      (int)me.size, me.data, (int)other.size, other.data, (int)me.size, me.data);
  text_add(all, t.data, t.size);
  return true;
}

void picks_find(struct scop *s) {
  const struct model *m = s->m;
  unsigned n = m->n_accesses + s->n_more;
  struct text types = { 0 };
  bool *picks = arena_alloc((n + 1) * sizeof *picks),
       *greater = arena_alloc(m->n_arrays + 1), *known = arena_alloc(m->n_arrays + 1);
  for (unsigned i = 0; i < m->n_accesses && !m->source->language->cplusplus; i++) {
    const struct access *x = scop_access(s, i);
    const struct statement *st = scop_statement(s, x->node);
    unsigned array = scop_array(s, x->array);
    struct pick p;
    if (!st || !x->write || !pick_read(s, x, &p) ||
        (known[array] && greater[array] != p.greater) || pick_is_other(m, x) ||
        !pick_types(s, st, x, p.value, &types))
      continue; // it keeps its order among all others
    known[array] = true;
    greater[array] = p.greater;
    picks[i] = true;
    for (unsigned j = 0; j < m->n_accesses; j++) {
      TSNode y = m->accesses[j].node;
      picks[j] = picks[j] || ts_node_eq(y, p.compared) || ts_node_eq(y, p.kept);
    }
  }
  s->picks = types.size ? picks : NULL;
  s->integers = types.data;
}

void picks_forget(struct scop *s) {
  isl_union_map_free(s->needed);
  s->needed = isl_union_map_copy(s->dependences);
  s->picks = NULL;
  s->integers = NULL;
}
