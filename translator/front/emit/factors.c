// SPDX-License-Identifier: Apache-2.0
// factors.c: splits the constraint into factors, so that the runtime can evaluate each
// factor as soon as the params it uses are chosen: `constraint(a && b)` has two. C
// evaluates b only where a holds, which a guard such as `N != 0 && M % N == 0` relies on:
// a factor that could trap includes all factors before it, those of earlier clauses too.
// Each factor also becomes steps over ranges, from which the runtime sees before all
// params are chosen that `A * B * C == 64` can no longer hold.
#include <string.h>

#include "front/kernel/kernel.h"
#include "front/reach/unit.h"

enum { MAX_STEPS = 100, MAX_MACROS = 8 };

struct reader {
  const struct expansion *x;
  const struct kernel *k;
  size_t order; // of the kernel in the compiler's output
  bool *looks;
};

// ---- names --------------------------------------------------------------------------

static const struct macro *macro_of(const struct reader *r, struct slice name) {
  const struct macro *m = expand_macro(r->x, name, r->order);
  return m && !m->builtin ? m : NULL;
}

// Returns M's definition, after its name.
static struct slice body_of(const struct macro *m) {
  struct lexer l = lexer_of(m->text);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (slices_same(t.text, m->name))
      break;
  return slice_trim((struct slice){ l.p, (size_t)(l.end - l.p) });
}

// Marks the params that TEXT names, directly or through macros.
static void factors_mark(const struct reader *r, struct slice text, unsigned depth) {
  struct lexer l = lexer_of(text);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    int param = t.kind == TOKEN_WORD ? kernel_param(r->k, t.text) : -1;
    const struct macro *m = t.kind == TOKEN_WORD && param < 0 ? macro_of(r, t.text)
                                                              : NULL;
    if (param >= 0)
      r->looks[param] = true;
    else if (m && depth < MAX_MACROS)
      factors_mark(r, body_of(m), depth + 1);
    else if (m)
      memset(r->looks, true, r->k->n_params * sizeof *r->looks); // too deep to tell
  }
}

static bool factors_is_number(struct slice text) {
  long long i;
  while (text.size > 2 && *text.data == '(' && text.data[text.size - 1] == ')')
    text = slice_trim((struct slice){ text.data + 1, text.size - 2 });
  return read_integer(text, &i);
}

// True for a name that is no param and, in C, a number that evaluates without harm.
static bool factors_is_plain(const struct reader *r, struct slice name) {
  long long number;
  int arg = kernel_arg(r->k, name);
  const struct macro *m = macro_of(r, name);
  if (arg >= 0)
    return r->k->args[arg].integer || r->k->args[arg].real;
  return is_machine_name(r->k, name) || kernel_word(r->k, name, &number) ||
      (m && !m->function && factors_is_number(body_of(m)));
}

// ---- factors that may be evaluated alone ---------------------------------------------

static bool factors_within(const struct reader *r, const struct expr *e, long long low,
                           long long high, bool divisor) {
  if (e->op == OP_NUMBER)
    return e->number.real ||
        (e->number.i >= low && e->number.i <= high && !(divisor && e->number.i == 0));
  if (e->op != OP_PARAM)
    return false;
  const struct param *p = &r->k->params[e->param];
  for (unsigned i = 0; i < p->n_values; i++)
    if (p->kind != VALUE_REAL &&
        (p->values[i].i < low || p->values[i].i > high ||
         (divisor && p->values[i].i == 0)))
      return false;
  return true;
}

// True if E neither traps nor is undefined, whatever the values.
static bool factors_is_safe(const struct reader *r, const struct expr *e) {
  if (!e)
    return true;
  if (e->op == OP_UNKNOWN && (e->postfix || macro_of(r, e->text)) &&
      !factors_is_plain(r, e->text))
    return false;
  if (e->op == OP_BINARY && (*e->binary == '/' || *e->binary == '%') &&
      !factors_within(r, e->b, 0, INT64_MAX, true))
    return false;
  if (e->op == OP_BINARY &&
      (strcmp(e->binary, "<<") == 0 || strcmp(e->binary, ">>") == 0) &&
      !factors_within(r, e->b, 0, 30, false))
    return false;
  return factors_is_safe(r, e->a) && factors_is_safe(r, e->b) && factors_is_safe(r, e->c);
}

