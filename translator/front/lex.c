// SPDX-License-Identifier: Apache-2.0
// lex.c: C's tokens, for text that no parser has seen: pragmas, expressions in clauses,
// whole files.
#include <ctype.h>
#include <string.h>

#include "front.h"

struct lexer lexer_of(struct slice s) {
  const char *data = s.data ? s.data : "";
  return (struct lexer){ data, data + s.size, true };
}

// Returns the length of `\` and the newline after it; 0 if P holds something else. Blanks
// may stand between the two, as for gcc and clang.
static size_t splice_at(const char *p, const char *end) {
  const char *q = p + 1;
  if (p == end || p[0] != '\\')
    return 0;
  while (q < end && strchr(" \t\v\f\r", *q) && *q)
    q++;
  return q < end && *q == '\n' ? (size_t)(q - p) + 1 : 0;
}

// Returns the end of the comment at P, or P if there is none.
static const char *lex_skip_comment(const char *p, const char *end) {
  if (end - p < 2 || p[0] != '/')
    return p;
  if (p[1] == '*') {
    const char *q = p + 2;
    while (end - q >= 2 && !(q[0] == '*' && q[1] == '/'))
      q++;
    return end - q >= 2 ? q + 2 : end;
  }
  if (p[1] != '/')
    return p;
  while (p < end && *p != '\n') {
    size_t n = splice_at(p, end);
    p += n ? n : 1;
  }
  return p;
}

// Returns the end of the literal whose quote stands at P. An unclosed literal ends with
// its line.
static const char *lex_skip_literal(const char *p, const char *end) {
  char quote = *p++;
  while (p < end && *p != '\n') {
    size_t n = splice_at(p, end);
    if (n)
      p += n;
    else if (*p == quote)
      return p + 1;
    else
      p += *p == '\\' && end - p > 1 && p[1] != '\n' ? 2 : 1;
  }
  return p;
}

