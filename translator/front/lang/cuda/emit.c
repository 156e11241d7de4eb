// SPDX-License-Identifier: Apache-2.0
// emit.c: the translated .cu file. The kernel stays as written; behind it stands a class
// with all that the runtime must know, a template where the kernel is one, and a function
// in whose call each launch turns.
#include <string.h>

#include "front/reach/unit.h"
#include "emit.h"
#include "items.h"

#define WORD(s) (int)(s).size, (s).data

// ---- macros of the file, for constraints --------------------------------------------

struct expansion *cuda_macros(const struct source *s, const struct kernel *kernels,
                              unsigned n_kernels, const struct cuda_items *items) {
  struct expansion *x = arena_alloc(sizeof *x);
  *x = (struct expansion){ .source = s, .kernels = kernels, .n_kernels = n_kernels };
  for (unsigned n = 0; n < items->n; n++) {
    const struct cuda_item *i = &items->list[n];
    if ((i->kind != ITEM_DEFINE && i->kind != ITEM_UNDEF) || !i->names[0].size)
      continue;
    const char *behind = i->names[0].data + i->names[0].size;
    expand_name(x, NAME_MACRO, i->names[0], x->n_macros);
    *GROW(x->macros, x->n_macros) =
        (struct macro){ .name = i->names[0],
                        .text = item_text(i),
                        .order = n,
                        .undefined = i->kind == ITEM_UNDEF,
                        .function = behind < i->s->text + i->end && *behind == '(',
                        .ours = i->s == s };
  }
  return x;
}

// ---- edits --------------------------------------------------------------------------

struct edit {
  size_t start, end;
  struct slice text;
}; // [START, END) becomes TEXT
struct edits {
  const struct source *s;
  struct edit *list;
  unsigned n;
};

static void emit_edit_add(struct edits *e, size_t start, size_t end, struct text text) {
  unsigned i = e->n;
  struct edit edit = { start, end, { text.data, text.size } };
  *GROW(e->list, e->n) = edit;
  for (; i > 0 && e->list[i - 1].start > start; i--)
    e->list[i] = e->list[i - 1];
  e->list[i] = edit;
}

static void emit_add_newlines(const struct source *s, size_t start, size_t end,
                              struct text *out) {
  for (size_t i = start; i < end; i++)
    if (s->text[i] == '\n' || s->text[i] == '\r')
      text_add(out, s->text + i, 1);
}

// The lines of [START, END), and in the last of them blanks: what follows keeps its
// place.
static void add_gap(const struct source *s, size_t start, size_t end, struct text *out) {
  size_t last = end;
  while (last > start && s->text[last - 1] != '\n')
    last--;
  emit_add_newlines(s, start, end, out);
  if (last > start)
    text_printf(out, "%*s", (int)(end - last), "");
}

static void edits_apply(const struct edits *e, size_t at, struct text *out) {
  const struct source *s = e->s;
  for (unsigned i = 0; i < e->n; i++) {
    text_add(out, s->text + at, e->list[i].start - at);
    text_add(out, e->list[i].text.data, e->list[i].text.size);
    at = e->list[i].end;
  }
  text_add(out, s->text + at, s->size - at);
}

// ---- launches -----------------------------------------------------------------------

// `>>>(` behind CONFIG: the offset behind it.
static size_t behind_chevrons(const struct source *s, const char *p) {
  struct lexer l = { p, s->text + s->size, false };
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (slice_is(t.text, "("))
      return (size_t)(l.p - s->text);
  return s->size;
}

static size_t end_of(const struct source *s, struct slice part) {
  return (size_t)(part.data + part.size - s->text);
}

// In front of a launcher's name: the namespaces of its kernel, in full, as a
// using-declaration of the kernel's name brings that of no other.
static void add_spaces(const struct kernel *k, struct text *out) {
  if (k->cuda->namespaces.size)
    text_printf(out, "::%.*s::", WORD(k->cuda->namespaces));
}

