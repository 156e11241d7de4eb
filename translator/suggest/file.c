// SPDX-License-Identifier: Apache-2.0
// file.c: chooses the kernels of a file among its candidates, and their pragmas; says
// on standard error what they rest on, and what could not be proven.

#include "front/lang/language.h"
#include "front/reach/unit.h"
#include "suggest.h"

// ---- what may be proposed ------------------------------------------------------------

// Returns a name that is not used in the file.
static const char *name_threads(const struct source *s, const struct expansion *x) {
  const char *name = "THREADS";
  for (unsigned i = 2; lex_mentions((struct slice){ s->text, s->size }, slice_of(name)) ||
       names_find(&x->items.names, NAME_MACRO, slice_of(name), NULL) ||
       names_find(&x->items.names, NAME_ORDINARY, slice_of(name), NULL);
       i++)
    name = arena_printf("THREADS_%u", i);
  return name;
}

// Sets the lines of P from F, of the function K.
static void suggest_function(const struct candidates *c, const struct finding *f,
                             const struct kernel *k, const char *threads,
                             struct proposal *p) {
  notes_print(f);
  if (f->plan.n == 0 && !f->varies)
    return;
  *GROW(p->list, p->n) = (struct insertion){
    .offset = plain_start(k->main.node),
    .text = pragma_of_kernel(f, f->plan.threads ? threads : NULL, c->how.digits, "")
  };
  for (unsigned i = 0; i < f->plan.n; i++)
    *GROW(p->list, p->n) = f->plan.list[i];
}

// True if a kernel is proposed that is the function NAME or a loop in it.
static bool suggest_has(const struct proposals *all, struct slice name) {
  for (unsigned i = 0; i < all->n; i++)
    if (all->list[i].n && slice_is(name, all->list[i].function))
      return true;
  return false;
}

// True if the user wrote a kernel that is the function NAME or a loop in it.
static bool suggest_wrote(const struct candidates *c, struct slice name) {
  for (unsigned i = 0; i < c->n_written; i++)
    if (slice_is(name, c->written[i]))
      return true;
  return false;
}

// Returns the first call in N of a function that has a proposal; null: none.
static TSNode call_of_kernel(const struct candidates *c, const struct proposals *all,
                             TSNode n) {
  TSNode f = node_field(n, "function"), found = { 0 };
  if (node_is(n, "call_expression") && node_is(f, "identifier") &&
      (suggest_has(all, source_slice(c->s, f)) ||
       suggest_wrote(c, source_slice(c->s, f))))
    return n;
  for (uint32_t i = 0; i < ts_node_named_child_count(n) && ts_node_is_null(found); i++)
    found = call_of_kernel(c, all, ts_node_named_child(n, i));
  return found;
}

// Returns the first such call in a loop in N.
static TSNode call_in_loop(const struct candidates *c, const struct proposals *all,
                           TSNode n) {
  TSNode found = { 0 };
  if (node_is_loop(n))
    return call_of_kernel(c, all, n);
  for (uint32_t i = 0; i < ts_node_named_child_count(n) && ts_node_is_null(found); i++)
    found = call_in_loop(c, all, ts_node_named_child(n, i));
  return found;
}

static void say_calls(const struct candidates *c, TSNode call, const char *what) {
  struct slice callee = source_slice(c->s, node_field(call, "function"));
  notes_say(c->s, ts_node_start_byte(call),
            arena_printf("%s is left as it is: its loop calls '%.*s', a kernel of its "
                         "own",
                         what, (int)callee.size, callee.data));
}

// Removes proposals for functions whose loops call functions that have proposals. The
// time of such a function is that of the others, and its variants would not call their
// winners. Their other loops may be kernels.
static void drop_callers(struct candidates *c, struct proposals *all) {
  struct proposals before = { arena_alloc((all->n + 1) * sizeof *before.list), all->n };
  for (unsigned i = 0; i < all->n; i++)
    before.list[i] = all->list[i];
  for (unsigned i = 0; i < c->n; i++) {
    struct proposal *p = &all->list[i];
    TSNode call = p->n ? call_in_loop(c, &before, p->node) : (TSNode){ 0 };
    if (ts_node_is_null(call))
      continue;
    say_calls(c, call, p->what);
    p->n = 0;
    *GROW(c->mixed, c->n_mixed) = (struct mixed){ .node = p->node, .name = p->function };
  }
}

