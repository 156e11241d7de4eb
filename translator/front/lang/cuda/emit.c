// SPDX-License-Identifier: Apache-2.0
// emit.c: writes the translated .cu file. The kernel stays as written. After it come a
// class with everything that the runtime must know, a template if the kernel is one, and
// a function that replaces each launch (stub.cu.in).
#include <string.h>

#include "autotune_abi.h"
#include "front/emit/emit.h"
#include "cuda.h"
#include "items.h"

#define WORD(s) (int)(s).size, (s).data

TEMPLATE_FILE(cuda_template, "front/lang/cuda/stub.cu.in");
static const char *const cuda_files[] = { cuda_template, emit_shared_template, NULL };
static const struct template cuda_templates = { cuda_files, emit_filters };

// ---- macros of the file, for constraints --------------------------------------------

struct expansion *cuda_macros(const struct source *s, const struct kernel *kernels,
                              unsigned n_kernels, const struct items *items) {
  struct expansion *x = arena_alloc(sizeof *x);
  *x = (struct expansion){ .source = s, .kernels = kernels, .n_kernels = n_kernels };
  for (unsigned n = 0; n < items->n; n++) {
    const struct item *i = &items->list[n];
    if ((i->kind != ITEM_DEFINE && i->kind != ITEM_UNDEF) || !i->names[0].name.size)
      continue;
    const char *behind = i->names[0].name.data + i->names[0].name.size;
    names_add(&x->items.names, NAME_MACRO, i->names[0].name, x->n_macros);
    *GROW(x->macros, x->n_macros) =
        (struct macro){ .name = i->names[0].name,
                        .text = i->text,
                        .order = n,
                        .undefined = i->kind == ITEM_UNDEF,
                        .function = behind < i->s->text + i->end && *behind == '(',
                        .ours = i->s == s };
  }
  return x;
}

// ---- launches -----------------------------------------------------------------------

// Appends the newlines of [START, END), and blanks for the last line: the text after them
// keeps its place.
static void add_gap(const struct source *s, size_t start, size_t end, struct text *out) {
  size_t last = end;
  while (last > start && s->text[last - 1] != '\n')
    last--;
  edits_newlines(s, start, end, out);
  if (last > start)
    text_printf(out, "%*s", (int)(end - last), "");
}

// Returns the offset after the `>>>(` that follows P.
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

// Appends the full namespaces of K, as prefix of its launcher's name: a using-declaration
// of the kernel does not include the launcher.
static void add_spaces(const struct kernel *k, struct text *out) {
  if (cxx_of(k)->namespaces.size)
    text_printf(out, "::%.*s::", WORD(cxx_of(k)->namespaces));
}

// Rewrites k<T><<<g, b>>>(x) to autotune_launch_k<T>(g, b, 0, nullptr, x).
static void edit_chevrons(struct edits *edits, const struct launch *l,
                          const struct kernel *k) {
  const struct source *s = edits->s;
  size_t name = end_of(s, l->callee) - strlen(k->main.name), end = end_of(s, l->callee);
  struct text prefix = { 0 }, open = { 0 }, close = { 0 };
  size_t spaces = cxx_of(k)->namespaces.size ? (size_t)(l->callee.data - s->text) : name;
  add_spaces(k, &prefix);
  edits_newlines(s, spaces, name, &prefix);
  text_printf(&prefix, "autotune_launch_");
  edits_add(edits, spaces, name, prefix);
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
  edits_add(edits, end, first, open);
  size_t last = end_of(s, l->config[l->n_config - 1]);
  size_t args = behind_chevrons(s, s->text + last);
  for (unsigned i = l->n_config; i < 4; i++)
    text_printf(&close, i == 3 ? ", nullptr" : ", 0");
  text_printf(&close, l->args.size ? ", " : "");
  add_gap(s, last, args, &close);
  edits_add(edits, last, args, close);
}

// Rewrites cudaLaunchKernel((void *)k<T>, g, b, args, sh, st) to
// (autotune_launchv_k<T>)(g, b, args, sh, st). The parentheses protect a comma of its
// template, because the whole may be a macro's argument.
static void edit_runtime(struct edits *edits, const struct launch *l,
                         const struct kernel *k) {
  const struct source *s = edits->s;
  struct text text = { 0 };
  size_t first = (size_t)(l->config[0].data - s->text);
  if (l->template_args.size)
    text_printf(&text, "(");
  if (!cxx_of(k)->namespaces.size)
    text_printf(&text, "%.*s", (int)(l->callee.size - strlen(k->main.name)),
                l->callee.data);
  add_spaces(k, &text);
  text_printf(&text, "autotune_launchv_%s", k->main.name);
  if (l->template_args.size)
    text_printf(&text, "<%.*s>)", WORD(l->template_args));
  text_printf(&text, "(");
  add_gap(s, l->start, first, &text);
  edits_add(edits, l->start, first, text);
}