// k<T><<<g, b>>>(x) becomes autotune_launch_k<T>(g, b, 0, nullptr, x).
static void edit_chevrons(struct edits *edits, const struct launch *l,
                          const struct kernel *k) {
  const struct source *s = edits->s;
  size_t name = end_of(s, l->callee) - strlen(k->main.name), end = end_of(s, l->callee);
  struct text prefix = { 0 }, open = { 0 }, close = { 0 };
  size_t spaces = k->cuda->namespaces.size ? (size_t)(l->callee.data - s->text) : name;
  add_spaces(k, &prefix);
  emit_add_newlines(s, spaces, name, &prefix);
  text_printf(&prefix, "autotune_launch_");
  emit_edit_add(edits, spaces, name, prefix);
  if (l->template_args.size)
    end = end_of(s, l->template_args);
  struct lexer lexer = { s->text + end, s->text + s->size, false };
  if (l->template_args.size) {
    lex(&lexer); // '>'
    end = (size_t)(lexer.p - s->text);
  }
  size_t first = (size_t)(l->config[0].data - s->text);
  text_printf(&open, "(");
  add_gap(s, end, first, &open);
  emit_edit_add(edits, end, first, open);
  size_t last = end_of(s, l->config[l->n_config - 1]);
  size_t args = behind_chevrons(s, s->text + last);
  for (unsigned i = l->n_config; i < 4; i++)
    text_printf(&close, i == 3 ? ", nullptr" : ", 0");
  text_printf(&close, l->args.size ? ", " : "");
  add_gap(s, last, args, &close);
  emit_edit_add(edits, last, args, close);
}

// cudaLaunchKernel((void *)k<T>, g, b, args, sh, st) becomes (autotune_launchv_k<T>)(g,
// b, args, sh, st): a comma of its template stays in parentheses, as the whole may be a
// macro's argument.
static void edit_runtime(struct edits *edits, const struct launch *l,
                         const struct kernel *k) {
  const struct source *s = edits->s;
  struct text text = { 0 };
  size_t first = (size_t)(l->config[0].data - s->text);
  if (l->template_args.size)
    text_printf(&text, "(");
  if (!k->cuda->namespaces.size)
    text_printf(&text, "%.*s", (int)(l->callee.size - strlen(k->main.name)),
                l->callee.data);
  add_spaces(k, &text);
  text_printf(&text, "autotune_launchv_%s", k->main.name);
  if (l->template_args.size)
    text_printf(&text, "<%.*s>)", WORD(l->template_args));
  text_printf(&text, "(");
  add_gap(s, l->start, first, &text);
  emit_edit_add(edits, l->start, first, text);
}

// ---- in front of the kernel and behind it -------------------------------------------

static void emit_begin_generated(struct text *out) {
  text_printf(out,
              "\nAUTOTUNE_GENERATED AUTOTUNE_GENERATED_CUDA\n#line 1 \"<autotune>\"\n");
}

static void end_generated(const struct source *s, size_t at, struct text *out) {
  text_printf(out, "AUTOTUNE_AS_WRITTEN_CUDA AUTOTUNE_AS_WRITTEN\n");
  emit_resume(s, at, out);
}

static void edit_params(struct edits *edits, const struct emission *e, size_t at) {
  struct text text = { 0 };
  struct emission own = *e;
  own.out = &text;
  emit_define_params(&own, true);
  if (!text.size)
    return;
  struct text all = { 0 };
  emit_begin_generated(&all);
  text_add(&all, text.data, text.size);
  end_generated(e->s, at, &all);
  emit_edit_add(edits, at, at, all);
}

static void edit_behind(struct edits *edits, const struct emission *e) {
  struct text text = { 0 };
  struct emission own = *e;
  size_t at = e->k->main.end;
  own.out = &text;
  emit_begin_generated(&text);
  emit_hide_macros(&own, true);
  cuda_emit_class(&own);
  cuda_emit_launchers(&own);
  emit_hide_macros(&own, false);
  emit_define_params(&own, false);
  end_generated(e->s, at, &text);
  emit_edit_add(edits, at, at, text);
}

static bool emit_declares(const struct cuda_item *i, const char *name) {
  for (unsigned n = 0; n < i->n_names; n++)
    if (slice_is(i->names[n], name))
      return true;
  return false;
}

