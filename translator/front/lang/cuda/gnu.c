// SPDX-License-Identifier: Apache-2.0
// gnu.c: GNU C in device code, which nvcc takes and NVRTC does not: `({ int y = x; y + 1;
// })` becomes `([&] { int y = x; return y + 1; }())`, and `(P){ 1, 2 }` `(P)P{ 1, 2 }`.
#include "items.h"

// True for words that make a statement no expression, or leave the block that they are
// in.
static bool is_jump(struct slice word) {
  static const char *const words[] = {
    "return", "goto", "break", "continue", "case", NULL
  };
  return slice_in(word, words);
}
static bool is_statement(struct slice word) {
  static const char *const words[] = { "if",    "for",     "while",
                                       "do",    "switch",  "static_assert",
                                       "using", "typedef", NULL };
  return slice_in(word, words) || slice_is(word, "{");
}

// Reads a block whose `{` L has passed, up to its `}`. LAST: the beginning of its last
// statement; NULL: that has no value. False: it is no statement expression.
static bool read_block(struct lexer *l, const char **last) {
  bool first = true, any = false;
  *last = NULL;
  for (struct token t; !slice_is((t = lex(l)).text, "}");) {
    if (t.kind == TOKEN_END || is_jump(t.text))
      return false;
    if (first)
      *last = is_statement(t.text) ? NULL : t.text.data;
    first = slice_is(t.text, ";");
    any = any || first;
    if (lex_bracket(t.text) > 0) {
      bool block = slice_is(t.text, "{");
      struct lexer inner = *l, ahead;
      if (!cut_skip_group(l))
        return false;
      for (struct token u; inner.p < l->p && (u = lex(&inner)).kind != TOKEN_END;)
        if (is_jump(u.text))
          return false;
      ahead = *l;
      first = block && lex(&ahead).kind == TOKEN_WORD; // `if (x) { … } y;`
    }
  }
  return any && first;
}

static void gnu_insert(struct insertions *in, const char *at, const char *text) {
  unsigned n = in->n;
  GROW(in->list, in->n);
  for (; n > 0 && in->list[n - 1].at > at; n--)
    in->list[n] = in->list[n - 1];
  in->list[n] = (struct insertion){ at, text };
}

// Handles `(T){ … }`, whose `(` L has passed and which comes after PREVIOUS.
static void gnu_literal(struct insertions *in, struct slice previous, struct lexer l) {
  static const char *const before[] = { "=", "(", ",", "return", "?", ":", "+",
                                        "-", "*", "/", "{",      "&", NULL };
  struct token t = lex(&l);
  if (!slice_in(previous, before) || t.kind != TOKEN_WORD || word_of_cplusplus(t.text) ||
      !slice_is(lex(&l).text, ")"))
    return;
  struct slice open = lex(&l).text;
  if (slice_is(open, "{"))
    gnu_insert(in, open.data, arena_copy(t.text.data, t.text.size));
}

struct insertions gnu_expressions(struct slice text) {
  struct insertions in = { 0 };
  struct lexer l = lexer_of(text);
  struct slice previous = { 0 }, this = { 0 };
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    struct lexer block = l;
    const char *last;
    previous = this;
    this = t.text;
    if (!slice_is(t.text, "("))
      continue;
    gnu_literal(&in, previous, l);
    struct slice open = lex(&block).text;
    if (!slice_is(open, "{") || !read_block(&block, &last))
      continue;
    const char *end = block.p;
    if (!slice_is(lex(&block).text, ")"))
      continue;
    gnu_insert(&in, open.data, "[&] ");
    if (last)
      gnu_insert(&in, last, "return ");
    gnu_insert(&in, end, "()");
  }
  return in;
}