// ---- loops of functions that are no kernels as a whole -------------------------------

// Proposes K, of which F is known.
static void nests_propose(const struct candidates *c, const struct nest_kernel *k,
                          const struct finding *f, const char *threads,
                          struct proposals *all) {
  struct proposal p = { .function = k->function, .what = f->what, .node = k->loop };
  size_t at = ts_node_start_byte(k->loop), line = source_line(c->s, k->at, NULL);
  notes_print(f);
  if (f->plan.n == 0 && f->plan.n_around == 0 && !f->varies)
    return;
  *GROW(p.list, p.n) = (struct insertion){ .offset = c->s->lines[line - 1],
                                           .text = pragma_of_kernel(
                                               f, f->plan.threads ? threads : NULL,
                                               c->how.digits, patch_indent(c->s, at)) };
  for (unsigned i = 0; i < f->plan.n; i++)
    *GROW(p.list, p.n) =
        (struct insertion){ .offset = nests_offset(c->s, k, f->plan.list[i].offset),
                            .text = f->plan.list[i].text };
  for (unsigned i = 0; i < f->plan.n_around; i++)
    *GROW(p.list, p.n) = (struct insertion){ .offset = nests_offset(
                                                 c->s, k, f->plan.around[i].line.offset),
                                             .text = f->plan.around[i].line.text };
  *GROW(all->list, all->n) = p;
}

// A loop that holds code that is not understood, or of which only compilers and flags
// vary: proposed if no loop in it is.
struct outer_nest {
  struct nest_kernel k;
  struct finding f;
  unsigned depth; // of the function: callers may be kernels rather than what they call
};
struct outer_nests {
  struct outer_nest *list;
  unsigned n;
};

// Drops the lines of PLAN, for K, that would stand between an #endif and a loop whose
// directive of OpenMP is before that.
static void nests_drop_divided(const struct candidates *c, const struct nest_kernel *k,
                               struct plan *plan) {
  unsigned n = 0;
  for (unsigned i = 0; i < plan->n_around; i++) {
    size_t at = nests_offset(c->s, k, plan->around[i].line.offset);
    if (c->how.automatic || !fit_is_divided(c->file, at))
      plan->around[n++] = plan->around[i];
  }
  unsigned kept = 0;
  for (unsigned i = 0; i < plan->n; i++) {
    size_t at = nests_offset(c->s, k, plan->list[i].offset);
    if (c->how.automatic || !plan->list[i].below || !fit_is_divided(c->file, at))
      plan->list[kept++] = plan->list[i];
  }
  plan->n = kept;
  plan->n_around = n;
  plan->threads = examine_has_threads(plan);
}

// Proposes K, or adds the loops in it to INNER, and perhaps K to OUTER.
static void nests_try(const struct candidates *c, const struct nest_kernel *k,
                      const char *threads, struct proposals *all, struct nests *inner,
                      struct outer_nests *outer) {
  const char *what = arena_printf(
      "the %s in line %u of '%s'",
      node_is(k->loop, "for_statement") ? "loop" : "parallel region",
      source_where(c->s, ts_node_start_byte(k->loop), NULL, NULL), k->function);
  bool holds = nests_hold(k->loop);
  if (!k->k) {
    if (holds)
      nests_inside(c->s, k->loop, k->function, inner);
    if (k->why && (!holds || k->openmp))
      notes_say(c->s, ts_node_start_byte(k->loop),
                arena_printf("%s is left as it is: it is not a kernel of its own: %s",
                             what, k->why));
    return;
  }
  struct subject subject = { .s = k->source,
                             .x = k->x,
                             .k = k->k,
                             .openmp = k->openmp,
                             .shared = k->openmp || openmp_around(c->s, k->loop),
                             .loop = k->loop,
                             .what = what,
                             .at = ts_node_start_byte(k->loop),
                             .end = ts_node_end_byte(k->loop) };
  struct finding f = examine(c, &subject, threads);
  nests_drop_divided(c, k, &f.plan);
  if (f.plan.n == 0 && once_at(c->s, k->loop)) {
    f.varies = f.plan.threads = false;
    f.plan.n_around = 0;
  }
  TSNode call = call_of_kernel(c, all, k->loop);
  bool later = f.plan.n == 0 && f.varies && ts_node_is_null(call);
  bool inside = f.m->n_refusals || f.divided || f.unchecked || !ts_node_is_null(call);
  if (later || (holds && inside)) {
    if (holds && !(k->openmp && later))
      nests_inside(c->s, k->loop, k->function, inner);
    *GROW(outer->list, outer->n) =
        (struct outer_nest){ *k, f, calls_depth(c, k->function) };
  } else if (!ts_node_is_null(call)) {
    say_calls(c, call, what);
  } else {
    nests_propose(c, k, &f, threads, all);
  }
}

