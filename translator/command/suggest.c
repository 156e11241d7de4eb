// SPDX-License-Identifier: Apache-2.0
// suggest.c: `autotune suggest`: the functions of a file whose loops may be tuned, and the pragmas for that, as
// a patch on standard output; on standard error, what cannot be proven and what is assumed.
#include <errno.h>
#include <string.h>

#include "autotune.h"
#include "kernel/kernel.h"
#include "suggest/suggest.h"
#include "unit/unit.h"

static const char usage[] =
  "usage: autotune suggest IN.c [-- COMPILER ARGUMENTS…]\n"
  "Prints a patch that puts pragmas on the loops of IN.c: autotune suggest IN.c | patch -p1\n"
  "Standard error says what it rests on, and what could not be proven.\n";

struct candidates {
  const struct source *s;
  const struct pragma *pragmas; unsigned n_pragmas;
  struct kernel *list; unsigned n;
};

static void say(const struct source *s, TSNode at, const char *text)
{
  const char *path;
  unsigned column, line = source_where(s, ts_node_start_byte(at), &path, &column);
  fprintf(stderr, "%s:%u:%u: note: %s\n", path, line, column, text);
}

// ---- which functions -----------------------------------------------------------------------------------

static bool has_pragma(const struct candidates *c, const struct function *f)
{
  for (unsigned i = 0; i < c->n_pragmas; i++)
    if (after_gap(c->s, c->pragmas[i].end, c->s->size) == f->start ||
        (c->pragmas[i].offset > f->start && c->pragmas[i].offset < f->end))
      return true;
  return lex_mentions((struct slice){ c->s->text + f->start, f->end - f->start }, slice_of("omp"));
}

static bool holds_loop(TSNode n)
{
  if (node_is_type(n, "for_statement"))
    return true;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (holds_loop(ts_node_named_child(n, i)))
      return true;
  return false;
}

// All have names, or there are none.
static bool has_plain_arguments(const struct candidates *c, TSNode list)
{
  for (uint32_t i = 0; i < ts_node_named_child_count(list); i++) {
    TSNode n = ts_node_named_child(list, i);
    bool alone = ts_node_named_child_count(list) == 1 && slice_is(source_slice(c->s, n), "void");
    if (!node_is_type(n, "comment") && !alone &&
        (!node_is_type(n, "parameter_declaration") || ts_node_is_null(node_field(n, "declarator"))))
      return false;
  }
  return true;
}

// `type name(arguments) { … }` and nothing stranger.
static bool is_plain_function(const struct candidates *c, TSNode n)
{
  TSNode d = node_field(n, "declarator");
  TSNode name = node_field(d, "declarator");
  return node_is_type(d, "function_declarator") && node_is_type(name, "identifier") &&
         !slice_is(source_slice(c->s, name), "main") && !ts_node_has_error(n) &&
         has_plain_arguments(c, node_field(d, "parameters"));
}

static void add_function(struct candidates *c, TSNode n)
{
  struct kernel k = { .choose = -1, .atol = -1 };
  TSNode body = node_field(n, "body");
  if (!holds_loop(body) || !is_plain_function(c, n))
    return;
  k.main = (struct function){ .node = n, .start = ts_node_start_byte(n),
                              .end = ts_node_end_byte(n), .body_at = ts_node_start_byte(body) };
  if (has_pragma(c, &k.main))
    say(c->s, n, "left as it is: it has pragmas already");
  else if (signature_read(c->s, &k.main, &k)) {
    *GROW(k.compilers, k.n_compilers) = "clang";
    *GROW(c->list, c->n) = k;
  }
}

static void find_functions(struct candidates *c, TSNode n)
{
  if (node_is_type(n, "function_definition")) {
    add_function(c, n);
    return;
  }
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    find_functions(c, ts_node_named_child(n, i));
}

// ---- the pragma of a function --------------------------------------------------------------------------

static void put_sections(const struct sections *found, unsigned access, const char *clause,
                         struct text *t)
{
  unsigned n = 0;
  for (unsigned i = 0; i < found->n; i++)
    if (found->list[i].access == access)
      text_printf(t, "%s%s", n++ ? ", " : clause, found->list[i].name);
  text_printf(t, n ? ")" : "");
}

// As many threads as this process may use, and the powers of two below.
static void put_threads(const struct autotune_machine *m, struct text *t)
{
  long long n = m->threads, power = 1;
  while (2 * power < n)
    power *= 2;
  text_printf(t, " \\\n    param(THREADS: %lld", n);
  for (; n > 1 && power > 0; power /= 2)
    text_printf(t, ", %lld", power);
  text_printf(t, ") constraint(THREADS <= AUTOTUNE_THREADS)");
}

static const char *kernel_pragma(const struct sections *found, bool threads)
{
  struct text t = { 0 };
  const struct autotune_machine *m = plan_machine();
  bool wide = m->vector >= 64;
  text_printf(&t, "#pragma autotune kernel%s",
              wide ? " flags(\"\", \"-mprefer-vector-width=512\")" : "");
  if (threads)
    put_threads(m, &t);
  if (!found->why && found->n) {
    text_printf(&t, " \\\n   ");
    put_sections(found, AUTOTUNE_IN, " in(", &t);
    put_sections(found, AUTOTUNE_OUT, " out(", &t);
    put_sections(found, AUTOTUNE_INOUT, " inout(", &t);
  }
  text_printf(&t, "\n");
  return t.data;
}