// ---- steps over ranges --------------------------------------------------------------

// True if C can compute E before there are params.
static bool is_leaf(const struct reader *r, const struct expr *e) {
  if (!e)
    return true;
  if (e->op == OP_PARAM)
    return false;
  if (e->op == OP_UNKNOWN) {
    struct lexer l = lexer_of(e->text);
    return !e->postfix &&
        (slice_is(lex(&l).text, "sizeof") || factors_is_plain(r, e->text));
  }
  return is_leaf(r, e->a) && is_leaf(r, e->b) && is_leaf(r, e->c);
}

static void factors_step(struct factor *f, const char *op, unsigned index,
                         double number) {
  *GROW(f->steps, f->n_steps) = (struct step){ op, index, number };
}

static const char *binary_op(const char *text, bool *swap, bool *negate) {
  static const struct {
    const char *text, *op;
    bool swap, negate;
  } ops[] = {
    { "*", "AUTOTUNE_OP_MULTIPLY", 0, 0 },  { "/", "AUTOTUNE_OP_DIVIDE", 0, 0 },
    { "%", "AUTOTUNE_OP_REMAINDER", 0, 0 }, { "+", "AUTOTUNE_OP_ADD", 0, 0 },
    { "-", "AUTOTUNE_OP_SUBTRACT", 0, 0 },  { "<", "AUTOTUNE_OP_LESS", 0, 0 },
    { ">", "AUTOTUNE_OP_LESS", 1, 0 },      { "<=", "AUTOTUNE_OP_AT_MOST", 0, 0 },
    { ">=", "AUTOTUNE_OP_AT_MOST", 1, 0 },  { "==", "AUTOTUNE_OP_EQUAL", 0, 0 },
    { "!=", "AUTOTUNE_OP_EQUAL", 0, 1 },    { "&&", "AUTOTUNE_OP_AND", 0, 0 },
    { "||", "AUTOTUNE_OP_OR", 0, 0 },
  };
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    if (strcmp(text, ops[i].text) == 0) {
      *swap = ops[i].swap;
      *negate = ops[i].negate;
      return ops[i].op;
    }
  return NULL;
}

static void factors_steps(const struct reader *r, const struct expr *e, struct factor *f);

static void binary_steps(const struct reader *r, const struct expr *e, struct factor *f) {
  bool swap, negate;
  const char *op = binary_op(e->binary, &swap, &negate);
  if (!op) {
    factors_step(f, "AUTOTUNE_OP_UNKNOWN", 0, 0);
    return;
  }
  factors_steps(r, swap ? e->b : e->a, f);
  factors_steps(r, swap ? e->a : e->b, f);
  factors_step(f, op, 0, 0);
  if (negate)
    factors_step(f, "AUTOTUNE_OP_NOT", 0, 0);
}

static bool is_unsigned(struct slice number) {
  return memchr(number.data, 'u', number.size) || memchr(number.data, 'U', number.size);
}

static void factors_steps(const struct reader *r, const struct expr *e,
                          struct factor *f) {
  if (e->op == OP_NUMBER && !(!e->number.real && is_unsigned(e->text))) {
    factors_step(f, "AUTOTUNE_OP_NUMBER", 0,
                 e->number.real ? e->number.d : (double)e->number.i);
  } else if (is_leaf(r, e) && factors_is_safe(r, e)) {
    factors_step(f, "AUTOTUNE_OP_LEAF", f->n_leaves, 0);
    *GROW(f->leaves, f->n_leaves) = e->text;
  } else if (e->op == OP_PARAM && r->k->params[e->param].kind != VALUE_STRING &&
             r->k->params[e->param].kind != VALUE_TUPLE) {
    factors_step(f, "AUTOTUNE_OP_PARAM", (unsigned)e->param, 0);
  } else if (e->op == OP_BINARY) {
    binary_steps(r, e, f);
  } else if (e->op == OP_NEGATE || e->op == OP_NOT ||
             (e->op == OP_TO_INTEGER && !e->narrow)) {
    factors_steps(r, e->a, f);
    factors_step(f,
                 e->op == OP_NEGATE    ? "AUTOTUNE_OP_NEGATE"
                     : e->op == OP_NOT ? "AUTOTUNE_OP_NOT"
                                       : "AUTOTUNE_OP_TO_INTEGER",
                 0, 0);
  } else if (e->op == OP_TO_REAL) {
    factors_steps(r, e->a, f);
  } else if (e->op == OP_CONDITION) {
    factors_steps(r, e->a, f);
    factors_steps(r, e->b, f);
    factors_steps(r, e->c, f);
    factors_step(f, "AUTOTUNE_OP_CHOOSE", 0, 0);
  } else {
    factors_step(f, "AUTOTUNE_OP_UNKNOWN", 0, 0);
  }
}

