// SPDX-License-Identifier: Apache-2.0
// c.c: C. A kernel's unit is the part of the preprocessor's output that the kernel
// reaches.
#include <string.h>

#include "front/analysis/analysis.h"
#include "front/lang/language.h"
#include "front/emit/emit.h"
#include "front/statement/statement.h"

const TSLanguage *tree_sitter_c(void); // a grammar's one symbol; it has no header

// ---- the file as the kernels' compilers see it ---------------------------------------

struct builds {
  const struct translation *t;
  bool writes;         // a translated file
  struct unit **units; // [kernel][compiler]
  const char **compilers;
  struct expansion **expansions;
  unsigned n_compilers;
  struct flags_asked asked;
};

// Expands the file for COMPILER. K is the first kernel that uses it. NULL: error,
// diagnosed.
static struct expansion *expansion_for(struct builds *v, const struct kernel *k,
                                       const char *compiler) {
  for (unsigned i = 0; i < v->n_compilers; i++)
    if (strcmp(v->compilers[i], compiler) == 0)
      return v->expansions[i];
  const struct translation *t = v->t;
  unsigned n = v->n_compilers;
  struct expansion *x = expand_file(t->s, t->kernels, t->n_kernels, compiler, t->o);
  size_t size, at = values_compiler_at(k, compiler, &size);
  bool own = strcmp(compiler, "clang") == 0;
  if (!x)
    diag_error(
        t->s, at, size,
        own ? "put -I and -D of the build after `--` in `autotune check` and `translate`"
            : "is it installed? 'compiler' names those that make variants",
        "'%s' cannot preprocess this file", own ? t->o->clang : compiler);
  *GROW(v->compilers, v->n_compilers) = compiler;
  *GROW(v->expansions, n) = x;
  return x;
}

// True if an #if leaves K out of this build. False, with a diagnostic, if macros turn K
// into another function.
static bool is_left_out(const struct source *s, const struct kernel *k,
                        const struct expansion *x) {
  const struct item *other = expand_defined_at(x, &k->main);
  if (other)
    diag_error(s, k->main.name_at, strlen(k->main.name),
               "write the kernel's name and parentheses without a macro",
               "'%s' becomes a function called '%.*s'", k->main.name,
               (int)other->names[0].name.size, other->names[0].name.data);
  return !other;
}

// Returns the compiler that may preprocess for COMPILER, of K, and diagnoses where
// another one will not do. NULL: none.
static const char *allowed_compiler(const struct builds *v, const struct kernel *k,
                                    const char *compiler) {
  const char *const *run = v->t->o->run;
  size_t size, at = values_compiler_at(k, compiler, &size);
  if (!run || strcmp(compiler, "clang") == 0 || slice_in(slice_of(compiler), run))
    return compiler;
  if (!v->writes) // Clang shows all but what only this compiler makes of the file
    return compiler == k->compilers[0] ? "clang" : NULL;
  diag_error(v->t->s, at, size,
             arena_printf("`autotune translate --run %s` allows it", compiler),
             "'%s' is not run: this command runs no program that only a source names",
             compiler);
  return NULL;
}

// Returns the units of K. NULL: an #if leaves K out, or an error.
static struct unit *units_for(struct builds *v, struct kernel *k) {
  const struct source *s = v->t->s;
  const struct compile_options *o = v->t->o;
  struct unit *units = arena_alloc(k->n_compilers * sizeof *units);
  for (unsigned i = 0; i < k->n_compilers; i++) {
    const char *compiler = allowed_compiler(v, k, k->compilers[i]);
    if (!compiler)
      continue;
    const struct expansion *x = expansion_for(v, k, compiler);
    if (!x || !expand_function(x, &k->main)) {
      k->left_out = x && is_left_out(s, k, x);
      return NULL;
    }
    if (i == 0) {
      adopt_headers(k, x);
      adopt_options(k, o);
      expand_classify(x, k);
      classify_key(k);
      constants_check(s, k);
      kept_find(k, x);
      sections_adopt(s, k, x);
      leaves_find(x, k);
      flags_check(s, k, o, &v->asked);
    }
    if (i == 0) {
      reschedule_find(s, k, x);
      chain_find(s, k, x);
    }
    units[i] = unit_build(s, k, x, o);
    if (constants_any(k) && kept_recurses(&units[i], k->main.name)) {
      constants_drop(k);
      units[i] = unit_build(s, k, x, o);
    }
    k->openmp |= units[i].openmp;
    if (i == 0) {
      writes_check(s, k, x, &units[i]);
      short_check(s, k, x);
      unwritten_check(s, k, x);
      carried_check(s, k, x);
      names_check_used(s, k, (struct slice){ units[i].text.data, units[i].text.size });
    }
  }
  return units;
}

static bool c_translate(struct translation *t, struct text *out) {
  struct builds v = { .t = t, .writes = out != NULL };
  if (diag_errors() != t->errors)
    return false;
  for (unsigned i = 0; i < t->n_kernels; i++)
    adopt_options(&t->kernels[i], t->o);
  v.units = arena_alloc((t->n_kernels + 1) * sizeof *v.units);
  for (unsigned i = 0; i < t->n_kernels; i++)
    v.units[i] = units_for(&v, &t->kernels[i]);
  const struct expansion *x = v.n_compilers ? v.expansions[0] : NULL;
  if (out && t->o->baking && diag_errors() == t->errors)
    t->o->baking->choose(t->s, t->kernels, t->n_kernels, v.units, x, t->o);
  if (out && diag_errors() == t->errors)
    emit_file(t->s, t->pragmas, t->n_pragmas, t->kernels, t->n_kernels, x, v.units, t->o,
              out);
  return diag_errors() == t->errors;
}

static const char *const c_suffixes[] = { ".c", NULL };
static const char *const c_options[] = { "c", NULL };

const struct language language_c = {
  .name = "C",
  .suffixes = c_suffixes,
  .options = c_options,
  .compiler = "clang",
  .grammar = tree_sitter_c,
  .signature_read = signature_read,
  .signature_same = signature_same,
  .flags_check = values_check_flags,
  .loops_check = loops_check,
  .heads = heads_rewrite,
  .outline = statements_outline,
  .translate = c_translate,
};
