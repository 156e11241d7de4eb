// SPDX-License-Identifier: Apache-2.0
// reduce.c: sums in the elements of an array, which each thread collects in a copy of its
// own, as in
//
//     for (i …) { q[i] = 0; for (j …) { s[j] += r[i] * A[i][j]; q[i] += A[i][j] * p[j]; }
//     }
//
// where `reduction(+: s[0:m])` lets threads share the loop over i. That is worth while if
// an iteration uses about as many elements as there are: no subscript of S depends on i.
#include <string.h>

#include "front/lang/language.h"
#include "suggest.h"

// Returns the section of A that the function uses, "s[0:m]"; NULL: not known, or it does
// not begin with the first element.
static const char *reduce_section(const struct sections *s, const struct array *a) {
  for (unsigned i = 0; i < s->n; i++) {
    const char *name = s->list[i].name, *rest = name + a->name.size;
    if (strncmp(name, a->name.data, a->name.size) == 0 && strncmp(rest, "[0:", 3) == 0)
      return name;
  }
  return NULL;
}

// True if all uses of A in LOOP are sums of one kind, stored in *OP, into elements that
// do not depend on LOOP's variable.
static bool reduce_may(const struct model *m, const struct array *a,
                       const struct iter *loop, char *op) {
  *op = 0;
  for (unsigned i = 0; i < m->n_accesses; i++) {
    const struct access *x = &m->accesses[i];
    if (x->array != a || !node_within(x->node, loop->node))
      continue;
    if (!x->sum || (*op && x->sum != *op) || x->why)
      return false;
    for (unsigned j = 0; j < x->n; j++)
      if (poly_has(x->index[j], loop->atom))
        return false;
    *op = x->sum;
  }
  return *op && !a->rows && !a->local && !a->global && !a->member;
}

// True if A's elements are numbers, of a type that a clause may add. In C++ it may be a
// container.
static bool reduce_has_numbers(const struct model *m, const struct array *a) {
  struct slice type = usage_type(
      &m->u, m->view ? ts_tree_root_node(m->u.s->tree) : m->u.f->node, a->name);
  struct lexer l = lexer_of(type);
  bool numbers = false;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    numbers = numbers || is_real_word(t.text) || is_integer_word(t.text);
  return numbers && !m->source->language->cplusplus;
}

static bool reduce_has(const struct reduced *r, const char *section) {
  for (unsigned i = 0; i < r->n; i++)
    if (strcmp(r->list[i].section, section) == 0)
      return true;
  return false;
}

bool reduce_find(struct model *m, const struct band *b, struct reduced *r) {
  *r = (struct reduced){ 0 };
  if (!b->separate || b->leaf)
    return false;
  struct sections s = { 0 };
  for (unsigned i = 0; i < b->v.n; i++) {
    const struct vector *v = &b->v.list[i];
    char op;
    if (!v->at[0])
      continue;
    if (!v->sum || !reduce_may(m, v->array, b->loops[0], &op) ||
        !reduce_has_numbers(m, v->array))
      return false;
    s = s.n || s.why ? s : sections_infer(m, false);
    const char *section = s.why ? NULL : reduce_section(&s, v->array);
    if (!section)
      return false;
    if (!reduce_has(r, section))
      *GROW(r->list, r->n) = (struct reduced_section){ section, op };
  }
  return r->n > 0;
}

void reduce_put(const struct model *m, const struct reduced *r, struct text *t) {
  for (unsigned i = 0; i < r->n; i++)
    text_printf(t, " reduction(%c: %s)", r->list[i].op,
                nests_written(m, r->list[i].section));
}
