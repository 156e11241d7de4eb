// SPDX-License-Identifier: Apache-2.0
// unit.c: writes the kernel unit: the reached items in the order of the file, with the
// kernel's body as its loop directives make it, then the entry. It needs no header;
// `#define`s of the params come before it.
#include <string.h>

#include "cxx.h"
#include "front/emit/emit.h"

#define WORD(s) (int)(s).size, (s).data

static const char *const cxx_linkage[] = { "static",   "inline",     "extern",
                                           "__inline", "__inline__", NULL };

// ---- the kernel ---------------------------------------------------------------------

// Returns the braces of the definition of F in the text of its class: of as many
// definitions of that name as stand before it in the source.
static struct slice member_body(const struct source *s, const struct function *f,
                                const struct item *i) {
  unsigned skip = 0;
  struct slice before = { s->text + i->start, f->name_at - i->start };
  for (int source = 1; source >= 0; source--) {
    struct lexer l = lexer_of(source ? before : i->text);
    for (struct token t; (t = declare_lex(&l)).kind != TOKEN_END;) {
      struct lexer ahead = l;
      if (!slice_is(t.text, f->name) || !slice_is(declare_lex(&ahead).text, "(") ||
          !cut_skip_group(&ahead))
        continue;
      struct token u = declare_lex(&ahead);
      while (u.kind == TOKEN_WORD || slice_is(u.text, "-") || slice_is(u.text, "->"))
        u = declare_lex(&ahead);
      if (!slice_is(u.text, "{"))
        continue;
      skip += source ? 1u : 0u;
      if (source || skip-- > 0)
        continue;
      cut_skip_group(&ahead);
      return (struct slice){ u.text.data, (size_t)(ahead.p - u.text.data) };
    }
  }
  return (struct slice){ NULL, 0 };
}

static struct slice function_body(const struct source *s, const struct function *f,
                                  const struct item *i) {
  if (!i->body)
    return member_body(s, f, i);
  return (struct slice){ i->body, (size_t)(i->text.data + i->text.size - i->body) };
}

static void cxx_define(const struct cxx_reach *r, bool define, struct text *out) {
  for (unsigned n = r->n_macros; n-- > 0;) {
    const struct macro *m = &r->x->macros[r->macros[n]];
    if (define)
      text_printf(out, "%.*s\n", WORD(m->text));
    else
      text_printf(out, "#undef %.*s\n", WORD(m->name));
  }
}

// Appends I, in which the bodies of the kernel and its alternatives are those that the
// loop directives make.
static void cxx_write_own(const struct cxx_reach *r, const struct item *i,
                          struct text *out) {
  struct text before = { 0 }, text = { 0 };
  const char *from = i->text.data, *end = i->text.data + i->text.size;
  bool simple = i->body && !cxx_of(r->k)->template_head.size;
  cxx_define(r, true, out);
  for (unsigned j = 0; j <= r->k->n_alternatives; j++) {
    const struct function *f = j ? &r->k->alternatives[j - 1] : &r->k->main;
    struct slice body = cxx_contains(i, f) ? function_body(r->s, f, i)
                                           : (struct slice){ 0 };
    if (!body.size || body.data < from)
      continue;
    loops_write_prologue(r->s, r->k, f, out);
    unit_add_without(&text, (struct slice){ from, (size_t)(body.data - from) }, NULL);
    text_printf(&text, "\n");
    loops_write_body(r->s, r->k, f, simple ? &before : NULL, &text);
    if (!i->body)
      text_printf(&text, "\nfriend struct ::autotune_access;\n");
    from = body.data + body.size;
  }
  unit_add_without(&text, (struct slice){ from, (size_t)(end - from) }, NULL);
  text_add(out, before.data, before.size);
  text_add(out, text.data, text.size);
  text_printf(out, "\n");
  cxx_define(r, false, out);
}

