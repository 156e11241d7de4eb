// SPDX-License-Identifier: Apache-2.0
// functions.c: expressions of the pragma as C functions. Typed ones have the
// kernel's own parameters, so that expressions see their names; generic ones unpack `void
// *const *`.
#include <string.h>

#include "front/lang/language.h"
#include "front/reach/unit.h"

#define WORD(s) (int)(s).size, (s).data

static const struct emit_style *style_of(const struct emission *e) {
  return e->k->language->emit;
}

// Not `register`: the slow path takes the addresses of its parameters. And what only a
// kernel of CUDA's may have.
static bool is_dropped(struct slice word) {
  return slice_is(word, "register") || slice_is(word, "__grid_constant__");
}

void emit_parameter(const struct emission *e, unsigned index) {
  const struct kernel_arg *a = &e->k->args[index];
  struct lexer l = lexer_of(a->text);
  const char *from = a->text.data;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (is_dropped(t.text)) {
      text_add(e->out, from, (size_t)(t.text.data - from));
      from = l.p;
    }
  text_add(e->out, from, (size_t)(a->text.data + a->text.size - from));
}

void emit_parameters(const struct emission *e, const char *behind) {
  for (unsigned i = 0; i < e->k->n_args; i++) {
    text_printf(e->out, "%s", i ? ", " : "");
    emit_parameter(e, i);
  }
  if (*behind)
    text_printf(e->out, "%s%s", e->k->n_args ? ", " : "", behind);
  else if (!e->k->n_args)
    text_printf(e->out, "void");
}

void emit_unpacked(const struct emission *e) {
  for (unsigned i = 0; i < e->k->n_args; i++) {
    text_printf(e->out, "%s\n    ", i ? "," : "");
    style_of(e)->unpack(e, i);
  }
}

static int functions_argument(const struct kernel *k, struct slice name) {
  for (unsigned i = 0; i < k->n_args; i++)
    if (k->args[i].name && slice_is(name, k->args[i].name))
      return (int)i;
  return -1;
}

// Where A's name stands in its declaration: the last such word, as its type may be
// spelled so too; not in the bounds of an array.
static const char *name_in(const struct kernel_arg *a) {
  struct lexer l = lexer_of(a->text);
  const char *at = NULL;
  unsigned depth = 0;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    depth += slice_is(t.text, "[") ? 1u : slice_is(t.text, "]") ? -1u : 0;
    if (a->name && depth == 0 && slice_is(t.text, a->name))
      at = t.text.data;
  }
  return at;
}

// Bounds that the compiler of the class knows, where they are constants.
static bool keeps_bounds(const struct emission *e, struct lexer l) {
  return style_of(e)->members && !slice_is(lex(&l).text, "]");
}

// An argument's declaration under our name. Array bounds may be other arguments, which
// mean nothing at file scope: 1 stands for all of them.
static void declare_argument(const struct emission *e, unsigned index) {
  const struct kernel_arg *a = &e->k->args[index];
  const char *name = name_in(a);
  struct lexer l = lexer_of(a->text);
  const char *from = a->text.data;
  text_printf(e->out, style_of(e)->members ? "static " : "extern ");
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    bool open = slice_is(t.text, "[") && !keeps_bounds(e, l);
    bool is_name = t.text.data == name;
    if (!open && !is_name && !is_dropped(t.text))
      continue;
    text_add(e->out, from, (size_t)(t.text.data - from));
    from = l.p;
    if (is_name)
      text_printf(e->out, "autotune_arg_%s_%u", e->k->main.name, index);
    for (unsigned depth = open; depth && t.kind != TOKEN_END;) {
      t = lex(&l);
      depth += slice_is(t.text, "[") ? 1u : slice_is(t.text, "]") ? -1u : 0;
    }
    if (open)
      text_printf(e->out, "[1]");
    from = l.p;
  }
  text_add(e->out, from, (size_t)(a->text.data + a->text.size - from));
  text_printf(e->out, ";\n");
}

