// SPDX-License-Identifier: Apache-2.0
// forward.c: what stands in place of an element in the text. Variables that stand for an
// element of an array for some statements:
//
//     w = a[i][j];
//     for (k = 0; k < j; k++)
//       w -= a[i][k] * a[k][j];
//     a[i][j] = w / a[j][j];
//
// The same is computed with a[i][j] in place of w, if nothing in between uses that
// element. Then no variable ties the iterations together. It may also begin with another
// value, as in `double w = 0;`: then a[i][j] has that meanwhile.
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

struct slice forward_type(const struct model *m, const struct array *a) {
  TSNode in = a->global && m->view ? ts_tree_root_node(m->u.s->tree) : m->u.f->node;
  return usage_type(&m->u, in, a->name);
}

// Returns the access X of the element to which FIRST, `w = x`, sets a variable; NULL: it
// is no element, or has another type than the variable.
static const struct access *forward_element(const struct scop *s, TSNode first,
                                            struct slice name) {
  const struct model *m = s->m;
  TSNode right = ts_node_is_null(first) ? first : node_field(first, "right");
  for (unsigned i = 0; !ts_node_is_null(right) && i < m->n_accesses; i++) {
    const struct access *x = &m->accesses[i];
    struct slice type = declared_type(m, name), other = forward_type(m, x->array);
    if (ts_node_eq(x->node, right) && x->read && !x->write && !x->why &&
        node_is(right, "subscript_expression"))
      return type.size && slices_same(type, other) ? x : NULL;
  }
  return NULL;
}

// True if something in ALL, besides assignments to it, may change NAME.
static bool forward_hides(const struct usage *u, struct body all, struct slice name) {
  for (unsigned i = 0; i < u->n_changes; i++)
    if (slices_same(u->changes[i].name, name) && u->changes[i].how != BY_ASSIGNMENT &&
        body_covers(all, u->changes[i].node))
      return true;
  return false;
}

// Returns the declarator of FIRST, `T name = e;`; null: it is none.
static TSNode forward_declarator(const struct model *m, TSNode first, struct slice name) {
  TSNode d = node_is(first, "declaration") && ts_node_named_child_count(first) == 2
      ? ts_node_named_child(first, 1)
      : (TSNode){ 0 };
  return node_is(d, "init_declarator") &&
          node_is(node_field(d, "declarator"), "identifier") &&
          !node_is(node_field(d, "value"), "initializer_list") &&
          forward_is(m, d, "declarator", name)
      ? d
      : (TSNode){ 0 };
}

// Returns the access of the element that LAST, `element = … name …;`, sets, of the type
// TYPE; NULL: it is another statement.
static const struct access *forward_result(const struct model *m, TSNode last,
                                           struct slice name, struct slice type) {
  TSNode a = forward_assignment(m, last);
  if (ts_node_is_null(a) || !node_mentions(m->u.s, node_field(a, "right"), name))
    return NULL;
  for (unsigned i = 0; i < m->n_accesses; i++) {
    const struct access *x = &m->accesses[i];
    if (ts_node_eq(x->node, node_field(a, "left")) && x->write && !x->read && !x->why &&
        node_is(x->node, "subscript_expression"))
      return slices_same(type, forward_type(m, x->array)) ? x : NULL;
  }
  return NULL;
}

