// SPDX-License-Identifier: Apache-2.0
// emit.c: writes the translated file of C. The user's text stays at its line and column;
// generated text stands between `#line`s of a file "<autotune>", with warnings off.
#include <string.h>

#include "front/emit/emit.h"

TEMPLATE_FILE(emit_shared_template, "front/emit/shared.in");
TEMPLATE_FILE(emit_c_template, "front/lang/c/stub.c.in");

void emit_weakly(const struct compile_options *o, struct text *out) {
  if (o->weak)
    text_printf(out,
                "#pragma weak autotune_begin\n#pragma weak autotune_end\n"
                "#pragma weak autotune_site_close\n"
                "#pragma weak autotune_rows_apart\n#pragma weak autotune_rows_rise\n"
                "extern const char autotune_weakly[];\n"
                "#pragma weak autotune_weakly\n"
                "static const char *const autotune_is_weak "
                "__attribute__((__used__)) = autotune_weakly;\n");
}

static void stub_heading(const struct source *s, const struct kernel *kernels, unsigned n,
                         const struct compile_options *o, struct text *out) {
  (void)s, (void)kernels, (void)n;
  text_printf(out, "#include <autotune_abi.h>\n");
  emit_weakly(o, out);
}

static const char *stub_name(const struct emission *e) {
  return arena_printf("autotune_default_%s", e->k->main.name);
}

static const char *stub_called(const struct emission *e) {
  return arena_printf("autotune_took_%s", e->k->main.name);
}

static const char *const stub_files[] = { emit_c_template, emit_shared_template, NULL };
static const struct template stub_templates = { stub_files, emit_filters };
static const struct baking stub_style = { .templates = &stub_templates,
                                          .heading = stub_heading,
                                          .prepare = emission_replay,
                                          .called_name = stub_called,
                                          .default_name = stub_name };

// Removes `extern` and `static` before the name: generated text has its own.
static void emit_linkage(struct edits *edits, const struct function *f) {
  const char *text = edits->s->text;
  struct lexer l = lexer_of((struct slice){ text + f->start, f->name_at - f->start });
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    size_t at = (size_t)(t.text.data - text);
    struct text blank = { 0 };
    text_printf(&blank, "%*s", (int)t.text.size, "");
    if (slice_is(t.text, "extern") || slice_is(t.text, "static"))
      edits_add(edits, at, at + t.text.size, blank);
  }
}

static void emit_name(struct edits *edits, const struct emission *e, const char *name,
                      bool readable) {
  const struct function *f = &e->k->main;
  size_t end = f->name_at + strlen(f->name);
  struct text text = { 0 };
  text_printf(&text, readable ? "%s" : "%s\n", name);
  if (!readable)
    emit_resume(e->s, end, &text);
  edits_add(edits, f->name_at, end, text);
}

void emit_quiet(struct edits *edits, const struct emission *e, size_t start) {
  const struct function *f = &e->k->main;
  struct text quiet = { 0 }, loud = { 0 };
  text_printf(&quiet, "\nAUTOTUNE_GENERATED\n");
  emit_resume(e->s, start, &quiet);
  edits_add(edits, start, start, quiet);
  text_printf(&loud, "\nAUTOTUNE_AS_WRITTEN\n");
  edits_add(edits, f->end, f->end, loud);
}

static void emit_function(struct edits *edits, const struct emission *e,
                          const struct function *f, const struct baking *style) {
  struct emission own = *e;
  const char *name = f == &e->k->main ? style->default_name(e) : NULL;
  own.f = f;
  emit_insert(edits, &own, "before", f->start);
  if (e->outlined)
    emit_quiet(edits, e, f->start);
  if (name) {
    emit_linkage(edits, f);
    emit_name(edits, e, name, style->readable);
  }
  emit_insert(edits, &own, "after", f->end);
}

// Edits the call of E's kernel, which was a statement, to one of CALLED, and has the
// statement timed in its place where CALLED says so. TAIL: where the call ends.
static void emit_timed(struct edits *edits, const struct emission *e, const char *called,
                       size_t tail) {
  const struct outlined *o = e->outlined;
  size_t size = strlen(o->name), condition = o->call - strlen(" if (");
  struct text state = { 0 }, name = { 0 }, close = { 0 }, after = { 0 };
  text_printf(&state, " struct autotune_call_state *autotune_t_%s;", o->name);
  edits_add(edits, condition, condition, state);
  text_printf(&name, "autotune_is_taken(autotune_t_%s = %s", o->name, called);
  edits_add(edits, o->call, o->call + 1 + size, name);
  text_printf(&close, ")))");
  edits_add(edits, tail - 1, tail + strlen(", 1))"), close);
  text_printf(&after, "\nAUTOTUNE_GENERATED\n");
  emit_resume(e->s, o->end, &after);
  text_printf(&after,
              "if (__builtin_expect(autotune_is_timed(autotune_t_%s), 0)) "
              "autotune_time_end(autotune_t_%s);\n",
              o->name, o->name);
  text_printf(&after, "AUTOTUNE_AS_WRITTEN\n");
  if (e->n_own)
    emit_render(e, "forget_params", &after);
  emit_resume(e->s, o->end, &after);
  edits_add(edits, o->end, o->end, after);
}

void emit_place(struct edits *edits, const struct emission *e, const char *called) {
  const struct outlined *o = e->outlined;
  const char *text = e->s->text;
  size_t line = o->call, tail;
  while (text[line - 1] != '\n')
    line--;
  for (tail = o->call; memcmp(text + tail, ", 1))", 5) != 0;)
    tail++;
  struct text quiet = { 0 }, loud = { 0 }, after = { 0 };
  text_printf(&quiet, "AUTOTUNE_GENERATED ");
  edits_add(edits, line, line, quiet);
  size_t end = (size_t)(strchr(text + tail, '\n') - text) + 1;
  text_printf(&loud, "AUTOTUNE_AS_WRITTEN\n");
  emit_render(e, "own_params", &loud);
  edits_add(edits, end, end, loud);
  if (called) {
    emit_timed(edits, e, called, tail);
  } else if (e->n_own) {
    text_printf(&after, "\n");
    emit_render(e, "forget_params", &after);
    emit_resume(e->s, o->end, &after);
    edits_add(edits, o->end, o->end, after);
  }
}

void emit_file(const struct source *s, const struct pragma *pragmas, unsigned n_pragmas,
               const struct kernel *kernels, unsigned n_kernels,
               const struct expansion *x, struct unit *const *units,
               const struct compile_options *o, struct text *out) {
  const struct baking *style = o->baking ? o->baking : &stub_style;
  struct edits edits = { .s = s };
  struct text heading = { 0 };
  edits_blank(&edits, pragmas, n_pragmas);
  for (unsigned i = 0; i < n_kernels; i++) {
    const struct kernel *k = &kernels[i];
    struct emission e = { .s = s,
                          .k = k,
                          .x = x,
                          .o = o,
                          .units = units[i],
                          .n_units = k->n_compilers,
                          .templates = style->templates,
                          .fields = style->fields };
    if (!units[i]) // an #if leaves the kernel out
      continue;
    emission_prepare(&e);
    style->prepare(&e);
    if (!heading.size)
      style->heading(s, kernels, n_kernels, o, &heading);
    emit_function(&edits, &e, &k->main, style);
    if (e.outlined)
      emit_place(&edits, &e, style->called_name ? style->called_name(&e) : NULL);
    for (unsigned a = 0; a < k->n_alternatives; a++)
      emit_function(&edits, &e, &k->alternatives[a], style);
  }
  edits_apply(&edits, &heading, out);
}
