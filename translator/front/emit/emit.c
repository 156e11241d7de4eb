// SPDX-License-Identifier: Apache-2.0
// emit.c: the translated file. What the user wrote stays at its line and column; what we
// write stands between `#line`s of a file "<autotune>", warnings off.
#include <string.h>

#include "front/reach/unit.h"

void emit_resume(const struct source *s, size_t at, struct text *out) {
  const char *path;
  unsigned column, line = source_where(s, at, &path, &column);
  text_printf(out, "#line %u ", line);
  text_literal(out, path, strlen(path));
  text_printf(out, "\n%*s", (int)column - 1, "");
}

// Fields of autotune_abi.h's structures that the text names: a user's macro may be
// spelled so too.
static const char *const fields[] = {
  "abi", "name", "file", "line", "original", "invoke", "describe", "conditions",
  "n_conditions", "holds", "ret_size", "ret_element", "n_args", "args", "n_keys", "keys",
  "n_params", "params", "n_sections", "sections", "n_units", "units", "n_symbols",
  "symbols", "verify", "rtol", "atol", "search", "budget_seconds", "budget_variants",
  "mode", "openmp", "hot", "code", "key", "kernel", "spans", "base", "bytes", "size",
  "node", "watch", "left", "result", "budget_fraction", "until", "family", "footprint",
  "compiler", "replay", "not_captured", "inferred", "flops", "l1d", "l2", "l3", "vector",
  "cores", "threads", "i", "d", "text",
  // of CUDA kernels
  "gpu", "flags", "launch", "geometry", "instance", "n_written", "written", "grid",
  "block", "shared", "stream", "smem_per_block", "smem_per_sm", "registers", "sms",
  "warp", "max_threads", "cc", "x", "y", "z", "s", "value", "type", "end", "lines",
  "kind", NULL
};

static bool user_macro(const struct emission *e, const char *name) {
  const struct item *f = expand_function(e->x, &e->k->main);
  size_t order = f ? (size_t)(f->text.data - e->x->text.data) : SIZE_MAX;
  const struct macro *m = expand_macro(e->x, slice_of(name), order);
  return m && !m->builtin;
}

void emit_hide_macros(const struct emission *e, bool hide) {
  for (const char *const *f = fields; *f; f++) {
    if (!user_macro(e, *f))
      continue;
    if (hide)
      text_printf(e->out, "#pragma push_macro(\"%s\")\n#undef %s\n", *f, *f);
    else
      text_printf(e->out, "#pragma pop_macro(\"%s\")\n", *f);
  }
}

static bool file_defines(const struct source *s, const char *macro) {
  const char *p = s->text, *end = s->text + s->size;
  for (; (p = memmem(p, (size_t)(end - p), "define", 6)); p += 6) {
    struct lexer l = lexer_of((struct slice){ p + 6, (size_t)(end - p) - 6 });
    if (p > s->text && (p[-1] == '#' || p[-1] == ' ' || p[-1] == '\t') &&
        slice_is(lex(&l).text, macro))
      return true;
  }
  return false;
}

void emit_define_params(const struct emission *e, bool define) {
  const char *kernel = e->k->main.name;
  for (unsigned i = 0; i < e->k->n_params; i++) {
    const struct param *p = &e->k->params[i];
    if (!p->named || !p->macro || file_defines(e->s, p->macro))
      continue;
    const char *m = p->macro;
    if (define)
      text_printf(e->out,
                  "#ifndef %s\n#define %s %s\n#define AUTOTUNE_OWN_%s_%s\n#endif\n", m, m,
                  feed_default(e->s, e->k, p), kernel, m);
    else
      text_printf(e->out,
                  "#ifdef AUTOTUNE_OWN_%s_%s\n#undef %s\n"
                  "#undef AUTOTUNE_OWN_%s_%s\n#endif\n",
                  kernel, m, m, kernel, m);
  }
}

static void emit_begin_generated(struct text *out) {
  text_printf(out, "\nAUTOTUNE_GENERATED\n#line 1 \"<autotune>\"\n");
}

static void emit_header(const struct emission *e, const struct function *f) {
  text_add(e->out, e->s->text + f->start, f->body_at - f->start);
}

static void emit_key_values(const struct emission *e, const char *separator,
                            const char *format) {
  for (unsigned i = 0; i < e->k->n_keys; i++) {
    text_printf(e->out, "%s", i ? separator : "");
    text_printf(e->out, format, i);
    text_printf(e->out, "(long long)(%.*s)", (int)e->k->keys[i].size, e->k->keys[i].data);
  }
}

static void argument_names(const struct emission *e, const char *prefix) {
  for (unsigned i = 0; i < e->k->n_args; i++)
    text_printf(e->out, "%s%s%s", i ? ", " : "", prefix, e->k->args[i].name);
}

