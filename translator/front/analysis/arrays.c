// SPDX-License-Identifier: Apache-2.0
// arrays.c: the arrays that a function's arguments, variables and the file declare.
#include "analysis.h"
#include "front/kernel/kernel.h"
#include "front/lang/language.h"

void array_refuse(struct array *a, TSNode at, const char *why) {
  if (a->why)
    return;
  a->why = why;
  a->at = at;
}

static bool holds_word(const struct model *m, TSNode n, const char *word) {
  for (uint32_t i = 0; i < ts_node_child_count(n); i++) {
    TSNode c = ts_node_child(n, i);
    struct slice t = model_text(m, c);
    if (node_is(c, "type_qualifier") &&
        (slice_is(t, word) || slice_is(t, "__restrict") || slice_is(t, "__restrict__")))
      return true;
  }
  return false;
}

bool array_read(const struct model *m, TSNode d, struct array *a) {
  struct slice reversed[MAX_SUBSCRIPTS];
  unsigned n = 0, stars = 0;
  bool star_outside = false;
  while (!node_is(d, "identifier")) {
    a->restricted |= holds_word(m, d, "restrict");
    if (node_is(d, "array_declarator")) {
      TSNode size = node_field(d, "size");
      if (n == MAX_SUBSCRIPTS || stars)
        star_outside = true;
      else
        reversed[n++] = ts_node_is_null(size) ? (struct slice){ 0 } : model_text(m, size);
    } else if (node_is(d, "pointer_declarator")) {
      stars++;
    } else if (!node_is(d, "parenthesized_declarator")) {
      return false;
    }
    d = declarator_inner(d);
    if (ts_node_is_null(d))
      return false;
  }
  if (n + stars == 0)
    return false;
  a->name = model_text(m, d);
  a->rank = n + stars;
  a->rows = stars > 1;
  a->restricted &= !a->rows; // says nothing of the rows
  const bool followed = !a->rows || (n == 0 && !m->source->language->cplusplus);
  if (star_outside || !followed || a->rank > MAX_SUBSCRIPTS)
    array_refuse(a, d, "it points to pointers");
  for (unsigned i = 0; i < n && a->rank <= MAX_SUBSCRIPTS; i++)
    a->bounds[a->rank - 1 - i] = reversed[i];
  return true;
}

struct array *array_find(const struct model *m, struct slice name) {
  for (unsigned i = m->n_arrays; i-- > 0;)
    if (slices_same(m->arrays[i]->name, name))
      return m->arrays[i];
  return NULL;
}

struct array *array_add(struct model *m, struct array a) {
  struct array *old = array_find(m, a.name), *copy = arena_alloc(sizeof *copy);
  *copy = a;
  if (old) { // two arrays of one name: neither can be analysed
    array_refuse(old, old->home, "another array has the same name");
    array_refuse(copy, copy->home, "another array has the same name");
  }
  return *GROW(m->arrays, m->n_arrays) = copy;
}

void array_read_arguments(struct model *m, TSNode n) {
  if (node_is(n, "parameter_declaration")) {
    struct array a = { .arg = -1, .home = n };
    TSNode d = node_field(n, "declarator");
    if (!ts_node_is_null(d) && array_read(m, d, &a)) {
      a.arg = kernel_arg(m->k, a.name);
      array_add(m, a);
    }
    return;
  }
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (!node_is(n, "compound_statement"))
      array_read_arguments(m, ts_node_named_child(n, i));
}

// Reads a declaration of the file, such as `static double a[N];`.
struct array *array_find_global(struct model *m, struct slice name) {
  TSNode root = ts_tree_root_node(m->u.s->tree);
  for (uint32_t i = 0; i < ts_node_named_child_count(root); i++) {
    TSNode n = ts_node_named_child(root, i);
    for (uint32_t j = 0; node_is(n, "declaration") && j < ts_node_named_child_count(n);
         j++) {
      struct array a = { .arg = -1, .home = n, .global = true };
      TSNode d = ts_node_named_child(n, j);
      if (node_is(d, "init_declarator"))
        d = node_field(d, "declarator");
      if (node_is(d, "array_declarator") && array_read(m, d, &a) &&
          slices_same(a.name, name))
        return array_add(m, a);
    }
  }
  return NULL;
}
