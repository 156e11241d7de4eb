// SPDX-License-Identifier: Apache-2.0
// body.c: writes items for the unit. A kernel becomes a device function, called by an
// entry that always has the same name. Variables that the program holds become pointers
// to them.
#include <string.h>

#include "front/reach/unit.h"
#include "items.h"

#define WORD(s) (int)(s).size, (s).data

// ---- replacing variables in text ----------------------------------------------------

struct writer {
  const struct cuda_reach *r;
  const struct item *item;
  struct text *out;
  const char *from; // beginning of the text not yet written
  struct insertions insertions;
  unsigned inserted;
};

static void write_up_to(struct writer *w, const char *p) {
  for (; w->inserted < w->insertions.n; w->inserted++) {
    const struct insertion *i = &w->insertions.list[w->inserted];
    if (i->at >= p)
      break;
    if (i->at < w->from) // in text that is left out
      continue;
    text_add(w->out, w->from, (size_t)(i->at - w->from));
    text_printf(w->out, "%s", i->text);
    w->from = i->at;
  }
  if (p > w->from)
    text_add(w->out, w->from, (size_t)(p - w->from));
}

// True if a parameter of the function has the variable's name: the name always means the
// parameter then.
static bool is_shadowed(const struct writer *w, struct slice name) {
  if (!w->item->function)
    return false;
  struct lexer l = lexer_of(item_head(w->item));
  bool within = false;
  struct slice previous = { 0 };
  for (struct token t; (t = lex(&l)).kind != TOKEN_END; previous = t.text) {
    if (previous.size &&
        (slice_is(t.text, ",") || slice_is(t.text, ")") || slice_is(t.text, "[") ||
         slice_is(t.text, "=")) &&
        within && slices_same(previous, name))
      return true;
    within = within || slice_is(t.text, "(");
  }
  return false;
}

static const struct variable *variable_named(const struct writer *w, struct slice name) {
  for (unsigned n = 0; n < w->r->n_variables; n++)
    if (slices_same(w->r->variables[n].name, name))
      return is_shadowed(w, name) ? NULL : &w->r->variables[n];
  return NULL;
}

static const struct loop_directive *directive_at(const struct writer *w, size_t at) {
  const struct function *f = w->item->own;
  for (unsigned n = 0; f && n < f->n_directives; n++)
    if (f->directives[n].pragma->offset == at)
      return &f->directives[n];
  return NULL;
}

// Writes a directive whose `#` is at HASH. Leaves out `#pragma autotune`, except
// `unroll`.
static void write_directive(struct writer *w, struct lexer *l, const char *hash) {
  struct lexer behind = *l, line;
  enum line kind = lex_directive(&behind, &line);
  struct slice next = lex(&line).text;
  const char *end = behind.p;
  bool ours = kind == LINE_PRAGMA && slice_is(next, "autotune");
  bool param = (kind == LINE_DEFINE || kind == LINE_UNDEF) &&
      feed_param(w->r->kernels, w->r->n_kernels, next);
  if (ours || param) {
    size_t at = (size_t)(hash - w->item->s->text);
    const struct loop_directive *d = directive_at(w, at);
    write_up_to(w, hash);
    if (d) {
      cuda_unroll(w->r->k, d, w->out);
      text_printf(w->out, "\n");
      end += *end == '\n';
      source_resume(w->item->s, (size_t)(end - w->item->s->text), w->out);
    } else {
      feed_newlines((struct slice){ hash, (size_t)(end - hash) }, w->out);
    }
    w->from = end;
    *l = behind;
  }
}

static bool is_dropped_word(const struct writer *w, struct slice word) {
  static const char *const words[] = {
    "extern", "static", "inline", "__inline__", "__grid_constant__", NULL
  };
  return w->item->own && slice_in(word, words);
}

bool cuda_entry_attribute(struct slice word) {
  static const char *const words[] = { "__launch_bounds__", "__cluster_dims__",
                                       "__maxnreg__", "__block_size__", NULL };
  return slice_in(word, words);
}

// True if the name at AT is that of a __grid_constant__ parameter. The body takes it by
// reference: its address must be that of the kernel's parameter, not of a copy.
static bool is_grid_constant(const struct function *f, size_t at) {
  for (unsigned i = 0; i < f->n_grid_constants; i++)
    if (f->grid_constants[i] == at)
      return true;
  return false;
}

