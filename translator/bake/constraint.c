// SPDX-License-Identifier: Apache-2.0
// constraint.c: evaluates a constraint for a winner, where params, words and the
// machine's numbers are known. The rest depends on arguments and is tested in each call.
#include <stdlib.h>
#include <string.h>

#include "bake.h"
#include "front/kernel/kernel.h"

// Returns the number that NAME, such as AUTOTUNE_L2, has on the winners' machine; NULL:
// unknown.
static const char *machine_number(const struct baked *b, struct slice name) {
  static const char *const names[][2] = {
    { "AUTOTUNE_L1D", "l1d=" },       { "AUTOTUNE_L2", "l2=" },
    { "AUTOTUNE_L3", "l3=" },         { "AUTOTUNE_LINE", "line=" },
    { "AUTOTUNE_VECTOR", "vector=" }, { "AUTOTUNE_CORES", "cores=" },
  };
  if (slice_is(name, "AUTOTUNE_THREADS"))
    return arena_printf("%uLL", b->threads);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *at = slice_is(name, names[i][0]) ? strstr(b->machine, names[i][1]) : NULL;
    if (at)
      return arena_printf("%lldLL", strtoll(at + strlen(names[i][1]), NULL, 10));
  }
  return NULL;
}

// Returns the text that replaces NAME at POINT; NULL: NAME stays.
static const char *constraint_constant(const struct kernel *k, const struct baked *b,
                                       const unsigned *point, struct slice name) {
  long long number;
  if (kernel_arg(k, name) >= 0)
    return NULL;
  int p = kernel_param(k, name);
  if (p >= 0 && (k->params[p].kind == VALUE_WORD || k->params[p].kind == VALUE_INT))
    return arena_printf("(%lldLL)", k->params[p].values[point[p]].i);
  if (p >= 0)
    return arena_printf("(%s)", k->params[p].values[point[p]].define);
  return kernel_word(k, name, &number) ? arena_printf("%lldLL", number)
                                       : machine_number(b, name);
}

enum verdict bake_constraint(const struct kernel *k, const struct baked *b,
                             const unsigned *point, unsigned index, struct slice *left) {
  struct slice expr = k->constraints[index];
  struct text out = { 0 };
  struct lexer l = lexer_of(expr);
  const char *from = expr.data;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    const char *value = t.kind == TOKEN_WORD ? constraint_constant(k, b, point, t.text)
                                             : NULL;
    if (!value && t.text.size > 9 && memcmp(t.text.data, "AUTOTUNE_", 9) == 0)
      return NEVER; // the machine has no such number
    if (!value)
      continue;
    text_printf(&out, "%.*s%s", (int)(t.text.data - from), from, value);
    from = l.p;
  }
  text_printf(&out, "%.*s", (int)(expr.data + expr.size - from), from);
  *left = (struct slice){ out.data, out.size };
  struct expr *e = expr_parse(k, *left);
  struct number n = e ? expr_value(e, k, point) : (struct number){ 0 };
  return !n.known ? SOMETIMES : number_true(n) ? ALWAYS : NEVER;
}
