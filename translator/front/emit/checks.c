// SPDX-License-Identifier: Apache-2.0
// checks.c: writes the expressions of a kernel's clauses once more, each on the line and
// in the column that it has in the pragma, so that a compiler's errors point there. The
// text that uses them is generated (translator/cc/errors.c leaves its errors out).
#include <string.h>

#include "emit.h"
#include "front/kernel/kernel.h"

// Appends EXPR with SUBSCRIPTS, unless it is not in the kernel's pragma.
static void checks_add(const struct template_scope *scope, struct slice expr,
                       unsigned subscripts, struct text *out) {
  const struct emission *e = emit_of(scope);
  const struct pragma *p = e->k->main.pragma;
  const char *path;
  unsigned column;
  if (expr.size == 0 || expr.data < p->blanked ||
      expr.data >= p->blanked + (p->end - p->offset))
    return;
  size_t at = p->offset + (size_t)(expr.data - p->blanked);
  unsigned line = source_where(e->s, at, &path, &column);
  text_printf(out, "  (void)(%s\n#line %u ", subscripts ? "&" : "", line);
  text_literal(out, e->file, strlen(e->file));
  text_printf(out, "\n%*s", (int)column - 1, "");
  emit_user(scope, expr, out);
  while (subscripts-- > 0)
    text_printf(out, "[0]");
  text_printf(out, "\n#line 1 \"<autotune>\"\n  );\n");
}

void emit_checks(const struct template_scope *scope, struct text *out) {
  const struct kernel *k = emit_of(scope)->k;
  for (unsigned i = 0; i < k->n_conditions; i++)
    checks_add(scope, k->conditions[i], 0, out);
  for (unsigned i = 0; i < k->n_keys && k->key_given; i++)
    checks_add(scope, k->keys[i], 0, out);
  for (unsigned i = 0; i < k->n_sections; i++) {
    const struct section *c = &k->sections[i];
    if (!c->returned)
      checks_add(scope, c->base, c->n_dims, out);
    for (unsigned j = 0; j < c->n_dims; j++) {
      checks_add(scope, c->dims[j].low, 0, out);
      checks_add(scope, c->dims[j].length, 0, out);
    }
  }
  checks_add(scope, k->flops, 0, out);
  checks_add(scope, k->bytes, 0, out);
}
