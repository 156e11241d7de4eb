// SPDX-License-Identifier: Apache-2.0
// emit.c: writes the translated file of C++. The kernel stays as written, under another
// name; after it come a class with everything that the runtime must know, a template if
// the kernel is one, and the function that is called in its place (stub.cpp.in).
#include <string.h>

#include "cxx.h"
#include "front/emit/emit.h"

TEMPLATE_FILE(cxx_template, "front/lang/cxx/stub.cpp.in");
static const char *const cxx_files[] = { cxx_template, emit_shared_template, NULL };
static const struct template cxx_templates = { cxx_files, emit_filters };

// The fields of a kernel that its emission does not have.
struct cxx_view {
  struct slice declared; // the head, as written
  struct text plain;     // the same without default arguments and template head
  bool member;
  const char *qualifier; // "a::S::", of its name in reports
  const struct template_param *params;
  unsigned n_params;
  const struct cxx_symbol *symbols;
  unsigned n_symbols;
};

// Writes a parameter of the template without its default, which an earlier declaration
// may have.
static void cxx_plain(const struct template_scope *scope, struct text *out) {
  const struct template_param *p = scope->data;
  struct slice text = p->text;
  if (p->initial.size)
    text.size = (size_t)(p->initial.data - text.data);
  while (text.size && strchr("= \t\n", text.data[text.size - 1]))
    text.size--;
  text_add(out, text.data, text.size);
}

// clang-format off
#define THIS struct template_param
static const struct template_field cxx_param_fields[] = {
  TEMPLATE_FIELD(THIS, STRING, name), TEMPLATE_FIELD(THIS, BOOL, type),
  TEMPLATE_WRITE("plain", cxx_plain), TEMPLATE_END
};
#undef THIS
#define THIS struct cxx_symbol
static const struct template_field cxx_symbol_fields[] = {
  TEMPLATE_FIELD(THIS, STRING, symbol), TEMPLATE_FIELD(THIS, STRING, qualified),
  TEMPLATE_FIELD(THIS, BOOL, function), TEMPLATE_END
};
#undef THIS
#define THIS struct cxx_view
static const struct template_field cxx_view_fields[] = {
  TEMPLATE_FIELD(THIS, SLICE, declared), TEMPLATE_FIELD(THIS, SLICE, plain),
  TEMPLATE_FIELD(THIS, BOOL, member), TEMPLATE_FIELD(THIS, STRING, qualifier),
  TEMPLATE_LIST(THIS, "template", params, n_params, cxx_param_fields),
  TEMPLATE_LIST(THIS, "symbols", symbols, n_symbols, cxx_symbol_fields), TEMPLATE_END
};
#undef THIS
// clang-format on

// Appends the head of K's definition without the defaults of its arguments.
static void cxx_head(const struct source *s, const struct kernel *k, struct text *out) {
  const char *from = s->text + k->main.start, *end = s->text + k->main.body_at;
  for (unsigned i = 0; i < k->n_args; i++) {
    const struct kernel_arg *a = &k->args[i];
    if (!a->initial.size)
      continue;
    const char *stop = a->text.data + a->text.size;
    text_add(out, from, (size_t)(stop - from));
    from = a->initial.data + a->initial.size;
  }
  text_add(out, from, (size_t)(end - from));
}

static const struct cxx_view *cxx_view(const struct source *s, const struct kernel *k,
                                       const struct cxx_reach *r) {
  struct slice classes = cxx_kernel_of(k)->classes;
  size_t start = cxx_of(k)->start;
  struct cxx_view *v = arena_alloc(sizeof *v);
  *v = (struct cxx_view){
    .declared = { s->text + start, k->main.body_at - start },
    .member = classes.size > 0,
    .qualifier = cxx_scope(k),
    .params = cxx_of(k)->params,
    .n_params = cxx_of(k)->n_params,
    .symbols = r->symbols,
    .n_symbols = r->n_symbols,
  };
  if (v->member)
    text_add(&v->plain, v->declared.data, v->declared.size);
  else
    cxx_head(s, k, &v->plain);
  return v;
}

