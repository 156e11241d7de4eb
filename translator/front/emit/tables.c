// SPDX-License-Identifier: Apache-2.0
// tables.c: what the runtime knows of a kernel, as constant tables
// (include/autotune_abi.h).
#include <math.h>
#include <string.h>

#include "front/lang/language.h"
#include "front/reach/unit.h"

static const char *const kinds[] = { "AUTOTUNE_INT",   "AUTOTUNE_REAL",
                                     "AUTOTUNE_WORD",  "AUTOTUNE_STRING",
                                     "AUTOTUNE_TUPLE", "AUTOTUNE_CHOICE",
                                     "AUTOTUNE_FLAGS", "AUTOTUNE_COMPILER" };

void emit_string(struct text *out, const char *s) {
  if (s)
    text_literal(out, s, strlen(s));
  else
    text_printf(out, "0");
}

static void string_slice(struct text *out, struct slice s) {
  text_literal(out, s.data, s.size);
}

// A double that every C compiler reads back exactly.
static void tables_real(struct text *out, double d) {
  if (isnan(d))
    text_printf(out, "0.0");
  else if (isinf(d))
    text_printf(out, d < 0 ? "-__builtin_inf()" : "__builtin_inf()");
  else
    text_printf(out, "%.17e", d);
}

static void tables_params(const struct emission *e) {
  const char *name = e->k->main.name;
  for (unsigned i = 0; i < e->k->n_params; i++) {
    const struct param *p = &e->k->params[i];
    text_printf(e->out,
                "static const struct autotune_value autotune_values_%s_%u[] = {\n", name,
                i);
    for (unsigned j = 0; j < p->n_values; j++) {
      const struct value *v = &p->values[j];
      text_printf(e->out, "  { ");
      emit_string(e->out, v->text);
      text_printf(e->out, ", ");
      emit_string(e->out, v->define);
      text_printf(e->out,
                  v->i == INT64_MIN ? ", -9223372036854775807LL - 1, " : ", %lldLL, ",
                  v->i);
      tables_real(e->out, v->d);
      text_printf(e->out, " },\n");
    }
    text_printf(e->out, "};\n");
  }
  if (!e->k->n_params)
    return;
  text_printf(e->out, "static const struct autotune_param autotune_params_%s[] = {\n",
              name);
  for (unsigned i = 0; i < e->k->n_params; i++) {
    const struct param *p = &e->k->params[i];
    text_printf(e->out, "  { ");
    emit_string(e->out, p->name);
    text_printf(e->out, ", ");
    emit_string(e->out, p->macro);
    text_printf(e->out, ", %s, %d, %u, %u, autotune_values_%s_%u },\n", kinds[p->kind],
                p->when, p->n_values, p->original, name, i);
  }
  text_printf(e->out, "};\n");
}

// What factor F looks at, and the steps that tell early whether it can hold.
static void tables_factor(const struct emission *e, unsigned index) {
  const struct factor *f = &e->factors[index];
  const char *name = e->k->main.name;
  text_printf(e->out, "static const unsigned autotune_looks_%s_%u[] = { ", name, index);
  for (unsigned i = 0; i < e->k->n_params; i++)
    if (f->looks[i])
      text_printf(e->out, "%u, ", i);
  text_printf(e->out, "0 };\n");
  if (f->n_steps == 0)
    return;
  text_printf(e->out, "static const struct autotune_step autotune_steps_%s_%u[] = {\n",
              name, index);
  for (unsigned i = 0; i < f->n_steps; i++) {
    text_printf(e->out, "  { %s, %u, ", f->steps[i].op, f->steps[i].index);
    tables_real(e->out, f->steps[i].number);
    text_printf(e->out, " },\n");
  }
  text_printf(e->out, "};\n");
}

