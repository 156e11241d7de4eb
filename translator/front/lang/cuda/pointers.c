// SPDX-License-Identifier: Apache-2.0
// pointers.c: launches through pointers, in macros, and in text that the grammar cannot
// parse. `f<<<grid, block>>>(x)` becomes `::autotune::launcher(f, grid, block)(x)`, which
// asks at run time whether the address in f is an annotated kernel's (autotune_cuda.h).
// For that, only the callee, `<<<` and `>>>` need be seen.
#include <string.h>

#include "launches.h"

static void add_rewrite(struct finder *f, const char *start, const char *end,
                        const char *text) {
  *GROW(f->rewrites, f->n_rewrites) =
      (struct rewrite){ (size_t)(start - f->s->text), (size_t)(end - f->s->text), text };
}

// True if the word at P is replaced already, or is the callee of a launch that will be.
static bool is_rewritten(const struct finder *f, const char *p) {
  size_t at = (size_t)(p - f->s->text);
  bool found = false;
  for (unsigned i = 0; i < f->n_rewrites; i++)
    found = found || (at >= f->rewrites[i].start && at < f->rewrites[i].end);
  for (unsigned i = 0; i < f->n; i++)
    found = found ||
        (f->all[i].kernel >= 0 && at >= f->all[i].start && at < f->all[i].end &&
         p < f->all[i].callee.data + f->all[i].callee.size);
  return found;
}

// ---- kernels by address -------------------------------------------------------------

// True if ARGUMENTS are enough for the template of K: its address can be taken then.
static bool is_full_instance(const struct kernel *k, struct slice arguments) {
  const struct cxx_function *c = cxx_of(k);
  unsigned n = 0;
  if (arguments.size)
    slice_split(arguments, &n);
  for (; n < c->n_params; n++)
    if (!c->params[n].initial.size)
      return false;
  return true;
}

// Returns the name of the function that registers an instance of K and returns its
// address, with its namespaces. NAME: as written; WORD: the last word of it.
static const char *address_of(const struct kernel *k, const char *name,
                              struct slice word) {
  struct slice spaces = cxx_of(k)->namespaces;
  if (spaces.size)
    return arena_printf("::%.*s::autotune_address_%s", (int)spaces.size, spaces.data,
                        k->main.name);
  return arena_printf("%.*sautotune_address_%s", (int)(word.data - name), name,
                      k->main.name);
}

bool pointers_address(struct finder *f, const struct kernel *k, const struct callee *c) {
  if (cxx_of(k)->n_params) {
    const char *end = c->last.data + c->last.size;
    if (!is_full_instance(k, c->template_args) || !c->template_args.size)
      return false;
    struct lexer l = { c->template_args.data + c->template_args.size,
                       f->s->text + f->s->size, false };
    const char *close = lex(&l).text.data; // '>', or the first half of '>>'
    if (is_rewritten(f, c->name.data) || is_rewritten(f, close) || *close != '>')
      return false;
    add_rewrite(f, c->name.data, end, address_of(k, c->name.data, c->last));
    add_rewrite(f, close, close + 1, ">()");
  }
  cuda_of(k)->addressed = true;
  return true;
}

// ---- launches -----------------------------------------------------------------------

// Returns the `>>>` that closes the `<<<` before L; NULL: none.
static const char *chevrons_close(struct lexer l) {
  for (struct token t; (t = lex(&l)).kind != TOKEN_END && !slice_is(t.text, ";");) {
    if (slice_is(t.text, ">>") && l.p < l.end && *l.p == '>')
      return t.text.data;
    if (lex_bracket(t.text) > 0 && !cut_skip_group(&l))
      return NULL;
  }
  return NULL;
}

bool pointers_launch(struct finder *f, const char *name, struct slice word, int kernel,
                     const char *end) {
  struct lexer l = { word.data + word.size, end, false };
  const struct kernel *k = kernel >= 0 ? &f->kernels[kernel] : NULL;
  bool template = k && cxx_of(k)->n_params;
  struct slice arguments = { l.p, 0 };
  struct lexer ahead = l;
  if (slice_is(lex(&ahead).text, "<") && cut_skip_angles(&l)) {
    arguments = slice_trim((struct slice){ ahead.p, (size_t)(l.p - ahead.p) });
    arguments.size -= arguments.size > 0; // '>'
  }
  struct slice open = lex(&l).text;
  if (!slice_is(open, "<<") || !slice_is(lex(&l).text, "<"))
    return false;
  const char *close = chevrons_close(l);
  if (!close || is_rewritten(f, name) || (template && !is_full_instance(k, arguments)))
    return false;
  const char *callee = template
      ? address_of(k, name, word)
      : arena_printf("%.*s", (int)(word.data + word.size - name), name);
  add_rewrite(f, name, word.data + word.size,
              arena_printf("::autotune::launcher(%s", callee));
  add_rewrite(f, open.data, open.data + 3,
              !template            ? ", "
                  : arguments.size ? "(), "
                                   : "<>(), ");
  add_rewrite(f, close, close + 3, ")");
  if (k)
    cuda_of(k)->addressed = true;
  f->by_pointer = true;
  return true;
}