// Blanks `extern "C"`, `extern` and `static` before the default variant's name, which
// gets `static` after the head of its template. A member keeps what it has.
static void cxx_edit_default(struct edits *edits, const struct emission *e) {
  const struct kernel *k = e->k;
  const struct source *s = edits->s;
  const struct function *f = &k->main;
  size_t start = cxx_of(k)->start, end = f->name_at + strlen(f->name);
  struct text name = { 0 }, linkage = { 0 };
  struct lexer l = { s->text + start, s->text + f->name_at, false };
  bool head = cxx_of(k)->template_head.size > 0;
  text_printf(&name, "autotune_default_%s\n", f->name);
  emit_resume(s, end, &name);
  edits_add(edits, f->name_at, end, name);
  if (cxx_kernel_of(k)->classes.size)
    return;
  text_printf(&linkage, "\nstatic %s\n", e->outlined ? "" : "AUTOTUNE_ONE_COPY");
  emit_resume(s, f->start, &linkage);
  edits_add(edits, f->start, f->start, linkage);
  if (head)
    l.p = s->text + f->start;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    size_t at = (size_t)(t.text.data - s->text);
    struct text blank = { 0 };
    text_printf(&blank, "%*s", (int)t.text.size, "");
    if (slice_is(t.text, "extern") || slice_is(t.text, "static") ||
        t.kind == TOKEN_STRING)
      edits_add(edits, at, at + t.text.size, blank);
  }
}

static void cxx_edit_kernel(struct edits *edits, struct emission *e) {
  const struct kernel *k = e->k;
  for (unsigned a = 0; a < k->n_alternatives; a++) {
    struct emission own = *e;
    own.f = &k->alternatives[a];
    emit_insert(edits, &own, "before", k->alternatives[a].start);
    emit_insert(edits, &own, "after", k->alternatives[a].end);
  }
  emit_insert(edits, e, "before", cxx_of(k)->start);
  if (e->outlined)
    emit_quiet(edits, e, cxx_of(k)->start);
  cxx_edit_default(edits, e);
  emit_insert(edits, e, "after", k->main.end);
  if (e->outlined)
    emit_place(edits, e, arena_printf("autotune_took_%s", k->main.name));
}

// Leaves out K, which was a statement and is not tuned: the statement runs in its place.
static void cxx_edit_refused(struct edits *edits, const struct kernel *k) {
  const struct source *s = edits->s;
  const struct outlined *o = NULL;
  struct text skip = { 0 }, resume = { 0 }, here = { 0 };
  for (unsigned i = 0; i < s->n_outlined; i++)
    if (strcmp(s->outlined[i].name, k->main.name) == 0)
      o = &s->outlined[i];
  if (!o)
    return;
  size_t start = o->call, end = (size_t)(strchr(s->text + o->call, '\n') - s->text);
  while (s->text[start - 1] != '\n')
    start--;
  text_printf(&skip, "\n#if 0\n");
  edits_add(edits, cxx_of(k)->start, cxx_of(k)->start, skip);
  text_printf(&resume, "\n#endif\n");
  edits_add(edits, k->main.end, k->main.end, resume);
  text_printf(&here, "{{");
  edits_add(edits, start, end, here);
}

void cxx_emit(const struct source *s, const struct pragma *pragmas, unsigned n_pragmas,
              const struct kernel *kernels, unsigned n_kernels, const struct expansion *x,
              struct cxx_reach *const *reaches, struct unit *const *units,
              const struct compile_options *o, struct text *out) {
  struct edits edits = { .s = s };
  struct text heading = { 0 };
  edits_blank(&edits, pragmas, n_pragmas);
  for (unsigned i = 0; i < n_kernels; i++) {
    const struct kernel *k = &kernels[i];
    if (!units[i]) {
      cxx_edit_refused(&edits, k);
      continue;
    }
    struct emission e = { .s = s,
                          .k = k,
                          .x = x,
                          .o = o,
                          .units = units[i],
                          .n_units = k->n_compilers,
                          .templates = &cxx_templates,
                          .constant_bounds = true,
                          .fields = cxx_view_fields,
                          .data = cxx_view(s, k, reaches[i]) };
    emission_prepare(&e);
    if (!heading.size) {
      text_printf(&heading, "#include <autotune_cxx.h>\n");
      emit_weakly(o, &heading);
    }
    cxx_edit_kernel(&edits, &e);
  }
  edits_apply(&edits, &heading, out);
}