// True if NAME is a __grid_constant__ parameter of the kernel that is being written.
static bool names_grid_constant(const struct writer *w, struct slice name) {
  const struct function *f = w->item->own;
  for (unsigned i = 0; f && i < f->n_grid_constants; i++) {
    const char *at = w->item->s->text + f->grid_constants[i];
    struct lexer l = { at, w->item->s->text + w->item->s->size, false };
    if (slices_same(lex(&l).text, name))
      return true;
  }
  return false;
}

// Writes `decltype(p)` of such a parameter, at L after the word `decltype`, without the
// reference: it may go on as in `decltype(p)::size`.
static void write_decltype(struct writer *w, struct lexer *l, struct token t) {
  struct lexer ahead = *l;
  bool open = slice_is(lex(&ahead).text, "(");
  struct slice name = lex(&ahead).text;
  if (!open || !slice_is(lex(&ahead).text, ")") || !names_grid_constant(w, name))
    return;
  write_up_to(w, t.text.data);
  text_printf(w->out, "autotune_typeof_t<decltype(%.*s)>", WORD(name));
  w->from = ahead.p;
  *l = ahead;
}

// Writes a word in the head of a kernel, before its body. NAME: where its qualified name
// begins. True: the word needs no more work.
static bool write_head_word(struct writer *w, struct lexer *l, struct token t,
                            const char *name) {
  size_t at = (size_t)(t.text.data - w->item->s->text);
  if (is_grid_constant(w->item->own, at)) {
    write_up_to(w, t.text.data);
    text_printf(w->out, "&%.*s", WORD(t.text));
  } else if (slice_is(t.text, "__global__")) {
    write_up_to(w, t.text.data);
    text_printf(w->out, "static __device__ __forceinline__");
  } else if (is_dropped_word(w, t.text) ||
             (t.kind == TOKEN_STRING && at < w->item->own->name_at)) {
    write_up_to(w, t.text.data);
  } else if (cuda_entry_attribute(t.text)) {
    write_up_to(w, t.text.data);
    const char *before = l->p;
    skip_brackets(l);
    feed_newlines((struct slice){ before, (size_t)(l->p - before) }, w->out);
  } else if (at == w->item->own->name_at) {
    write_up_to(w, name); // without its namespaces
    text_printf(w->out, "autotune_body_%.*s", WORD(t.text));
  } else {
    return false;
  }
  w->from = l->p;
  return true;
}

// True for `const float x = 1 / y;`: NVRTC has x by a constructor of the device, and
// refuses that, where y is such a constant too. As constexpr both are numbers.
static bool is_real_constant(const struct item *i) {
  static const char *const words[] = {
    "static", "const", "float", "double", "long", NULL
  };
  bool is_const = false, real = false, name = false;
  struct lexer l = lexer_of(item_head(i));
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (t.kind != TOKEN_WORD || name)
      return false;
    is_const = is_const || slice_is(t.text, "const");
    real = real || slice_is(t.text, "float") || slice_is(t.text, "double");
    name = !slice_in(t.text, words);
  }
  return i->kind == ITEM_CODE && !i->function && is_const && real && name &&
      i->head_end < i->text.data + i->text.size && *i->head_end == '=';
}

static void write_tokens(struct writer *w, struct slice text) {
  struct lexer l = lexer_of(text);
  struct slice previous = { 0 };
  const char *name = text.data; // beginning of the current qualified name
  size_t body = w->item->own ? w->item->own->body_at : 0;
  w->from = text.data;
  w->insertions = gnu_expressions(text);
  bool constant = is_real_constant(w->item);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END; previous = t.text) {
    bool colon = slice_is(t.text, ":"), after_colon = slice_is(previous, ":");
    if (t.first && slice_is(t.text, "#")) {
      write_directive(w, &l, t.text.data);
      continue;
    }
    if (!after_colon &&
        !(colon && t.text.data == previous.data + previous.size && l.p < l.end &&
          *l.p == ':'))
      name = t.text.data;
    if ((size_t)(t.text.data - w->item->s->text) < body &&
        write_head_word(w, &l, t, name))
      continue;
    if (constant && slice_is(t.text, "const")) {
      write_up_to(w, t.text.data);
      text_printf(w->out, "constexpr");
      w->from = l.p;
      constant = false; // once
      continue;
    }
    if (slice_is(t.text, "decltype")) {
      write_decltype(w, &l, t);
      continue;
    }
    if (slice_is(t.text, "register")) { // NVRTC refuses it, and it means nothing
      write_up_to(w, t.text.data);
      w->from = l.p;
      continue;
    }
    bool member = slice_is(previous, ".") || slice_is(previous, "->");
    const struct variable *v = t.kind == TOKEN_WORD && !member ? variable_named(w, t.text)
                                                               : NULL;
    if (!v)
      continue;
    write_up_to(w, name);
    text_printf(w->out, "(*autotune_symbol_%.*s)", WORD(t.text));
    w->from = t.text.data + t.text.size;
  }
  write_up_to(w, text.data + text.size);
}