void pointers_runtime(struct finder *f, struct slice word) {
  if (is_rewritten(f, word.data))
    return;
  add_rewrite(f, word.data, word.data + word.size,
              slice_is(word, "cudaLaunchKernel") ? "::autotune::launch_pointer"
                                                 : "::autotune::launch_extended");
  f->by_pointer = true;
}

// ---- what is a pointer --------------------------------------------------------------

// Names in the file, sorted by the words next to them.
struct described {
  struct names pointers;  // that look like variables where they are declared
  struct names kernels;   // __global__ functions
  struct names templates; // those of them that are templates
};

static bool is_end_of_name(struct slice next) {
  static const char *const ends[] = { "=", ",", ")", ";", "[", ":", ">", NULL };
  return slice_in(next, ends);
}

// Adds the name of the kernel whose `__global__` was read by L.
static void describe_kernel(struct described *d, struct lexer l, bool template) {
  for (struct token t; (t = lex(&l)).kind != TOKEN_END && !slice_is(t.text, "{");) {
    struct lexer ahead = l;
    if (t.kind != TOKEN_WORD || !slice_is(lex(&ahead).text, "("))
      continue;
    if (cuda_entry_attribute(t.text) || (word_of_cplusplus(t.text) & WORD_ATTRIBUTE)) {
      skip_brackets(&l);
      continue;
    }
    names_put(&d->kernels, t.text);
    if (template)
      names_put(&d->templates, t.text);
    return;
  }
}

static struct described describe(const struct source *s) {
  struct described d = { { 0 }, { 0 }, { 0 } };
  struct lexer l = lexer_of((struct slice){ s->text, s->size });
  struct token previous = { 0 };
  bool template = false;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END; previous = t) {
    struct lexer ahead = l;
    template = (template || slice_is(t.text, "template")) && !slice_is(t.text, ";") &&
        !slice_is(t.text, "{") && !slice_is(t.text, "}");
    bool typed = slice_is(previous.text, "*") || slice_is(previous.text, "&") ||
        slice_is(previous.text, "auto") || slice_is(previous.text, ">") ||
        (previous.kind == TOKEN_WORD && !word_of_cplusplus(previous.text));
    if (slice_is(t.text, "__global__"))
      describe_kernel(&d, l, template);
    else if (t.kind == TOKEN_WORD && typed && is_end_of_name(lex(&ahead).text))
      names_put(&d.pointers, t.text);
  }
  return d;
}

static bool is_pointer(const struct described *d, struct slice word) {
  return names_has(&d->pointers, word) && !names_has(&d->kernels, word);
}

// ---- macros that launch what they are given -----------------------------------------

// Returns the definition after `#define`: its name, its parameters and its body.
struct definition {
  struct slice name, params, body;
};
static struct definition definition_of(struct lexer line) {
  struct definition d = { .name = lex(&line).text };
  if (line.p < line.end && *line.p == '(') {
    const char *open = line.p + 1, *close = skip_brackets(&line);
    d.params = (struct slice){ open, (size_t)(close - open) - 1 };
  }
  d.body = (struct slice){ line.p, (size_t)(line.end - line.p) };
  return d;
}

static int param_index(struct slice params, struct slice word) {
  unsigned n = 0;
  struct slice *list = params.size ? slice_split(params, &n) : NULL;
  for (unsigned i = 0; i < n; i++)
    if (slices_same(list[i], word))
      return (int)i;
  return -1;
}

// True if `launcher(ARGUMENT, …)` is understood. A kernel whose template arguments the
// launch deduces is not.
static bool can_be_launched(const struct described *d, struct slice argument,
                            const struct definition *within) {
  struct lexer l = lexer_of(argument);
  struct slice last = { 0 };
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    last = t.text;
  if (within && param_index(within->params, argument) >= 0)
    return true;
  return slice_is(last, ">") ||
      (names_has(&d->kernels, last) && !names_has(&d->templates, last)) ||
      is_pointer(d, last);
}

