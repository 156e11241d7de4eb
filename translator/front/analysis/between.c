// SPDX-License-Identifier: Apache-2.0
// between.c: declarations that stand between two loops and can move into the inner one:
//
//     for (k …) {
//       double a = alpha * A[i][k];
//       for (j …)
//         C[i][j] += a * B[k][j];
//     }
//
// The loops then count as nested. A declaration can move if each iteration of the inner
// loop would compute the same value without effects.
#include "analysis.h"
#include "front/lang/language.h"

#define MAX_BETWEEN 16

// The variables that are declared before INNER, numbers and pointers with a value.
struct between {
  const struct usage *u;
  TSNode inner;
  struct {
    TSNode value;
    struct slice name;
    bool pointer;
  } all[MAX_BETWEEN];
  unsigned n;
};

// True if E has no effects and costs little.
static bool between_is_plain(TSNode e) {
  static const char *const kinds[] = { "identifier",
                                       "field_identifier",
                                       "number_literal",
                                       "char_literal",
                                       "binary_expression",
                                       "parenthesized_expression",
                                       "unary_expression",
                                       "subscript_expression",
                                       "subscript_argument_list",
                                       "field_expression",
                                       "pointer_expression",
                                       "cast_expression",
                                       "type_descriptor",
                                       "primitive_type",
                                       "sized_type_specifier",
                                       "type_identifier",
                                       "abstract_pointer_declarator",
                                       "type_qualifier",
                                       "comment",
                                       NULL };
  for (uint32_t i = 0; i < ts_node_named_child_count(e); i++)
    if (!between_is_plain(ts_node_named_child(e, i)))
      return false;
  return node_is_any(e, kinds);
}

static bool between_add(struct between *b, TSNode declarator) {
  TSNode name = node_is(declarator, "init_declarator")
      ? node_field(declarator, "declarator")
      : (TSNode){ 0 };
  TSNode value = node_field(declarator, "value");
  bool pointer = node_is(name, "pointer_declarator");
  while (node_is(name, "pointer_declarator"))
    name = node_field(name, "declarator");
  if (!node_is(name, "identifier") || !between_is_plain(value) || b->n == MAX_BETWEEN)
    return false;
  b->all[b->n].name = source_slice(b->u->s, name);
  b->all[b->n].value = value;
  b->all[b->n++].pointer = pointer;
  return true;
}

static bool between_read(struct between *b, TSNode declaration) {
  static const char *const parts[] = { "type_qualifier", "storage_class_specifier",
                                       "comment", NULL };
  static const char *const words[] = { "static",   "extern",        "typedef", "volatile",
                                       "__thread", "_Thread_local", "_Atomic", NULL };
  TSNode type = node_field(declaration, "type");
  struct lexer l = lexer_of(source_slice(b->u->s, declaration));
  bool named = node_is(type, "type_identifier") && !b->u->s->language->cplusplus;
  if (!node_is(declaration, "declaration") ||
      !(named || node_is(type, "primitive_type") ||
        node_is(type, "sized_type_specifier")))
    return false;
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l))
    if (slice_in(t.text, words))
      return false;
  for (uint32_t i = 0; i < ts_node_named_child_count(declaration); i++) {
    TSNode c = ts_node_named_child(declaration, i);
    if (!ts_node_eq(c, type) && !node_is_any(c, parts) && !between_add(b, c))
      return false;
  }
  return true;
}

// True if the inner loop may change a variable in E or memory that E reads by it.
static bool between_changes(const struct between *b, TSNode e) {
  if (node_is(e, "identifier"))
    return usage_changes(b->u, b->inner, source_slice(b->u->s, e));
  for (uint32_t i = 0; i < ts_node_named_child_count(e); i++)
    if (between_changes(b, ts_node_named_child(e, i)))
      return true;
  return false;
}

// True if the inner loop gives variable AT another value, or a member of it.
static bool between_assigns(const struct between *b, unsigned at) {
  for (unsigned i = 0; i < b->u->n_changes; i++) {
    const struct change *c = &b->u->changes[i];
    if (slices_same(c->name, b->all[at].name) && node_within(c->node, b->inner) &&
        (!b->all[at].pointer || (c->part == PART_WHOLE && c->how != BY_POINTER)))
      return true;
  }
  return false;
}

