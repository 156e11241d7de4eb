// SPDX-License-Identifier: Apache-2.0
// unit.c: writes the kernel unit: the declarations it reaches in the order of the file,
// then the kernel as written. It needs no header; `#define`s of the params come before
// it.
#include <string.h>

#include "front/reach/unit.h"

struct writer {
  const struct source *s;
  const struct reach *r;
  struct text *out;
  unsigned *live, n_live; // macros defined at this point
};

static void unit_add(struct text *out, struct slice s) {
  text_add(out, s.data, s.size);
}

void unit_add_without(struct text *out, struct slice text, const char *const *drop) {
  struct lexer l = lexer_of(text);
  const char *from = text.data;
  unsigned depth = 0;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    int bracket = lex_bracket(t.text);
    bool dropped = false;
    if (t.first && slice_is(t.text, "#")) {
      struct lexer rest;
      if (lex_directive(&l, &rest) == LINE_PRAGMA)
        continue;
      dropped = true;
    }
    for (const char *const *d = drop; depth == 0 && d && *d; d++)
      dropped |= slice_is(t.text, *d);
    depth += bracket > 0 || depth ? (unsigned)bracket : 0;
    if (!dropped)
      continue;
    text_add(out, from, (size_t)(t.text.data - from));
    from = l.p;
  }
  text_add(out, from, (size_t)(text.data + text.size - from));
}

static const char *const linkage[] = { "static", "extern", NULL };
static const char *const linkage_and_inline[] = { "static",   "extern",     "inline",
                                                  "__inline", "__inline__", "register",
                                                  NULL };

void unit_open_context(struct text *out, const struct context *c) {
  if (c->pack.size)
    text_printf(out, "#pragma pack(push, %.*s)\n", (int)c->pack.size, c->pack.data);
  if (c->n_options)
    text_printf(out, "#pragma GCC push_options\n");
  for (unsigned i = 0; i < c->n_options; i++)
    text_printf(out, "%.*s\n", (int)c->options[i].size, c->options[i].data);
}

void unit_close_context(struct text *out, const struct context *c) {
  if (c->n_options)
    text_printf(out, "#pragma GCC pop_options\n");
  if (c->pack.size)
    text_printf(out, "#pragma pack(pop)\n");
}

static void unit_undefine(struct writer *w, unsigned i) {
  struct slice name = w->r->x->macros[w->live[i]].name;
  text_printf(w->out, "#undef %.*s\n", (int)name.size, name.data);
  w->live[i] = w->live[--w->n_live];
}

// Undefines all macros: definitions are needed only for text that is preprocessed again;
// in other text they have been applied.
static void unit_undefine_all(struct writer *w) {
  while (w->n_live)
    unit_undefine(w, w->n_live - 1);
}

static void unit_define(struct writer *w, unsigned index) {
  const struct macro *macros = w->r->x->macros;
  struct slice name = macros[index].name;
  for (unsigned i = 0; i < w->n_live; i++) {
    struct slice other = macros[w->live[i]].name;
    if (!slices_same(other, name))
      continue;
    if (w->live[i] == index)
      return;
    unit_undefine(w, i);
    break;
  }
  text_printf(w->out, "%.*s\n", (int)macros[index].text.size, macros[index].text.data);
  *GROW(w->live, w->n_live) = index;
}

static void define_all(struct writer *w, const struct raw *raw) {
  for (unsigned i = 0; i < raw->n_macros; i++)
    unit_define(w, raw->macros[i]);
}

// Appends a piece with its macros. Its definitions are hidden, so that they cannot
// replace the program's own.
static void unit_write_piece(struct writer *w, const struct raw *raw) {
  const struct expansion *x = w->r->x;
  text_printf(w->out, "#pragma GCC visibility push(hidden)\n");
  define_all(w, raw);
  source_resume(w->s, raw->piece->start, w->out);
  feed_raw(w->s, x->kernels, x->n_kernels, raw->piece->start, raw->piece->end, w->out);
  text_printf(w->out, "#pragma GCC visibility pop\n");
}

// Appends `extern` and the type of each variable; if only the initialiser gives the size,
// the type is taken from it.
static void write_extern(struct text *out, const struct item *item) {
  const struct declarator *d = &item->names[0];
  text_printf(out, "extern ");
  if (item->n_names == 1 && d->unsized && d->value.size) {
    text_printf(out, "__typeof__((");
    unit_add_without(out, item->specifiers, linkage_and_inline);
    text_add(out, d->text.data, (size_t)(d->name.data - d->text.data));
    const char *behind = d->name.data + d->name.size, *end = d->text.data + d->text.size;
    text_printf(out, " %.*s)", (int)(end - behind), behind);
    unit_add(out, d->value);
    text_printf(out, ") %.*s;\n", (int)d->name.size, d->name.data);
    return;
  }
  unit_add_without(out, item->specifiers, linkage_and_inline);
  for (unsigned i = 0; i < item->n_names; i++) {
    text_printf(out, "%s", i ? "," : " ");
    unit_add_without(out, item->names[i].text, NULL);
  }
  text_printf(out, ";\n");
}

