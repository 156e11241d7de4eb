// SPDX-License-Identifier: Apache-2.0
// alias.c: variables that point to a row, `column = a[j];`: what is subscripted there is
// an element of that row. Only where the variable is set once, in a block that holds all
// uses, before them.
#include "analysis.h"

struct alias {
  TSNode value; // `a[j]`
  TSNode set;   // the declarator or the statement that sets the variable
  TSNode block; // around that
};

// Returns the next word of L that is no qualifier; empty: the end.
static struct slice alias_word(struct lexer *l) {
  struct token t = lex(l);
  while (t.kind != TOKEN_END && (is_qualifier(t.text) || is_storage(t.text)))
    t = lex(l);
  return t.kind == TOKEN_END ? (struct slice){ "", 0 } : t.text;
}

// True if the types A and B of elements have the same words, and are not void.
static bool alias_same_type(struct slice a, struct slice b) {
  struct lexer l = lexer_of(a), other = lexer_of(b);
  struct slice word = { "", 0 };
  bool any = false;
  do {
    any = any || word.size;
    word = alias_word(&l);
    if (slice_is(word, "void") || !slices_same(word, alias_word(&other)))
      return false;
  } while (word.size);
  return any;
}

// Finds where NAME is set. False: it is no such variable.
static bool alias_find(const struct model *m, struct slice name, struct alias *found) {
  TSNode body = node_field(m->u.f->node, "body"), d, index[MAX_SUBSCRIPTS];
  unsigned n;
  if (usage_declarators(&m->u, body, name, &d) != 1 ||
      node_holds(body, "labeled_statement") || node_holds(body, "case_statement"))
    return false;
  bool first = node_is(d, "init_declarator");
  TSNode pointer = first ? node_field(d, "declarator") : d;
  if (!node_is(pointer, "pointer_declarator") ||
      !node_is(declarator_inner(pointer), "identifier"))
    return false;
  *found = first
      ? (struct alias){ node_field(d, "value"), d, ts_node_parent(ts_node_parent(d)) }
      : (struct alias){ 0 };
  for (unsigned i = 0; i < m->u.n_changes; i++) {
    const struct change *c = &m->u.changes[i];
    if (!slices_same(c->name, name) || c->part != PART_WHOLE || c->how == BY_POINTER)
      continue;
    TSNode statement = ts_node_parent(c->node);
    if (!ts_node_is_null(found->value) || c->how != BY_ASSIGNMENT ||
        !node_is(c->node, "assignment_expression") ||
        !node_is(node_field(c->node, "left"), "identifier") ||
        !slice_is(model_text(m, node_field(c->node, "operator")), "=") ||
        !node_is(statement, "expression_statement"))
      return false;
    *found = (struct alias){ node_field(c->node, "right"), statement,
                             ts_node_parent(statement) };
  }
  if (!node_is(found->value, "subscript_expression") ||
      !node_is(found->block, "compound_statement"))
    return false;
  TSNode base = subscripts_read(found->value, index, MAX_SUBSCRIPTS, &n);
  struct array *a = node_is(base, "identifier") ? array_find(m, model_text(m, base))
                                                : NULL;
  return a && a->rows && a->arg >= 0 && a->rank == n + 1 &&
      alias_same_type(declared_type(m, name), m->k->args[a->arg].specifiers);
}

TSNode alias_value(const struct model *m, struct slice name) {
  struct alias a;
  return alias_find(m, name, &a) ? a.value : (TSNode){ 0 };
}

struct array *alias_array(struct model *m, TSNode at, struct iter *scope,
                          struct poly *row) {
  struct alias a;
  TSNode index[MAX_SUBSCRIPTS];
  unsigned n;
  if (!alias_find(m, model_text(m, at), &a) || !node_within(at, a.block) ||
      ts_node_start_byte(at) < ts_node_end_byte(a.set))
    return NULL;
  while (scope && !node_within(a.set, scope->node))
    scope = scope->outer;
  TSNode base = subscripts_read(a.value, index, MAX_SUBSCRIPTS, &n);
  for (unsigned i = 0; i < n; i++)
    row[i] = value_of_expression(m, index[n - 1 - i], scope);
  return array_find(m, model_text(m, base));
}