// True if the values are the same in each iteration of the inner loop, and to compute
// them has no effects.
static bool between_stays(const struct between *b) {
  struct memory_places read = { 0 }, written = { 0 };
  for (unsigned i = 0; i < b->n; i++)
    if (between_changes(b, b->all[i].value) || between_assigns(b, i) ||
        !places_plain(b->u, b->all[i].value) ||
        !places_read(b->u, b->all[i].value, &read))
      return false;
  return places_written(b->u, b->inner, &written) && !places_meet(&read, &written);
}

// True if N mentions a variable of B in the head of a loop, whose range would then not be
// known outside.
static bool between_is_used_in_heads(const struct between *b, TSNode n) {
  if (node_is(n, "for_statement")) {
    size_t from = ts_node_start_byte(n), to = ts_node_start_byte(node_field(n, "body"));
    for (unsigned i = 0; i < b->n; i++)
      if (lex_mentions((struct slice){ b->u->s->text + from, to - from }, b->all[i].name))
        return true;
  }
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (between_is_used_in_heads(b, ts_node_named_child(n, i)))
      return true;
  return false;
}

static bool between_bounds_mention(const struct dim *d, struct slice name) {
  return lex_mentions(d->low, name) || lex_mentions(d->bound, name) ||
      lex_mentions(d->step, name);
}

// True if the inner loop has the same range in each iteration of the loops around it, and
// runs to its end.
static bool between_is_fixed(const struct between *b) {
  static const char *const jumps[] = { "break_statement", "goto_statement",
                                       "return_statement", "labeled_statement",
                                       "case_statement" };
  struct dim d = { 0 };
  const char *why;
  TSNode at, body = node_field(b->inner, "body");
  if (!dim_parse(b->u, b->inner, &d, &why, &at) || !d.safe)
    return false;
  for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++)
    if (node_holds(body, jumps[i]))
      return false;
  for (unsigned i = 0; i < b->n; i++)
    if (usage_declares(b->u, b->inner, b->all[i].name))
      return false;
  if (between_is_used_in_heads(b, b->inner))
    return false;
  for (unsigned i = 0; i < b->u->n_changes; i++) {
    const struct change *c = &b->u->changes[i];
    if (node_within(c->node, body) &&
        (slices_same(c->name, d.var) || between_bounds_mention(&d, c->name)))
      return false;
  }
  for (TSNode n = ts_node_parent(b->inner); !ts_node_is_null(n); n = ts_node_parent(n)) {
    struct dim outer = { 0 };
    if (node_is(n, "for_statement") && dim_parse(b->u, n, &outer, &why, &at) &&
        between_bounds_mention(&d, outer.var))
      return false;
  }
  return true;
}

TSNode nest_after_declarations(const struct usage *u, TSNode loop,
                               struct slice *declarations) {
  TSNode none = { 0 }, first = none, last = none, body = nest_body(u, loop, &last);
  struct between b = { .u = u, .inner = none };
  bool good = node_is(body, "compound_statement");
  for (uint32_t i = 0; good && i < ts_node_named_child_count(body); i++) {
    TSNode c = ts_node_named_child(body, i);
    if (node_is(c, "comment"))
      continue;
    if (!ts_node_is_null(b.inner))
      return none;
    first = ts_node_is_null(first) ? c : first;
    if (node_is(c, "for_statement"))
      b.inner = c;
    else
      good = between_read(&b, last = c);
  }
  if (!good || b.n == 0 || ts_node_is_null(b.inner))
    return none;
  for (unsigned i = 0; i < u->f->n_directives; i++)
    if (node_within(u->f->directives[i].loop, b.inner))
      return none;
  size_t from = ts_node_start_byte(first), to = ts_node_end_byte(last);
  *declarations = (struct slice){ u->s->text + from, to - from };
  bool moves = only_ours(u->s, ts_node_start_byte(body), ts_node_start_byte(b.inner)) &&
      only_ours(u->s, ts_node_end_byte(b.inner), ts_node_end_byte(body)) &&
      between_is_fixed(&b) && between_stays(&b);
  return moves ? b.inner : none;
}
