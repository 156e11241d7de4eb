// SPDX-License-Identifier: Apache-2.0
// openmp.c: passes OpenMP directives on to the compiler, before the loop that they stand
// on.
#include <stdlib.h>
#include <string.h>

#include "loops.h"

static void write_arg(const struct builder *b, struct text *t, const struct dir_arg *a) {
  if (a->label.size)
    text_printf(t, "%.*s: ", (int)a->label.size, a->label.data);
  text_printf(t, "%s", arg_text(b, a));
}

void openmp_clause(const struct builder *b, struct text *t, const struct dir_clause *c) {
  text_printf(t, " %s", c->name);
  if (c->n_args == 0 && c->body.size == 0)
    return;
  bool sets = false;
  for (unsigned i = 0; i < c->n_args; i++)
    sets = sets || c->args[i].param >= 0;
  text_add(t, "(", 1);
  if (!sets)
    text_add(t, c->body.data, c->body.size);
  for (unsigned i = 0; sets && i < c->n_args; i++) {
    text_add(t, ", ", i ? 2 : 0);
    write_arg(b, t, &c->args[i]);
  }
  text_add(t, ")", 1);
}

// True if D shares the iterations among threads.
static bool openmp_shares(const struct loop_directive *d) {
  return directive_groups(d->kind) & GROUP_THREADS;
}

// Reads the most loops that D applies to.
static bool read_collapse(struct builder *b, const struct loop_directive *d,
                          unsigned *count) {
  const struct dir_clause *c = directive_clause(d, "collapse");
  long long most = 1;
  *count = 1;
  if (!c || c->n_args == 0)
    return true;
  int p = arg_param(b, &c->args[0]);
  struct slice text = c->args[0].text;
  if (p >= 0) {
    for (unsigned i = 0; i < b->k->params[p].n_values; i++)
      most = b->k->params[p].values[i].i > most ? b->k->params[p].values[i].i : most;
  } else {
    char *end, *copy = arena_copy(text.data, text.size);
    most = strtoll(copy, &end, 0);
    if (end == copy || *end || most < 1)
      return FAIL(b, pragma_offset(c->pragma, text), text.size, NULL,
                  "'collapse' needs a positive integer");
  }
  *count = most > 64 ? 64 : (unsigned)most;
  return true;
}

// True for "i", "i + n" or "i - 1": these include all bounds depending on an outer loop
// that OpenMP accepts.
static bool simple_bound(struct slice bound, const struct dim *outer) {
  struct lexer l = lexer_of(bound);
  struct slice first = lex(&l).text, sign = lex(&l).text;
  if (first.size != outer->var.size ||
      memcmp(first.data, outer->var.data, first.size) != 0)
    return false;
  if (sign.size == 0)
    return true;
  return (slice_is(sign, "+") || slice_is(sign, "-")) && lex(&l).text.size > 0 &&
      lex(&l).kind == TOKEN_END;
}

// True if L goes into D's pragma as written: gcc 12 skips all iterations of some loops
// that count down.
static bool stays_raw(const struct loop *l, const struct loop_directive *d) {
  return l->raw && !(openmp_shares(d) && l->dim->down);
}

// True if L, as written, may be collapsed with a loop that its bounds depend on (OpenMP
// 5.0).
static bool simply_depends(const struct loop *l, const struct loop *outer,
                           const struct loop_directive *directive) {
  const struct dim *d = l->dim, *o = outer->dim;
  if (!stays_raw(l, directive) || !stays_raw(outer, directive) || d->type.size == 0 ||
      !slices_same(d->type, o->type))
    return false;
  bool low = lex_mentions(d->low, o->var), bound = lex_mentions(d->bound, o->var);
  return (!low || simple_bound(d->low, o)) && (!bound || simple_bound(d->bound, o)) &&
      !lex_mentions(d->step, o->var);
}

// Reports loops that cannot be collapsed: the computations between them would have to
// move into them.
static bool openmp_collapsible(struct builder *b, const struct nest *n,
                               const struct loop_directive *d, unsigned count) {
  for (unsigned i = 1; i < count; i++) {
    const struct loop *l = &n->loops[i];
    if (l->pragma && !l->innermost)
      return FAIL_AT(b, d, NULL,
                     "collapse(%u) takes a loop that has an OpenMP directive of its own",
                     count);
    for (unsigned j = 0; j < i; j++)
      if ((l->needs & BIT(n->loops[j].id)) && !simply_depends(l, &n->loops[j], d))
        return FAIL_AT(b, d, NULL,
                       "collapse(%u) takes loops of which one depends on another", count);
  }
  return true;
}

