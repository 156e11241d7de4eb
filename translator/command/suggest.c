// SPDX-License-Identifier: Apache-2.0
// suggest.c: `autotune suggest`: prints, as a patch on standard output, pragmas for
// functions whose loops may be tuned; on standard error, unproven facts and assumptions.
#include <errno.h>
#include <string.h>

#include "front/lang/language.h"
#include "cc/cc.h"
#include "autotune_abi.h"
#include "front/kernel/kernel.h"
#include "suggest/suggest.h"
#include "tools/common/command.h"
#include "front/reach/unit.h"

enum { MAX_WIDTH = 96 }; // of a line, if clauses are short enough

struct candidates {
  const struct source *s;
  const struct pragma *pragmas;
  unsigned n_pragmas;
  struct kernel *list;
  unsigned n;
  TSNode *seen; // all functions in the tree
  unsigned n_seen;
  bool loops; // a function has some
};

static void suggest_say(const struct source *s, size_t at, const char *text) {
  const char *path;
  unsigned column, line = source_where(s, at, &path, &column);
  fprintf(stderr, "%s:%u:%u: note: %s\n", path, line, column, text);
}

// ---- which functions ----------------------------------------------------------------

static bool has_pragma(const struct candidates *c, const struct function *f) {
  for (unsigned i = 0; i < c->n_pragmas; i++)
    if (after_gap(c->s, c->pragmas[i].end, c->s->size) == f->start ||
        (c->pragmas[i].offset > f->start && c->pragmas[i].offset < f->end))
      return true;
  return lex_mentions((struct slice){ c->s->text + f->start, f->end - f->start },
                      slice_of("omp"));
}

// Returns why a function with the arguments LIST is no kernel; NULL: all have names, or
// there are none.
static const char *why_arguments(const struct candidates *c, TSNode list) {
  for (uint32_t i = 0; i < ts_node_named_child_count(list); i++) {
    TSNode n = ts_node_named_child(list, i);
    bool alone = ts_node_named_child_count(list) == 1 &&
        slice_is(source_slice(c->s, n), "void");
    if (node_is(n, "variadic_parameter"))
      return "a kernel cannot have variable arguments";
    if (node_is(n, "identifier"))
      return "the types of its arguments do not stand within the parentheses";
    if (!node_is(n, "comment") && !alone &&
        (!node_is(n, "parameter_declaration") ||
         ts_node_is_null(node_field(n, "declarator"))))
      return "an argument has no name";
  }
  return NULL;
}

// Returns why the function N is no kernel; NULL: it is `type name(arguments) { … }`
// without further syntax.
static const char *why_not_plain(const struct candidates *c, TSNode n) {
  TSNode d = node_field(n, "declarator");
  TSNode name = node_field(d, "declarator");
  if (node_is(d, "pointer_declarator"))
    return "it returns a pointer";
  if (!node_is(d, "function_declarator") || !node_is(name, "identifier"))
    return "its head is not of the form 'type name(arguments)'";
  if (slice_is(source_slice(c->s, name), "main"))
    return "'main' is no kernel: write '#pragma autotune kernel' before its loops";
  return why_arguments(c, node_field(d, "parameters"));
}

static void add_function(struct candidates *c, TSNode n) {
  struct kernel k = { .choose = -1, .atol = -1, .language = c->s->language };
  TSNode body = node_field(n, "body");
  *GROW(c->seen, c->n_seen) = n;
  if (!node_holds(body, "for_statement"))
    return;
  const char *why = why_not_plain(c, n);
  k.main = (struct function){ .node = n,
                              .start = ts_node_start_byte(n),
                              .end = ts_node_end_byte(n),
                              .body_at = ts_node_start_byte(body) };
  c->loops = true;
  if (why)
    suggest_say(c->s, k.main.start, arena_printf("left as it is: %s", why));
  else if (has_pragma(c, &k.main))
    suggest_say(c->s, k.main.start, "left as it is: it has pragmas already");
  else if (signature_read(c->s, &k.main, &k)) {
    *GROW(k.compilers, k.n_compilers) = "clang";
    *GROW(c->list, c->n) = k;
  }
}

static void find_functions(struct candidates *c, TSNode n) {
  if (node_is(n, "function_definition")) {
    add_function(c, n);
    return;
  }
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    find_functions(c, ts_node_named_child(n, i));
}