// Adds the range that begins with FIRST, a statement of a block. False: it begins none.
static bool forward_add(struct scop *s, TSNode first, struct slice name) {
  const struct model *m = s->m;
  TSNode begin = forward_assignment(m, first), d = forward_declarator(m, first, name);
  if (ts_node_is_null(d) && !forward_is(m, begin, "left", name))
    return false;
  const struct access *x = ts_node_is_null(d) ? forward_element(s, begin, name) : NULL;
  TSNode last = first,
         value = node_field(ts_node_is_null(d) ? begin : d,
                            ts_node_is_null(d) ? "right" : "value");
  bool ended = false, sets = !x;
  struct slice type = ts_node_is_null(d) ? declared_type(m, name)
                                         : model_text(m, node_field(first, "type"));
  if (sets && (!type.size || node_mentions(m->u.s, value, name)))
    return false;
  while (!ended && !ts_node_is_null(last = ts_node_next_named_sibling(last))) {
    x = sets ? forward_result(m, last, name, type) : x;
    ended = sets
        ? x != NULL
        : forward_is(m, forward_assignment(m, last), "left", model_text(m, x->node));
  }
  if (!ended)
    return false;
  *GROW(s->forwards, s->n_forwards) = (struct forward){
    .name = name, .first = first, .last = last, .element = x, .sets = sets
  };
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
  bool declared = node_is(a, "init_declarator"),
       left = node_is(a, "assignment_expression") &&
      ts_node_eq(node_field(a, "left"), whole),
       plain = left && slice_is(model_text(s->m, node_field(a, "operator")), "=");
  struct access x = *f->element;
  x.node = use;
  x.read = !plain && !declared;
  x.write = left || declared;
  x.sum = 0;
  *GROW(s->more, s->n_more) = x;
}

bool forward_replace(struct scop *s, struct slice name) {
  TSNode *uses = NULL, d;
  unsigned n = 0, before = s->n_forwards, declared = 0, begun = 0;
  if (forward_hides(&s->m->u, s->all, name))
    return false;
  for (TSNode at = s->all.first; !ts_node_is_null(at); at = body_next(s->all, at)) {
    forward_find(s, at, name);
    forward_uses(s->m, at, name, &uses, &n);
    declared += usage_declarators(&s->m->u, at, name, &d);
  }
  for (unsigned i = before; i < s->n_forwards; i++)
    begun += node_is(s->forwards[i].first, "declaration");
  bool good = s->n_forwards > before &&
      declared == begun; // no other variable has the name
  for (unsigned i = 0; i < n && good; i++) {
    const struct forward *f = forward_at(s, uses[i]);
    TSNode around = ts_node_parent(forward_bracketed(uses[i]));
    good = f && !node_is(around, "update_expression");
    if (good && (f->sets || !node_within(uses[i], f->first)))
      forward_access(s, f, uses[i]);
  }
  return good;
}

// ---- text ---------------------------------------------------------------------------

// Returns the number of the buffer in place of A, from 0 on; S->n_buffers: there is none.
static unsigned forward_buffer(const struct scop *s, const struct array *a) {
  unsigned i = 0;
  while (i < s->n_buffers && s->buffers[i] != a)
    i++;
  return i;
}

// True if the subscripts of X in the text are those of its elements.
static bool forward_is_plain(const struct access *x, TSNode *index) {
  unsigned n = 0;
  if (!node_is(x->node, "subscript_expression") || x->array->n_strides)
    return false;
  subscripts_read(x->node, index, MAX_SUBSCRIPTS, &n);
  return n == x->n;
}

// Returns the statement whose loops select the element X, or NULL. The one that only sets
// a variable to it is no statement any more (scop_drop).
static const struct statement *forward_statement(const struct scop *s,
                                                 const struct access *x) {
  TSNode n = x->node;
  for (unsigned i = 0; i < s->n_forwards; i++)
    n = s->forwards[i].element == x ? s->forwards[i].last : n;
  for (unsigned i = 0; i < s->n; i++)
    if (body_covers(s->list[i].body, n))
      return &s->list[i];
  return NULL;
}

const char *forward_why_not(const struct scop *s, TSNode *at) {
  TSNode index[MAX_SUBSCRIPTS];
  for (unsigned i = 0; i < s->m->n_accesses; i++) {
    const struct access *x = &s->m->accesses[i];
    *at = x->node;
    if (forward_buffer(s, x->array) == s->n_buffers || forward_is_plain(x, index))
      continue;
    if (body_covers(s->all, x->node) && !forward_statement(s, x))
      return "this element is in none of the statements";
    for (const struct iter *l = x->loop; l; l = l->outer)
      for (unsigned j = 0; j < x->n; j++)
        if (poly_has(x->index[j], l->atom) && !poly_same(l->value, poly_atom(l->atom)))
          return "this subscript needs a loop that counts up";
  }
  return NULL;
}