// Stores the largest or else the smallest number that C's first argument can be. False:
// it is no number.
static bool openmp_number(const struct builder *b, const struct dir_clause *c, bool most,
                          long long *number) {
  if (!c || c->n_args == 0)
    return false;
  int p = arg_param(b, &c->args[0]);
  const struct param *param = p >= 0 ? &b->k->params[p] : NULL;
  if (!param && !is_digits(c->args[0].text))
    return false;
  *number = param
      ? param->values[0].i
      : strtoll(arena_copy(c->args[0].text.data, c->args[0].text.size), NULL, 10);
  for (unsigned i = 1; param && i < param->n_values; i++)
    if ((param->values[i].i > *number) == most)
      *number = param->values[i].i;
  return true;
}

// Checks the clauses whose arguments are positive numbers.
static bool openmp_check_numbers(struct builder *b, const struct loop_directive *d) {
  static const char *const numbers[] = { "num_threads", "safelen",   "simdlen",
                                         "grainsize",   "num_tasks", "collapse",
                                         NULL };
  long long length, limit;
  for (unsigned i = 0; i < d->n_clauses; i++) {
    const struct dir_clause *c = &d->clauses[i];
    unsigned at = strcmp(c->name, "schedule") == 0; // its second argument is one
    if ((at || slice_in(slice_of(c->name), numbers)) && c->n_args > at &&
        !arg_is_positive(b, c->pragma, &c->args[at],
                         arena_printf(at ? "the chunk size of '%s'" : "'%s'", c->name)))
      return false;
  }
  if (openmp_number(b, directive_clause(d, "simdlen"), true, &length) &&
      openmp_number(b, directive_clause(d, "safelen"), false, &limit) && length > limit)
    return FAIL_AT(b, d, NULL, "simdlen(%lld) exceeds safelen(%lld)", length, limit);
  return true;
}

static bool openmp_applies(struct builder *b, const struct nest *n,
                           const struct loop_directive *d) {
  const struct loop *l = &n->loops[0];
  unsigned collapse;
  if (!words_check(b, d) || !openmp_check_numbers(b, d) ||
      !read_collapse(b, d, &collapse) || !nest_has(b, n, d, collapse))
    return false;
  for (unsigned i = 0; !openmp_shares(d) && i < n->n; i++)
    if (n->loops[i].sharing)
      return FAIL_AT(b, d, NULL, "'simd' cannot be around a loop that threads share");
  if (!openmp_collapsible(b, n, d, collapse))
    return false;
  bool unrolled = l->hint && openmp_shares(d);
  if (unrolled && (l->hint != HINT_PARTIAL || collapse > 1))
    return FAIL_AT(b, d, "under it write 'unroll partial(n)', and no collapse",
                   "'%s' cannot take a loop that is unrolled like this",
                   directive_name(d->kind));
  return !l->pragma || unrolled ||
      FAIL_AT(b, d, NULL, "this loop has an OpenMP directive already");
}

// Handles a loop that is both shared among threads and unrolled: threads share blocks of
// as many iterations.
static void unroll_within(struct builder *b, struct nest *n) {
  struct loop *l = &n->loops[0];
  struct loop *loops = arena_alloc((n->n + 2) * sizeof *loops);
  range_make(b, l);
  range_strip(b, l, l->factor, &loops[0], &loops[1]);
  memcpy(loops + 2, n->loops + 1, (n->n - 1) * sizeof *loops);
  n->loops = loops;
  n->n++;
}

static void openmp_make(struct builder *b, struct nest *n,
                        const struct loop_directive *d) {
  unsigned collapse;
  struct text t = { 0 };
  read_collapse(b, d, &collapse);
  nest_touch(n, 0, collapse);
  for (unsigned i = 0; openmp_shares(d) && i < collapse; i++)
    if (n->loops[i].raw ? n->loops[i].dim->down : n->loops[i].down) {
      range_make(b, &n->loops[i]);
      range_count(b, &n->loops[i]);
    }
  if (n->loops[0].hint && openmp_shares(d))
    unroll_within(b, n);
  struct loop *l = &n->loops[0];
  text_printf(&t, "#pragma omp %s", directive_name(d->kind));
  for (unsigned i = 0; i < d->n_clauses; i++)
    openmp_clause(b, &t, &d->clauses[i]);
  text_add(&t, "\n", 1);
  l->pragma = t.data;
  l->pragma_loop = ts_node_start_byte(d->loop);
  l->region = region_of((struct slice){ t.data, t.size });
  l->sharing = openmp_shares(d);
  l->collapse = collapse;
  l->innermost = !openmp_shares(d) && n->n == 1 && l->dim->outer != NULL;
  if (b->change)
    b->change->openmp = true;
}

const struct transformation transform_openmp = { .applies = openmp_applies,
                                                 .make = openmp_make };