void emit_arguments(const struct emission *e) {
  for (unsigned i = 0; i < e->k->n_args; i++)
    declare_argument(e, i);
}

// A blank where there are any in front of T: `::` is two tokens.
static void functions_gap(struct text *out, struct slice previous, struct token t) {
  if (previous.data && previous.data + previous.size != t.text.data)
    text_printf(out, " ");
}

void emit_renamed(const struct emission *e, struct slice expr) {
  struct lexer l = lexer_of(expr);
  struct slice previous = { 0 };
  for (struct token t; (t = lex(&l)).kind != TOKEN_END; previous = t.text) {
    functions_gap(e->out, previous, t);
    bool other = slice_is(previous, ".") || slice_is(previous, "->") ||
        slice_is(previous, "struct") || slice_is(previous, "enum");
    int a = t.kind == TOKEN_WORD && !other ? functions_argument(e->k, t.text) : -1;
    if (a >= 0)
      text_printf(e->out, "autotune_arg_%s_%d", e->k->main.name, a);
    else
      text_printf(e->out, "%.*s", WORD(t.text));
  }
}

static void functions_invoke(const struct emission *e) {
  const char *name = e->k->main.name;
  text_printf(e->out,
              "static void autotune_invoke_%s(autotune_fn autotune_f, "
              "void *const *autotune_a, void *autotune_r)\n{\n  ",
              name);
  if (e->k->returns) // which may be const, or have const members
    text_printf(e->out, "%.*s autotune_result = ", WORD(e->k->result));
  text_printf(e->out, "((autotune_type_%s *)autotune_f)(", name);
  emit_unpacked(e);
  text_printf(e->out, ");\n  (void)autotune_a;\n  (void)autotune_r;\n");
  if (e->k->returns)
    text_printf(e->out,
                "  __builtin_memcpy(autotune_r, &autotune_result, "
                "sizeof autotune_result);\n");
  text_printf(e->out, "}\n");
}

// The number of a word, such as `dynamic`, among the values of K's params; -1: it is
// none.
static long long word_number(const struct kernel *k, struct slice word) {
  for (unsigned i = 0; i < k->n_params; i++)
    for (unsigned j = 0; k->params[i].kind == VALUE_WORD && j < k->params[i].n_values;
         j++)
      if (slice_is(word, k->params[i].values[j].text))
        return k->params[i].values[j].i;
  return -1;
}

void emit_numbered(const struct emission *e, struct slice expr) {
  struct lexer l = lexer_of(expr);
  struct slice previous = { 0 };
  for (struct token t; (t = lex(&l)).kind != TOKEN_END; previous = t.text) {
    functions_gap(e->out, previous, t);
    long long number = t.kind == TOKEN_WORD && functions_argument(e->k, t.text) < 0
        ? word_number(e->k, t.text)
        : -1;
    if (number >= 0)
      text_printf(e->out, "%lld", number);
    else
      text_printf(e->out, "%.*s", WORD(t.text));
  }
}

static void functions_machine(const struct emission *e) {
  for (const struct machine_name *m = machine_names; m->name; m++)
    if (!m->device || e->k->language->device)
      text_printf(e->out, "  const long long %s = autotune_m->%s;\n", m->name, m->field);
}

// In the typed function, params are variables: the macros of their names sleep meanwhile.
static void constraint_names(const struct emission *e) {
  for (unsigned i = 0; i < e->k->n_params; i++) {
    const struct param *p = &e->k->params[i];
    if (p->named && p->macro && (p->kind == VALUE_INT || p->kind == VALUE_WORD))
      text_printf(e->out, "  const long long %s = autotune_v[%u]->i;\n", p->macro, i);
    else if (p->named && p->macro && p->kind == VALUE_REAL)
      text_printf(e->out, "  const double %s = autotune_v[%u]->d;\n", p->macro, i);
  }
  functions_machine(e);
}