// Appends the subscript in place AT of X, an array with a buffer.
static void forward_subscript(const struct scop *s, const struct access *x, unsigned at,
                              struct text *t) {
  TSNode index[MAX_SUBSCRIPTS];
  const char *loops[AFFINE_DEPTH] = { 0 };
  const struct statement *st = forward_statement(s, x);
  if (forward_is_plain(x, index)) {
    struct slice text = model_text(s->m, index[x->n - 1 - at]);
    text_printf(t, "(%.*s)", (int)text.size, text.data);
    return;
  }
  for (unsigned i = 0; i < st->n; i++)
    loops[i] = arena_copy(st->chain[i]->dim.var.data, st->chain[i]->dim.var.size);
  text_printf(t, "(%s)", code_poly(s, st, x->index[at], loops));
}

void forward_write(const struct scop *s, const struct access *x, struct text *t) {
  unsigned buffer = forward_buffer(s, x->array);
  struct slice element = model_text(s->m, x->node);
  if (buffer == s->n_buffers) {
    text_printf(t, "%.*s", (int)element.size, element.data);
    return;
  }
  unsigned near = s->near ? s->near[buffer] : x->n - 1;
  text_printf(t, "autotune_local%u[", buffer);
  for (unsigned i = 1; i < x->n; i++)
    text_printf(t, "(");
  for (unsigned i = 0; i < x->n; i++) { // the one with neighbours side by side is last
    unsigned place = i + 1 == x->n ? near
        : i < near                 ? i
                                   : i + 1,
             at = buffer * MAX_SUBSCRIPTS + place;
    if (i > 0)
      text_printf(t, ") * autotune_width%u + ", at);
    forward_subscript(s, x, place, t);
    text_printf(t, " - autotune_origin%u", at);
  }
  text_printf(t, "]");
}

// Returns the first place in N, from FROM to TO, in which another text stands: *X of an
// element. Null: there is none.
static TSNode forward_next(const struct scop *s, size_t from, size_t to, TSNode n,
                           const struct access **x) {
  TSNode next = { 0 };
  if (ts_node_end_byte(n) <= from || ts_node_start_byte(n) >= to)
    return next;
  if (ts_node_start_byte(n) >= from && ts_node_end_byte(n) <= to) {
    const struct forward *f = node_is(n, "identifier") && s->n_forwards ? forward_at(s, n)
                                                                        : NULL;
    *x = f ? f->element : NULL;
    for (unsigned i = 0; i < s->m->n_accesses && s->n_buffers && !*x; i++)
      if ((ts_node_eq(s->m->accesses[i].node, n) ||
           ts_node_eq(s->m->accesses[i].again, n)) &&
          forward_buffer(s, s->m->accesses[i].array) < s->n_buffers)
        *x = &s->m->accesses[i];
    if (*x)
      return n;
  }
  for (uint32_t i = 0; i < ts_node_named_child_count(n) && ts_node_is_null(next); i++)
    next = forward_next(s, from, to, ts_node_named_child(n, i), x);
  return next;
}

void forward_text(const struct scop *s, size_t from, size_t to, TSNode n,
                  struct text *t) {
  const char *text = s->m->u.s->text;
  const struct access *x = NULL;
  TSNode next;
  while (next = forward_next(s, from, to, n, &x), !ts_node_is_null(next)) {
    TSNode up = ts_node_parent(next);
    bool declared = node_is(up, "init_declarator") &&
        ts_node_eq(node_field(up, "declarator"), next);
    size_t end =
        ts_node_start_byte(declared ? ts_node_parent(up) : next); // its type, too
    text_add(t, text + from, end > from ? end - from : 0);
    text_printf(t, "(");
    forward_write(s, x, t);
    text_printf(t, ")");
    from = ts_node_end_byte(next);
  }
  text_add(t, text + from, to - from);
}
