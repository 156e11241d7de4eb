// SPDX-License-Identifier: Apache-2.0
// expr.c: evaluates constraints over params alone, in three-valued logic: an expression
// that depends on arguments or on the machine is unknown. Precedence climbing (Richards,
// BCPL); Numbers are of type long long.
#include <string.h>

#include "kernel.h"

#define MAX_DEPTH 200  // of brackets
#define MAX_NODES 2000 // a longer expression is unknown

struct parser {
  const struct kernel *k;
  struct lexer l;
  unsigned depth, nodes;
  bool failed;
};

static const struct {
  const char *text;
  int precedence;
} binaries[] = {
  { "*", 10 }, { "/", 10 }, { "%", 10 }, { "+", 9 },  { "-", 9 },  { "<<", 8 },
  { ">>", 8 }, { "<", 7 },  { ">", 7 },  { "<=", 7 }, { ">=", 7 }, { "==", 6 },
  { "!=", 6 }, { "&", 5 },  { "^", 4 },  { "|", 3 },  { "&&", 2 }, { "||", 1 },
};

static struct expr *expr_parse_condition(struct parser *p);
static struct expr *parse_operand(struct parser *p, struct token t);

static struct expr *new_expr(enum operation op, struct expr *a) {
  struct expr *e = arena_alloc(sizeof *e);
  e->op = op;
  e->a = a;
  return e;
}

static struct expr *expr_fail(struct parser *p) {
  p->failed = true;
  return new_expr(OP_UNKNOWN, NULL);
}

// Skips a postfix that makes a name unknown: a call, an element, a member.
static bool skip_postfix(struct parser *p) {
  for (bool any = false;; any = true) {
    struct lexer ahead = p->l;
    struct slice t = lex(&ahead).text;
    if (slice_is(t, "(") || slice_is(t, "[")) {
      skip_brackets(&p->l);
    } else if (slice_is(t, ".") || slice_is(t, "->")) {
      lex(&ahead);
      p->l = ahead;
    } else {
      return any;
    }
  }
}

static struct expr *parse_name(struct parser *p, struct slice name) {
  struct expr *e = new_expr(OP_UNKNOWN, NULL);
  if (skip_postfix(p)) {
    e->postfix = true;
    return e;
  }
  e->param = kernel_param(p->k, name);
  if (e->param >= 0) {
    e->op = OP_PARAM;
  } else if (kernel_word(p->k, name, &e->number.i)) {
    e->op = OP_NUMBER;
    e->number.known = true;
  }
  return e;
}

static struct expr *parse_number(struct parser *p, struct slice text) {
  struct expr *e = new_expr(OP_NUMBER, NULL);
  e->number.known = true;
  if (read_integer(text, &e->number.i))
    return e;
  e->number.real = true;
  return read_real(text, &e->number.d) ? e : expr_fail(p);
}

// Sets E's text, from START to P.
static void set_text(const struct parser *p, struct expr *e, const char *start) {
  if (start && !p->failed)
    e->text = slice_trim((struct slice){ start, (size_t)(p->l.p - start) });
}

static struct expr *parse_unary(struct parser *p) {
  const char *start = p->l.p;
  if (p->failed || p->depth == MAX_DEPTH || ++p->nodes > MAX_NODES)
    return expr_fail(p);
  p->depth++;
  struct expr *e = parse_operand(p, lex(&p->l));
  p->depth--;
  set_text(p, e, start);
  return e;
}

// Reads the rest of `(size_t)x` or `(double)x`, after the '('.
static struct expr *parse_cast(struct parser *p) {
  enum operation op = OP_TO_INTEGER;
  struct token t = lex(&p->l);
  bool narrow = false;
  for (; is_type_word(t.text); t = lex(&p->l))
    if (is_real_word(t.text))
      op = OP_TO_REAL;
    else if (slice_is(t.text, "char") || slice_is(t.text, "short") ||
             slice_is(t.text, "_Bool") || slice_is(t.text, "bool"))
      narrow = true;
    else if (is_tag(t.text) || is_typeof(t.text))
      return expr_fail(p);
  if (!slice_is(t.text, ")"))
    return expr_fail(p);
  struct expr *e = new_expr(op, parse_unary(p));
  e->narrow = narrow;
  return e;
}

