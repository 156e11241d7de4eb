// SPDX-License-Identifier: Apache-2.0
// fields.c: the fields that templates can use of a kernel: those of its structures, and
// texts computed here.
#include <string.h>

#include "front/emit/emit.h"
#include "front/kernel/kernel.h"
#include "front/reach/unit.h"

#define FIELD(kind, field) TEMPLATE_FIELD(THIS, kind, field)
#define LIST(name, list, n, fields) TEMPLATE_LIST(THIS, name, list, n, fields)

const struct emission *emit_of(const struct template_scope *scope) {
  while (scope->outer)
    scope = scope->outer;
  return scope->data;
}

// ---- the kernel's parameters --------------------------------------------------------

// True for words to leave out: `register`, because the slow path takes addresses of
// parameters, and words that only a CUDA kernel may have.
static bool fields_dropped(struct slice word) {
  return slice_is(word, "register") || slice_is(word, "__grid_constant__");
}

static void fields_declaration(const struct template_scope *scope, struct text *out) {
  const struct kernel_arg *a = scope->data;
  struct text text = { 0 };
  struct lexer l = lexer_of(a->text);
  const char *from = a->text.data;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (fields_dropped(t.text)) {
      text_add(&text, from, (size_t)(t.text.data - from));
      from = l.p;
    }
  text_add(&text, from, (size_t)(a->text.data + a->text.size - from));
  emit_user(scope, (struct slice){ text.data, text.size }, out);
}

// Returns A's name in its declaration: the last such word, because its type may have the
// same name, but not one in the bounds of an array.
static const char *fields_name_in(const struct kernel_arg *a) {
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

// True if the bounds stay: they are constant, and the language can tell.
static bool fields_keeps_bounds(const struct emission *e, struct lexer l) {
  return e->constant_bounds && !slice_is(lex(&l).text, "]");
}

// Appends the declaration of an argument under a generated name, for sizeof and _Generic
// alone. Bounds of arrays may be other arguments, which mean nothing at file scope, so
// each bound is 1.
static void fields_placeholder(const struct template_scope *scope, struct text *out) {
  const struct emission *e = emit_of(scope);
  const struct kernel_arg *a = scope->data;
  const char *name = fields_name_in(a), *from = a->text.data;
  struct text text = { 0 };
  struct lexer l = lexer_of(a->text);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    bool open = slice_is(t.text, "[") && !fields_keeps_bounds(e, l);
    bool is_name = t.text.data == name;
    if (!open && !is_name && !fields_dropped(t.text))
      continue;
    text_add(&text, from, (size_t)(t.text.data - from));
    from = l.p;
    if (is_name)
      text_printf(&text, "autotune_arg_%s_%u", e->k->main.name, scope->index);
    for (unsigned depth = open; depth && t.kind != TOKEN_END;) {
      t = lex(&l);
      depth += slice_is(t.text, "[") ? 1u : slice_is(t.text, "]") ? -1u : 0;
    }
    if (open)
      text_printf(&text, "[1]");
    from = l.p;
  }
  text_add(&text, from, (size_t)(a->text.data + a->text.size - from));
  emit_user(scope, (struct slice){ text.data, text.size }, out);
}

// ---- sections -----------------------------------------------------------------------

// Appends the section's first element, with generated names for arguments. A section of
// whole rows is compared by the elements of the rows.
static void fields_first(const struct template_scope *scope, struct text *out) {
  const struct kernel *k = emit_of(scope)->k;
  const struct section *c = scope->data;
  struct lexer l = lexer_of(c->base);
  struct slice previous = { 0 };
  text_printf(out, "(");
  for (struct token t; (t = lex(&l)).kind != TOKEN_END; previous = t.text) {
    bool other = slice_is(previous, ".") || slice_is(previous, "->") ||
        slice_is(previous, "struct") || slice_is(previous, "enum");
    int named = t.kind == TOKEN_WORD && !other ? kernel_arg(k, t.text) : -1;
    emit_gap(out, previous, t);
    if (named >= 0)
      text_printf(out, "autotune_arg_%s_%d", k->main.name, named);
    else if (c->returned)
      text_printf(out, "*(autotune_result_%s *)0", k->main.name);
    else
      text_add(out, t.text.data, t.text.size);
  }
  text_printf(out, ")");
  for (unsigned i = section_subscripts(k, c); i > 0; i--)
    text_printf(out, "[0]");
}