// ---- fields for templates -----------------------------------------------------------

// One size of a grid or a block.
struct cuda_size {
  const char *axis, *limit;
  struct slice text; // empty: as many blocks as hold the requested threads
};

// The fields of a kernel that its emission does not have.
struct cuda_view {
  struct slice head;     // "template <typename T>", or empty
  const char *qualifier; // "a::" where the file has other kernels of its name; else ""
  unsigned flags, most_keys;
  bool unnamed, ceil, addressed;
  bool uses_grid, uses_block; // sizes mention gridDim, blockDim
  bool own_grid, own_block;   // all their sizes are set
  bool chooses_block;         // the param of index block_param chooses the block
  int block_param;
  struct slice shared;
  struct cuda_size *block, *grid, *sizes; // sizes: those that the param offers
  unsigned n_block, n_grid, n_sizes;
  const struct template_param *params;
  unsigned n_params;
  const struct cuda_symbol *symbols;
  unsigned n_symbols;
  const struct prepared *prepared;
  unsigned n_prepared;
};

// Writes a parameter without its default, which an earlier declaration may have.
static void cuda_plain(const struct template_scope *scope, struct text *out) {
  const struct template_param *p = scope->data;
  struct slice text = p->text;
  if (p->initial.size)
    text.size = (size_t)(p->initial.data - text.data);
  while (text.size && strchr("= \t\n", text.data[text.size - 1]))
    text.size--;
  text_add(out, text.data, text.size);
}

static void cuda_check_sizes(const struct template_scope *scope, struct text *out) {
  const struct cuda_kernel *c = cuda_of(emit_of(scope)->k);
  for (unsigned i = 0; i < c->block.n; i++)
    emit_check(scope, c->block.of[i], "(void)(long long)", 0, true, out);
  for (unsigned i = 0; i < c->grid.n; i++)
    emit_check(scope, c->grid.of[i], "(void)(long long)", 0, true, out);
  emit_check(scope, c->shared, "(void)(long long)", 0, true, out);
}

static void cuda_check_prepared(const struct template_scope *scope, struct text *out) {
  const struct cuda_kernel *c = cuda_of(emit_of(scope)->k);
  const char *name = emit_of(scope)->k->main.name;
  for (unsigned i = 0; i < c->n_prepared; i++)
    emit_check(scope, c->prepared[i].expr,
               arena_printf("::autotune::checked<decltype(autotune_arg_%s_%u)>::argument",
                            name, c->prepared[i].arg),
               0, true, out);
}

// Appends the indices of the params that the expression of a prepared argument uses.
static void cuda_looks(const struct template_scope *scope, struct text *out) {
  const struct kernel *k = emit_of(scope)->k;
  const struct prepared *p = scope->data;
  for (unsigned i = 0; i < k->n_params; i++)
    if (k->params[i].named && cuda_prepare_uses(p, k->params[i].name))
      text_printf(out, "%u, ", i);
}

// The same for the kernel's arguments.
static void cuda_reads(const struct template_scope *scope, struct text *out) {
  const struct kernel *k = emit_of(scope)->k;
  const struct prepared *p = scope->data;
  for (unsigned i = 0; i < k->n_args; i++)
    if (k->args[i].name && cuda_prepare_uses(p, k->args[i].name))
      text_printf(out, "%u, ", i);
}

static void cuda_choices(const struct template_scope *scope, struct text *out) {
  cuda_choose_check(emit_of(scope)->s, emit_of(scope)->k, out);
}

static void cuda_enter(const struct template_scope *scope, struct text *out) {
  cuda_outside(cuda_of(emit_of(scope)->k), true, out);
}

static void cuda_leave(const struct template_scope *scope, struct text *out) {
  cuda_outside(cuda_of(emit_of(scope)->k), false, out);
}