// ---- items --------------------------------------------------------------------------

// Writes pointers for the variables that I declares. The pointers are constants of the
// unit, so that a store through one does not make the compiler reload the others.
static bool write_pointers(const struct cuda_reach *r, const struct item *i,
                           struct text *out) {
  bool any = false;
  for (unsigned n = 0; n < r->n_variables; n++) {
    const struct variable *v = &r->variables[n];
    if (&r->items.list[v->item] != i)
      continue;
    if (v->again)
      text_printf(out, "#ifndef AUTOTUNE_SYMBOL_%.*s\n#define AUTOTUNE_SYMBOL_%.*s\n",
                  WORD(v->name), WORD(v->name));
    text_printf(out,
                "extern \"C\" { __constant__ %.*s %.*s (*autotune_symbol_%.*s)%.*s; }\n",
                WORD(v->specifiers), WORD(v->before), WORD(v->name), WORD(v->behind));
    text_printf(out, v->again ? "#endif\n" : "");
    any = true;
  }
  return any;
}

void body_write(const struct cuda_reach *r, const struct item *i, struct text *out) {
  struct writer w = { .r = r, .item = i, .out = out };
  if (i->kind == ITEM_CODE && write_pointers(r, i, out))
    return;
  struct slice text = i->text;
  write_tokens(&w, text);
  text_printf(out, "\n");
}

// ---- the entry ----------------------------------------------------------------------

static bool mentions_param(const struct cuda_reach *r, struct slice text) {
  for (unsigned i = 0; i < r->k->n_params; i++)
    if (r->k->params[i].macro && lex_mentions(text, slice_of(r->k->params[i].macro)))
      return true;
  return false;
}

// Writes `, 4)` of "__launch_bounds__(256, 4)": what is asked for blocks in a
// multiprocessor holds for each size of them.
static void write_more_bounds(struct slice bounds, struct text *out) {
  struct lexer l = lexer_of(bounds);
  struct slice word;
  while ((word = lex(&l).text).size && !slice_is(word, "("))
    ;
  while ((word = lex(&l).text).size && !slice_is(word, ","))
    if (lex_bracket(word) > 0)
      cut_skip_group(&l);
  if (word.size)
    text_printf(out, ",%.*s", (int)(bounds.data + bounds.size - l.p), l.p);
  else
    text_printf(out, ")");
}

// Writes the bounds: the threads of the variant's block if the variant chooses them, else
// the bounds as written.
static void write_bounds(const struct cuda_reach *r, struct text *out) {
  const struct cuda_kernel *c = cuda_of(r->k);
  bool written = c->bounds.size && mentions_param(r, c->bounds), chosen = false;
  for (unsigned i = 0; i < c->block.n; i++)
    chosen = chosen || mentions_param(r, c->block.of[i]);
  if (!written && c->block_param >= 0) {
    text_printf(out, " __launch_bounds__(%s", r->k->params[c->block_param].macro);
    write_more_bounds(c->bounds, out);
  } else if (!written && chosen) {
    text_printf(out, " __launch_bounds__(");
    for (unsigned i = 0; i < c->block.n; i++)
      text_printf(out, "%s(%.*s)", i ? " * " : "", WORD(c->block.of[i]));
    write_more_bounds(c->bounds, out);
  } else if (c->bounds.size) {
    text_printf(out, " %.*s", WORD(c->bounds));
  }
}

// Writes __cluster_dims__(…), which older devices' compilers refuse, and the like.
static void write_attributes(const struct cuda_reach *r, struct text *out) {
  const struct kernel *k = r->k;
  const struct function *f = &k->main;
  const struct item *own = NULL;
  for (unsigned n = 0; n < r->items.n && !own; n++)
    if (r->items.list[n].own == f)
      own = &r->items.list[n];
  struct lexer l = lexer_of(own ? item_head(own) : (struct slice){ 0 });
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (cuda_entry_attribute(t.text) && !slice_is(t.text, "__launch_bounds__")) {
      const char *end = skip_brackets(&l);
      bool cluster = slice_is(t.text, "__cluster_dims__");
      text_printf(out,
                  cluster ? "\n#if __CUDA_ARCH__ >= 900 || defined AUTOTUNE_EMULATE\n"
                          : " ");
      text_printf(out, "%.*s", (int)(end - t.text.data), t.text.data);
      text_printf(out, cluster ? "\n#endif\n" : "");
    }
}