// Appends AUTOTUNE_F16 and the like if types alone do not show the element.
static void fields_element(const struct template_scope *scope, struct text *out) {
  const struct section *c = scope->data;
  const char *element = c->leaves ? c->leaves->element : NULL;
  text_printf(out, "%s", element ? element : "");
}

static void fields_described(const struct template_scope *scope, struct text *out) {
  const struct section *c = scope->data;
  text_printf(out, c->leaves && c->leaves->described ? "yes" : "");
}

// Appends the section's base with a subscript for each dimension before this one.
static void fields_path(const struct template_scope *scope, struct text *out) {
  const struct section *c = scope->outer->data;
  text_printf(out, "(");
  emit_user(scope, c->base, out);
  text_printf(out, ")");
  for (unsigned i = 0; i < scope->index; i++)
    text_printf(out, "[autotune_i%u]", i);
}

// Appends what is subscripted in this dimension, for its type alone.
static void fields_subscripted(const struct template_scope *scope, struct text *out) {
  const struct section *c = scope->outer->data;
  text_printf(out, "(");
  emit_user(scope, c->base, out);
  text_printf(out, ")");
  for (unsigned i = 0; i < scope->index; i++)
    text_printf(out, "[0]");
}

// Appends whether a pointer leads from this dimension to a later one.
static void fields_steps(const struct template_scope *scope, struct text *out) {
  const struct section *c = scope->outer->data;
  text_printf(out, "0");
  for (unsigned i = scope->index + 1; i < c->n_dims; i++)
    text_printf(out, " || autotune_t%u", i);
}

// Appends whether a pointer leads to the next dimension; nothing for the last one.
static void fields_leads(const struct template_scope *scope, struct text *out) {
  const struct section *c = scope->outer->data;
  if (scope->index + 1 < c->n_dims)
    text_printf(out, "autotune_t%u", scope->index + 1);
}

// Appends whether a pointer leads from the next dimension to a later one.
static void fields_beyond(const struct template_scope *scope, struct text *out) {
  const struct section *c = scope->outer->data;
  text_printf(out, "(0");
  for (unsigned i = scope->index + 2; i < c->n_dims; i++)
    text_printf(out, " || autotune_t%u", i);
  text_printf(out, ")");
}

// Appends the first element of the first row that this dimension leads to.
static void fields_row_first(const struct template_scope *scope, struct text *out) {
  const struct section *c = scope->outer->data;
  fields_path(scope, out);
  for (unsigned i = scope->index; i < c->n_dims; i++)
    text_printf(out, "[autotune_low%u]", i);
}

// Appends the last element of that row.
static void fields_row_last(const struct template_scope *scope, struct text *out) {
  const struct section *c = scope->outer->data;
  fields_path(scope, out);
  text_printf(out, "[autotune_low%u]", scope->index);
  for (unsigned i = scope->index + 1; i < c->n_dims; i++)
    text_printf(out, "[autotune_low%u + autotune_n%u - 1]", i, i);
}

// True if pointers lead to rows of a section.
static void fields_rows(const struct template_scope *scope, struct text *out) {
  const struct kernel *k = emit_of(scope)->k;
  bool rows = false;
  for (unsigned i = 0; i < k->n_sections; i++)
    rows |= k->sections[i].rows;
  text_printf(out, rows ? "yes" : "");
}

static void fields_access(const struct template_scope *scope, struct text *out) {
  static const char *const access[] = { "0", "AUTOTUNE_IN", "AUTOTUNE_OUT",
                                        "AUTOTUNE_INOUT", "AUTOTUNE_SCRATCH" };
  text_printf(out, "%s", access[((const struct section *)scope->data)->access]);
}

// ---- params, conditions -------------------------------------------------------------

