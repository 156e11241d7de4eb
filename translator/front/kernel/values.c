// SPDX-License-Identifier: Apache-2.0
// values.c: reads the candidates of a param: numbers, identifiers, strings, tuples,
// ranges, flags, compilers.
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/lang/language.h"

#define MAX_VALUES 1024 // of a param

static const char *const kind_names[] = {
  [VALUE_INT] = "an integer",  [VALUE_REAL] = "a number", [VALUE_WORD] = "an identifier",
  [VALUE_STRING] = "a string", [VALUE_TUPLE] = "a tuple",
};

// True if P is empty or a suffix made of LETTERS (u, l, f …).
static bool suffix_ends(const char *p, const char *letters) {
  while (*p && strchr(letters, *p))
    p++;
  return *p == '\0';
}

bool read_integer(struct slice text, long long *i) {
  char *end, *copy = arena_copy(text.data, text.size), *p = copy;
  bool negative = *p == '-';
  p += *p == '-' || *p == '+';
  while (*p == ' ')
    p++;
  if (!isdigit((unsigned char)*p))
    return false;
  bool binary = p[0] == '0' && (p[1] == 'b' || p[1] == 'B');
  errno = 0;
  *i = strtoll(p + (binary ? 2 : 0), &end, binary ? 2 : 0);
  if (errno || !suffix_ends(end, "uUlL"))
    return false;
  *i = negative ? -*i : *i;
  return true;
}

bool read_real(struct slice text, double *d) {
  char *end, *copy = arena_copy(text.data, text.size);
  bool hexadecimal = strstr(copy, "0x") || strstr(copy, "0X");
  if (!strpbrk(copy, hexadecimal ? "pP" : ".eE") || isalpha((unsigned char)*copy))
    return false; // an integer, a malformed number, inf or nan
  *d = strtod(copy, &end);
  return end != copy && isfinite(*d) && suffix_ends(end, "fFlL");
}

static bool read_tuple(const struct source *s, const struct pragma *p, struct value *v) {
  struct slice inside = { v->text + 1, strlen(v->text) - 2 };
  unsigned n;
  struct slice *parts = slice_split(inside, &n);
  for (unsigned i = 0; i < n; i++) {
    enum value_kind kind;
    struct value *item = GROW(v->items, v->n_items);
    struct slice part = {
      p->blanked + (v->offset - p->offset) + (parts[i].data - v->text), parts[i].size
    };
    if (!value_read(s, p, part, item, &kind))
      return false;
    if (kind == VALUE_TUPLE || kind == VALUE_STRING) {
      diag_error(s, item->offset, part.size, NULL,
                 "a tuple holds numbers or identifiers");
      return false;
    }
  }
  if (n == 0)
    diag_error(s, v->offset, strlen(v->text), NULL, "empty tuple");
  return n > 0;
}

bool value_read(const struct source *s, const struct pragma *p, struct slice text,
                struct value *v, enum value_kind *kind) {
  struct lexer l = lexer_of(text);
  struct token t = lex(&l);
  bool single = t.text.size == text.size;
  *v = (struct value){ .offset = pragma_offset(p, text),
                       .text = arena_copy(text.data, text.size) };
  v->define = v->text;
  if (single && t.kind == TOKEN_WORD) {
    *kind = VALUE_WORD;
    return true;
  }
  if (single && t.kind == TOKEN_STRING && text.size > 1 &&
      text.data[text.size - 1] == '"') {
    *kind = VALUE_STRING;
    return true;
  }
  if (read_integer(text, &v->i)) {
    *kind = VALUE_INT;
    v->d = (double)v->i;
    return true;
  }
  if (read_real(text, &v->d)) {
    *kind = VALUE_REAL;
    return true;
  }
  if (text.size > 1 && *text.data == '(' && text.data[text.size - 1] == ')') {
    *kind = VALUE_TUPLE;
    return read_tuple(s, p, v);
  }
  bool digits = t.kind == TOKEN_NUMBER && single;
  struct token second = lex(&l);
  enum token_kind next = second.kind;
  bool no_comma = !single && (t.kind == TOKEN_NUMBER || t.kind == TOKEN_WORD) &&
      (next == TOKEN_NUMBER || next == TOKEN_WORD);
  if (no_comma)
    diag_fix(s, v->offset + t.text.size, 0, ",");
  diag_error(s, v->offset, text.size,
             digits         ? NULL
                 : no_comma ? "write a comma between two values"
                 : t.kind == TOKEN_NUMBER &&
                     (slice_is(second.text, "-") || slice_is(second.text, ":"))
                 ? "a range is written 1..4"
                 : t.kind == TOKEN_NUMBER && slice_is(second.text, ";")
                 ? "values are separated by commas"
                 : t.kind == TOKEN_NUMBER && strchr("*+/<", *second.text.data)
                 ? "values are not computed: write the number itself"
                 : "values are integers, floats, identifiers, strings, tuples, ranges",
             digits ? "this number is malformed or too large"
                    : "this is not a valid value");
  return false;
}

