// SPDX-License-Identifier: Apache-2.0
// forward.c: variables that stand for an element of an array for some statements:
//
//     w = a[i][j];
//     for (k = 0; k < j; k++)
//       w -= a[i][k] * a[k][j];
//     a[i][j] = w / a[j][j];
//
// The same is computed with a[i][j] in place of w, if nothing in between uses that
// element. Then no variable ties the iterations together.
#include "scop.h"

// Returns the assignment that is all of N, a statement; null: it is another one.
static TSNode forward_assignment(const struct model *m, TSNode n) {
  TSNode a = ts_node_named_child(n, 0);
  return node_is(n, "expression_statement") && node_is(a, "assignment_expression") &&
          slice_is(model_text(m, node_field(a, "operator")), "=")
      ? a
      : (TSNode){ 0 };
}

static bool forward_is(const struct model *m, TSNode n, const char *field,
                       struct slice text) {
  TSNode part = ts_node_is_null(n) ? n : node_field(n, field);
  return !ts_node_is_null(part) && slices_same(model_text(m, part), text);
}

// Adds to ALL the uses of NAME in N.
static void forward_uses(const struct model *m, TSNode n, struct slice name, TSNode **all,
                         unsigned *count) {
  if (node_is(n, "identifier") && slices_same(model_text(m, n), name))
    *GROW(*all, *count) = n;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    forward_uses(m, ts_node_named_child(n, i), name, all, count);
}

// Returns the access X of the element to which FIRST, `w = x`, sets a variable; NULL: it
// is no element, or has another type than the variable.
static const struct access *forward_element(const struct scop *s, TSNode first,
                                            struct slice name) {
  const struct model *m = s->m;
  TSNode right = ts_node_is_null(first) ? first : node_field(first, "right");
  for (unsigned i = 0; !ts_node_is_null(right) && i < m->n_accesses; i++) {
    const struct access *x = &m->accesses[i];
    struct slice type = declared_type(m, name),
                 other = usage_type(&m->u, m->u.f->node, x->array->name);
    if (ts_node_eq(x->node, right) && x->read && !x->write && !x->why &&
        node_is(right, "subscript_expression"))
      return type.size && slices_same(type, other) ? x : NULL;
  }
  return NULL;
}

// True if something in ROOT, besides assignments to it, may change NAME.
static bool forward_hides(const struct usage *u, TSNode root, struct slice name) {
  for (unsigned i = 0; i < u->n_changes; i++)
    if (slices_same(u->changes[i].name, name) && u->changes[i].how != BY_ASSIGNMENT &&
        node_within(u->changes[i].node, root))
      return true;
  return false;
}

// Adds the range that begins with FIRST, a statement of a block. False: it begins none.
static bool forward_add(struct scop *s, TSNode first, struct slice name) {
  const struct model *m = s->m;
  TSNode begin = forward_assignment(m, first);
  if (!forward_is(m, begin, "left", name))
    return false;
  const struct access *x = forward_element(s, begin, name);
  TSNode last = first;
  bool ended = false;
  while (x && !ended && !ts_node_is_null(last = ts_node_next_named_sibling(last)))
    ended = forward_is(m, forward_assignment(m, last), "left", model_text(m, x->node));
  if (!ended)
    return false;
  *GROW(s->forwards, s->n_forwards) =
      (struct forward){ .name = name, .first = first, .last = last, .element = x };
  return true;
}

static void forward_find(struct scop *s, TSNode n, struct slice name) {
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++) {
    TSNode c = ts_node_named_child(n, i);
    if (!node_is(n, "compound_statement") || !forward_add(s, c, name))
      forward_find(s, c, name);
  }
}

const struct forward *forward_at(const struct scop *s, TSNode n) {
  for (unsigned i = 0; i < s->n_forwards; i++)
    if (body_covers((struct body){ s->forwards[i].first, s->forwards[i].last }, n) &&
        slices_same(model_text(s->m, n), s->forwards[i].name))
      return &s->forwards[i];
  return NULL;
}

// Returns USE with the brackets around it.
static TSNode forward_bracketed(TSNode use) {
  while (node_is(ts_node_parent(use), "parenthesized_expression"))
    use = ts_node_parent(use);
  return use;
}

// Adds the access of the element that USE, of the variable, stands for.
static void forward_access(struct scop *s, const struct forward *f, TSNode use) {
  TSNode whole = forward_bracketed(use), a = ts_node_parent(whole);
  bool left = node_is(a, "assignment_expression") &&
      ts_node_eq(node_field(a, "left"), whole),
       plain = left && slice_is(model_text(s->m, node_field(a, "operator")), "=");
  struct access x = *f->element;
  x.node = use;
  x.read = !plain;
  x.write = left;
  x.sum = 0;
  *GROW(s->more, s->n_more) = x;
}

bool forward_replace(struct scop *s, struct slice name) {
  TSNode *uses = NULL;
  unsigned n = 0, before = s->n_forwards;
  if (forward_hides(&s->m->u, s->root->node, name))
    return false;
  forward_find(s, s->root->node, name);
  forward_uses(s->m, s->root->node, name, &uses, &n);
  bool good = s->n_forwards > before;
  for (unsigned i = 0; i < n && good; i++) {
    const struct forward *f = forward_at(s, uses[i]);
    TSNode around = ts_node_parent(forward_bracketed(uses[i]));
    good = f && !node_is(around, "update_expression");
    if (good && !node_within(uses[i], f->first))
      forward_access(s, f, uses[i]);
  }
  return good;
}

void forward_text(const struct scop *s, size_t from, size_t to, TSNode n,
                  struct text *t) {
  TSNode *uses = NULL;
  unsigned count = 0;
  const char *text = s->m->u.s->text;
  for (unsigned i = 0; i < s->n_forwards; i++)
    if (i == 0 || !slices_same(s->forwards[i].name, s->forwards[i - 1].name))
      forward_uses(s->m, n, s->forwards[i].name, &uses, &count);
  while (from < to) {
    TSNode next = { 0 };
    for (unsigned i = 0; i < count; i++)
      if (ts_node_start_byte(uses[i]) >= from && ts_node_end_byte(uses[i]) <= to &&
          forward_at(s, uses[i]) &&
          (ts_node_is_null(next) ||
           ts_node_start_byte(uses[i]) < ts_node_start_byte(next)))
        next = uses[i];
    size_t end = ts_node_is_null(next) ? to : ts_node_start_byte(next);
    text_add(t, text + from, end - from);
    from = end;
    if (ts_node_is_null(next))
      break;
    struct slice element = model_text(s->m, forward_at(s, next)->element->node);
    text_printf(t, "(%.*s)", (int)element.size, element.data);
    from = ts_node_end_byte(next);
  }
}