// clang-format off
#define THIS struct cuda_size
static const struct template_field cuda_size_fields[] = {
  TEMPLATE_FIELD(THIS, STRING, axis), TEMPLATE_FIELD(THIS, STRING, limit),
  TEMPLATE_FIELD(THIS, SLICE, text), TEMPLATE_END
};
#undef THIS
#define THIS struct template_param
static const struct template_field cuda_param_fields[] = {
  TEMPLATE_FIELD(THIS, STRING, name), TEMPLATE_FIELD(THIS, BOOL, type),
  TEMPLATE_WRITE("plain", cuda_plain), TEMPLATE_END
};
#undef THIS
#define THIS struct cuda_symbol
static const struct template_field cuda_symbol_fields[] = {
  TEMPLATE_FIELD(THIS, STRING, name), TEMPLATE_FIELD(THIS, STRING, qualified),
  TEMPLATE_FIELD(THIS, BOOL, constant), TEMPLATE_END
};
#undef THIS
#define THIS struct prepared
static const struct template_field cuda_prepared_fields[] = {
  TEMPLATE_FIELD(THIS, UNSIGNED, arg), TEMPLATE_FIELD(THIS, STRING, made_of),
  TEMPLATE_FIELD(THIS, SLICE, expr), TEMPLATE_WRITE("looks", cuda_looks),
  TEMPLATE_WRITE("reads", cuda_reads), TEMPLATE_END
};
#undef THIS
#define THIS struct cuda_view
static const struct template_field cuda_view_fields[] = {
  TEMPLATE_FIELD(THIS, SLICE, head), TEMPLATE_FIELD(THIS, STRING, qualifier),
  TEMPLATE_FIELD(THIS, UNSIGNED, flags), TEMPLATE_FIELD(THIS, UNSIGNED, most_keys),
  TEMPLATE_FIELD(THIS, BOOL, unnamed), TEMPLATE_FIELD(THIS, BOOL, ceil), TEMPLATE_FIELD(THIS, BOOL, addressed),
  TEMPLATE_FIELD(THIS, BOOL, uses_grid), TEMPLATE_FIELD(THIS, BOOL, uses_block),
  TEMPLATE_FIELD(THIS, BOOL, own_grid), TEMPLATE_FIELD(THIS, BOOL, own_block),
  TEMPLATE_FIELD(THIS, BOOL, chooses_block), TEMPLATE_FIELD(THIS, INT, block_param),
  TEMPLATE_FIELD(THIS, SLICE, shared), TEMPLATE_WRITE("check_sizes", cuda_check_sizes),
  TEMPLATE_WRITE("choices", cuda_choices), TEMPLATE_WRITE("enter", cuda_enter), TEMPLATE_WRITE("leave", cuda_leave),
  TEMPLATE_LIST(THIS, "block", block, n_block, cuda_size_fields),
  TEMPLATE_LIST(THIS, "grid", grid, n_grid, cuda_size_fields),
  TEMPLATE_LIST(THIS, "sizes", sizes, n_sizes, cuda_size_fields),
  TEMPLATE_LIST(THIS, "template", params, n_params, cuda_param_fields),
  TEMPLATE_LIST(THIS, "symbols", symbols, n_symbols, cuda_symbol_fields),
  TEMPLATE_LIST(THIS, "prepared", prepared, n_prepared, cuda_prepared_fields),
  TEMPLATE_WRITE("check_prepared", cuda_check_prepared), TEMPLATE_END
};
#undef THIS
// clang-format on

static bool cuda_mentions(const struct dims *d, const char *word) {
  for (unsigned i = 0; i < d->n; i++) {
    struct lexer l = lexer_of(d->of[i]);
    for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
      if (slice_is(t.text, word))
        return true;
  }
  return false;
}

static void cuda_sizes(struct cuda_view *v, const struct kernel *k) {
  const struct cuda_kernel *c = cuda_of(k);
  const struct param *p = c->block_param >= 0 ? &k->params[c->block_param] : NULL;
  static const char *const axes[] = { "x", "y", "z" };
  static const char *const limits[] = { "2147483647", "65535", "65535" };
  for (unsigned i = 0; i < 3 && c->block.n; i++)
    *GROW(v->block, v->n_block) =
        (struct cuda_size){ axes[i], "1024",
                            i < c->block.n ? c->block.of[i] : slice_of("1") };
  for (unsigned i = 0; p && i < p->n_values; i++)
    *GROW(v->sizes, v->n_sizes) =
        (struct cuda_size){ .text = slice_of(p->values[i].text) };
  bool own = p || c->block.n;
  for (unsigned i = 0; i < (own ? 3 : c->grid.n); i++)
    *GROW(v->grid, v->n_grid) =
        (struct cuda_size){ axes[i], limits[i],
                            i < c->grid.n ? c->grid.of[i] : (struct slice){ 0 } };
}