// ---- factors ------------------------------------------------------------------------

// Returns TEXT without parentheses around all of it.
static struct slice factors_bare(struct slice text) {
  while (text.size > 2 && *text.data == '(') {
    struct lexer l = lexer_of(text);
    if (skip_brackets(&l) != text.data + text.size)
      break;
    text = slice_trim((struct slice){ text.data + 1, text.size - 2 });
  }
  return text;
}

// Returns the end of TEXT's first factor: a && outside of brackets, or the end of TEXT if
// an operator there binds more weakly than &&.
static const char *factor_end(struct slice text) {
  struct lexer l = lexer_of(text);
  const char *end = NULL;
  unsigned depth = 0;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    depth += slice_is(t.text, "(") || slice_is(t.text, "[") || slice_is(t.text, "{");
    depth -= slice_is(t.text, ")") || slice_is(t.text, "]") || slice_is(t.text, "}");
    if (depth == 0 &&
        (slice_is(t.text, "||") || slice_is(t.text, "?") || slice_is(t.text, ",")))
      return text.data + text.size;
    if (depth == 0 && !end && slice_is(t.text, "&&"))
      end = t.text.data;
  }
  return end ? end : text.data + text.size;
}

// Returns everything that is evaluated before END of clause INDEX, whose text without
// parentheses is CLAUSE.
static struct slice factors_guarded(const struct kernel *k, unsigned index,
                                    struct slice clause, const char *end) {
  struct text all = { 0 };
  for (unsigned i = 0; i < index; i++)
    text_printf(&all, "(%.*s) && ", (int)k->constraints[i].size, k->constraints[i].data);
  text_printf(&all, index ? "(%.*s)" : "%.*s", (int)(end - clause.data), clause.data);
  return (struct slice){ all.data, all.size };
}

// Reads OWN, a factor of clause INDEX, whose text is CLAUSE.
static struct factor read_factor(const struct reader *all, unsigned index,
                                 struct slice clause, struct slice own) {
  struct factor f = { .text = own };
  struct reader r = *all;
  r.looks = f.looks = arena_alloc((r.k->n_params + 1) * sizeof *f.looks);
  const struct expr *e = expr_parse(r.k, own);
  if (!e || !factors_is_safe(&r, e))
    f.text = factors_guarded(r.k, index, clause, own.data + own.size);
  factors_mark(&r, f.text, 0);
  for (unsigned i = 0; i < r.k->n_params; i++)
    f.n_looks += f.looks[i];
  if (e && f.n_looks > 0)
    factors_steps(&r, e, &f);
  if (f.n_steps > MAX_STEPS || f.n_leaves == f.n_steps) {
    f.n_steps = 0;
    f.n_leaves = 0;
  }
  return f;
}

struct factor *factors_of(const struct expansion *x, const struct kernel *k,
                          unsigned *n) {
  const struct item *function = expand_function(x, &k->main);
  struct reader r = { .x = x,
                      .k = k,
                      .order = function ? (size_t)(function->text.data - x->text.data)
                                        : SIZE_MAX };
  struct factor *all = NULL;
  *n = 0;
  for (unsigned i = 0; i < k->n_constraints; i++) {
    struct slice clause = factors_bare(slice_trim(k->constraints[i])), rest = clause;
    const char *clause_end = clause.data + clause.size;
    while (rest.size > 0) {
      const char *end = factor_end(rest);
      struct slice own =
          slice_trim((struct slice){ rest.data, (size_t)(end - rest.data) });
      if (end < clause_end)
        end += 2; // the &&
      rest = (struct slice){ end, (size_t)(clause_end - end) };
      *GROW(all, *n) = read_factor(&r, i, clause, own);
    }
  }
  return all;
}
