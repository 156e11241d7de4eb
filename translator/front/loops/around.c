// SPDX-License-Identifier: Apache-2.0
// around.c: explores clauses of the author's own pragma of OpenMP. A directive directly
// below it, with the same words, replaces the clauses that it names; all others stay, so
// that the variants keep what the author says of variables:
//
//     #pragma omp parallel for private(j) schedule(static)
//     #pragma autotune parallel for schedule({dynamic, guided}, {1, 16})
#include <string.h>

#include "loops.h"

bool around_meets(const struct loop_directive *over, const struct loop_directive *d) {
  return over->pragma->openmp && !d->pragma->openmp && ts_node_eq(over->loop, d->loop) &&
      (directive_groups(d->kind) & GROUP_OPENMP);
}

// True if D has OVER's words, or these and `simd`.
static bool around_same_words(const struct loop_directive *over,
                              const struct loop_directive *d) {
  unsigned author = directive_groups(over->kind), ours = directive_groups(d->kind);
  return ours == author || ours == (author | GROUP_SIMD);
}

static bool around_check_words(struct builder *b, const struct loop_directive *over,
                               const struct loop_directive *d) {
  return around_same_words(over, d) ||
      FAIL_AT(b, d, arena_printf("write '%s'", directive_name(over->kind)),
              "'%s' cannot come after '#pragma omp %s'", directive_name(d->kind),
              directive_name(over->kind));
}

// Reports clauses of D that are no choice: those say what the author's pragma is to say,
// for the default variant too.
static bool around_check_clauses(struct builder *b, const struct loop_directive *d) {
  for (unsigned i = 0; i < d->pragma->n_clauses; i++) {
    const struct clause *c = &d->pragma->clauses[i];
    if (!c->sets && strcmp(c->name, "optional") != 0)
      return FAIL(b, c->offset, c->size,
                  "write it in that pragma, whose other clauses stay as they are",
                  "'%s' cannot come after the loop's own pragma of OpenMP", c->name);
  }
  return true;
}

// Reports clauses of OVER and D that OpenMP does not allow together.
static bool around_check_together(struct builder *b, const struct loop_directive *over,
                                  const struct loop_directive *d) {
  const struct dir_clause *collapse = directive_clause(d, "collapse");
  if (collapse && directive_clause(over, "ordered"))
    return FAIL(b, collapse->offset, strlen(collapse->name), NULL,
                "'collapse' cannot come after a pragma of OpenMP with 'ordered'");
  return true;
}

// True if D has a clause that takes the place of C.
static bool around_replaces(const struct loop_directive *d, const struct dir_clause *c) {
  static const char *const tasks[] = { "grainsize", "num_tasks", NULL }; // one at most
  bool task = slice_in(slice_of(c->name), tasks);
  return directive_clause(d, c->name) != NULL ||
      (task && (directive_clause(d, tasks[0]) || directive_clause(d, tasks[1])));
}

const struct loop_directive *around_join(struct builder *b,
                                         const struct loop_directive *over,
                                         const struct loop_directive *d) {
  struct loop_directive *joined = arena_alloc(sizeof *joined);
  if (!around_check_words(b, over, d) || !around_check_clauses(b, d))
    return over;
  *joined = *d;
  joined->clauses = NULL;
  joined->n_clauses = 0;
  for (unsigned i = 0; i < over->n_clauses; i++)
    if (!around_replaces(d, &over->clauses[i]))
      *GROW(joined->clauses, joined->n_clauses) = over->clauses[i];
  for (unsigned i = 0; i < d->n_clauses; i++)
    *GROW(joined->clauses, joined->n_clauses) = d->clauses[i];
  return around_check_together(b, over, d) ? joined : over;
}
