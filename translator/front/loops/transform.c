// SPDX-License-Identifier: Apache-2.0
// transform.c: the table of transformations, and their queries about nests and arguments.
#include <string.h>

#include "front/kernel/kernel.h"
#include "loops.h"

static const struct transformation *const transformations[DIR_KINDS] = {
#define DIRECTIVE(kind, words, groups, name) [DIR_##kind] = &transform_##name,
#include "front/pragma/directives.def"
#undef DIRECTIVE
};

const struct transformation *transformation_of(const struct loop_directive *d) {
  return transformations[d->kind];
}

bool transform(struct builder *b, struct nest *n, const struct loop_directive *d) {
  const struct transformation *t = transformation_of(d);
  if ((b->resolve && t->resolve && !t->resolve(b, n, d)) || !t->applies(b, n, d))
    return false;
  t->make(b, n, d);
  return !b->failed;
}

// ---- arguments ----------------------------------------------------------------------

const struct dir_clause *directive_clause(const struct loop_directive *d,
                                          const char *name) {
  for (unsigned i = 0; i < d->n_clauses; i++)
    if (strcmp(d->clauses[i].name, name) == 0)
      return &d->clauses[i];
  return NULL;
}

int arg_param(const struct builder *b, const struct dir_arg *a) {
  return a->param >= 0 ? a->param : kernel_param(b->k, a->text);
}

const char *arg_text(const struct builder *b, const struct dir_arg *a) {
  const struct param *p = a->param >= 0 ? &b->k->params[a->param] : NULL;
  if (p)
    return b->fixed ? p->values[b->point[a->param]].define : p->macro;
  return arena_copy(a->text.data, a->text.size);
}

bool is_digits(struct slice s) {
  return s.size > 0 && strspn(arena_copy(s.data, s.size), "0123456789") == s.size;
}

bool arg_is_positive(struct builder *b, const struct pragma *p, const struct dir_arg *a,
                     const char *what) {
  int index = arg_param(b, a);
  const struct param *param = index >= 0 ? &b->k->params[index] : NULL;
  bool fine = !param || param->kind == VALUE_INT;
  for (unsigned i = 0; fine && param && i < param->n_values; i++)
    fine = param->values[i].i >= 1;
  if (!param && is_digits(a->text))
    fine = strspn(arena_copy(a->text.data, a->text.size), "0") < a->text.size;
  fine = fine && !(a->text.size && *a->text.data == '-');
  return fine ||
      FAIL(b, pragma_offset(p, a->text), a->text.size, NULL,
           "%s must be a positive integer", what);
}

// ---- nests --------------------------------------------------------------------------

const char *nest_why_so_few(const struct builder *b, const struct nest *n) {
  struct dim d = { 0 };
  const char *why = NULL;
  TSNode at;
  if (ts_node_is_null(n->stop))
    return b->nests
        ? "loops count as nested when nothing is between them but declarations "
          "of numbers and pointers that stay the same in the inner loop"
        : "loops count as nested when nothing is between them";
  if (dim_parse(&b->u, n->stop, &d, &why, &at))
    return NULL;
  unsigned line = source_where(b->s, ts_node_start_byte(n->stop), NULL, NULL);
  return arena_printf("the loop in line %u does not count: %s", line, why);
}

bool nest_has(struct builder *b, const struct nest *n, const struct loop_directive *d,
              unsigned count) {
  const char *name = directive_name(d->kind);
  if (count > n->n)
    return FAIL_AT(b, d, nest_why_so_few(b, n), "'%s' needs %u nested loops, here %s %u",
                   name, count, n->n == 1 ? "is" : "are", n->n);
  for (unsigned i = 0; i < count; i++) {
    const struct loop *l = &n->loops[i];
    if (l->pragma && (l->sharing || l->pragma_loop == ts_node_start_byte(d->loop)))
      return FAIL_AT(
          b, d, "directives act from the loop upwards: put it nearer to the loop",
          "'%s' cannot change loops that an OpenMP directive below it takes", name);
  }
  return true;
}

void nest_touch(struct nest *n, unsigned from, unsigned to) {
  for (unsigned i = from; i < to; i++)
    n->loops[i].dim->affected = true;
}
