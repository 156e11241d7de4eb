// SPDX-License-Identifier: Apache-2.0
// cuda.c: CUDA C++ as a language: its syntax beyond the grammar, its passes, its tables,
// and its part of `autotune check`.
#include <string.h>

#include "autotune_abi.h"
#include "cuda.h"
#include "front/lang/language.h"
#include "front/reach/unit.h"
#include "items.h"

const TSLanguage *tree_sitter_cuda(void); // a grammar's one symbol; it has no header

// ---- syntax --------------------------------------------------------------------------

// Finds the end of an attribute. `]` may close the captures of a lambda: `[=] __device__
// (int i) { … }`.
static const char *attribute_end(struct slice previous, struct slice word,
                                 struct lexer l) {
  if (slice_is(previous, "]") &&
      (slice_is(word, "__device__") || slice_is(word, "__host__"))) {
    struct lexer ahead = l;
    return slice_is(lex(&ahead).text, "__device__") ? ahead.p : l.p;
  }
  return cuda_entry_attribute(word) || slice_is(word, "__align__") ||
          slice_is(word, "__builtin_align__")
      ? skip_brackets(&l)
      : NULL;
}

// Moves L past `template <…>` if L is at one.
static void skip_template(struct lexer *l) {
  struct lexer ahead = *l;
  if (slice_is(lex(&ahead).text, "template") && cut_skip_angles(&ahead))
    *l = ahead;
}

static bool goes_on_after(struct slice before) {
  return slice_is(before, ">") || slice_is(before, "__global__") ||
      (before.size && *before.data == '"'); // of `extern "C"`
}

// ---- passes --------------------------------------------------------------------------

static bool same_scope(const struct kernel *a, const struct kernel *b) {
  return slices_same(cxx_of(a)->namespaces, cxx_of(b)->namespaces);
}

// Diagnoses baking, which CUDA does not have: a baked file has no runtime, and winners
// are compiled for the device of the machine.
static bool refuse_baking(const struct translation *t) {
  const struct pragma *p = &t->pragmas[0];
  diag_error(t->s, p->offset, p->end - p->offset,
             "ship wisdom, and run with AUTOTUNE_MODE=locked",
             "kernels of CUDA cannot be baked");
  return false;
}

static bool cuda_translate(struct translation *t, struct text *out) {
  unsigned n = t->n_kernels;
  if (t->o->baking)
    return refuse_baking(t);
  struct launches launches = cuda_launches(t->s, t->kernels, n);
  struct items *items = cuda_items(t->s, t->o);
  const struct expansion *x = cuda_macros(t->s, t->kernels, n, items);
  for (unsigned i = 0; i < n; i++) {
    adopt_headers(&t->kernels[i], x);
    adopt_options(&t->kernels[i], t->o);
    cuda_prepare_expand(t->s, &t->kernels[i], x);
  }
  if ((!out && !t->o->units) || diag_errors() != t->errors)
    return diag_errors() == t->errors;
  struct cuda_unit *units = arena_alloc((n + 1) * sizeof *units);
  for (unsigned i = 0; i < n; i++)
    units[i] = cuda_unit_build(t->s, t->kernels, n, &t->kernels[i], items, t->o);
  for (unsigned i = 0; i < n && t->o->units; i++)
    cuda_trial(t->s, &t->kernels[i], &units[i], t->o->units);
  if (!out)
    return diag_errors() == t->errors;
  cuda_emit(t->s, t->pragmas, t->n_pragmas, t->kernels, n, &launches, items, units, x,
            t->o, out);
  return diag_errors() == t->errors;
}

// ---- autotune check ------------------------------------------------------------------

static void print_dims(const char *what, const struct dims *d) {
  printf("    %s ", what);
  for (unsigned i = 0; i < d->n; i++)
    printf("%s%.*s", i ? ", " : "", (int)d->of[i].size, d->of[i].data);
  putchar('\n');
}

// Prints how variants are launched; block(16x16, …) is printed among the parameters.
static void print_geometry(const struct cuda_kernel *c) {
  puts("  geometry");
  if (c->block.n)
    print_dims("block ", &c->block);
  else if (c->block_param < 0)
    puts("    block  as launched");
  if (c->grid.n)
    print_dims("grid  ", &c->grid);
  else if (c->block.n || c->block_param >= 0)
    puts(
        c->ceil
            ? "    grid   the threads of the launch, rounded up"
            : "    grid   the threads of the launch; blocks that do not divide them are left "
              "out");
  else
    puts("    grid   as launched");
  if (c->shared.size)
    printf("    shared %.*s\n", (int)c->shared.size, c->shared.data);
  if (c->flags & AUTOTUNE_GPU_NO_ISOLATE)
    puts("    variants are first tried in this process: isolate(off)");
  if (c->flags & AUTOTUNE_GPU_NO_FLUSH)
    puts("    the cache is not flushed between runs: flush(off)");
}

static void print_prepared(const struct cuda_kernel *c) {
  if (c->n_prepared)
    puts("  made by the host for each variant");
  for (unsigned i = 0; i < c->n_prepared; i++)
    printf("    %.*s\n", (int)c->prepared[i].text.size, c->prepared[i].text.data);
}

static void print_launches(const struct source *s, const struct cuda_kernel *c) {
  puts("  launches");
  for (unsigned i = 0; i < c->n_launches; i++) {
    const struct launch *l = &c->launches[i];
    const char *path;
    unsigned line = source_where(s, l->start, &path, NULL);
    printf("    %s:%u: %.*s", path, line, (int)l->callee.size, l->callee.data);
    if (l->template_args.size)
      printf("<%.*s>", (int)l->template_args.size, l->template_args.data);
    fputs("<<<", stdout);
    for (unsigned j = 0; j < l->n_config; j++)
      printf("%s%.*s", j ? ", " : "", (int)l->config[j].size, l->config[j].data);
    puts(l->runtime ? ">>> by cudaLaunchKernel" : ">>>");
  }
  if (c->addressed)
    puts("    by its address");
  else if (c->n_launches == 0)
    puts("    none in this file");
}

static void cuda_print(const struct source *s, const struct kernel *k) {
  print_geometry(cuda_of(k));
  print_prepared(cuda_of(k));
  print_launches(s, cuda_of(k));
}

static const char *const cuda_suffixes[] = { ".cu", NULL };
static const char *const cuda_options[] = { "cu", "cuda", NULL };

const struct language language_cuda = {
  .name = "CUDA",
  .suffixes = cuda_suffixes,
  .options = cuda_options,
  .compiler = "nvrtc",
  .device = true,
  .nvcc = true,
  .cplusplus = true,
  .late_keys = true,
  .grammar = tree_sitter_cuda,
  .attribute_end = attribute_end,
  .prepare = cuda_choose,
  .skip_head = skip_template,
  .goes_on_after = goes_on_after,
  .signature_read = cuda_signature_read,
  .signature_same = cxx_signature_same,
  .same_scope = same_scope,
  .clauses = cuda_clauses,
  .clauses_check = cuda_clauses_check,
  .clauses_use = cuda_clauses_use,
  .directives_check = cuda_directives_check,
  .kernels_check = cuda_kernels_check,
  .not_suggested = "CUDA kernels have no loops to suggest for: block(…) is their pragma",
  .translate = cuda_translate,
  .print = cuda_print,
  .header_inline = cuda_header_inline,
  .emulate = cuda_emulate,
  .toolkit = toolkit_include,
};