static void tables_conditions(const struct emission *e) {
  const char *name = e->k->main.name;
  for (unsigned i = 0; i < e->n_factors; i++)
    tables_factor(e, i);
  if (e->n_factors)
    text_printf(e->out,
                "static const struct autotune_condition autotune_conditions_%s[] = {\n",
                name);
  for (unsigned i = 0; i < e->n_factors; i++) {
    const struct factor *f = &e->factors[i];
    text_printf(e->out, "  { autotune_holds_%s_%u, %u, autotune_looks_%s_%u, ", name, i,
                f->n_looks, name, i);
    string_slice(e->out, f->text);
    text_printf(e->out, ", %u, ", f->n_steps);
    text_printf(e->out, f->n_steps ? "autotune_steps_%s_%u" : "0", name, i);
    text_printf(e->out, ", %u, ", f->n_leaves);
    text_printf(e->out, f->n_leaves ? "autotune_leaves_%s_%u" : "0", name, i);
    text_printf(e->out, " },\n");
  }
  if (e->n_factors)
    text_printf(e->out, "};\n");
}

static void tables_arguments(const struct emission *e) {
  const char *name = e->k->main.name;
  if (!e->k->n_args)
    return;
  text_printf(e->out, "static const struct autotune_arg autotune_args_%s[] = {\n", name);
  for (unsigned i = 0; i < e->k->n_args; i++) {
    const struct kernel_arg *a = &e->k->args[i];
    text_printf(e->out, "  { ");
    emit_string(e->out, a->name ? a->name : "");
    text_printf(e->out, ", ");
    e->k->language->emit->size(e, i);
    text_printf(e->out, " },\n");
  }
  text_printf(e->out, "};\n");
}

static void tables_keys(const struct emission *e) {
  if (!e->k->n_keys)
    return;
  text_printf(e->out, "static const char *const autotune_keys_%s[] = {\n",
              e->k->main.name);
  for (unsigned i = 0; i < e->k->n_keys; i++) {
    text_printf(e->out, "  ");
    string_slice(e->out, e->k->keys[i]);
    text_printf(e->out, ",\n");
  }
  text_printf(e->out, "};\n");
}

// The argument that BASE names, or -1.
static int base_argument(const struct kernel *k, struct slice base) {
  for (unsigned i = 0; i < k->n_args; i++)
    if (k->args[i].name && slice_is(base, k->args[i].name))
      return (int)i;
  return -1;
}

// How many subscripts lead from A to what its arrays hold: 2 for `double A[n][m]` and for
// `double (*A)[m]`; 0 where A is no array and points to none.
static unsigned array_depth(const struct kernel_arg *a) {
  struct lexer l = lexer_of(a->text);
  unsigned depth = 0, groups = 0, stars = 0;
  bool nested = false;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    groups += slice_is(t.text, "[") && depth == 0;
    depth += slice_is(t.text, "[") ? 1u : slice_is(t.text, "]") ? -1u : 0;
    nested |= slice_is(t.text, "(");
    stars += slice_is(t.text, "*") && depth == 0;
  }
  if (!groups || stars > 1 || (stars == 1 && !nested))
    return 0;
  return groups + stars;
}

// A section of whole rows is compared by what the rows hold.
static void section_element(const struct emission *e, const struct section *c,
                            const char *what) {
  int a = base_argument(e->k, c->base);
  unsigned depth = a >= 0 ? array_depth(&e->k->args[a]) : 0;
  text_printf(e->out, "%s((", what);
  emit_renamed(e, c->base);
  text_printf(e->out, ")");
  for (unsigned i = 0; i < c->n_dims || i < depth; i++)
    text_printf(e->out, "[0]");
  text_printf(e->out, ")");
}

static void tables_sections(const struct emission *e) {
  static const char *const access[] = { "0", "AUTOTUNE_IN", "AUTOTUNE_OUT",
                                        "AUTOTUNE_INOUT" };
  if (!e->k->n_sections)
    return;
  text_printf(e->out, "static const struct autotune_section autotune_sections_%s[] = {\n",
              e->k->main.name);
  for (unsigned i = 0; i < e->k->n_sections; i++) {
    const struct section *c = &e->k->sections[i];
    int a = base_argument(e->k, c->base);
    const char *element = a >= 0 ? classify_element(e->x, e->k, (unsigned)a) : NULL;
    text_printf(e->out, "  { ");
    emit_string(e->out, c->name);
    text_printf(e->out, ", %s, ", access[c->access & 3]);
    if (element)
      text_printf(e->out, "%s", element);
    else
      section_element(e, c, "AUTOTUNE_ELEMENT");
    text_printf(e->out, ", ");
    section_element(e, c, "AUTOTUNE_ELEMENT_SIZE");
    text_printf(e->out, " },\n");
  }
  text_printf(e->out, "};\n");
}

