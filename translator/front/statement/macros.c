// SPDX-License-Identifier: Apache-2.0
// macros.c: what the macros in a text mention and assign, as the preprocessor knows them.
#include <string.h>

#include "statement.h"

enum { MACROS_DEEP = 16 }; // macros within macros that are followed

// A macro's definition, read: `#define NAME(a, b) BODY`.
struct opened {
  struct slice parameters, body;
};

static bool macros_open(const struct statement *st, struct slice name,
                        struct opened *out) {
  const struct macro *m = st->x ? expand_macro(st->x, name, st->order) : NULL;
  if (st->x && !m) // the function may define it below
    m = expand_macro(st->x, name, SIZE_MAX);
  if (!m || m->builtin)
    return false;
  struct lexer l = lexer_of(m->text);
  lex(&l); // #
  lex(&l); // define
  lex(&l); // the name
  *out = (struct opened){ { l.p, 0 }, { 0 } };
  if (m->function) {
    const char *end = skip_brackets(&l);
    out->parameters.size = (size_t)(end - out->parameters.data);
    l.p = end;
  }
  out->body = (struct slice){ l.p, (size_t)(l.end - l.p) };
  return true;
}

static void macros_add(const struct statement *st, struct slice text, struct names *words,
                       struct names *seen) {
  struct lexer l = lexer_of(text);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    struct opened m;
    if (t.kind != TOKEN_WORD || !macros_open(st, t.text, &m) || !names_put(seen, t.text))
      continue;
    struct lexer body = lexer_of(m.body);
    for (struct token w; (w = lex(&body)).kind != TOKEN_END;)
      if (w.kind == TOKEN_WORD && !lex_mentions(m.parameters, w.text))
        names_put(words, w.text);
    macros_add(st, m.body, words, seen);
  }
}

void macros_words(const struct statement *st, struct slice text, struct names *words) {
  struct names seen = { 0 };
  macros_add(st, text, words, &seen);
}

// ---- assignments --------------------------------------------------------------------

static bool macros_is_assignment(struct slice t) {
  static const char *const operators[] = { "=",  "+=", "-=", "*=", "/=",
                                           "%=", "&=", "|=", "^=", NULL };
  return slice_in(t, operators);
}

static bool macros_is_step(struct slice t) {
  return slice_is(t, "++") || slice_is(t, "--");
}

// The end of an operand that is assigned to: NAME, or a macro's parameter, which may
// stand in parentheses. An element is none.
static bool macros_is_operand(const struct opened *m, struct slice t, struct slice name) {
  return name.size ? slices_same(t, name)
                   : slice_is(t, ")") || (t.size && lex_mentions(m->parameters, t));
}

// True if the body of M may assign to NAME; NAME empty: to a parameter of M.
static bool macros_body_assigns(const struct statement *st, const struct opened *m,
                                struct slice name, unsigned depth) {
  struct lexer l = lexer_of(m->body);
  struct slice before = { 0 };
  for (struct token t = lex(&l); t.kind != TOKEN_END;) {
    struct lexer ahead = l, after = l;
    struct token next = lex(&ahead);
    struct opened other;
    lex(&after);
    bool shift = (slice_is(next.text, "<<") || slice_is(next.text, ">>")) &&
        slice_is(lex(&after).text, "=");
    if (macros_is_operand(m, t.text, name) &&
        (shift || macros_is_assignment(next.text) || macros_is_step(next.text)))
      return true;
    bool prefix = macros_is_step(t.text) ||
        (slice_is(t.text, "&") &&
         (!before.size || strchr("(,=?:&|", before.data[before.size - 1])));
    if (prefix && (slice_is(next.text, "(") || macros_is_operand(m, next.text, name)))
      return true;
    if (t.kind == TOKEN_WORD && depth < MACROS_DEEP && macros_open(st, t.text, &other) &&
        macros_body_assigns(st, &other, name, depth + 1))
      return true;
    before = t.text;
    t = next;
    l = ahead;
  }
  return false;
}

bool macros_assign(const struct statement *st, struct slice text, struct slice name) {
  struct lexer l = lexer_of(text);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    struct opened m;
    if (t.kind == TOKEN_WORD && macros_open(st, t.text, &m) &&
        macros_body_assigns(st, &m, name, 0))
      return true;
  }
  return false;
}

bool macros_assign_arguments(const struct statement *st, struct slice called) {
  struct opened m;
  return macros_open(st, called, &m) && m.parameters.size &&
      macros_body_assigns(st, &m, (struct slice){ 0 }, 0);
}