// True if the tree has a function within [START, END).
static bool is_seen(const struct candidates *c, size_t start, size_t end) {
  for (unsigned i = 0; i < c->n_seen; i++)
    if (ts_node_start_byte(c->seen[i]) < end && start < ts_node_end_byte(c->seen[i]))
      return true;
  return false;
}

// Says which functions with loops the compiler sees in the file, but the tree lacks.
static void say_hidden(struct candidates *c, const struct expansion *x) {
  for (unsigned i = 0; x && i < x->items.n; i++) {
    const struct item *item = &x->items.list[i];
    if (!item->body || !item->n_names || item->end <= item->start ||
        !lex_mentions(item->text, slice_of("for")) || is_seen(c, item->start, item->end))
      continue;
    struct slice name = item->names[0].name,
                 text = { c->s->text + item->start, item->end - item->start };
    c->loops = true;
    suggest_say(c->s, item->start,
                arena_printf("'%.*s' is left as it is: %s", (int)name.size, name.data,
                             lex_mentions(text, name)
                                 ? "an #if or a macro hides a part of its syntax"
                                 : "a macro makes its head"));
  }
}

// ---- the pragma of a function -------------------------------------------------------

// Appends clauses for ACCESS. *WIDTH is the width of the line so far; 0: no line is
// begun.
static void put_sections(const struct sections *found, unsigned access,
                         const char *clause, size_t *width, struct text *t) {
  struct text c = { 0 };
  for (unsigned i = 0; i < found->n; i++)
    if (found->list[i].access == access)
      text_printf(&c, "%s%s%s", c.size ? ", " : clause, c.size ? "" : "(",
                  found->list[i].name);
  if (!c.size)
    return;
  bool next = *width == 0 || *width + c.size > MAX_WIDTH;
  text_printf(t, next ? " \\\n    %s)" : " %s)", c.data);
  *width = (next ? 4 : *width + 1) + c.size + 1;
}

// Appends the number of threads that this process may use, and the smaller powers of two.
static void put_threads(const struct autotune_machine *m, const char *name,
                        struct text *t) {
  long long n = m->threads, power = 1;
  while (2 * power < n)
    power *= 2;
  text_printf(t, " \\\n    param(%s: %lld", name, n);
  for (; n > 1 && power > 0; power /= 2)
    text_printf(t, ", %lld", power);
  text_printf(t, ") constraint(%s <= AUTOTUNE_THREADS)", name);
}

// Returns the kernel's pragma. THREADS is the name of the param of threads, or NULL.
static const char *kernel_pragma(const struct sections *found, const char *threads) {
  struct text t = { 0 };
  const struct autotune_machine *m = plan_machine();
  bool wide = m->vector >= 64;
  text_printf(&t, "#pragma autotune kernel%s",
              wide ? " flags(\"\", \"-mprefer-vector-width=512\")" : "");
  if (threads)
    put_threads(m, threads, &t);
  if (!found->why && found->n) {
    size_t width = 0;
    for (unsigned access = AUTOTUNE_IN; access <= AUTOTUNE_INOUT; access++)
      put_sections(found, access, sections_access[access], &width, &t);
  }
  text_printf(&t, "\n");
  return t.data;
}

// ---- messages ------------------------------------------------------------------------

// Prints the arrays that other objects may overlap, as far as their declarations show.
static void say_assumed(const struct model *m, const struct sections *found) {
  struct text names = { 0 };
  unsigned arguments = 0;
  bool written = false;
  for (unsigned i = 0; i < m->n_arrays; i++) {
    const struct array *a = m->arrays[i];
    arguments += !a->local && (a->read || a->written);
    if (a->local || a->global || a->restricted || !(a->read || a->written))
      continue;
    written |= a->written;
    text_printf(&names, "%s'%.*s'", names.size ? ", " : "", (int)a->name.size,
                a->name.data);
  }
  if (names.size && written && arguments > 1)
    suggest_say(m->source, m->function->start,
                arena_printf("assumed: no other array overlaps %s; "
                             "'restrict' would say so",
                             names.data));
  if (!ts_node_is_null(found->row))
    suggest_say(m->source, model_offset(m, found->row, NULL),
                "assumed: subscripts stay within their rows");
  if (found->assumed)
    suggest_say(m->source, m->function->start,
                arena_printf("assumed of each call: %s", found->assumed));
}