// True if ITEM declares several names, functions among them: `int f(int), g(int), n;`.
static bool unit_is_mixed(const struct item *item) {
  bool function = false;
  for (unsigned i = 0; i < item->n_names; i++)
    function |= item->names[i].function;
  return function && item->n_names > 1;
}

// Writes each name of a mixed ITEM as a declaration of its own: the kernel is static
// here, and the variables and other functions may not be.
static void unit_write_mixed(struct writer *w, const struct item *item) {
  for (unsigned i = 0; i < item->n_names; i++) {
    const struct declarator *d = &item->names[i];
    enum how how = d->function ? reach_function(w->r, d->name) : HOW_EXTERN;
    text_printf(w->out, how == HOW_EXTERN ? "extern " : "static ");
    unit_add_without(w->out, item->specifiers, linkage_and_inline);
    text_printf(w->out, " ");
    unit_add_without(w->out, d->text, NULL);
    text_printf(w->out, ";\n");
  }
}

static void reach_unit_write_item(struct writer *w, unsigned index) {
  const struct item *item = &w->r->x->items.list[index];
  const char *start = item->specifiers.data, *end = item->text.data + item->text.size;
  struct slice text = { start, (size_t)(end - start) }, head = text;
  if (item->body)
    head.size = (size_t)(item->body - start);
  enum how how = w->r->how[index];
  // `#pragma omp declare simd` may precede it.
  text_add(w->out, item->text.data, (size_t)(start - item->text.data));
  if (how == HOW_TEXT) {
    unit_add_without(w->out, text, NULL);
  } else if (unit_is_mixed(item)) {
    unit_write_mixed(w, item);
  } else if (how == HOW_STATIC) {
    if (item->body && item->end && start == item->text.data)
      source_resume(w->s, item->start, w->out);
    text_printf(w->out, item->implicit ? "static int " : "static ");
    unit_add_without(w->out, text, linkage);
  } else if (how == HOW_OWN) { // the definition comes last, as written
    text_printf(w->out, "static ");
    unit_add_without(w->out, head, linkage);
    text_printf(w->out, item->body ? ";" : "");
  } else if (how == HOW_EXTERN && item->names[0].function) {
    if (item->untyped.size) // any arguments, promoted as for its definition
      head.size = (size_t)(item->untyped.data - start);
    text_printf(w->out, item->implicit ? "extern int " : "extern ");
    unit_add_without(w->out, head, linkage_and_inline);
    text_printf(w->out, "%s%s", item->untyped.size ? "()" : "", item->body ? ";" : "");
  } else if (how == HOW_EXTERN) {
    write_extern(w->out, item);
  }
  text_add(w->out, "\n", 1);
}

// Appends items and pieces in the order of the file.
static void write_items(struct writer *w) {
  const struct expansion *x = w->r->x;
  unsigned char *done = arena_alloc(w->r->n_raws + 1);
  for (unsigned i = 0; i <= x->items.n; i++) {
    size_t order = i < x->items.n ? (size_t)(x->items.list[i].text.data - x->text.data)
                                  : SIZE_MAX;
    for (unsigned j = 0; j < w->r->n_raws; j++)
      if (w->r->raws[j].piece && !done[j] && w->r->raws[j].order <= order) {
        done[j] = 1;
        unit_write_piece(w, &w->r->raws[j]);
      }
    if (i == x->items.n || w->r->how[i] == HOW_NOT || w->r->how[i] == HOW_PIECE)
      continue;
    unit_undefine_all(w);
    const struct context *c = &x->contexts[x->items.list[i].context];
    unit_open_context(w->out, c);
    reach_unit_write_item(w, i);
    unit_close_context(w->out, c);
  }
}

// Appends a function as loops.c writes it or as the user wrote it, without `#pragma
// autotune`. `static` comes before its first `#line`.
static void unit_write_function(struct writer *w, const struct kernel *k,
                                const struct function *f, const struct raw *raw,
                                bool as_written) {
  struct text before = { 0 }, text = { 0 };
  if (as_written)
    feed_raw(w->s, w->r->x->kernels, w->r->x->n_kernels, f->start, f->end, &text);
  else
    loops_write(w->s, k, f, &before, &text);
  struct slice head = { text.data, text.size };
  struct lexer l = lexer_of(head);
  bool named = false;
  for (struct token t; !named && (t = lex(&l)).kind != TOKEN_END;) {
    if (slice_is(t.text, "static") || slice_is(t.text, "extern"))
      memset((char *)t.text.data, ' ', t.text.size);
    named = slice_is(t.text, f->name);
  }
  define_all(w, raw);
  text_add(w->out, before.data, before.size);
  text_printf(w->out, "static\n");
  text_add(w->out, text.data, text.size);
  text_add(w->out, "\n", 1);
}

