// SPDX-License-Identifier: Apache-2.0
// checks.c: writes the expressions of a kernel's clauses once more, each on the line and
// in the column that it has in the pragma, so that a compiler's errors point there. They
// are in functions that are never called, so no code is made of them. The text that uses
// them is generated (translator/cc/errors.c leaves its errors out).
#include <string.h>

#include "emit.h"
#include "front/kernel/kernel.h"

// Returns EXPR, a part of P, with the lines that it has in the source. NUMBERED: words of
// params are numbers in it, as in emit_numbered.
static struct text checks_text(const struct emission *e, const struct pragma *p,
                               struct slice expr, bool numbered) {
  struct text out = { 0 };
  struct lexer l = lexer_of(expr);
  const char *from = expr.data;
  long long number;
  for (struct token t; numbered && (t = lex(&l)).kind != TOKEN_END;)
    if (t.kind == TOKEN_WORD && kernel_arg(e->k, t.text) < 0 &&
        kernel_word(e->k, t.text, &number)) {
      text_add(&out, from, (size_t)(t.text.data - from));
      text_printf(&out, "%-*lld", (int)t.text.size, number);
      from = l.p;
    }
  text_add(&out, from, (size_t)(expr.data + expr.size - from));
  const char *source = e->s->text + p->offset + (expr.data - p->blanked);
  for (size_t i = 0; i < out.size && i < expr.size; i++)
    if (source[i] == '\n' && out.data[i] == ' ')
      out.data[i] = '\n';
  return out;
}

void emit_check(const struct template_scope *scope, struct slice expr, const char *use,
                unsigned subscripts, bool numbered, struct text *out) {
  const struct emission *e = emit_of(scope);
  const struct pragma *p = e->k->main.pragma;
  const char *path;
  unsigned column;
  if (expr.size == 0 || expr.data < p->blanked ||
      expr.data >= p->blanked + (p->end - p->offset))
    return;
  size_t at = p->offset + (size_t)(expr.data - p->blanked), before = strlen(use) + 1;
  unsigned line = source_where(e->s, at, &path, &column);
  struct text text = checks_text(e, p, expr, numbered);
  bool fits = !e->n_hidden && before < column; // USE may be a macro of the user's
  if (!fits)
    text_printf(out, "%s(\n", use);
  template_render(e->templates, "show", scope, out);
  text_printf(out, "#line %u ", line);
  text_literal(out, e->file, strlen(e->file));
  text_printf(out, "\n%*s", (int)(column - 1 - (fits ? before : 0)), "");
  if (fits)
    text_printf(out, "%s(", use);
  text_add(out, text.data, text.size);
  text_printf(out, ")");
  while (subscripts-- > 0)
    text_printf(out, "[0]");
  text_printf(out, ";\n#line 1 \"<autotune>\"\n");
  template_render(e->templates, "hide", scope, out);
}

void emit_checks(const struct template_scope *scope, struct text *out) {
  const struct kernel *k = emit_of(scope)->k;
  for (unsigned i = 0; i < k->n_conditions; i++)
    emit_check(scope, k->conditions[i], "(void)!", 0, false, out);
  for (unsigned i = 0; i < k->n_keys && k->key_given; i++)
    emit_check(scope, k->keys[i], "(void)(long long)", 0, false, out);
  for (unsigned i = 0; i < k->n_sections; i++) {
    const struct section *c = &k->sections[i];
    if (!c->returned)
      emit_check(scope, c->base, "(void)&", c->n_dims, false, out);
    for (unsigned j = 0; j < c->n_dims; j++) {
      emit_check(scope, c->dims[j].low, "(void)(long long)", 0, false, out);
      emit_check(scope, c->dims[j].length, "(void)(long long)", 0, false, out);
    }
  }
  emit_check(scope, k->flops, "(void)(double)", 0, false, out);
  emit_check(scope, k->bytes, "(void)(double)", 0, false, out);
}

void emit_check_constraints(const struct template_scope *scope, struct text *out) {
  const struct kernel *k = emit_of(scope)->k;
  for (unsigned i = 0; i < k->n_constraints; i++)
    emit_check(scope, k->constraints[i], "(void)!", 0, true, out);
}