static void each_param(const struct emission *e, const char *format) {
  for (unsigned i = 0; i < e->k->n_params; i++)
    if (e->k->params[i].named && e->k->params[i].macro) {
      const char *at = strchr(format, '@');
      text_printf(e->out, "%.*s%s%s", (int)(at - format), format, e->k->params[i].macro,
                  at + 1);
    }
}

void emit_open_typed(const struct emission *e, const char *result, const char *called,
                     const char *more) {
  each_param(e, "#pragma push_macro(\"@\")\n");
  text_printf(e->out, "static %s %s(", result, called);
  emit_parameters(e,
                  arena_printf("const struct autotune_value *const *autotune_v,\n"
                               "  const struct autotune_machine *autotune_m%s",
                               more));
  text_printf(e->out, ")\n");
  each_param(e, "#undef @\n");
  text_printf(e->out, "{\n");
  constraint_names(e);
}

void emit_close_typed(const struct emission *e) {
  text_printf(e->out, "}\n");
  each_param(e, "#pragma pop_macro(\"@\")\n");
}

// One function for each factor of the constraint.
static void functions_condition(const struct emission *e, unsigned index) {
  const char *name = e->k->main.name;
  emit_open_typed(e, "int", arena_printf("autotune_allows_%s_%u", name, index), "");
  text_printf(e->out, "  return (");
  emit_numbered(e, e->factors[index].text);
  text_printf(e->out, ") != 0;\n");
  emit_close_typed(e);
  text_printf(e->out,
              "static int autotune_holds_%s_%u(\n"
              "  const struct autotune_value *const *autotune_v,\n"
              "  void *const *autotune_a,"
              "  const struct autotune_machine *autotune_m)\n{\n"
              "  (void)autotune_a;\n  return autotune_allows_%s_%u(",
              name, index, name, index);
  emit_unpacked(e);
  text_printf(e->out, "%sautotune_v, autotune_m);\n}\n", e->k->n_args ? ",\n    " : "");
}

// One for the parts of a factor that hold no param.
static void functions_leaves(const struct emission *e, unsigned index) {
  const struct factor *f = &e->factors[index];
  const char *name = e->k->main.name;
  text_printf(e->out, "static void autotune_parts_%s_%u(", name, index);
  emit_parameters(e, "double *autotune_o,\n  const struct autotune_machine *autotune_m");
  text_printf(e->out, ")\n{\n");
  functions_machine(e);
  for (unsigned i = 0; i < f->n_leaves; i++) {
    text_printf(e->out, "  autotune_o[%u] = (double)(", i);
    emit_numbered(e, f->leaves[i]);
    text_printf(e->out, ");\n");
  }
  text_printf(e->out,
              "}\nstatic void autotune_leaves_%s_%u(double *autotune_o,\n"
              "  void *const *autotune_a, const struct autotune_machine *autotune_m)\n{\n"
              "  (void)autotune_a;\n  autotune_parts_%s_%u(",
              name, index, name, index);
  emit_unpacked(e);
  text_printf(e->out, "%sautotune_o, autotune_m);\n}\n", e->k->n_args ? ",\n    " : "");
}

static void functions_constraint(const struct emission *e) {
  for (unsigned i = 0; i < e->n_factors; i++) {
    functions_condition(e, i);
    if (e->factors[i].n_leaves)
      functions_leaves(e, i);
  }
}

static void functions_footprint(const struct emission *e) {
  const char *name = e->k->main.name;
  if (!footprint_applies(e->k))
    return;
  emit_open_typed(e, "double", arena_printf("autotune_tile_%s", name), "");
  text_printf(e->out, "  double autotune_most = 0;\n");
  footprint_write(e->s, e->k, e->out);
  text_printf(e->out, "  return autotune_most;\n");
  emit_close_typed(e);
  text_printf(e->out,
              "static double autotune_footprint_%s(\n"
              "  const struct autotune_value *const *autotune_v,\n"
              "  void *const *autotune_a,"
              "  const struct autotune_machine *autotune_m)\n{\n"
              "  (void)autotune_a;\n  return autotune_tile_%s(",
              name, name);
  emit_unpacked(e);
  text_printf(e->out, "%sautotune_v, autotune_m);\n}\n", e->k->n_args ? ",\n    " : "");
}