static void say_notes(const struct model *m, const struct plan *plan,
                      const struct sections *found) {
  const char *name = m->function->name;
  if (plan->n == 0 && plan->n_notes) { // one reason is enough
    suggest_say(m->source, model_offset(m, plan->notes[0].at, NULL),
                arena_printf("'%s' is left as it is: %s", name, plan->notes[0].text));
    return;
  }
  for (unsigned i = 0; i < plan->n_notes; i++)
    suggest_say(m->source, model_offset(m, plan->notes[i].at, NULL), plan->notes[i].text);
  if (plan->n == 0)
    suggest_say(m->source, m->function->start,
                arena_printf("'%s' is left as it is", name));
  if (plan->n && found->why)
    suggest_say(
        m->source, model_offset(m, found->at, NULL),
        arena_printf("no sections: %s; without out(…) nothing is verified", found->why));
  if (plan->n)
    say_assumed(m, found);
}

static int suggest_by_offset(const struct insertion *a, const struct insertion *b) {
  return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static void suggest_sort(struct insertion *list, unsigned n) {
  for (unsigned i = 1; i < n; i++)
    for (unsigned j = i; j > 0 && suggest_by_offset(&list[j], &list[j - 1]) < 0; j--) {
      struct insertion swapped = list[j];
      list[j] = list[j - 1];
      list[j - 1] = swapped;
    }
}

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

struct proposal {
  struct insertion *list;
  unsigned n;
}; // for one kernel

static struct proposal suggest_kernel(const struct source *s, const struct expansion *x,
                                      struct kernel *k, const char *threads) {
  struct proposal p = { 0 };
  struct model *m = scan_function(s, k, &k->main, x);
  struct plan plan = plan_function(m, threads);
  struct sections found = sections_infer(m, false);
  say_notes(m, &plan, &found);
  if (plan.n == 0)
    return p;
  *GROW(p.list, p.n) =
      (struct insertion){ k->main.start,
                          kernel_pragma(&found, plan.threads ? threads : NULL) };
  for (unsigned i = 0; i < plan.n; i++)
    *GROW(p.list, p.n) = plan.list[i];
  return p;
}

// Returns NULL if the other commands accept the patched file, otherwise their first
// error.
static const char *suggest_refused(const struct source *s, const struct insertion *list,
                                   unsigned n, const struct compile_options *o) {
  struct text all = { 0 };
  unsigned n_kernels;
  patch_apply(s, list, n, &all);
  struct source *patched = source_of(s->path, all.data, all.size);
  diag_try();
  translate_kernels(patched, o, &n_kernels);
  return diag_tried();
}

// Returns the first call in N, which is within a loop, of a function that has a proposal
// in ALL; null: none.
static TSNode call_of_kernel(const struct candidates *c, const struct proposal *all,
                             TSNode n) {
  TSNode f = node_field(n, "function"), found = { 0 };
  if (node_is(n, "call_expression") && node_is(f, "identifier"))
    for (unsigned i = 0; i < c->n; i++)
      if (all[i].n && slice_is(source_slice(c->s, f), c->list[i].main.name))
        return n;
  for (uint32_t i = 0; i < ts_node_named_child_count(n) && ts_node_is_null(found); i++)
    found = call_of_kernel(c, all, ts_node_named_child(n, i));
  return found;
}

// Returns the first such call in a loop in N.
static TSNode call_in_loop(const struct candidates *c, const struct proposal *all,
                           TSNode n) {
  TSNode found = { 0 };
  if (node_is(n, "for_statement") || node_is(n, "while_statement") ||
      node_is(n, "do_statement"))
    return call_of_kernel(c, all, n);
  for (uint32_t i = 0; i < ts_node_named_child_count(n) && ts_node_is_null(found); i++)
    found = call_in_loop(c, all, ts_node_named_child(n, i));
  return found;
}

// Removes proposals for functions whose loops call functions that have proposals. The
// time of such a function is that of the others, and its variants would not call their
// winners.
static void drop_callers(const struct candidates *c, struct proposal *all) {
  struct proposal *before = arena_alloc((c->n + 1) * sizeof *before);
  for (unsigned i = 0; i < c->n; i++)
    before[i] = all[i];
  for (unsigned i = 0; i < c->n; i++) {
    TSNode call = before[i].n ? call_in_loop(c, before, c->list[i].main.node)
                              : (TSNode){ 0 };
    if (ts_node_is_null(call))
      continue;
    struct slice callee = source_slice(c->s, node_field(call, "function"));
    suggest_say(c->s, ts_node_start_byte(call),
                arena_printf("'%s' is left as it is: its loop calls '%.*s', a kernel of "
                             "its own",
                             c->list[i].main.name, (int)callee.size, callee.data));
    all[i].n = 0;
  }
}

static struct insertion *suggest_join(const struct proposal *all, unsigned n,
                                      unsigned *total) {
  struct insertion *list = NULL;
  *total = 0;
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < all[i].n; j++)
      *GROW(list, *total) = all[i].list[j];
  suggest_sort(list, *total);
  return list;
}