// True if the R of a raw string of gcc or C++ ends at P, where a quote stands. TEXT is
// the beginning of the text.
static bool is_raw(const char *text, const char *p) {
  static const char *const prefixes[] = { "u8R", "uR", "UR", "LR", "R", NULL };
  const char *begin = p;
  while (begin > text && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
    begin--;
  struct slice word = { begin, (size_t)(p - begin) };
  return slice_in(word, prefixes);
}

// Returns the end of the raw string `"x(…)x"` whose quote stands at P. An unclosed raw
// string is read as an ordinary string.
static const char *lex_skip_raw(const char *p, const char *end) {
  const char *open = p + 1;
  while (open < end && open - p <= 16 && !strchr(" ()\\\t\n\v\f\"", *open))
    open++;
  size_t n = (size_t)(open - p - 1);
  if (open == end || *open != '(')
    return lex_skip_literal(p, end);
  for (const char *q = open; (q = memchr(q + 1, ')', (size_t)(end - q - 1))) != NULL;)
    if ((size_t)(end - q) >= n + 2 && memcmp(q + 1, p + 1, n) == 0 && q[n + 1] == '"')
      return q + n + 2;
  return lex_skip_literal(p, end);
}

const char *lex_line_end(const char *p, const char *end) {
  const char *text = p;
  while (p < end && *p != '\n') {
    size_t n = splice_at(p, end);
    const char *q = lex_skip_comment(p, end);
    if (n)
      p += n;
    else if (q != p)
      p = q;
    else if (*p == '"' && is_raw(text, p))
      p = lex_skip_raw(p, end);
    else if (*p == '"' || *p == '\'')
      p = lex_skip_literal(p, end);
    else
      p++;
  }
  return p;
}

static void lex_skip_blanks(struct lexer *l) {
  while (l->p < l->end) {
    size_t n = splice_at(l->p, l->end);
    const char *q = lex_skip_comment(l->p, l->end);
    if (n) {
      l->p += n;
    } else if (q != l->p) {
      l->p = q;
    } else if (isspace((unsigned char)*l->p)) {
      if (*l->p == '\n')
        l->first = true;
      l->p++;
    } else {
      return;
    }
  }
}

static bool begins_word(char c) {
  return isalpha((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

// Returns the end of a preprocessing number; but `1..4` is `1`, `..`, `4`, and the quote
// of 1'000 begins no character.
static const char *skip_number(const char *p, const char *end) {
  bool hexadecimal = end - p > 1 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
  while (p < end) {
    if (*p == '.' && end - p > 1 && p[1] == '.')
      return p;
    if ((*p == '+' || *p == '-') &&
        (hexadecimal ? p[-1] == 'p' || p[-1] == 'P' : p[-1] == 'e' || p[-1] == 'E'))
      p++;
    else if (*p == '\'' && end - p > 1 && isalnum((unsigned char)p[1]))
      p++;
    else if (*p == '.' || begins_word(*p) || isdigit((unsigned char)*p))
      p++;
    else
      return p;
  }
  return p;
}

static size_t lex_punctuator(const char *p, const char *end) {
  static const char two[][3] = { "<<", ">>", "<=", ">=", "==", "!=", "&&",
                                 "||", "->", "..", "++", "--", "+=", "-=",
                                 "*=", "/=", "%=", "&=", "|=", "^=" };
  if (end - p > 1)
    for (size_t i = 0; i < sizeof two / sizeof *two; i++)
      if (memcmp(p, two[i], 2) == 0)
        return 2;
  return 1;
}

struct token lex(struct lexer *l) {
  lex_skip_blanks(l);
  struct token t = { .kind = TOKEN_END, .text = { l->p, 0 }, .first = l->first };
  if (l->p == l->end)
    return t;
  const char *p = l->p;
  if (begins_word(*p)) {
    t.kind = TOKEN_WORD;
    while (p < l->end && (begins_word(*p) || isdigit((unsigned char)*p)))
      p++;
    if (p < l->end && *p == '"' && is_raw(l->p, p)) {
      t.kind = TOKEN_STRING;
      p = lex_skip_raw(p, l->end);
    }
  } else if (isdigit((unsigned char)*p) ||
             (*p == '.' && l->end - p > 1 && isdigit((unsigned char)p[1]))) {
    t.kind = TOKEN_NUMBER;
    p = skip_number(p, l->end);
  } else if (*p == '"' || *p == '\'') {
    t.kind = *p == '"' ? TOKEN_STRING : TOKEN_CHARACTER;
    p = lex_skip_literal(p, l->end);
  } else {
    t.kind = TOKEN_PUNCTUATOR;
    p += lex_punctuator(p, l->end);
  }
  t.text.size = (size_t)(p - l->p);
  l->p = p;
  l->first = false;
  return t;
}

char *lex_blank(const char *text, size_t size) {
  char *copy = arena_copy(text, size);
  const char *end = text + size;
  for (const char *p = text; p < end;) {
    size_t n = splice_at(p, end);
    const char *q = lex_skip_comment(p, end);
    if (n)
      q = p + n;
    if (q != p) {
      memset(copy + (p - text), ' ', (size_t)(q - p));
      p = q;
    } else if (*p == '"' && is_raw(text, p)) {
      for (q = lex_skip_raw(p, end); p < q; p++)
        copy[p - text] = *p == '\n' || *p == '\r' || *p == '\0' ? ' ' : *p;
    } else if (*p == '"' || *p == '\'') {
      for (q = lex_skip_literal(p, end); p < q; p++)
        if ((n = splice_at(p, q)) != 0)
          memset(copy + (p - text), ' ', n);
    } else {
      if (*p == '\n' || *p == '\r' || *p == '\0')
        copy[p - text] = ' ';
      p++;
    }
  }
  return copy;
}

bool lex_mentions(struct slice text, struct slice name) {
  struct lexer l = lexer_of(text);
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l))
    if (t.kind == TOKEN_WORD && slices_same(t.text, name))
      return true;
  return false;
}

int lex_bracket(struct slice text) {
  if (text.size != 1 || !*text.data)
    return 0;
  return strchr("([{", *text.data) ? 1 : strchr(")]}", *text.data) ? -1 : 0;
}

const char *skip_brackets(struct lexer *l) {
  struct lexer ahead = *l;
  int depth = 0;
  struct token t = lex(&ahead);
  if (!slice_is(t.text, "(") && !slice_is(t.text, "["))
    return l->p;
  for (; t.kind != TOKEN_END; t = lex(&ahead)) {
    char c = t.text.size == 1 ? *t.text.data : 0;
    depth += c == '(' || c == '[';
    depth -= c == ')' || c == ']';
    if (depth == 0)
      break;
  }
  *l = ahead;
  return l->p;
}