static struct expr *parse_operand(struct parser *p, struct token t) {
  static const struct {
    const char *text;
    enum operation op;
  } unaries[] = {
    { "-", OP_NEGATE },
    { "!", OP_NOT },
    { "~", OP_INVERT },
  };
  for (size_t i = 0; i < sizeof unaries / sizeof *unaries; i++)
    if (slice_is(t.text, unaries[i].text))
      return new_expr(unaries[i].op, parse_unary(p));
  if (slice_is(t.text, "+"))
    return parse_unary(p);
  if (slice_is(t.text, "(")) {
    struct lexer ahead = p->l;
    if (is_type_word(lex(&ahead).text))
      return parse_cast(p);
    struct expr *e = expr_parse_condition(p);
    return slice_is(lex(&p->l).text, ")") ? e : expr_fail(p);
  }
  if (slice_is(t.text, "sizeof")) {
    skip_brackets(&p->l);
    return new_expr(OP_UNKNOWN, NULL);
  }
  if (t.kind == TOKEN_WORD && !is_keyword(t.text))
    return parse_name(p, t.text);
  return t.kind == TOKEN_NUMBER ? parse_number(p, t.text) : expr_fail(p);
}

static struct expr *parse_binary(struct parser *p, int least) {
  struct expr *left = parse_unary(p);
  for (;;) {
    struct lexer ahead = p->l;
    struct slice t = lex(&ahead).text;
    size_t i = 0;
    while (i < sizeof binaries / sizeof *binaries && !slice_is(t, binaries[i].text))
      i++;
    if (i == sizeof binaries / sizeof *binaries || binaries[i].precedence < least ||
        p->failed)
      return left;
    p->l = ahead;
    left = new_expr(OP_BINARY, left);
    left->binary = binaries[i].text;
    left->b = parse_binary(p, binaries[i].precedence + 1);
    set_text(p, left, left->a->text.data);
  }
}

static struct expr *expr_parse_condition(struct parser *p) {
  struct expr *e = parse_binary(p, 1);
  struct lexer ahead = p->l;
  if (!slice_is(lex(&ahead).text, "?"))
    return e;
  p->l = ahead;
  if (p->failed || p->depth == MAX_DEPTH)
    return expr_fail(p);
  p->depth++;
  e = new_expr(OP_CONDITION, e);
  e->b = expr_parse_condition(p);
  if (!slice_is(lex(&p->l).text, ":"))
    return expr_fail(p);
  e->c = expr_parse_condition(p);
  set_text(p, e, e->a->text.data);
  p->depth--;
  return e;
}

struct expr *expr_parse(const struct kernel *k, struct slice text) {
  struct parser p = { .k = k, .l = lexer_of(text) };
  struct expr *e = expr_parse_condition(&p);
  return p.failed || lex(&p.l).kind != TOKEN_END ? NULL : e;
}

static struct number expr_integer(long long i) {
  return (struct number){ .known = true, .i = i };
}

static double as_real(struct number n) {
  return n.real ? n.d : (double)n.i;
}

bool number_true(struct number n) {
  return n.real ? n.d != 0 : n.i != 0;
}

static struct number real_binary(const char *op, double a, double b) {
  struct number n = { .known = true, .real = true };
  switch (op[0]) {
  case '*':
    n.d = a * b;
    return n;
  case '/':
    n.d = a / b;
    return n;
  case '+':
    n.d = a + b;
    return n;
  case '-':
    n.d = a - b;
    return n;
  case '<':
    return op[1] == '<' ? (struct number){ 0 } : expr_integer(op[1] ? a <= b : a < b);
  case '>':
    return op[1] == '>' ? (struct number){ 0 } : expr_integer(op[1] ? a >= b : a > b);
  case '=':
    return expr_integer(a == b);
  case '!':
    return expr_integer(a != b);
  default:
    return (struct number){ 0 };
  }
}

static struct number expr_shift(const char *op, long long a, long long b) {
  if (b < 0 || b > 63)
    return (struct number){ 0 };
  return expr_integer(*op == '<' ? (long long)((unsigned long long)a << b) : a >> b);
}