static void slow_path(const struct emission *e) {
  const char *name = e->k->main.name;
  struct slice result = e->k->returns ? e->k->result : slice_of("void");
  text_printf(e->out,
              "static __attribute__((__noinline__, __cold__)) %.*s autotune_slow_%s(",
              (int)result.size, result.data, name);
  emit_parameters(e, "");
  text_printf(e->out, ")\n{\n");
  if (e->k->n_keys) {
    text_printf(e->out, "  const long long autotune_k[] = { ");
    emit_key_values(e, ", ", "");
    text_printf(e->out, " };\n");
  }
  if (e->k->n_args) {
    text_printf(e->out, "  void *const autotune_a[] = { ");
    argument_names(e, "(void *)&");
    text_printf(e->out, " };\n");
  }
  text_printf(e->out,
              "  struct autotune_call_state autotune_s;\n"
              "  const autotune_fn autotune_f =\n"
              "    autotune_begin(&autotune_site_%s, %s, %s, &autotune_s);\n  ",
              name, e->k->n_keys ? "autotune_k" : "0", e->k->n_args ? "autotune_a" : "0");
  if (e->k->returns)
    text_printf(e->out, "%.*s autotune_result = ", (int)result.size, result.data);
  text_printf(e->out, "((autotune_type_%s *)autotune_f)(", name);
  argument_names(e, "");
  text_printf(e->out,
              ");\n  if (autotune_s.node != 0) {\n    autotune_s.result = %s;\n"
              "    autotune_end(&autotune_s);\n  }\n%s}\n",
              e->k->returns ? "&autotune_result" : "0",
              e->k->returns ? "  return autotune_result;\n" : "");
}

// What the program calls: one load, the comparisons of the key, one indirect call.
static void emit_stub(const struct emission *e) {
  const char *name = e->k->main.name;
  emit_header(e, &e->k->main);
  text_printf(e->out,
              "\n{\n  struct autotune_entry *const autotune_e =\n"
              "    __atomic_load_n(&autotune_site_%s.hot, __ATOMIC_ACQUIRE);\n"
              "  if (__builtin_expect(autotune_e != 0",
              name);
  text_printf(e->out, "%s", e->k->n_keys ? " && " : "");
  emit_key_values(e, " && ", "autotune_e->key[%u] == ");
  text_printf(
      e->out,
      " && !autotune_due(autotune_e), 1)) {\n    %s((autotune_type_%s *)autotune_e->code)(",
      e->k->returns ? "return " : "", name);
  argument_names(e, "");
  text_printf(e->out, ");\n%s  }\n  %sautotune_slow_%s(",
              e->k->returns ? "" : "    return;\n", e->k->returns ? "return " : "", name);
  argument_names(e, "");
  text_printf(e->out, ");\n}\n");
}

// The kernel itself is declared static in front of what will be its default, where a
// macro of the user's may say so once more.
static void emit_declare(const struct emission *e, const struct function *f) {
  emit_header(e, f);
  if (f == &e->k->main)
    text_printf(e->out, ";\nstatic __typeof__(%s) autotune_default_%s;\n", f->name,
                f->name);
  else
    text_printf(e->out, "__attribute__((__unused__));\n");
}

// In front of the definition at F: params and a prototype.
static void emit_before(const struct emission *e, const struct function *f) {
  emit_begin_generated(e->out);
  emit_define_params(e, true);
  if (e->o->baking)
    e->o->baking->before(e, f);
  else
    emit_declare(e, f);
  text_printf(e->out, "AUTOTUNE_AS_WRITTEN\n");
  emit_resume(e->s, f->start, e->out);
}

static void emit_after(const struct emission *e, const struct function *f) {
  const char *name = e->k->main.name;
  emit_begin_generated(e->out);
  if (e->o->baking) {
    e->o->baking->after(e, f);
  } else if (f == &e->k->main) {
    emit_hide_macros(e, true);
    text_printf(e->out, "typedef __typeof__(%s) autotune_type_%s;\n", name, name);
    emit_arguments(e);
    emit_functions(e);
    emit_tables(e);
    text_printf(e->out,
                "static struct autotune_site autotune_site_%s = "
                "{ 0, &autotune_kernel_%s, 0 };\n"
                "static __attribute__((__destructor__)) void autotune_close_%s(void)\n"
                "{\n  autotune_site_close(&autotune_site_%s);\n}\n",
                name, name, name, name);
    slow_path(e);
    emit_stub(e);
    emit_hide_macros(e, false);
  }
  emit_define_params(e, false);
  text_printf(e->out, "AUTOTUNE_AS_WRITTEN\n");
  emit_resume(e->s, f->end, e->out);
}

