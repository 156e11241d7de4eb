// SPDX-License-Identifier: Apache-2.0
// constant.c: the integers that names of a file and its headers stand for: enumerators,
// and constant variables whose value is in sight.
#include <limits.h>
#include <string.h>

#include "analysis.h"
#include "front/kernel/kernel.h"
#include "front/reach/unit.h"

enum { MAX_NESTED = 8 };

struct enumerator {
  struct slice name;
  long long value;
};
struct constants {
  const struct expansion *x;
  unsigned depth;          // of constants that are defined by others
  struct enumerator *list; // of the enumeration that is read, so far
  unsigned n;
};

static bool constant_find(const struct constants *c, struct slice name, long long *value,
                          struct slice *type);

static bool constant_is_int(long long value) {
  return value >= INT_MIN && value <= INT_MAX;
}

// True if NUMBER has the suffix of unsigned numbers.
static bool constant_is_unsigned(struct slice number) {
  return memchr(number.data, 'u', number.size) || memchr(number.data, 'U', number.size);
}

// Sets *VALUE to that of TEXT. False: it is not known, or no `int`.
static bool constant_evaluate(const struct constants *c, struct slice text,
                              long long *value) {
  static const struct kernel none = { 0 };
  struct text out = { 0 };
  struct lexer l = lexer_of(text);
  bool is_unsigned = false;
  unsigned n = 0;
  for (struct token t; (t = declare_lex(&l)).kind != TOKEN_END; n++) {
    bool known = t.kind == TOKEN_WORD && constant_find(c, t.text, value, NULL);
    is_unsigned = is_unsigned || slice_is(t.text, "unsigned") ||
        (t.kind == TOKEN_NUMBER && constant_is_unsigned(t.text));
    if (known)
      text_printf(&out, " (%lld)", *value);
    else
      text_printf(&out, " %.*s", (int)t.text.size, t.text.data);
  }
  struct expr *e = n && (!is_unsigned || n == 1) ? expr_parse(&none, slice_of(out.data))
                                                 : NULL;
  struct number number = e ? expr_value(e, &none, NULL) : (struct number){ 0 };
  *value = number.i;
  return number.known && !number.real && constant_is_int(number.i);
}

// Reads one enumerator, with L before it, into C's list. Returns false at the end, or if
// the value is not known; then *FINE becomes false.
static bool constant_enumerator(struct constants *c, struct lexer *l, bool *fine) {
  struct token t = declare_lex(l);
  struct enumerator e = { t.text, c->n ? c->list[c->n - 1].value + 1 : 0 };
  const char *from = NULL, *to;
  if (t.kind != TOKEN_WORD)
    return false;
  for (;;) {
    to = l->p;
    t = declare_lex(l);
    if (t.kind == TOKEN_END || slice_is(t.text, ",") || slice_is(t.text, "}"))
      break;
    if (slice_is(t.text, "=") && !from)
      from = l->p;
    else if (lex_bracket(t.text) > 0)
      cut_skip_group(l);
  }
  if (from)
    *fine = constant_evaluate(c, (struct slice){ from, (size_t)(to - from) }, &e.value);
  *fine = *fine && constant_is_int(e.value);
  *GROW(c->list, c->n) = e;
  return *fine && slice_is(t.text, ",");
}

// Sets *VALUE to that of the enumerator NAME in TEXT. False: there is none, or its
// enumeration has a type of its own or values that no `int` has.
static bool constant_enumerated(const struct constants *c, struct slice text,
                                struct slice name, long long *value) {
  struct lexer l = lexer_of(text);
  for (struct token t; (t = declare_lex(&l)).kind != TOKEN_END;) {
    struct constants of = { c->x, c->depth, NULL, 0 };
    bool fine = true;
    if (!slice_is(t.text, "enum"))
      continue;
    struct lexer ahead = l;
    t = declare_lex(&ahead);
    if (t.kind == TOKEN_WORD && !word_of_cplusplus(t.text))
      t = declare_lex(&ahead);
    if (!slice_is(t.text, "{"))
      continue;
    while (constant_enumerator(&of, &ahead, &fine))
      ;
    for (unsigned i = 0; fine && i < of.n; i++)
      if (slices_same(of.list[i].name, name)) {
        *value = of.list[i].value;
        return true;
      }
  }
  return false;
}

// Sets *VALUE and *TYPE to those of the variable NAME that I declares. False: it is no
// constant integer with a value.
static bool constant_variable(const struct constants *c, const struct item *i,
                              struct slice name, long long *value, struct slice *type) {
  bool constant = lex_mentions(i->specifiers, slice_of("constexpr"));
  for (unsigned n = 0; n < i->n_names; n++) {
    const struct declarator *d = &i->names[n];
    if (slices_same(d->name, name) && d->value.size && !d->indirect &&
        (d->constant || constant) && !lex_mentions(i->specifiers, slice_of("volatile"))) {
      *type = i->specifiers;
      return constant_evaluate(c, slice_trim(d->value), value);
    }
  }
  return false;
}

static bool constant_find(const struct constants *c, struct slice name, long long *value,
                          struct slice *type) {
  struct constants inner = { c->x, c->depth + 1, NULL, 0 };
  struct slice unused;
  const struct item *i;
  bool found = false;
  type = type ? type : &unused;
  for (unsigned k = 0; k < c->n; k++)
    if (slices_same(c->list[k].name, name)) {
      *value = c->list[k].value;
      return true;
    }
  for (const struct name *n = NULL; c->depth < MAX_NESTED &&
       (i = items_named(&c->x->items, NAME_ORDINARY, name, &n)) != NULL;) {
    if (i->is_extern && !found)
      continue; // a declaration
    struct slice head = i->text;
    head.size = i->body ? (size_t)(i->body - head.data) : head.size;
    *type = slice_of("int");
    if (found || i->is_typedef ||
        (!constant_variable(&inner, i, name, value, type) &&
         !constant_enumerated(&inner, head, name, value)))
      return false;
    found = true;
  }
  return found;
}

bool constant_value(const struct expansion *x, struct slice text, long long *value) {
  return constant_evaluate(&(struct constants){ .x = x }, text, value);
}

bool constant_of(const struct expansion *x, struct slice name, long long *value,
                 struct slice *type) {
  return constant_find(&(struct constants){ .x = x }, name, value, type);
}