static void write_entry(struct writer *w, const struct kernel *k) {
  text_printf(w->out, "#line 1 \"<autotune>\"\n");
  text_printf(w->out,
              "extern __typeof__(%s) *const autotune_entry\n"
              "  __attribute__((__visibility__(\"default\"), __used__));\n",
              k->main.name);
  const char *macro = k->choose >= 0 ? k->params[k->choose].macro : NULL;
  for (unsigned i = 0; macro && i < k->n_alternatives; i++)
    text_printf(w->out, "%s %s == %u\n__typeof__(%s) *const autotune_entry = %s;\n",
                i ? "#elif" : "#if", macro, i + 1, k->main.name, k->alternatives[i].name);
  if (macro && k->n_alternatives)
    text_printf(w->out, "#else\n");
  text_printf(w->out, "__typeof__(%s) *const autotune_entry = %s;\n", k->main.name,
              k->main.name);
  if (macro && k->n_alternatives)
    text_printf(w->out, "#endif\n");
}

// Appends everything that is reached, then the functions.
static void unit_write_all(struct writer *w, const struct kernel *k, bool as_written) {
  const struct reach *r = w->r;
  const struct expansion *x = r->x;
  for (unsigned i = 0; i < x->n_sticky; i++)
    text_printf(w->out, "%.*s\n", (int)x->sticky[i].size, x->sticky[i].data);
  for (unsigned i = 0; i < r->n_tags;
       i++) // so that a prototype is never the first to mention a tag
    text_printf(w->out, "%s %.*s;\n", r->tags[i].is_union ? "union" : "struct",
                (int)r->tags[i].name.size, r->tags[i].name.data);
  write_items(w);
  unit_undefine_all(w);
  const struct item *item = expand_function(x, &k->main);
  const struct context *c = item ? &x->contexts[item->context] : NULL;
  if (c)
    unit_open_context(w->out, c);
  for (unsigned i = 1; i <= k->n_alternatives; i++)
    unit_write_function(w, k, &k->alternatives[i - 1], &r->raws[i], as_written);
  unit_write_function(w, k, &k->main, &r->raws[0], as_written);
  if (c)
    unit_close_context(w->out, c);
}

void unit_write_item(const struct source *s, const struct reach *r, unsigned index,
                     struct text *out) {
  struct writer w = { .s = s, .r = r, .out = out };
  reach_unit_write_item(&w, index);
}

struct unit unit_build(const struct source *s, const struct kernel *k,
                       const struct expansion *x, const struct compile_options *o) {
  struct unit u = { .compiler = x->compiler };
  struct reach *r = reach_kernel(s, k, x, (struct slice){ 0 });
  struct writer w = { .s = s, .r = r, .out = &u.text };
  unit_write_all(&w, k, false);
  write_entry(&w, k);
  u.flags = preprocess_flags(o, &u.n_flags);
  u.openmp = openmp_is_on(o) && reach_uses_openmp(r);
  u.symbols = r->symbols;
  u.n_symbols = r->n_symbols;
  return u;
}

static void add_slice(struct text *out, struct slice s) {
  text_add(out, s.data, s.size);
  text_add(out, " ", 1);
}

// Returns the expressions that the functions of a replay consist of.
static struct slice replay_expressions(const struct kernel *k) {
  struct text t = { 0 };
  for (unsigned i = 0; i < k->n_sections; i++) {
    add_slice(&t, k->sections[i].base);
    for (unsigned j = 0; j < k->sections[i].n_dims; j++) {
      add_slice(&t, k->sections[i].dims[j].low);
      add_slice(&t, k->sections[i].dims[j].length);
    }
  }
  add_slice(&t, k->flops);
  add_slice(&t, k->bytes);
  for (unsigned i = 0; i < k->n_constraints; i++)
    add_slice(&t, k->constraints[i]);
  text_add(&t, "\n", 1);
  return (struct slice){ t.data, t.size };
}

struct unit unit_replay(const struct source *s, const struct kernel *k,
                        const struct expansion *x) {
  struct unit u = { .compiler = x->compiler };
  struct reach *r = reach_kernel(s, k, x, replay_expressions(k));
  struct writer w = { .s = s, .r = r, .out = &u.text };
  for (unsigned i = 0; i < k->n_params; i++)
    if (k->params[i].named && k->params[i].macro)
      text_printf(&u.text, "#define %s %s\n", k->params[i].macro,
                  feed_default(s, k, &k->params[i]));
  unit_write_all(&w, k, true);
  define_all(&w, &r->raws[1 + k->n_alternatives]); // for the expressions
  u.symbols = r->symbols;
  u.n_symbols = r->n_symbols;
  return u;
}