// True if a kernel is proposed in N or around it, or one calls the other. FUNCTION: the
// one around N, or N itself.
static bool nests_served(const struct candidates *c, const struct proposals *all,
                         TSNode n, const char *function) {
  for (unsigned i = 0; i < all->n; i++) {
    const struct proposal *p = &all->list[i];
    if (p->n &&
        (node_within(p->node, n) || node_within(n, p->node) ||
         calls_reach(c, n, p->function) || calls_reach(c, p->node, function)))
      return true;
  }
  return !ts_node_is_null(call_of_kernel(c, all, n));
}

// True if a kernel is proposed in N.
static bool nests_proposed_in(const struct proposals *all, TSNode n) {
  for (unsigned i = 0; i < all->n; i++)
    if (all->list[i].n && node_within(all->list[i].node, n))
      return true;
  return false;
}

// Proposes O, of which compilers and flags vary, or all of its function if that may be.
static void nests_vary(const struct candidates *c, const struct outer_nest *o,
                       const char *threads, struct proposals *all) {
  for (unsigned i = 0; i < c->n_mixed; i++) {
    const struct mixed *mixed = &c->mixed[i];
    if (mixed->whole && mixed->whole->varies && !mixed->whole->plan.n &&
        node_within(o->k.loop, mixed->node) && !nests_proposed_in(all, mixed->node)) {
      suggest_function(c, mixed->whole, &c->list[mixed->index], threads,
                       &all->list[mixed->index]);
      return;
    }
  }
  nests_propose(c, &o->k, &o->f, threads, all);
}

// Proposes those of OUTER that are not served by others: callers first, and then what
// holds others; loops in which directives stand before all of these.
static void nests_suggest_outer(const struct candidates *c, struct outer_nests outer,
                                const char *threads, struct proposals *all) {
  for (unsigned i = outer.n; i-- > 0;)
    if (outer.list[i].f.plan.n &&
        !nests_served(c, all, outer.list[i].k.loop, outer.list[i].k.function))
      nests_propose(c, &outer.list[i].k, &outer.list[i].f, threads, all);
  for (unsigned depth = 0, left = outer.n; left; depth++)
    for (unsigned i = 0; i < outer.n; i++) {
      if (outer.list[i].depth != depth)
        continue;
      left--;
      if (!outer.list[i].f.plan.n &&
          !nests_served(c, all, outer.list[i].k.loop, outer.list[i].k.function))
        nests_vary(c, &outer.list[i], threads, all);
    }
}

// Proposes the loops NESTS as kernels; if they hold code that is not understood, the
// loops in them.
static struct outer_nests nests_suggest(const struct candidates *c, struct nests nests,
                                        const char *threads,
                                        const struct compile_options *o,
                                        struct proposals *all) {
  struct outer_nests outer = { 0 };
  while (nests.n) {
    struct nests inner = { 0 };
    nests_outline(c->s, nests.list, nests.n, o);
    for (unsigned i = 0; i < nests.n; i++)
      nests_try(c, &nests.list[i], threads, all, &inner, &outer);
    nests = inner;
  }
  return outer;
}

// Proposes loops of the functions that are no kernels, of those that WAIT or of the
// others.
static void suggest_loops(struct candidates *c, bool wait, const char *threads,
                          const struct compile_options *o, struct proposals *all) {
  struct nests nests = { 0 };
  for (unsigned i = 0; i < c->n_mixed; i++) {
    const struct mixed *m = &c->mixed[i];
    bool whole = m->waits && m->whole && !m->whole->m->n_refusals;
    if (m->waits == wait && !whole && !(wait && nests_served(c, all, m->node, m->name)))
      nests_collect(c->s, node_field(m->node, "body"), m->name, &nests);
  }
  nests_sort(&nests);
  nests_suggest_outer(c, nests_suggest(c, nests, threads, o, all), threads, all);
}