bool value_same(const struct value *a, const struct value *b, enum value_kind kind) {
  if (kind == VALUE_INT)
    return a->i == b->i;
  if (kind == VALUE_REAL)
    return a->d == b->d;
  return strcmp(a->text, b->text) == 0;
}

// Converts V, of KIND, to the kind of the values that PARAM has.
static bool values_unify(const struct source *s, struct param *param,
                         const struct value *v, enum value_kind kind) {
  bool number = kind == VALUE_INT || kind == VALUE_REAL;
  if (param->n_values == 0)
    param->kind = kind;
  else if (number && (param->kind == VALUE_INT || param->kind == VALUE_REAL))
    param->kind = kind == VALUE_REAL ? VALUE_REAL : param->kind;
  else if (kind != param->kind) {
    diag_error(s, v->offset, strlen(v->text), NULL, "'%s' is %s, but '%s' is %s", v->text,
               kind_names[kind], param->values[0].text, kind_names[param->kind]);
    return false;
  }
  if (kind == VALUE_TUPLE && param->n_values && param->values[0].n_items != v->n_items) {
    diag_error(s, v->offset, strlen(v->text), NULL,
               "this tuple has %u member%s, the first has %u", v->n_items,
               v->n_items == 1 ? "" : "s", param->values[0].n_items);
    return false;
  }
  return true;
}

bool value_add(const struct source *s, struct param *param, struct value v,
               enum value_kind kind, bool range) {
  if (!values_unify(s, param, &v, kind))
    return false;
  for (unsigned i = 0; i < param->n_values; i++)
    if (value_same(&param->values[i], &v, param->kind)) {
      if (!range)
        diag_error(s, v.offset, strlen(v.text), NULL, "'%s' is given twice", v.text);
      return range;
    }
  if (param->n_values == MAX_VALUES) {
    diag_error(s, v.offset, 1, NULL, "more than %d candidates", MAX_VALUES);
    return false;
  }
  *GROW(param->values, param->n_values) = v;
  return true;
}

struct range {
  long long low, high, step;
  bool pow2;
};

// Reads the integer at L, with its sign.
static bool range_bound(struct lexer *l, long long *i) {
  struct token t = lex(l);
  const char *begin = t.text.data;
  if (slice_is(t.text, "-") || slice_is(t.text, "+"))
    t = lex(l);
  return read_integer(
      (struct slice){ begin, (size_t)(t.text.data + t.text.size - begin) }, i);
}

static bool range_error(const struct source *s, const struct pragma *p, struct slice text,
                        const char *message) {
  diag_error(s, pragma_offset(p, text), text.size,
             "write lo..hi, lo..hi step s or lo..hi pow2", "%s", message);
  return false;
}

static bool range_read(const struct source *s, const struct pragma *p, struct slice text,
                       struct range *r) {
  struct lexer l = lexer_of(text);
  *r = (struct range){ .step = 1 };
  if (!range_bound(&l, &r->low) || !slice_is(lex(&l).text, "..") ||
      !range_bound(&l, &r->high))
    return range_error(s, p, text, "the bounds of a range are integers");
  struct token t = lex(&l);
  if (slice_is(t.text, "pow2")) {
    r->pow2 = true;
    t = lex(&l);
  } else if (slice_is(t.text, "step")) {
    if (!range_bound(&l, &r->step) || r->step < 1)
      return range_error(s, p, text, "the step of a range is a positive integer");
    t = lex(&l);
  }
  if (t.kind != TOKEN_END)
    return range_error(s, p, text, "a range is followed by something else");
  if (r->low > r->high)
    return range_error(s, p, text,
                       "this range is empty: its end is before its beginning");
  if (r->pow2 && r->low < 1)
    return range_error(s, p, text, "a range of powers of two begins at 1 or above");
  return true;
}

static bool add_range(const struct source *s, const struct pragma *p, struct slice text,
                      struct param *param) {
  struct range r;
  if (!range_read(s, p, text, &r))
    return false;
  unsigned before = param->n_values;
  long long i = r.low;
  if (r.pow2)
    for (i = 1; i < r.low && i <= r.high / 2;)
      i *= 2;
  while (i >= r.low && i <= r.high) {
    char *digits = arena_printf("%lld", i);
    struct value v = { .offset = pragma_offset(p, text),
                       .text = digits,
                       .define = digits,
                       .i = i,
                       .d = (double)i };
    if (!value_add(s, param, v, VALUE_INT, true))
      return false;
    if (r.pow2 ? i > r.high / 2 : i > r.high - r.step)
      break;
    i = r.pow2 ? i * 2 : i + r.step;
  }
  if (param->n_values == before && before == 0)
    return range_error(s, p, text, "no power of two is in this range");
  return true;
}

static bool is_range(struct slice text) {
  struct lexer l = lexer_of(text);
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l))
    if (slice_is(t.text, ".."))
      return true;
    else if (t.kind == TOKEN_PUNCTUATOR && !slice_is(t.text, "-") &&
             !slice_is(t.text, "+"))
      return false;
  return false;
}