struct edit { // of the source: [START, END) becomes what the kind says
  size_t start, end;
  enum { EDIT_BLANK, EDIT_STATIC, EDIT_BEFORE, EDIT_NAME, EDIT_AFTER } kind;
  const struct emission *emission;
  const struct function *function;
};
struct edits {
  struct edit *list;
  unsigned n;
};

static void emit_edit_add(struct edits *edits, struct edit edit) {
  unsigned i = edits->n;
  *GROW(edits->list, edits->n) = edit;
  for (; i > 0 && edits->list[i - 1].start > edit.start; i--)
    edits->list[i] = edits->list[i - 1];
  edits->list[i] = edit;
}

// `extern` and `static` in front of the name: we write our own.
static void edit_linkage(const struct source *s, struct edits *edits,
                         const struct function *f) {
  struct lexer l = lexer_of((struct slice){ s->text + f->start, f->name_at - f->start });
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    size_t at = (size_t)(t.text.data - s->text);
    if (slice_is(t.text, "extern") || slice_is(t.text, "static"))
      emit_edit_add(edits, (struct edit){ at, at + t.text.size, EDIT_STATIC, NULL, f });
  }
}

static void emit_apply(const struct source *s, const struct edit *edit,
                       struct text *out) {
  switch (edit->kind) {
  case EDIT_BLANK:
    for (size_t i = edit->start; i < edit->end; i++)
      if (s->text[i] == '\n' || s->text[i] == '\r')
        text_add(out, s->text + i, 1);
    break;
  case EDIT_STATIC:
    text_printf(out, "%*s", (int)(edit->end - edit->start), "");
    break;
  case EDIT_BEFORE:
    emit_before(edit->emission, edit->function);
    break;
  case EDIT_NAME:
    if (edit->emission->o->baking) { // to be read
      text_printf(out, "%s", edit->emission->o->baking->name(edit->emission));
      break;
    }
    text_printf(out, "autotune_default_%s\n", edit->function->name);
    emit_resume(s, edit->end, out); // what follows keeps its column
    break;
  case EDIT_AFTER:
    emit_after(edit->emission, edit->function);
    break;
  }
}

static void emit_edit_kernel(const struct source *s, struct edits *edits,
                             const struct emission *e) {
  const struct function *f = &e->k->main;
  emit_edit_add(edits, (struct edit){ f->start, f->start, EDIT_BEFORE, e, f });
  if (!e->o->baking || e->o->baking->applies(e->k)) {
    edit_linkage(s, edits, f);
    emit_edit_add(
        edits,
        (struct edit){ f->name_at, f->name_at + strlen(f->name), EDIT_NAME, e, f });
  }
  emit_edit_add(edits, (struct edit){ f->end, f->end, EDIT_AFTER, e, f });
  for (unsigned i = 0; i < e->k->n_alternatives; i++) {
    f = &e->k->alternatives[i];
    emit_edit_add(edits, (struct edit){ f->start, f->start, EDIT_BEFORE, e, f });
    emit_edit_add(edits, (struct edit){ f->end, f->end, EDIT_AFTER, e, f });
  }
}

void emit_file(const struct source *s, const struct pragma *pragmas, unsigned n_pragmas,
               const struct kernel *kernels, unsigned n_kernels,
               const struct expansion *x, struct unit *const *units,
               const struct compile_options *o, struct text *out) {
  struct edits edits = { 0 };
  bool any = false;
  for (unsigned i = 0; i < n_pragmas; i++)
    emit_edit_add(
        &edits,
        (struct edit){ pragmas[i].offset, pragmas[i].end, EDIT_BLANK, NULL, NULL });
  for (unsigned i = 0; i < n_kernels; i++) {
    struct emission *e = arena_alloc(sizeof *e);
    *e = (struct emission){
      .s = s, .k = &kernels[i], .x = x, .units = units[i], .out = out, .o = o
    };
    e->factors = units[i] ? factors_of(x, e->k, &e->n_factors) : NULL;
    if (units[i]) // else an #if leaves the kernel out
      emit_edit_kernel(s, &edits, e);
    any |= units[i] != NULL;
  }
  size_t at = s->size >= 3 && memcmp(s->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  text_add(out, s->text, at);
  if (any) {
    if (o->baking)
      o->baking->heading(kernels, n_kernels, s, o, out);
    else
      text_printf(out, "#include <autotune_abi.h>\n");
    emit_resume(s, 0, out);
  }
  for (unsigned i = 0; i < edits.n; i++) {
    text_add(out, s->text + at, edits.list[i].start - at);
    emit_apply(s, &edits.list[i], out);
    at = edits.list[i].end;
  }
  text_add(out, s->text + at, s->size - at);
}