// Proposes loops of the functions that are no kernels, or else says why there is none.
static void suggest_mixed(struct candidates *c, const char *threads,
                          const struct compile_options *o, struct proposals *all) {
  suggest_loops(c, false, threads, o, all);
  suggest_loops(c, true, threads, o, all);
  for (unsigned i = 0; i < c->n_mixed; i++) {
    struct mixed *mixed = &c->mixed[i];
    if (suggest_has(all, slice_of(mixed->name)))
      continue;
    if (mixed->why)
      notes_say(c->s, ts_node_start_byte(mixed->node),
                arena_printf("'%s' is left as it is: %s", mixed->name, mixed->why));
    else if (mixed->whole && !nests_served(c, all, mixed->node, mixed->name))
      suggest_function(c, mixed->whole, &c->list[mixed->index], threads,
                       &all->list[mixed->index]);
  }
}

// ---- the file ------------------------------------------------------------------------

// Proposes each function that may be a kernel as a whole. One that holds code that is not
// understood becomes a mixed one.
static void suggest_functions(struct candidates *c, const struct expansion *x,
                              const char *threads, struct proposals *all) {
  for (unsigned i = 0; i < c->n; i++) {
    struct kernel *k = &c->list[i];
    struct proposal *p = GROW(all->list, all->n);
    *p = (struct proposal){ .function = k->main.name,
                            .what = arena_printf("'%s'", k->main.name),
                            .node = k->main.node };
    if (!expand_function(x, &k->main)) // an #if may leave it out
      continue;
    expand_classify(x, k);
    struct finding *f = arena_alloc(sizeof *f);
    struct subject whole = {
      c->s, x, k, .what = p->what, .at = k->main.start, .end = k->main.end
    };
    *f = examine(c, &whole, threads);
    bool waits = calls_shared(c, p->function);
    if (f->m->n_refusals || f->divided || f->unchecked || waits)
      *GROW(c->mixed, c->n_mixed) = (struct mixed){ .node = p->node,
                                                    .name = p->function,
                                                    .whole = f->odd ? NULL : f,
                                                    .index = i,
                                                    .waits = waits };
    else
      suggest_function(c, f, k, threads, p);
  }
}

// Adds what ALL makes kernels.
static void suggest_name(const struct candidates *c, const struct proposals *all,
                         struct suggestions *found) {
  unsigned n = 0;
  for (unsigned i = 0; i < all->n; i++) {
    const struct proposal *p = &all->list[i];
    bool whole = node_is(p->node, "function_definition");
    if (!p->n)
      continue;
    *GROW(found->kernels, found->n_kernels) =
        (struct suggested){ .what = p->what,
                            .function = p->function,
                            .whole = whole,
                            .at = ts_node_start_byte(p->node),
                            .end = ts_node_end_byte(p->node),
                            .list = p->list,
                            .n = p->n };
    if (whole)
      *GROW(found->names, n) = p->function;
  }
  *GROW(found->names, n) = NULL;
  found->loops = c->loops;
}

bool suggest_file(struct source *file, const struct compile_options *o,
                  struct suggest_how how, struct suggestions *found) {
  struct source *s = active_text(file, o, how.automatic);
  struct candidates c = { .s = s, .file = file, .how = how };
  struct proposals all = { 0 };
  unsigned n = 0;
  c.pragmas = pragma_all(s, &c.n_pragmas);
  source_parse(s, o->language);
  candidates_find(&c, ts_tree_root_node(s->tree));
  if (diag_errors())
    return false;
  const struct expansion *x = candidates_loops((struct slice){ s->text, s->size })
      ? expand_file(s, c.list, c.n, "clang", o)
      : NULL;
  if ((c.n || c.n_mixed) && !x) {
    fprintf(
        stderr,
        "%s: '%s' cannot preprocess this file: put -I and -D of the build after `--`\n",
        s->path, o->clang);
    return false;
  }
  if (x && s->language->instances)
    s->language->instances(c.list, c.n, x, o);
  candidates_say_hidden(&c, x);
  if (x) {
    const char *threads = name_threads(s, x);
    suggest_functions(&c, x, threads, &all);
    drop_callers(&c, &all);
    if (!how.automatic || c.n_pragmas == 0) // loops' names do not tell whose pragma it is
      suggest_mixed(&c, threads, o, &all);
    drop_callers(&c, &all);
  }
  struct insertion *list = refused_drop_all(&c, &all, o, &n);
  *found =
      (struct suggestions){ .source = how.automatic ? s : file, .list = list, .n = n };
  suggest_name(&c, &all, found);
  return true;
}
