// SPDX-License-Identifier: Apache-2.0
// prepare.c: reads prepare(NAME = expression), by which the host makes an argument of
// each variant, such as a tensor map whose box depends on params.
#include <string.h>

#include "cuda.h"

// Splits TEXT at its first `=` that is an assignment. False: there is none, or a side is
// empty.
static bool prepare_split(struct slice text, struct slice *name, struct slice *expr) {
  const char *equals = memchr(text.data, '=', text.size);
  if (!equals)
    return false;
  *name = slice_trim((struct slice){ text.data, (size_t)(equals - text.data) });
  *expr = slice_trim(
      (struct slice){ equals + 1, text.size - (size_t)(equals + 1 - text.data) });
  struct lexer l = lexer_of(*name);
  struct token t = lex(&l);
  return t.kind == TOKEN_WORD && t.text.size == name->size && expr->size &&
      *expr->data != '=';
}

static const char *prepare_nearest(const struct kernel *k, struct slice name) {
  const char **words = NULL;
  unsigned n = 0;
  for (unsigned i = 0; i < k->n_args; i++)
    if (k->args[i].name)
      *GROW(words, n) = k->args[i].name;
  *GROW(words, n) = NULL;
  return nearest(name, words);
}

// Returns the index of the argument NAME of K; -1, after a report: it cannot be prepared.
static int prepare_argument(const struct source *s, const struct kernel *k,
                            struct slice name) {
  size_t at = pragma_offset(k->main.pragma, name);
  int arg = kernel_arg(k, name);
  const struct cuda_kernel *c = cuda_of(k);
  if (arg < 0) {
    diag_error(s, at, name.size, diag_meant(s, at, name.size, prepare_nearest(k, name)),
               kernel_param(k, name) >= 0
                   ? "'%.*s' is a param, and 'prepare' makes arguments of the kernel"
                   : "'%.*s' is no argument of the kernel",
               (int)name.size, name.data);
    return -1;
  }
  for (unsigned i = 0; i < c->n_prepared; i++)
    if (c->prepared[i].arg == (unsigned)arg) {
      diag_error(s, at, name.size, NULL, "'%.*s' is prepared twice", (int)name.size,
                 name.data);
      return -1;
    }
  return arg;
}

static void prepare_add_words(struct prepared *p, struct slice text) {
  struct lexer l = lexer_of(text);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (t.kind == TOKEN_WORD)
      names_put(&p->words, t.text);
}

void cuda_prepare_expand(const struct source *s, struct kernel *k,
                         const struct expansion *x) {
  bool includes = false; // headers of -include are among X
  for (unsigned i = 0; i < cuda_of(k)->n_prepared; i++) {
    struct prepared *p = &cuda_of(k)->prepared[i];
    struct text all = { 0 };
    text_printf(&all, "%.*s", (int)p->text.size, p->text.data);
    for (unsigned n = 0; n < p->words.n; n++) { // which gets more meanwhile
      struct slice word = p->words.list[n].text;
      if (kernel_param(k, word) >= 0 || kernel_arg(k, word) >= 0)
        continue;
      p->unclear |= name_of_build(s, word, &includes);
      for (const struct name *m = NULL;
           (m = names_find(&x->items.names, NAME_MACRO, word, m)) != NULL;) {
        const struct macro *macro = &x->macros[m->index];
        if (macro->undefined)
          continue;
        text_printf(&all, "\n%.*s", (int)macro->text.size, macro->text.data);
        prepare_add_words(p, slice_after(macro->text, macro->name));
        p->unclear |= memmem(macro->text.data, macro->text.size, "##", 2) != NULL;
      }
    }
    p->made_of = all.data;
  }
}

bool cuda_prepare_uses(const struct prepared *p, const char *name) {
  return p->unclear || names_has(&p->words, slice_of(name));
}

void cuda_prepare_read(const struct source *s, struct kernel *k, const struct clause *c) {
  unsigned before = cuda_of(k)->n_prepared;
  for (unsigned i = 0; i < c->n_args; i++) {
    struct slice text = c->args[i].text, name, expr;
    if (text.size && !prepare_split(text, &name, &expr)) {
      diag_error(s, c->args[i].offset, text.size,
                 i ? "put parentheses around an expression with commas of a template"
                   : "write prepare(map = make_map(a, BM, BK)), where map is an argument "
                     "of the kernel",
                 "'%.*s' is not NAME = expression", (int)text.size, text.data);
      cuda_of(k)->n_prepared = before; // the one before it ends at a wrong comma
      return;
    }
    int arg = text.size ? prepare_argument(s, k, name) : -1;
    if (arg < 0)
      continue;
    struct prepared p = { .arg = (unsigned)arg, .text = text, .expr = expr };
    prepare_add_words(&p, expr);
    *GROW(cuda_of(k)->prepared, cuda_of(k)->n_prepared) = p;
  }
}

void cuda_prepare_check(const struct source *s, const struct kernel *k) {
  const struct cuda_kernel *c = cuda_of(k);
  for (unsigned i = 0; i < c->n_prepared; i++)
    names_check(s, k, k->main.pragma, c->prepared[i].expr, USE_PARAMS | USE_MACHINE,
                "a prepared argument");
}