static const struct cuda_view *cuda_view(const struct kernel *k,
                                         const struct cuda_unit *u, bool emulate) {
  const struct cuda_kernel *c = cuda_of(k);
  struct dims shared = { { c->shared }, c->shared.size ? 1 : 0 };
  struct cuda_view *v = arena_alloc(sizeof *v);
  *v = (struct cuda_view){
    .head = c->cxx.template_head,
    .qualifier = "",
    .flags = c->flags | (emulate ? AUTOTUNE_GPU_EMULATED : 0u),
    .most_keys = (k->key_given ? k->n_keys : k->n_args + 3) + 1,
    .unnamed = u->unnamed,
    .ceil = c->ceil,
    .addressed = c->addressed,
    .chooses_block = c->block_param >= 0,
    .block_param = c->block_param,
    .shared = c->shared,
    .params = c->cxx.params,
    .n_params = c->cxx.n_params,
    .symbols = u->symbols,
    .n_symbols = u->n_symbols,
    .prepared = c->prepared,
    .n_prepared = c->n_prepared,
  };
  if (c->n_elsewhere && c->cxx.namespaces.size)
    v->qualifier = arena_printf("%.*s::", WORD(c->cxx.namespaces));
  v->uses_grid = cuda_mentions(&c->block, "gridDim") ||
      cuda_mentions(&c->grid, "gridDim") || cuda_mentions(&shared, "gridDim");
  v->uses_block = cuda_mentions(&c->grid, "blockDim") ||
      cuda_mentions(&shared, "blockDim");
  cuda_sizes(v, k);
  v->own_grid = v->n_grid == 3;
  v->own_block = v->n_block == 3 || v->chooses_block;
  return v;
}

// ---- before the kernel and after it -------------------------------------------------

// The parts of a kernel's declaration that its launcher needs.
struct cuda_declared {
  const char *kernel;
  struct slice head, parameters;
  bool defined;                // of an overload
  const char *args, *instance; // "a, n", "<T, N>"
};
#define THIS struct cuda_declared
static const struct template_field cuda_declared_fields[] = {
  TEMPLATE_FIELD(THIS, STRING, kernel),
  TEMPLATE_FIELD(THIS, SLICE, head),
  TEMPLATE_FIELD(THIS, SLICE, parameters),
  TEMPLATE_FIELD(THIS, BOOL, defined),
  TEMPLATE_FIELD(THIS, STRING, args),
  TEMPLATE_FIELD(THIS, STRING, instance),
  TEMPLATE_END
};
#undef THIS

// Reads DECLARATION. False: it does not declare K.
static bool cuda_declared(struct slice declaration, struct cuda_declared *d) {
  struct lexer l = lexer_of(declaration);
  struct token t = lex(&l);
  bool global = false;
  d->head = (struct slice){ t.text.data, 0 };
  if (slice_is(t.text, "template") && cut_skip_angles(&l))
    d->head.size = (size_t)(l.p - d->head.data);
  while (t.kind != TOKEN_END && !slice_is(t.text, d->kernel)) {
    global = global || slice_is(t.text, "__global__");
    t = lex(&l);
  }
  const char *open = l.p, *close = skip_brackets(&l);
  struct slice inside = slice_trim((struct slice){ open, (size_t)(close - open) });
  if (!global || inside.size < 2 || *inside.data != '(')
    return false;
  d->parameters = slice_trim((struct slice){ inside.data + 1, inside.size - 2 });
  if (slice_is(d->parameters, "void"))
    d->parameters.size = 0;
  return true;
}

static bool cuda_item_names(const struct item *i, const char *name) {
  for (unsigned n = 0; n < i->n_names; n++)
    if (slice_is(i->names[n].name, name))
      return true;
  return false;
}

// Declares the launcher wherever K is declared before its definition, with the default
// arguments of that declaration. True: one of these declarations ends before BEFORE.
static bool edit_declarations(struct edits *edits, const struct kernel *k,
                              const struct items *items, size_t before) {
  bool any = false;
  for (unsigned n = 0; n < items->n; n++) {
    const struct item *i = &items->list[n];
    struct cuda_declared d = { .kernel = k->main.name };
    if (i->s != edits->s || i->kind != ITEM_CODE || !i->function ||
        i->end > k->main.name_at || !cuda_item_names(i, k->main.name) ||
        !slice_is(cxx_of(k)->namespaces, items_namespaces(items, i)) ||
        !cuda_declared(i->text, &d))
      continue;
    struct template_scope scope = { cuda_declared_fields, &d, 0, NULL };
    edits_insert(edits, &cuda_templates, "declaration", &scope, i->end);
    any = any || i->end <= before;
  }
  return any;
}