bool values_add(const struct source *s, const struct pragma *p, struct slice text,
                struct param *param) {
  struct value v;
  enum value_kind kind;
  if (text.size == 0)
    return false; // pragma.c has reported it
  if (is_range(text))
    return add_range(s, p, text, param);
  return value_read(s, p, text, &v, &kind) && value_add(s, param, v, kind, false);
}

// Returns what is wrong with a flag. Flags that request another output than object code
// break every variant, or write files.
static const char *bad_flag(struct slice word) {
  static const char *const words[] = {
    "-c",   "-S",  "-E", "-o", "-M",      "-MM",           "-MD",
    "-MMD", "-MF", "-x", "-v", "-shared", "-fsyntax-only", "-###",
    NULL
  };
  if (*word.data != '-')
    return "does not begin with '-'";
  return slice_in(word, words) ? "does not change the code that is made" : NULL;
}

bool values_check_flags(const struct source *s, const struct value *v) {
  for (const char *p = v->text; *p;) {
    size_t blank = strspn(p, " \t"), size = strcspn(p += blank, " \t");
    const char *bad = size ? bad_flag((struct slice){ p, size }) : NULL;
    if (bad) {
      diag_error(s, v->offset + 1 + (size_t)(p - v->text), size, NULL, "'%.*s' %s",
                 (int)size, p, bad);
      return false;
    }
    p += size;
  }
  return true;
}

void values_flags(const struct source *s, struct kernel *k, const struct clause *c) {
  if (!params_left(s, k, c->offset))
    return;
  struct param param = { .kind = VALUE_FLAGS, .when = -1, .offset = c->offset };
  unsigned n = 1;
  for (unsigned i = 0; i < k->n_params; i++)
    n += k->params[i].kind == VALUE_FLAGS;
  param.name = n == 1 ? "flags" : arena_printf("flags@%u", n);
  for (unsigned i = 0; i < c->n_args; i++) {
    struct slice text = c->args[i].text;
    struct value v;
    enum value_kind kind;
    if (text.size && *text.data == '-')
      diag_error(s, c->args[i].offset, text.size,
                 "write flags(\"-O2\", \"-O3 -ffast-math\")", "flags are strings");
    if (text.size == 0 || *text.data == '-' ||
        !value_read(s, k->main.pragma, text, &v, &kind))
      continue;
    if (kind != VALUE_STRING) {
      diag_error(s, v.offset, text.size, "write flags(\"-O2\", \"-O3 -ffast-math\")",
                 "flags are strings");
      continue;
    }
    v.text = arena_copy(text.data + 1, text.size - 2);
    v.define = NULL;
    v.i = i;
    v.d = i;
    if (!k->language->flags_check || k->language->flags_check(s, &v))
      value_add(s, &param, v, VALUE_FLAGS, false);
  }
  param.kind = VALUE_FLAGS;
  param.original = param.n_values; // the build's own flags are not a candidate
  if (param.n_values)
    kernel_add_param(k, param);
}

void values_compilers(const struct source *s, struct kernel *k, const struct clause *c) {
  struct param param = {
    .name = "compiler", .kind = VALUE_COMPILER, .when = -1, .offset = c->offset
  };
  for (unsigned i = 0; i < c->n_args; i++) {
    struct slice text = c->args[i].text;
    if (text.size > 1 && *text.data == '"')
      text = (struct slice){ text.data + 1, text.size - 2 };
    size_t n = 0;
    while (n < text.size &&
           (isalnum((unsigned char)text.data[n]) || strchr("_-+./", text.data[n])))
      n++;
    if (n < text.size || n == 0 || *text.data == '-') {
      diag_error(s, c->args[i].offset, c->args[i].text.size, "as in compiler(clang, gcc)",
                 "this is not the name of a compiler");
      continue;
    }
    if (memchr(text.data, '/', text.size)) {
      diag_error(
          s, c->args[i].offset, c->args[i].text.size,
          "write its name, as in compiler(clang, gcc), and have its folder in PATH",
          "a path is not allowed here: a source does not say which file is run");
      continue;
    }
    struct value v = { .offset = pragma_offset(k->main.pragma, text),
                       .text = arena_copy(text.data, text.size),
                       .i = i,
                       .d = i };
    if (value_add(s, &param, v, VALUE_COMPILER, false))
      *GROW(k->compilers, k->n_compilers) = v.text;
  }
  param.kind = VALUE_COMPILER;
  param.original = param.n_values;
  if (param.n_values > 1)
    kernel_add_param(k, param);
}

size_t values_compiler_at(const struct kernel *k, const char *compiler, size_t *size) {
  const struct pragma *p = k->main.pragma;
  const char *quoted = arena_printf("\"%s\"", compiler);
  for (unsigned i = 0; i < p->n_clauses; i++) {
    const struct clause *c = &p->clauses[i];
    for (unsigned j = 0; strcmp(c->name, "compiler") == 0 && j < c->n_args; j++) {
      *size = c->args[j].text.size;
      if (slice_is(c->args[j].text, compiler) || slice_is(c->args[j].text, quoted))
        return c->args[j].offset;
    }
  }
  *size = p->end - p->offset;
  return p->offset;
}