// Removes proposals that the translator would refuse for reasons that only it knows.
static void drop_refused(const struct candidates *c, struct proposal *all,
                         const struct compile_options *o) {
  for (unsigned i = 0; i < c->n; i++) {
    unsigned n;
    struct insertion *list = suggest_join(&all[i], 1, &n);
    const char *why = n ? suggest_refused(c->s, list, n, o) : NULL;
    if (!why)
      continue;
    suggest_say(c->s, c->list[i].main.start,
                arena_printf("'%s' is left as it is: it cannot be a kernel: %s",
                             c->list[i].main.name, why));
    all[i].n = 0;
  }
}

static bool suggest(struct source *s, const struct compile_options *o) {
  struct candidates c = { .s = s };
  struct text out = { 0 };
  unsigned n = 0;
  c.pragmas = pragma_all(s, &c.n_pragmas);
  source_parse(s, o->language);
  find_functions(&c, ts_tree_root_node(s->tree));
  if (diag_errors())
    return false;
  const struct expansion *x =
      lex_mentions((struct slice){ s->text, s->size }, slice_of("for"))
      ? expand_file(s, c.list, c.n, "clang", o)
      : NULL;
  struct proposal *all = arena_alloc((c.n + 1) * sizeof *all);
  if (c.n && !x) {
    fprintf(
        stderr,
        "%s: '%s' cannot preprocess this file: put -I and -D of the build after `--`\n",
        s->path, o->clang);
    return false;
  }
  say_hidden(&c, x);
  const char *threads = x ? name_threads(s, x) : NULL;
  for (unsigned i = 0; i < c.n; i++)
    if (expand_function(x, &c.list[i].main)) { // an #if may leave it out
      expand_classify(x, &c.list[i]);
      all[i] = suggest_kernel(s, x, &c.list[i], threads);
    }
  drop_callers(&c, all);
  struct insertion *list = suggest_join(all, c.n, &n);
  if (n && suggest_refused(s, list, n, o)) {
    drop_refused(&c, all, o);
    list = suggest_join(all, c.n, &n);
  }
  if (n == 0)
    fprintf(stderr, "%s: nothing to suggest%s\n", s->path,
            c.loops ? "" : ": no function has a 'for' loop");
  patch_write(s, list, n, &out);
  return fwrite(out.data ? out.data : "", 1, out.size, stdout) == out.size &&
      fflush(stdout) == 0;
}

static int suggest_run(const struct arguments *a) {
  const char *in = a->words[0];
  struct source *s = source_read(in);
  if (!s)
    fatal("%s: %s", in, strerror(errno));
  struct compile_options o = cc_options(in, a->rest);
  if (!o.language->not_suggested)
    return suggest(s, &o) ? 0 : 1;
  fprintf(stderr, "autotune suggest: %s: %s\n", in, o.language->not_suggested);
  return 1;
}

const struct command command_suggest = {
  "suggest",
  "IN.c [-- ARGS…]",
  "a patch with pragmas for the loops of a file",
  .details = "  for patch: autotune suggest IN.c | patch -p1\n",
  .notes = "Standard error says what it rests on, and what could not be proven.\n",
  .least = 1,
  .most = 1,
  .rest = REST_AFTER_DASHES,
  .run = suggest_run,
};