// BASE[LOW0][LOW1]…, or where LAST, the last element.
static void functions_element(const struct emission *e, const struct section *c,
                              bool last) {
  text_printf(e->out, "&(%.*s)", WORD(c->base));
  for (unsigned i = 0; i < c->n_dims; i++)
    text_printf(e->out, last ? "[autotune_low%u + autotune_n%u - 1]" : "[autotune_low%u]",
                i, i);
}

// The bytes between the first and the last element; nothing where a length is not
// positive.
static void functions_span(const struct emission *e, const struct section *c,
                           unsigned index) {
  text_printf(e->out, "  {\n");
  for (unsigned i = 0; i < c->n_dims; i++) {
    struct slice low = c->dims[i].low, length = c->dims[i].length;
    text_printf(e->out, "    const long long autotune_low%u = (long long)(%.*s);\n", i,
                low.size ? (int)low.size : 1, low.size ? low.data : "0");
    text_printf(e->out, "    const long long autotune_n%u = (long long)(%.*s);\n", i,
                length.size ? (int)length.size : 1, length.size ? length.data : "1");
  }
  text_printf(e->out,
              "    const volatile void *const autotune_base = "
              "(const volatile void *)%s(%.*s);\n    if (autotune_base != 0",
              c->n_dims ? "" : "&", WORD(c->base));
  for (unsigned i = 0; i < c->n_dims; i++)
    text_printf(e->out, " && autotune_n%u > 0", i);
  text_printf(e->out, ") {\n      char *autotune_first = (char *)");
  functions_element(e, c, false);
  text_printf(e->out, ";\n      char *autotune_last = (char *)(");
  functions_element(e, c, true);
  text_printf(e->out,
              " + 1);\n"
              "      autotune_c->spans[%u].base = autotune_first;\n"
              "      autotune_c->spans[%u].bytes =\n"
              "        (size_t)(autotune_last - autotune_first);\n"
              "    }\n  }\n",
              index, index);
}

static void functions_describe(const struct emission *e) {
  const char *name = e->k->main.name;
  text_printf(e->out, "static void autotune_measures_%s(", name);
  emit_parameters(e, "struct autotune_call *autotune_c");
  text_printf(e->out, ")\n{\n");
  for (unsigned i = 0; i < e->k->n_sections; i++)
    text_printf(e->out,
                "  autotune_c->spans[%u].base = 0;\n  autotune_c->spans[%u].bytes = 0;\n",
                i, i);
  for (unsigned i = 0; i < e->k->n_sections; i++)
    functions_span(e, &e->k->sections[i], i);
  struct slice zero = { "0", 1 };
  struct slice flops = e->k->flops.size ? e->k->flops : zero;
  struct slice bytes = e->k->bytes.size ? e->k->bytes : zero;
  text_printf(e->out, "  autotune_c->flops = (double)(%.*s);\n", WORD(flops));
  text_printf(e->out, "  autotune_c->bytes = (double)(%.*s);\n}\n", WORD(bytes));
  text_printf(e->out,
              "static void autotune_describe_%s(void *const *autotune_a, "
              "struct autotune_call *autotune_c)\n{\n  (void)autotune_a;\n"
              "  autotune_measures_%s(",
              name, name);
  emit_unpacked(e);
  text_printf(e->out, "%sautotune_c);\n}\n", e->k->n_args ? ",\n    " : "");
}

void emit_functions(const struct emission *e) {
  if (!style_of(e)->members)
    functions_invoke(e);
  functions_constraint(e);
  functions_describe(e);
  if (!style_of(e)->members)
    functions_footprint(e);
}