// Computes A OP B. Wraps on overflow; a division by zero is unknown.
static struct number integer_binary(const char *op, long long a, long long b) {
  unsigned long long ua = (unsigned long long)a, ub = (unsigned long long)b;
  switch (op[0]) {
  case '*':
    return expr_integer((long long)(ua * ub));
  case '+':
    return expr_integer((long long)(ua + ub));
  case '-':
    return expr_integer((long long)(ua - ub));
  case '/':
    return b == 0 || b == -1 ? (struct number){ .known = b, .i = (long long)(0 - ua) }
                             : expr_integer(a / b);
  case '%':
    return b == 0 || b == -1 ? (struct number){ .known = b } : expr_integer(a % b);
  case '<':
    return op[1] == '<' ? expr_shift(op, a, b) : expr_integer(op[1] ? a <= b : a < b);
  case '>':
    return op[1] == '>' ? expr_shift(op, a, b) : expr_integer(op[1] ? a >= b : a > b);
  case '=':
    return expr_integer(a == b);
  case '!':
    return expr_integer(a != b);
  case '&':
    return expr_integer(a & b);
  case '|':
    return expr_integer(a | b);
  default:
    return expr_integer(a ^ b);
  }
}

static struct number binary_value(const struct expr *e, const struct kernel *k,
                                  const unsigned *point) {
  struct number a = expr_value(e->a, k, point), b = expr_value(e->b, k, point);
  bool both = a.known && b.known;
  if (strcmp(e->binary, "&&") == 0) {
    if ((a.known && !number_true(a)) || (b.known && !number_true(b)))
      return expr_integer(0);
    return both ? expr_integer(1) : (struct number){ 0 };
  }
  if (strcmp(e->binary, "||") == 0) {
    if ((a.known && number_true(a)) || (b.known && number_true(b)))
      return expr_integer(1);
    return both ? expr_integer(0) : (struct number){ 0 };
  }
  if (!both)
    return (struct number){ 0 };
  return a.real || b.real ? real_binary(e->binary, as_real(a), as_real(b))
                          : integer_binary(e->binary, a.i, b.i);
}

static struct number param_value(const struct param *p, unsigned value) {
  const struct value *v = &p->values[value];
  if (p->kind == VALUE_STRING || p->kind == VALUE_TUPLE)
    return (struct number){ 0 };
  // C sees the number as it is spelled: 1 is an integer, also among the values 0.5, 1.
  bool real = p->kind == VALUE_REAL && strpbrk(v->define, ".eEpP") &&
      strncmp(v->define, "0x", 2);
  return (struct number){ .known = true,
                          .real = real,
                          .i = real                   ? 0
                              : p->kind == VALUE_REAL ? (long long)v->d
                                                      : v->i,
                          .d = v->d };
}

struct number expr_value(const struct expr *e, const struct kernel *k,
                         const unsigned *point) {
  struct number n;
  switch (e->op) {
  case OP_NUMBER:
    return e->number;
  case OP_PARAM:
    return param_value(&k->params[e->param], point[e->param]);
  case OP_UNKNOWN:
    return (struct number){ 0 };
  case OP_BINARY:
    return binary_value(e, k, point);
  case OP_CONDITION:
    n = expr_value(e->a, k, point);
    return n.known ? expr_value(number_true(n) ? e->b : e->c, k, point) : n;
  case OP_TO_REAL:
    n = expr_value(e->a, k, point);
    return (struct number){ .known = n.known, .real = true, .d = as_real(n) };
  case OP_TO_INTEGER:
    n = expr_value(e->a, k, point);
    if (n.real && !(n.d > -1e18 && n.d < 1e18))
      return (struct number){ 0 };
    return (struct number){ .known = n.known, .i = n.real ? (long long)n.d : n.i };
  case OP_NOT:
    n = expr_value(e->a, k, point);
    return n.known ? expr_integer(!number_true(n)) : n;
  case OP_NEGATE:
    n = expr_value(e->a, k, point);
    n.i = (long long)(0 - (unsigned long long)n.i);
    n.d = -n.d;
    return n;
  default:
    n = expr_value(e->a, k, point);
    return n.real ? (struct number){ 0 } : (n.i = ~n.i, n);
  }
}