static void tables_units(const struct emission *e) {
  const char *name = e->k->main.name;
  for (unsigned i = 0; i < e->k->n_compilers; i++) {
    const struct unit *u = &e->units[i];
    text_printf(e->out, "static const char autotune_text_%s_%u[] =\n", name, i);
    text_literal(e->out, u->text.data, u->text.size);
    text_printf(e->out, ";\nstatic const char *const autotune_flags_%s_%u[] = { ", name,
                i);
    for (unsigned j = 0; j < u->n_flags; j++) {
      emit_string(e->out, u->flags[j]);
      text_printf(e->out, ", ");
    }
    text_printf(e->out, "0 };\n");
  }
  text_printf(e->out, "static const struct autotune_unit autotune_units_%s[] = {\n",
              name);
  for (unsigned i = 0; i < e->k->n_compilers; i++) {
    text_printf(e->out, "  { ");
    emit_string(e->out, e->k->compilers[i]);
    text_printf(e->out, ", autotune_text_%s_%u, autotune_flags_%s_%u },\n", name, i, name,
                i);
  }
  text_printf(e->out, "};\n");
}

// The names that any of the units leaves open, or the replay.
static unsigned tables_symbols(const struct emission *e, const struct unit *replay,
                               struct symbol **all) {
  struct symbol *names = NULL;
  unsigned n = 0;
  for (unsigned i = 0; i <= e->k->n_compilers; i++) {
    const struct unit *u = i < e->k->n_compilers ? &e->units[i] : replay;
    for (unsigned j = 0; j < u->n_symbols; j++) {
      unsigned old = 0;
      while (old < n && strcmp(names[old].name, u->symbols[j].name) != 0)
        old++;
      if (old == n)
        *GROW(names, n) = u->symbols[j];
    }
  }
  if (n)
    text_printf(e->out, "static const struct autotune_symbol autotune_symbols_%s[] = {\n",
                e->k->main.name);
  for (unsigned i = 0; i < n; i++)
    text_printf(e->out,
                names[i].sized ? "  { \"%s\", (const void *)&%s, sizeof %s },\n"
                               : "  { \"%s\", (const void *)&%s, 0 },\n",
                names[i].name, names[i].name, names[i].name);
  if (n)
    text_printf(e->out, "};\n");
  *all = names;
  return n;
}

// What a captured call is replayed from, or why there is no such thing.
static const char *tables_replay(const struct emission *e, const struct unit *u,
                                 const struct symbol *symbols, unsigned n) {
  const char *refused = replay_refused(symbols, n);
  if (refused)
    return refused;
  struct text text = replay_text(e, u);
  text_printf(e->out, "static const char autotune_replay_%s[] =\n", e->k->main.name);
  text_literal(e->out, text.data, text.size);
  text_printf(e->out, ";\n");
  return NULL;
}

// The last word of what stands for the user's compiler, which may be behind ccache.
static const char *tables_compiler(const struct emission *e) {
  const char *last = NULL;
  for (const char *const *c = e->o->compiler; c && *c; c++)
    last = *c;
  return last;
}

void emit_field(const struct emission *e, const char *name) {
  text_printf(e->out,
              e->k->language->emit->members ? "  autotune_k.%s = " : "  .%s = ", name);
}

void emit_field_end(const struct emission *e) {
  text_printf(e->out, e->k->language->emit->members ? ";\n" : ",\n");
}

// `.n_what = N, .what = autotune_what_NAME,`
static void tables_array(const struct emission *e, const char *what, unsigned n) {
  if (!n)
    return;
  emit_field(e, arena_printf("n_%s", what));
  text_printf(e->out, "%u", n);
  emit_field_end(e);
  emit_field(e, what);
  text_printf(e->out, "autotune_%s_%s", what, e->k->main.name);
  emit_field_end(e);
}