static void fields_kind(const struct template_scope *scope, struct text *out) {
  static const char *const kinds[] = { "AUTOTUNE_INT",   "AUTOTUNE_REAL",
                                       "AUTOTUNE_WORD",  "AUTOTUNE_STRING",
                                       "AUTOTUNE_TUPLE", "AUTOTUNE_CHOICE",
                                       "AUTOTUNE_FLAGS", "AUTOTUNE_COMPILER" };
  text_printf(out, "%s", kinds[((const struct param *)scope->data)->kind]);
}

static void fields_default(const struct template_scope *scope, struct text *out) {
  const struct emission *e = emit_of(scope);
  const struct emit_macro *m = scope->data;
  text_printf(out, "%s", feed_default(e->s, e->k, &e->k->params[m->index]));
}

static void fields_looks(const struct template_scope *scope, struct text *out) {
  const struct factor *f = scope->data;
  for (unsigned i = 0; i < emit_of(scope)->k->n_params; i++)
    if (f->looks[i])
      text_printf(out, "%u, ", i);
}

static void fields_verify(const struct template_scope *scope, struct text *out) {
  static const char *const verify[] = { "AUTOTUNE_VERIFY_DEFAULT",
                                        "AUTOTUNE_VERIFY_TOLERANCE",
                                        "AUTOTUNE_VERIFY_EXACT", "AUTOTUNE_VERIFY_OFF" };
  text_printf(out, "%s", verify[emit_of(scope)->k->verify & 3]);
}

// ---- functions ----------------------------------------------------------------------

static void fields_header(const struct template_scope *scope, struct text *out) {
  const struct emission *e = emit_of(scope);
  text_add(out, e->s->text + e->f->start, e->f->body_at - e->f->start);
}

static void fields_alternative(const struct template_scope *scope, struct text *out) {
  const struct emission *e = emit_of(scope);
  text_printf(out, e->f != &e->k->main ? "yes" : "");
}

static void fields_outlined(const struct template_scope *scope, struct text *out) {
  text_printf(out, emit_of(scope)->outlined ? "yes" : "");
}

// Whether the stub makes the calls of the default itself, so that compilers can inline
// it, also those that are timed: the runtime's function does not return a result then.
static void fields_in_place(const struct template_scope *scope, struct text *out) {
  const struct emission *e = emit_of(scope);
  text_printf(out, e->outlined || !e->k->returns ? "yes" : "");
}

bool emission_is_hot(const struct emission *e) {
  const char *const *names = e->o->when_hot;
  return e->o->weak || (names && slice_in(slice_of(e->k->main.name), names));
}

// True if only a hot kernel is tuned: its pragma was proposed, not written.
static void fields_when_hot(const struct template_scope *scope, struct text *out) {
  text_printf(out, emission_is_hot(emit_of(scope)) ? "yes" : "");
}

// True if each call must look whether its sections overlap, or rows of one.
static bool fields_is_disjoint(const struct emission *e) {
  bool rows = false;
  for (unsigned i = 0; i < e->k->n_sections; i++)
    rows |= e->k->sections[i].rows;
  return e->o->apart && emission_is_hot(e) && (rows || e->k->n_sections > 1);
}

static void fields_disjoint(const struct template_scope *scope, struct text *out) {
  text_printf(out, fields_is_disjoint(emit_of(scope)) ? "yes" : "");
}

// True if each call must look whether variants may run.
static void fields_apart(const struct template_scope *scope, struct text *out) {
  const struct emission *e = emit_of(scope);
  text_printf(out, e->k->n_conditions || fields_is_disjoint(e) ? "yes" : "");
}

static void fields_weak(const struct template_scope *scope, struct text *out) {
  text_printf(out, emit_of(scope)->o->weak ? "yes" : "");
}

static void fields_result(const struct template_scope *scope, struct text *out) {
  const struct kernel *k = emit_of(scope)->k;
  struct slice result = k->returns ? k->result : slice_of("void");
  text_add(out, result.data, result.size);
}