// ---- what is said ------------------------------------------------------------------------------------

// Arrays that something else may overlap, as far as their declarations go.
static void say_assumed(const struct model *m, const struct sections *found)
{
  struct text names = { 0 };
  unsigned arguments = 0;
  bool written = false;
  for (unsigned i = 0; i < m->n_arrays; i++) {
    const struct array *a = m->arrays[i];
    arguments += !a->local && (a->read || a->written);
    if (a->local || a->global || a->restricted || !(a->read || a->written))
      continue;
    written |= a->written;
    text_printf(&names, "%s'%.*s'", names.size ? ", " : "", (int)a->name.size, a->name.data);
  }
  if (names.size && written && arguments > 1)
    say(m->b.s, m->b.f->node, arena_printf("assumed: no other array overlaps %s; "
                                           "'restrict' would say so", names.data));
  if (found->assumed)
    say(m->b.s, m->b.f->node, arena_printf("assumed of each call: %s", found->assumed));
}

static void say_notes(const struct model *m, const struct plan *plan, const struct sections *found)
{
  for (unsigned i = 0; i < plan->n_notes; i++)
    say(m->b.s, plan->notes[i].at, plan->notes[i].text);
  if (plan->n == 0)
    say(m->b.s, m->b.f->node, arena_printf("'%s' is left as it is", m->b.f->name));
  if (plan->n && found->why)
    say(m->b.s, found->at, arena_printf("no sections: %s; without out(…) nothing is verified",
                                        found->why));
  if (plan->n)
    say_assumed(m, found);
}

static int by_offset(const struct insertion *a, const struct insertion *b)
{
  return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static void sort(struct insertion *list, unsigned n)
{
  for (unsigned i = 1; i < n; i++)
    for (unsigned j = i; j > 0 && by_offset(&list[j], &list[j - 1]) < 0; j--) {
      struct insertion swapped = list[j];
      list[j] = list[j - 1];
      list[j - 1] = swapped;
    }
}

static void suggest_kernel(const struct source *s, struct kernel *k, const struct expansion *x,
                           struct insertion **list, unsigned *n)
{
  struct model *m = scan_function(s, k, &k->main, x);
  struct plan plan = plan_function(m);
  struct sections found = sections_infer(m, false);
  say_notes(m, &plan, &found);
  if (plan.n == 0)
    return;
  *GROW(*list, *n) = (struct insertion){ k->main.start, kernel_pragma(&found, plan.threads) };
  for (unsigned i = 0; i < plan.n; i++)
    *GROW(*list, *n) = plan.list[i];
}

// The patched file must be one that the other commands take.
static bool is_fine(const struct source *s, const struct insertion *list, unsigned n,
                    const struct compile_options *o)
{
  struct text all = { 0 };
  unsigned errors = diag_errors(), n_kernels;
  patch_apply(s, list, n, &all);
  struct source *patched = source_of(s->path, all.data, all.size);
  translate_kernels(patched, o, &n_kernels);
  return diag_errors() == errors;
}

static bool suggest(struct source *s, const struct compile_options *o)
{
  struct candidates c = { .s = s };
  struct insertion *list = NULL;
  struct text out = { 0 };
  unsigned n = 0;
  c.pragmas = pragma_all(s, &c.n_pragmas);
  source_parse(s);
  find_functions(&c, ts_tree_root_node(s->tree));
  if (diag_errors())
    return false;
  const struct expansion *x = c.n ? expand_file(s, c.list, c.n, "clang", o) : NULL;
  if (c.n && !x) {
    fprintf(stderr, "%s: '%s' cannot preprocess this file: -I and -D of the build go behind `--`\n",
            s->path, o->clang);
    return false;
  }
  for (unsigned i = 0; i < c.n; i++)
    if (expand_function(x, &c.list[i].main)) { // an #if may leave it out
      expand_classify(x, &c.list[i]);
      suggest_kernel(s, &c.list[i], x, &list, &n);
    }
  sort(list, n);
  if (n == 0)
    fprintf(stderr, "%s: nothing to suggest\n", s->path);
  else if (!is_fine(s, list, n, o))
    return false;
  patch_write(s, list, n, &out);
  return fwrite(out.data ? out.data : "", 1, out.size, stdout) == out.size && fflush(stdout) == 0;
}

int command_suggest(int argc, char **argv)
{
  const char *in = NULL;
  int i = 1;
  for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], "--help") == 0)
      return fputs(usage, stdout) < 0;
    if (argv[i][0] == '-' || in)
      return fprintf(stderr, "autotune suggest: unexpected %s\n%s", argv[i], usage), 2;
    in = argv[i];
  }
  if (!in)
    return fputs(usage, stderr), 2;
  struct source *s = source_read(in);
  if (!s)
    fatal("%s: %s", in, strerror(errno));
  struct compile_options o = translate_options(in, argv + (i < argc ? i + 1 : argc));
  if (o.cuda || s->cuda)
    return fprintf(stderr, "autotune suggest: %s: CUDA kernels have no loops to suggest for: "
                           "block(…) is their pragma\n", in), 1;
  return suggest(s, &o) ? 0 : 1;
}