static void write_parameters(const struct kernel *k, struct text *out) {
  for (unsigned i = 0; i < k->n_args; i++)
    text_printf(out, "%s%.*s", i ? ", " : "", WORD(k->args[i].text));
}

static void write_call(const struct kernel *k, const struct function *f,
                       struct text *out) {
  const struct cuda_kernel *c = cuda_of(k);
  text_printf(out, "  autotune_body_%s", f->name);
  for (unsigned i = 0; i < c->cxx.n_params; i++)
    text_printf(out, "%s%s%s", i ? ", " : "<", c->cxx.params[i].name,
                i + 1 == c->cxx.n_params ? ">" : "");
  text_printf(out, "(");
  for (unsigned i = 0; i < k->n_args; i++)
    text_printf(out, "%s%s", i ? ", " : "", k->args[i].name);
  text_printf(out, ");\n");
}

static void write_calls(const struct kernel *k, struct text *out) {
  const char *macro = k->choose >= 0 ? k->params[k->choose].macro : NULL;
  for (unsigned i = 0; macro && i < k->n_alternatives; i++) {
    text_printf(out, "%s %s == %u\n", i ? "#elif" : "#if", macro, i + 1);
    write_call(k, &k->alternatives[i], out);
  }
  bool choice = macro && k->n_alternatives;
  text_printf(out, choice ? "#else\n" : "");
  write_call(k, &k->main, out);
  text_printf(out, choice ? "#endif\n" : "");
}

static void write_instance(const struct cuda_kernel *c, struct text *out) {
  for (unsigned i = 0; i < c->cxx.n_params; i++)
    if (c->cxx.params[i].type)
      text_printf(out, "using %s = AUTOTUNE_T%u;\n", c->cxx.params[i].name, i);
    else if (slice_is(c->cxx.params[i].type_text, "auto"))
      text_printf(out, "constexpr auto %s = AUTOTUNE_T%u;\n", c->cxx.params[i].name, i);
    else
      text_printf(out, "constexpr %.*s %s = (%.*s)(AUTOTUNE_T%u);\n",
                  WORD(c->cxx.params[i].type_text), c->cxx.params[i].name,
                  WORD(c->cxx.params[i].type_text), i);
}

// Writes S on one line.
static void write_note(const char *what, struct slice s, struct text *out) {
  text_printf(out, " %s", what);
  for (size_t i = 0; i < s.size; i++)
    text_printf(out, "%c", s.data[i] == '\n' || s.data[i] == '\\' ? ' ' : s.data[i]);
}

// Writes the geometry of launches as a comment: it is no part of the variant's code, but
// results become invalid when it changes.
static void write_geometry(const struct cuda_kernel *c, struct text *out) {
  if (c->grid.n == 0 && c->shared.size == 0 && !c->ceil)
    return;
  text_printf(out, "//%s", c->ceil ? " ceil" : "");
  for (unsigned i = 0; i < c->grid.n; i++)
    write_note("grid ", c->grid.of[i], out);
  if (c->shared.size)
    write_note("shared ", c->shared, out);
  text_printf(out, " .\n"); // so that no backslash ends the line
}

void body_entry(const struct cuda_reach *r, struct text *out) {
  write_geometry(cuda_of(r->k), out);
  text_printf(out, "#line 1 \"<autotune>\"\nnamespace autotune_instance {\n");
  write_instance(cuda_of(r->k), out);
  text_printf(out, "extern \"C\" __global__ void");
  write_bounds(r, out);
  write_attributes(r, out);
  text_printf(out, " autotune_entry(");
  write_parameters(r->k, out);
  text_printf(out, ")\n{\n");
  write_calls(r->k, out);
  text_printf(
      out,
      "}\n#ifdef AUTOTUNE_EMULATE\nextern \"C++\" {\n"
      "template <class T, T... I> struct autotune_numbers {};\n"
      "template <class... P, unsigned... I>\n"
      "void autotune_call(void (*f)(P...), void **a, autotune_numbers<unsigned, I...>)\n"
      "{\n  (void)a;\n  f(*(P *)a[I]...);\n}\n"
      "template <class... P> void autotune_call(void (*f)(P...), void **a)\n"
      "{\n  autotune_call(f, a, __make_integer_seq<autotune_numbers, unsigned, "
      "sizeof...(P)>());\n}\n}\n"
      "extern \"C\" void autotune_entry_call(void **a)\n"
      "{\n  autotune_call(autotune_entry, a);\n}\n#endif\n}\n");
}