static void fields_result_element(const struct template_scope *scope, struct text *out) {
  const struct leaves *v = emit_of(scope)->k->result_leaves;
  text_printf(out, "%s", v && v->element ? v->element : "");
}

static void fields_result_described(const struct template_scope *scope,
                                    struct text *out) {
  const struct leaves *v = emit_of(scope)->k->result_leaves;
  text_printf(out, v && v->described ? "yes" : "");
}

static void fields_tiled(const struct template_scope *scope, struct text *out) {
  text_printf(out, footprint_applies(emit_of(scope)->k) ? "yes" : "");
}

static void fields_footprint(const struct template_scope *scope, struct text *out) {
  const struct emission *e = emit_of(scope);
  footprint_write(e->s, e->k, out);
}

// ---- tables -------------------------------------------------------------------------

// clang-format off
static const struct template_field fields_slice[] = {
  TEMPLATE_SELF("text", SLICE), TEMPLATE_END
};
static const struct template_field fields_string[] = {
  TEMPLATE_SELF("text", STRING), TEMPLATE_END
};

#define THIS struct value
static const struct template_field fields_value[] = {
  FIELD(STRING, text), FIELD(STRING, define), FIELD(LONG, i), FIELD(REAL, d), TEMPLATE_END
};
#undef THIS
#define THIS struct param
static const struct template_field fields_param[] = {
  FIELD(STRING, name), FIELD(STRING, macro), FIELD(INT, when), FIELD(UNSIGNED, original),
  LIST("values", values, n_values, fields_value), TEMPLATE_WRITE("kind", fields_kind),
  TEMPLATE_END
};
#undef THIS
#define THIS struct emit_macro
static const struct template_field fields_macro[] = {
  FIELD(STRING, macro), FIELD(STRING, type), FIELD(STRING, member),
  FIELD(UNSIGNED, index), TEMPLATE_WRITE("default", fields_default), TEMPLATE_END
};
#undef THIS
#define THIS struct kernel_arg
static const struct template_field fields_arg[] = {
  FIELD(STRING, name), FIELD(BOOL, pointer), FIELD(SLICE, initial),
  TEMPLATE_WRITE("declaration", fields_declaration),
  TEMPLATE_WRITE("placeholder", fields_placeholder), TEMPLATE_END
};
#undef THIS
#define THIS struct section_dim
static const struct template_field fields_dim[] = {
  FIELD(SLICE, low), FIELD(SLICE, length), TEMPLATE_WRITE("path", fields_path),
  TEMPLATE_WRITE("subscripted", fields_subscripted), TEMPLATE_WRITE("steps", fields_steps),
  TEMPLATE_WRITE("leads", fields_leads), TEMPLATE_WRITE("beyond", fields_beyond),
  TEMPLATE_WRITE("first", fields_row_first), TEMPLATE_WRITE("last", fields_row_last),
  TEMPLATE_END
};
#undef THIS
#define THIS struct section
static const struct template_field fields_section[] = {
  FIELD(STRING, name), FIELD(SLICE, base), FIELD(BOOL, rows), FIELD(BOOL, returned), LIST("dims", dims, n_dims, fields_dim),
  TEMPLATE_WRITE("access", fields_access), TEMPLATE_WRITE("element", fields_element),
  TEMPLATE_WRITE("first", fields_first), TEMPLATE_WRITE("described", fields_described),
  TEMPLATE_END
};
#undef THIS
#define THIS struct leaf_repeat
static const struct template_field fields_repeat[] = {
  FIELD(STRING, of), FIELD(STRING, over), TEMPLATE_END
};
#undef THIS
#define THIS struct leaf
static const struct template_field fields_leaf[] = {
  FIELD(STRING, path), FIELD(STRING, place), FIELD(STRING, what), FIELD(STRING, element),
  FIELD(STRING, field), FIELD(UNSIGNED, repeat), FIELD(UNSIGNED, n_repeats), TEMPLATE_END
};
#undef THIS
#define THIS struct leaves
static const struct template_field fields_layout[] = {
  FIELD(STRING, name), FIELD(STRING, type), LIST("leaves", list, n, fields_leaf),
  LIST("repeats", repeats, n_repeats, fields_repeat), TEMPLATE_END
};
#undef THIS
#define THIS struct step
static const struct template_field fields_step[] = {
  FIELD(STRING, op), FIELD(UNSIGNED, index), FIELD(REAL, number), TEMPLATE_END
};
#undef THIS
#define THIS struct factor
static const struct template_field fields_factor[] = {
  FIELD(SLICE, text), FIELD(UNSIGNED, n_looks), TEMPLATE_WRITE("looks", fields_looks),
  LIST("steps", steps, n_steps, fields_step),
  LIST("leaves", leaves, n_leaves, fields_slice), TEMPLATE_END
};
#undef THIS
#define THIS struct unit
static const struct template_field fields_unit[] = {
  FIELD(STRING, compiler), FIELD(SLICE, text),
  LIST("flags", flags, n_flags, fields_string), TEMPLATE_END
};
#undef THIS
#define THIS struct symbol
static const struct template_field fields_symbol[] = {
  FIELD(STRING, name), FIELD(BOOL, sized), FIELD(BOOL, own), TEMPLATE_END
};
#undef THIS
#define THIS struct emission
const struct template_field emit_fields[] = {
  FIELD(STRING, file), FIELD(UNSIGNED, line), FIELD(STRING, compiler),
  FIELD(STRING, refused), FIELD(SLICE, replay),
  LIST("units", units, n_units, fields_unit),
  LIST("factors", factors, n_factors, fields_factor),
  LIST("macros", macros, n_macros, fields_macro), LIST("own", own, n_own, fields_macro),
  LIST("symbols", symbols, n_symbols, fields_symbol),
  LIST("layouts", layouts, n_layouts, fields_layout),
  LIST("hidden", hidden, n_hidden, fields_string),
  TEMPLATE_WRITE("header", fields_header),
  TEMPLATE_WRITE("alternative", fields_alternative),
  TEMPLATE_WRITE("outlined", fields_outlined),
  TEMPLATE_WRITE("in_place", fields_in_place),
  TEMPLATE_WRITE("when_hot", fields_when_hot), TEMPLATE_WRITE("apart", fields_apart),
  TEMPLATE_WRITE("disjoint", fields_disjoint),
  TEMPLATE_WRITE("weak", fields_weak), TEMPLATE_WRITE("checks", emit_checks),
  TEMPLATE_WRITE("check_constraints", emit_check_constraints),
  TEMPLATE_WRITE("tiled", fields_tiled), TEMPLATE_WRITE("footprint", fields_footprint),
  TEMPLATE_END
};
#undef THIS
#define THIS struct kernel
const struct template_field emit_kernel_fields[] = {
  { .name = "kernel", .kind = FIELD_STRING, .offset = offsetof(struct kernel, main.name) },
  FIELD(BOOL, returns), FIELD(BOOL, key_given), TEMPLATE_WRITE("result", fields_result),
  TEMPLATE_WRITE("result_element", fields_result_element),
  TEMPLATE_WRITE("result_described", fields_result_described),
  LIST("args", args, n_args, fields_arg), LIST("params", params, n_params, fields_param),
  LIST("conditions", conditions, n_conditions, fields_slice),
  LIST("keys", keys, n_keys, fields_slice),
  LIST("sections", sections, n_sections, fields_section), FIELD(SLICE, flops),
  FIELD(SLICE, bytes), TEMPLATE_WRITE("has_rows", fields_rows), TEMPLATE_WRITE("verify", fields_verify), FIELD(REAL, rtol),
  FIELD(REAL, atol), FIELD(STRING, search), FIELD(REAL, budget_seconds),
  FIELD(UNSIGNED, budget_variants), FIELD(STRING, mode), FIELD(BOOL, openmp),
  FIELD(BOOL, inferred), FIELD(REAL, budget_fraction), FIELD(REAL, until),
  FIELD(REAL, until_roof),
  FIELD(STRING, family), TEMPLATE_END
};
#undef THIS
// clang-format on
