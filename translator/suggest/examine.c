// SPDX-License-Identifier: Apache-2.0
// examine.c: examines a function or loop that may be a kernel: which directives may stand
// in it, its sections, and whether compilers and flags alone are worth trying.
#include <string.h>

#include "suggest.h"

// True if A, which is no local array, is one in memory of its own: no pointer.
static bool examine_is_own(const struct array *a) {
  return a->global && a->bounds[0].size && node_is(a->home, "array_declarator");
}

// True if two arrays of M, one of them written, could overlap as far as their
// declarations show.
static bool examine_may_overlap(const struct model *m) {
  unsigned used = 0, pointers = 0;
  bool written = false;
  for (unsigned i = 0; i < m->n_arrays; i++) {
    const struct array *a = m->arrays[i];
    if (a->local || !(a->read || a->written))
      continue;
    if (a->rows && a->written)
      return true; // its rows
    used++;
    pointers += !a->restricted && !examine_is_own(a);
    written |= a->written;
  }
  return used > 1 && pointers && written;
}

enum { FEW_OPERATIONS = 5000 }; // less is not worth a kernel

// True if N holds a `while` or `do` loop that holds no loop. No directive is proposed for
// these.
static bool examine_has_while(TSNode n) {
  if (node_is(n, "while_statement") || node_is(n, "do_statement"))
    if (!node_holds_loop(node_field(n, "body")))
      return true;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (examine_has_while(ts_node_named_child(n, i)))
      return true;
  return false;
}

// True if M's function is worth trying with other compilers and flags alone. What is
// understood was found to be of no use to threads and vectors; then it has OpenMP, or
// what compilers do more slowly for errno or traps, or sums that may be reordered (unless
// AUTOMATIC), or RESTS: no directive may stand there for another reason.
static bool examine_varies(struct model *m, bool openmp, bool rests, bool automatic,
                           struct numbers *numbers) {
  TSNode body = node_field(m->u.f->node, "body");
  return vary_may(m, openmp, numbers) &&
      (m->n_refusals || openmp || rests || numbers->guarded ||
       (numbers->recurrent && !automatic) || examine_has_while(body)) &&
      !once_sets_up(m->source, m) && work_of(m, body) >= FEW_OPERATIONS;
}

// True if a loop around K's counts an argument of K that is in its key: each call would
// be tuned for itself, which only directives may be worth.
static bool examine_is_counted(const struct candidates *c, const struct subject *k) {
  if (ts_node_is_null(k->loop))
    return false;
  for (TSNode n = ts_node_parent(k->loop); !ts_node_is_null(n); n = ts_node_parent(n))
    for (unsigned i = 0; node_is(n, "for_statement") && i < k->k->n_args; i++)
      if (k->k->args[i].integer &&
          lex_mentions(source_slice(c->s, node_field(n, "update")),
                       slice_of(k->k->args[i].name)))
        return true;
  return false;
}

// Drops what F rests on: only compilers and flags may vary.
static void examine_forget(struct finding *f, const char *why) {
  TSNode node = f->m->u.f->node;
  f->plan = (struct plan){ 0 };
  *GROW(f->plan.notes, f->plan.n_notes) = (struct note){ node, why };
  f->sections = (struct sections){ .why = why, .at = node };
}

bool examine_has_threads(const struct plan *plan) {
  bool has = false;
  for (unsigned i = 0; i < plan->n; i++)
    has |= strstr(plan->list[i].text, " num_threads(") != NULL;
  for (unsigned i = 0; i < plan->n_around; i++)
    has |= strstr(plan->around[i].line.text, " num_threads(") != NULL;
  return has;
}

// Drops what is right only where no arrays overlap. The author says so of the loop that
// threads share, but not of the loop in it, which `collapse` adds.
static void examine_drop_unchecked(struct finding *f) {
  struct plan *plan = &f->plan;
  unsigned n = 0;
  for (unsigned i = 0; i < plan->n_around; i++)
    if (!strstr(plan->around[i].line.text, " collapse("))
      plan->around[n++] = plan->around[i];
  plan->n = 0;
  plan->n_around = n;
  plan->threads = examine_has_threads(plan);
  plan->n_notes = 0;
  *GROW(plan->notes, plan->n_notes) = (struct note){
    f->m->u.f->node,
    arena_printf("its arrays may overlap, and no call can look whether they do: %s",
                 f->sections.why)
  };
  f->unchecked = true;
}

struct finding examine(const struct candidates *c, const struct subject *k,
                       const char *threads) {
  struct model *m = scan_function(k->s, k->k, &k->k->main, k->x);
  TSNode odd;
  split_assume(m);
  const char *why = plain_check(m, &odd);
  nests_own(m);
  struct finding f = { .m = m,
                       .plan = plan_function(m, threads, k->shared),
                       .sections = sections_infer(m, false),
                       .what = k->what,
                       .file = c->s,
                       .at = k->at,
                       .checked = c->how.automatic,
                       .odd = why != NULL };
  if (why) {
    f.plan = (struct plan){ 0 };
    *GROW(f.plan.notes, f.plan.n_notes) = (struct note){ odd, why };
  }
  f.divided = !c->how.automatic && !fit_is_same(c->file, c->s, k->at, k->end);
  if (f.divided)
    examine_forget(&f, FIT_DIVIDED);
  if (c->how.automatic && f.sections.why && examine_may_overlap(m) &&
      !owned_all(c, k->x, k->loop, m))
    examine_drop_unchecked(&f); // no call could look whether they do
  f.varies = examine_varies(m, k->openmp, f.divided || f.unchecked, c->how.automatic,
                            &f.numbers) &&
      !f.odd && (f.plan.n == 0 || k->openmp) && (k->openmp || !examine_is_counted(c, k));
  return f;
}