// Appends a declaration whose type is that of function F, the kernel or an alternative,
// so that the entry finds it among others of its name.
static void cxx_write_type(const struct cxx_reach *r, struct text *out) {
  const struct kernel *k = r->k;
  struct slice result = k->returns ? k->result : slice_of("void");
  if (cxx_kernel_of(k)->classes.size)
    return;
  cxx_define(r, true, out); // the arguments are as written
  text_printf(out, "%.*s\n%.*s autotune_type_%s(", WORD(cxx_of(k)->template_head),
              WORD(result), k->main.name);
  for (unsigned n = 0; n < k->n_args; n++)
    text_printf(out, "%s%.*s", n ? ", " : "", WORD(k->args[n].text));
  text_printf(out, ");\n");
  cxx_define(r, false, out);
}

// ---- the program's functions and variables ------------------------------------------

static void cxx_write_address(const struct cxx_reach *r, unsigned index,
                              struct text *out) {
  const struct item *i = &r->x->items.list[index];
  const struct cxx_symbol *symbol = NULL;
  for (unsigned n = 0; n < r->n_symbols; n++)
    if (slices_same(r->symbols[n].name, i->names[0].name) &&
        r->x->items.list[r->symbols[n].item].scope == i->scope)
      symbol = &r->symbols[n];
  struct slice head = slice_trim(item_head(i));
  while (head.size &&
         (head.data[head.size - 1] == ';' || head.data[head.size - 1] == '='))
    head = slice_trim((struct slice){ head.data, head.size - 1 });
  struct lexer l = lexer_of(head);
  bool c = slice_is(declare_lex(&l).text, "extern") &&
      declare_lex(&l).kind == TOKEN_STRING;
  text_printf(out, c && i->function ? "" : "extern ");
  unit_add_without(out, head, c ? NULL : cxx_linkage);
  text_printf(out, " __asm__(\"%s\");\n", symbol ? symbol->symbol : "autotune_unknown");
}

// ---- the whole ----------------------------------------------------------------------

static void cxx_write_item(const struct cxx_reach *r, unsigned index, struct text *out) {
  const struct item *i = &r->x->items.list[index];
  if (i->kind == ITEM_CLOSE) {
    text_printf(out, "}\n");
    return;
  }
  const struct context *c = &r->x->contexts[i->context];
  if (i->kind == ITEM_CODE)
    unit_open_context(out, c);
  if (r->how[index] == CXX_ADDRESS) {
    cxx_write_address(r, index, out);
  } else if (r->how[index] == CXX_OWN) {
    cxx_write_own(r, i, out);
    if (cxx_contains(i, &r->k->main))
      cxx_write_type(r, out);
  } else {
    if (i->body && i->end && !i->system)
      source_resume(r->s, i->start, out);
    unit_add_without(out, i->text, NULL);
    text_printf(out, "\n");
  }
  if (i->kind == ITEM_CODE)
    unit_close_context(out, c);
}

// Appends the class that may use private members: it has a constant for each function.
static void cxx_write_access(const struct kernel *k, struct text *out) {
  struct slice spaces = cxx_of(k)->namespaces, classes = cxx_kernel_of(k)->classes;
  struct text scope = { 0 };
  text_printf(&scope, "%s%.*s::%.*s::", spaces.size ? "::" : "", WORD(spaces),
              WORD(classes));
  text_printf(out, "struct autotune_access {\n");
  for (unsigned j = 0; j <= k->n_alternatives; j++) {
    const char *name = j ? k->alternatives[j - 1].name : k->main.name;
    text_printf(out, "static constexpr __typeof__(&%s%s) %s = &%s%s;\n", scope.data, name,
                name, scope.data, name);
  }
  text_printf(out, "};\n");
}

// Appends the address of function NAME, in the type of the kernel.
static void cxx_write_function(const struct kernel *k, const char *name,
                               struct text *out) {
  struct slice spaces = cxx_of(k)->namespaces, classes = cxx_kernel_of(k)->classes;
  struct text scope = { 0 }, instance = { 0 };
  text_printf(&scope, "%s%.*s::%.*s%s", spaces.size ? "::" : "", WORD(spaces),
              WORD(classes), classes.size ? "::" : "");
  text_add(&instance, "", 0);
  for (unsigned n = 0; n < cxx_of(k)->n_params; n++)
    text_printf(&instance, "%sAUTOTUNE_T%u%s", n ? ", " : "<", n,
                n + 1 == cxx_of(k)->n_params ? ">" : "");
  if (classes.size)
    text_printf(out, "autotune_access::%s", name);
  else
    text_printf(out, "static_cast<decltype(&%sautotune_type_%s%s)>(&%s%s%s)", scope.data,
                k->main.name, instance.data, scope.data, name, instance.data);
}