// Rewrites the launches of kernel INDEX.
static void edit_launches(struct edits *edits, const struct kernel *k, int index,
                          const struct launch *launches, unsigned n,
                          const struct items *items) {
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
    diag_error(edits->s, first, strlen(k->main.name),
               "declare it in this file before the launch, or move its definition there",
               "'%s' is launched before its definition", k->main.name);
}

// Gives the overloads of K launchers of the same name, which launch them as written: so
// C++ chooses among them.
static void edit_overloads(struct edits *edits, const struct kernel *k) {
  const struct cuda_kernel *c = cuda_of(k);
  for (unsigned i = 0; i < c->n_overloads; i++) {
    const struct overload *o = &c->overloads[i];
    struct cuda_declared d = { .kernel = k->main.name,
                               .head = cxx_of(&o->as)->template_head,
                               .defined = true,
                               .args = "",
                               .instance = "" };
    const char *parameters = "";
    for (unsigned j = 0; j < c->n_overloads && !o->defined; j++)
      d.defined = d.defined &&
          !(c->overloads[j].defined && c->overloads[j].as.n_args == o->as.n_args);
    for (unsigned j = 0; j < o->as.n_args; j++) {
      const struct kernel_arg *a = &o->as.args[j];
      parameters = arena_printf("%s%s%.*s", parameters, j ? ", " : "", WORD(a->text));
      d.args = arena_printf("%s%s%s", d.args, j ? ", " : "", a->name);
    }
    d.parameters = slice_of(parameters);
    for (unsigned j = 0; j < cxx_of(&o->as)->n_params; j++)
      d.instance = arena_printf("%s%s%s", d.instance, j ? ", " : "<",
                                cxx_of(&o->as)->params[j].name);
    if (*d.instance)
      d.instance = arena_printf("%s>", d.instance);
    struct template_scope scope = { cuda_declared_fields, &d, 0, NULL };
    edits_insert(edits, &cuda_templates, "overload", &scope, o->end);
  }
}

static void edit_kernel(struct edits *edits, const struct emission *e) {
  const struct kernel *k = e->k;
  size_t start = cxx_of(k)->start;
  for (unsigned i = 0; i <= k->n_alternatives && e->n_own; i++) {
    size_t at = i < k->n_alternatives ? k->alternatives[i].start : start;
    if (at <= start)
      emit_insert(edits, e, "before", at);
  }
  emit_insert(edits, e, "after", k->main.end);
  edit_overloads(edits, k);
}

void cuda_emit(const struct source *s, const struct pragma *pragmas, unsigned n_pragmas,
               const struct kernel *kernels, unsigned n_kernels,
               const struct launches *launches, const struct items *items,
               const struct cuda_unit *units, const struct expansion *x,
               const struct compile_options *o, struct text *out) {
  struct edits edits = { .s = s };
  struct text heading = { 0 };
  edits_blank(&edits, pragmas, n_pragmas);
  for (unsigned i = 0; i < n_kernels; i++) {
    const struct cuda_unit *u = &units[i];
    struct unit unit = { // described like a unit of C
                         .compiler = "nvrtc",
                         .text = u->text,
                         .flags = u->flags,
                         .n_flags = u->n_flags
    };
    struct emission e = { .s = s,
                          .k = &kernels[i],
                          .x = x,
                          .o = o,
                          .units = &unit,
                          .n_units = 1,
                          .constant_bounds = true,
                          .templates = &cuda_templates,
                          .fields = cuda_view_fields,
                          .data = cuda_view(&kernels[i], u, o->emulate) };
    emission_prepare(&e);
    edit_kernel(&edits, &e);
    edit_launches(&edits, e.k, (int)i, launches->list, launches->n, items);
  }
  for (unsigned i = 0; i < launches->n_rewrites; i++) {
    const struct rewrite *r = &launches->rewrites[i];
    struct text text = { 0 };
    text_add(&text, r->text, strlen(r->text));
    edits_add(&edits, r->start, r->end, text);
  }
  if (n_kernels)
    text_printf(&heading, "#include <autotune_cuda.h>\n");
  edits_apply(&edits, &heading, out);
}
