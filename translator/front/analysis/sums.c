// SPDX-License-Identifier: Apache-2.0
// sums.c: finds assignments that only add to a variable or an element, so that their
// order does not matter.
#include <string.h>

#include "analysis.h"
#include "front/kernel/kernel.h"

// Returns the type of the variable NAME of the function or, in a view, of the file;
// empty: unknown.
static struct slice sums_type_of(const struct model *m, struct slice name) {
  return usage_type(&m->u, m->view ? ts_tree_root_node(m->u.s->tree) : m->u.f->node,
                    name);
}

static bool sums_has_word(struct slice type, bool (*is)(struct slice word)) {
  struct lexer l = lexer_of(type);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (is(t.text))
      return true;
  return false;
}

// True if E consists of integers, or of numbers of type LIKE.
static bool is_made_of(const struct model *m, TSNode e, struct slice like) {
  long long number;
  if (node_is(e, "number_literal"))
    return read_integer(model_text(m, e), &number);
  if (node_is(e, "identifier")) {
    struct slice type = sums_type_of(m, model_text(m, e));
    return sums_has_word(type, is_integer_word) || lex_mentions(type, like);
  }
  if (node_is(e, "call_expression") || node_is(e, "field_expression") ||
      (node_is(e, "cast_expression") &&
       !sums_has_word(model_text(m, node_field(e, "type")), is_integer_word)))
    return false;
  for (uint32_t i = 0; i < ts_node_named_child_count(e); i++)
    if (!is_made_of(m, ts_node_named_child(e, i), like))
      return false;
  return true;
}

// True if the order of the additions to TARGET does not matter. It matters for an integer
// to which non-integers are added: each step rounds.
static bool may_sum(const struct model *m, TSNode target, TSNode e) {
  struct slice type = sums_type_of(m, model_text(m, target)), last = type;
  struct lexer l = lexer_of(type);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    last = t.kind == TOKEN_WORD && !slice_is(t.text, "const") ? t.text : last;
  if (lex_mentions(type, slice_of("bool")) || lex_mentions(type, slice_of("_Bool")))
    return false; // what is added to it becomes 0 or 1 each time
  return sums_has_word(type, is_real_word) || (type.size && is_made_of(m, e, last));
}

char sum_of_variable(const struct model *m, TSNode n) {
  struct slice op = model_text(m, node_field(n, "operator"));
  TSNode left = node_field(n, "left"), right = node_field(n, "right");
  if (!node_is(left, "identifier") ||
      !node_is(ts_node_parent(n), "expression_statement") || !may_sum(m, left, right))
    return '=';
  if (op.size == 2 && strchr("+-*", *op.data))
    return node_mentions(m->u.s, right, model_text(m, left)) ? '=' : *op.data;
  if (op.size != 1 || !node_is(right, "binary_expression"))
    return '=';
  op = model_text(m, node_field(right, "operator"));
  TSNode first = node_field(right, "left"), second = node_field(right, "right");
  if (op.size != 1 || !strchr("+-*", *op.data) || !node_is(first, "identifier") ||
      !slices_same(model_text(m, first), model_text(m, left)) ||
      node_mentions(m->u.s, second, model_text(m, left)))
    return '=';
  return *op.data;
}

// Returns what `x = x + e`, with the sides LEFT and RIGHT, adds: E; null: it is none. *OP
// is its operator.
static TSNode sums_added(const struct model *m, TSNode left, TSNode right,
                         struct slice *op) {
  struct slice x = model_text(m, left);
  if (!node_is(right, "binary_expression"))
    return (TSNode){ 0 };
  *op = model_text(m, node_field(right, "operator"));
  TSNode first = node_field(right, "left"), second = node_field(right, "right");
  if (slices_same(model_text(m, first), x))
    return second;
  bool either = op->size == 1 && *op->data != '-';
  return either && slices_same(model_text(m, second), x) ? first : (TSNode){ 0 };
}

char sum_of_element(const struct model *m, TSNode n, TSNode *added) {
  struct slice op = model_text(m, node_field(n, "operator"));
  unsigned depth;
  TSNode left = node_field(n, "left"), base = subscripts_read(left, NULL, 0, &depth);
  *added = node_field(n, "right");
  if (op.size == 1 && *op.data == '=')
    *added = sums_added(m, left, *added, &op);
  else if (op.size == 2)
    op.size = 1;
  if (ts_node_is_null(*added) || op.size != 1 || !strchr("+-*", *op.data) ||
      !node_is(base, "identifier") ||
      !node_is(ts_node_parent(n), "expression_statement") ||
      node_mentions(m->u.s, *added, model_text(m, base)) || !may_sum(m, base, *added))
    return 0;
  return *op.data == '*' ? '*' : '+';
}