static void real_field(const struct emission *e, const char *name, double d) {
  emit_field(e, name);
  tables_real(e->out, d);
  emit_field_end(e);
}

static void string_field(const struct emission *e, const char *name, const char *s) {
  emit_field(e, name);
  emit_string(e->out, s);
  emit_field_end(e);
}

static void number_field(const struct emission *e, const char *name, unsigned n) {
  emit_field(e, name);
  text_printf(e->out, "%u", n);
  emit_field_end(e);
}

void emit_arrays(const struct emission *e) {
  const struct kernel *k = e->k;
  tables_array(e, "args", k->n_args);
  if (!k->language->emit->members) // typedefs are the compiler's to know
    tables_array(e, "keys", k->n_keys);
  tables_array(e, "params", k->n_params);
  tables_array(e, "sections", k->n_sections);
  tables_array(e, "units", k->n_compilers);
  tables_array(e, "conditions", e->n_factors);
}

void emit_options(const struct emission *e) {
  static const char *const verify[] = { "AUTOTUNE_VERIFY_DEFAULT",
                                        "AUTOTUNE_VERIFY_TOLERANCE",
                                        "AUTOTUNE_VERIFY_EXACT", "AUTOTUNE_VERIFY_OFF" };
  const struct kernel *k = e->k;
  emit_field(e, "verify");
  text_printf(e->out, "%s", verify[k->verify & 3]);
  emit_field_end(e);
  real_field(e, "rtol", k->rtol);
  real_field(e, "atol", k->atol);
  string_field(e, "search", k->search);
  real_field(e, "budget_seconds", k->budget_seconds);
  number_field(e, "budget_variants", k->budget_variants);
  string_field(e, "mode", k->mode);
  number_field(e, "openmp", k->openmp);
  number_field(e, "inferred", k->inferred);
  real_field(e, "budget_fraction", k->budget_fraction);
  real_field(e, "until", k->until);
  string_field(e, "family", k->family);
  string_field(e, "compiler", tables_compiler(e));
}

static void tables_kernel(const struct emission *e, unsigned n_symbols,
                          const char *refused) {
  const struct kernel *k = e->k;
  const char *name = k->main.name, *path;
  unsigned line = source_where(e->s, k->main.start, &path, NULL);
  text_printf(e->out,
              "static const struct autotune_kernel autotune_kernel_%s = {\n"
              "  .abi = AUTOTUNE_ABI, .name = \"%s\", .file = ",
              name, name);
  emit_string(e->out, path);
  text_printf(e->out,
              ", .line = %u,\n"
              "  .original = (autotune_fn)autotune_default_%s,\n"
              "  .invoke = autotune_invoke_%s, .describe = autotune_describe_%s,\n",
              line, name, name, name);
  if (k->returns)
    text_printf(e->out,
                "  .ret_size = sizeof(%.*s),\n"
                "  .ret_element = AUTOTUNE_ELEMENT(*(%.*s *)0),\n",
                (int)k->result.size, k->result.data, (int)k->result.size, k->result.data);
  emit_arrays(e);
  tables_array(e, "symbols", n_symbols);
  emit_options(e);
  if (footprint_applies(k))
    text_printf(e->out, "  .footprint = autotune_footprint_%s,\n", name);
  if (refused)
    string_field(e, "not_captured", refused);
  else
    text_printf(e->out, "  .replay = autotune_replay_%s,\n", name);
  text_printf(e->out, "};\n");
}

void emit_common_tables(const struct emission *e) {
  tables_params(e);
  tables_units(e);
}

void emit_instance_tables(const struct emission *e) {
  tables_conditions(e);
  tables_arguments(e);
  tables_sections(e);
}

void emit_tables(const struct emission *e) {
  emit_common_tables(e);
  emit_instance_tables(e);
  tables_keys(e);
  struct unit u = unit_replay(e->s, e->k, e->x);
  struct symbol *all;
  unsigned n = tables_symbols(e, &u, &all);
  tables_kernel(e, n, tables_replay(e, &u, all, n));
}