// Declarations of K in front of its definition: its launcher is declared there too, with
// what they say of default arguments.
static bool edit_declarations(struct edits *edits, const struct kernel *k,
                              const struct cuda_items *items, size_t before) {
  bool any = false;
  for (unsigned n = 0; n < items->n; n++) {
    const struct cuda_item *i = &items->list[n];
    if (i->s != edits->s || i->kind != ITEM_CODE || !i->function ||
        i->end > k->main.name_at || !emit_declares(i, k->main.name) ||
        !slice_is(k->cuda->namespaces, items_namespaces(items, i)))
      continue;
    struct text text = { 0 };
    emit_begin_generated(&text);
    if (!cuda_emit_declaration(item_text(i), k, &text))
      continue;
    end_generated(edits->s, i->end, &text);
    emit_edit_add(edits, i->end, i->end, text);
    any = any || i->end <= before;
  }
  return any;
}

// The launches of kernel INDEX.
static void edit_launches(struct edits *edits, const struct kernel *k, int index,
                          const struct launch *launches, unsigned n,
                          const struct cuda_items *items) {
  size_t first = SIZE_MAX;
  for (unsigned i = 0; i < n; i++) {
    if (launches[i].kernel != index)
      continue;
    first = launches[i].start < first ? launches[i].start : first;
    if (launches[i].runtime)
      edit_runtime(edits, &launches[i], k);
    else
      edit_chevrons(edits, &launches[i], k);
  }
  if (!edit_declarations(edits, k, items, first) && first < k->main.name_at)
    diag_error(
        edits->s, first, strlen(k->main.name),
        "declare it in this file in front of the launch, or move its definition there",
        "'%s' is launched in front of its definition", k->main.name);
}

static void emit_edit_kernel(struct edits *edits, const struct emission *e) {
  const struct kernel *k = e->k;
  edit_params(edits, e, k->cuda->start);
  for (unsigned i = 0; i < k->n_alternatives; i++)
    if (k->alternatives[i].start < k->cuda->start)
      edit_params(edits, e, k->alternatives[i].start);
  edit_behind(edits, e);
}

// NVRTC's unit as those of C are described.
static struct unit *unit_of(const struct cuda_unit *u) {
  struct unit *unit = arena_alloc(sizeof *unit);
  *unit = (struct unit){
    .compiler = "nvrtc", .text = u->text, .flags = u->flags, .n_flags = u->n_flags
  };
  return unit;
}

static struct emission emission_of(const struct source *s, const struct kernel *k,
                                   const struct expansion *x, const struct cuda_unit *u,
                                   const struct compile_options *o) {
  struct kernel *copy = arena_alloc(sizeof *copy);
  *copy = *k;
  copy->n_compilers = 0;
  copy->compilers = NULL;
  *GROW(copy->compilers, copy->n_compilers) = "nvrtc";
  struct emission e = {
    .s = s, .k = copy, .x = x, .units = unit_of(u), .o = o, .cuda = u
  };
  e.factors = factors_of(x, copy, &e.n_factors);
  return e;
}

void cuda_emit(const struct source *s, const struct pragma *pragmas, unsigned n_pragmas,
               const struct kernel *kernels, unsigned n_kernels,
               const struct launch *launches, unsigned n_launches,
               const struct cuda_items *items, const struct cuda_unit *units,
               const struct expansion *x, const struct compile_options *o,
               struct text *out) {
  struct edits edits = { .s = s };
  for (unsigned i = 0; i < n_pragmas; i++) {
    struct text blank = { 0 };
    emit_add_newlines(s, pragmas[i].offset, pragmas[i].end, &blank);
    emit_edit_add(&edits, pragmas[i].offset, pragmas[i].end, blank);
  }
  for (unsigned i = 0; i < n_kernels; i++) {
    struct emission e = emission_of(s, &kernels[i], x, &units[i], o);
    emit_edit_kernel(&edits, &e);
    edit_launches(&edits, &kernels[i], (int)i, launches, n_launches, items);
  }
  size_t at = s->size >= 3 && memcmp(s->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  text_add(out, s->text, at);
  if (n_kernels) {
    text_printf(out, "#include <autotune_cuda.h>\n");
    emit_resume(s, 0, out);
  }
  edits_apply(&edits, at, out);
}