static bool macro_is_safe(const struct finder *f, const struct described *d,
                          struct slice macro, int param, unsigned depth);

// True if all invocations of MACRO in TEXT give it such an argument. WITHIN: the macro
// whose body TEXT is; NULL: code.
static bool text_is_safe(const struct finder *f, const struct described *d,
                         struct slice text, const struct definition *within,
                         struct slice macro, int param, unsigned depth) {
  struct lexer l = lexer_of(text), line;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (!within && t.first && slice_is(t.text, "#")) {
      if (lex_directive(&l, &line) == LINE_DEFINE) {
        struct definition inner = definition_of(line);
        if (!text_is_safe(f, d, inner.body, &inner, macro, param, depth))
          return false;
      }
      continue;
    }
    struct lexer ahead = l;
    if (!slices_same(t.text, macro) || !slice_is(lex(&ahead).text, "("))
      continue;
    const char *open = ahead.p;
    if (!cut_skip_group(&ahead))
      return false;
    unsigned n;
    struct slice *arguments =
        slice_split((struct slice){ open, (size_t)(ahead.p - open) - 1 }, &n);
    if ((unsigned)param >= n || !can_be_launched(d, arguments[param], within))
      return false;
    int forwarded = within ? param_index(within->params, arguments[param]) : -1;
    if (forwarded >= 0 && !macro_is_safe(f, d, within->name, forwarded, depth + 1))
      return false;
  }
  return true;
}

static bool macro_is_safe(const struct finder *f, const struct described *d,
                          struct slice macro, int param, unsigned depth) {
  return depth < 8 &&
      text_is_safe(f, d, (struct slice){ f->s->text, f->s->size }, NULL, macro, param,
                   depth);
}

// Rewrites `k<<<…>>>` in the body of a macro that has the parameter k.
static void rewrite_macro(struct finder *f, const struct described *d,
                          struct lexer line) {
  struct definition macro = definition_of(line);
  struct lexer l = lexer_of(macro.body);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    int param = t.kind == TOKEN_WORD ? param_index(macro.params, t.text) : -1;
    struct lexer ahead = l;
    if (param >= 0 && slice_is(lex(&ahead).text, "<<") &&
        macro_is_safe(f, d, macro.name, param, 0))
      pointers_launch(f, t.text.data, t.text, CALLED_NONE, l.end);
  }
}

// ---- the file -----------------------------------------------------------------------

static bool is_on_device(const struct finder *f, const char *p) {
  uint32_t at = (uint32_t)(p - f->s->text);
  TSNode root = ts_tree_root_node(f->s->tree);
  return launch_on_device(f->s, ts_node_descendant_for_byte_range(root, at, at + 1));
}

// Rewrites launches whose callee is an expression: `kernels[i]<<<…>>>(…)`.
static void rewrite_expressions(struct finder *f) {
  for (unsigned i = 0; i < f->n; i++) {
    const struct launch *l = &f->all[i];
    char last = l->callee.size ? l->callee.data[l->callee.size - 1] : 0;
    if (l->kernel == CALLED_NONE && !l->runtime && (last == ']' || last == ')'))
      pointers_launch(f, l->callee.data, l->callee, CALLED_NONE, f->s->text + f->s->size);
    else if (l->kernel == CALLED_NONE && l->runtime)
      pointers_runtime(f, l->word);
  }
}

void pointers_find(struct finder *f) {
  bool any = false;
  for (unsigned i = 0; i < f->n_kernels; i++)
    any = any || cuda_of(&f->kernels[i])->addressed;
  if (!any)
    return;
  struct described d = describe(f->s);
  const char *end = f->s->text + f->s->size;
  struct lexer l = { f->s->text, end, true }, line;
  rewrite_expressions(f);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (t.first && slice_is(t.text, "#")) {
      if (lex_directive(&l, &line) == LINE_DEFINE)
        rewrite_macro(f, &d, line);
      continue;
    }
    struct lexer ahead = l;
    if (t.kind == TOKEN_WORD && slice_is(lex(&ahead).text, "<<") &&
        (is_pointer(&d, t.text) || names_has(&f->alias_macros, t.text)) &&
        !is_on_device(f, t.text.data))
      pointers_launch(f, t.text.data, t.text, CALLED_NONE, end);
  }
}