void cxx_unit_enter(const struct cxx_reach *r, struct unit *u) {
  const struct kernel *k = r->k;
  struct text *out = &u->text;
  const char *macro = k->choose >= 0 ? k->params[k->choose].macro : NULL;
  text_printf(out, "# 1 \"<autotune>\"\n");
  if (cxx_kernel_of(k)->classes.size)
    cxx_write_access(k, out);
  for (unsigned i = 0; i <= (macro ? k->n_alternatives : 0); i++) {
    unsigned n = macro ? (i + 1) % (k->n_alternatives + 1) : 0; // the kernel comes last
    const char *name = n ? k->alternatives[n - 1].name : k->main.name;
    if (macro && n)
      text_printf(out, "%s %s == %u\n", i ? "#elif" : "#if", macro, n);
    else if (macro)
      text_printf(out, "#else\n");
    struct text address = { 0 };
    cxx_write_function(k, name, &address);
    text_printf(out,
                "extern \"C\" { extern __typeof__(%s) const autotune_entry\n"
                "  __attribute__((__visibility__(\"default\"), __used__));\n"
                "__typeof__(%s) const autotune_entry = %s; }\n",
                address.data, address.data, address.data);
  }
  if (macro)
    text_printf(out, "#endif\n");
}

static void cxx_add_symbols(const struct cxx_reach *r, struct unit *u) {
  for (unsigned n = 0; n < r->n_symbols; n++)
    *GROW(u->symbols, u->n_symbols) = (struct symbol){ .name = r->symbols[n].symbol,
                                                       .function = r->symbols[n].function,
                                                       .sized = !r->symbols[n].function };
}

// Appends the text from item INDEX to the next one that is not in a header of the system.
// Returns the last item that it holds.
static unsigned cxx_write_whole(const struct cxx_reach *r, unsigned index,
                                struct text *out) {
  const struct items *items = &r->x->items;
  unsigned last = index;
  while (last + 1 < items->n && items->list[last + 1].system)
    last++;
  const struct slice before = index ? items->list[index - 1].text : (struct slice){ 0 };
  const char *from = index ? before.data + before.size : r->x->text.data;
  const char *end = last + 1 < items->n ? items->list[last + 1].text.data
                                        : r->x->text.data + r->x->text.size;
  unit_add_without(out, (struct slice){ from, (size_t)(end - from) }, NULL);
  text_printf(out, "\n");
  return last;
}

struct unit cxx_unit_build(const struct cxx_reach *r, const struct compile_options *o) {
  struct unit u = { .compiler = r->x->compiler };
  const struct items *items = &r->x->items;
  text_printf(&u.text, "struct autotune_access;\n");
  for (unsigned i = 0; i < r->x->n_sticky; i++)
    text_printf(&u.text, "%.*s\n", WORD(r->x->sticky[i]));
  bool system = false; // compilers accept more in headers of the system
  for (unsigned n = 0; n < items->n; n++) {
    const struct item *i = &items->list[n];
    bool closes = i->kind == ITEM_CLOSE && i->opener >= 0 && r->how[i->opener] != CXX_NOT;
    bool whole = r->whole && i->system;
    if (!closes && !whole && r->how[n] == CXX_NOT)
      continue;
    if (i->system != system)
      text_printf(&u.text, i->system ? "# 1 \"<system>\" 3\n" : "# 1 \"<autotune>\"\n");
    system = i->system;
    if (whole)
      n = cxx_write_whole(r, n, &u.text);
    else
      cxx_write_item(r, n, &u.text);
  }
  u.flags = preprocess_flags(o, &u.n_flags);
  static const char *const own[] = { "-fvisibility=hidden", "-xc++" };
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    *GROW(u.flags, u.n_flags) = own[i];
  u.openmp = openmp_is_on(o) && r->k->openmp;
  cxx_add_symbols(r, &u);
  return u;
}
