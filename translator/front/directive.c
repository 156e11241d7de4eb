// SPDX-License-Identifier: Apache-2.0
// directive.c: the directives of a text, past comments and strings, without preprocessing
// it.
#include <ctype.h>
#include <string.h>

#include "front.h"

// Returns the length of `\` and newline at P, or 0.
static size_t scan_continuation(const char *p, const char *end) {
  if (end - p > 1 && p[0] == '\\' && p[1] == '\n')
    return 2;
  return end - p > 2 && p[0] == '\\' && p[1] == '\r' && p[2] == '\n' ? 3 : 0;
}

static const char *scan_skip_comment(const char *p, const char *end) {
  if (p[1] == '*') {
    const char *q = memmem(p + 2, (size_t)(end - p - 2), "*/", 2);
    return q ? q + 2 : end;
  }
  while (p < end && *p != '\n')
    p += scan_continuation(p, end) ? scan_continuation(p, end) : 1;
  return p;
}

// Returns the end of the literal at P. A literal ends at its quote or with its line: in
// text that an #if skips, `don't` is no literal.
static const char *scan_skip_literal(const char *p, const char *end) {
  char quote = *p++;
  while (p < end && *p != quote && *p != '\n') {
    size_t n = scan_continuation(p, end);
    p += n ? n : *p == '\\' && end - p > 1 && p[1] != '\n' ? 2 : 1;
  }
  return p < end && *p == quote ? p + 1 : p;
}

static bool comment_at(const char *p, const char *end) {
  return end - p > 1 && p[0] == '/' && (p[1] == '/' || p[1] == '*');
}

static const char *scan_skip_blanks(const char *p, const char *end) {
  while (p < end) {
    size_t n = scan_continuation(p, end);
    if (n)
      p += n;
    else if (*p == ' ' || *p == '\t' || *p == '\f' || *p == '\v')
      p++;
    else if (end - p > 1 && p[0] == '/' && p[1] == '*')
      p = scan_skip_comment(p, end);
    else
      break;
  }
  return p;
}

// Returns the place after the newline that ends the logical line.
static const char *scan_skip_line(const char *p, const char *end) {
  while (p < end && *p != '\n') {
    size_t n = scan_continuation(p, end);
    if (n)
      p += n;
    else if (comment_at(p, end))
      p = scan_skip_comment(p, end);
    else if (*p == '"' || *p == '\'')
      p = scan_skip_literal(p, end);
    else
      p++;
  }
  return p < end ? p + 1 : end;
}

bool directive_next(struct slice text, size_t *at, struct directive *d) {
  const char *p = text.data + *at, *end = text.data + text.size;
  while (p < end) {
    const char *line = p;
    p = scan_skip_blanks(p, end);
    if (p == end || *p != '#') {
      p = scan_skip_line(p, end);
      continue;
    }
    const char *word = p = scan_skip_blanks(p + 1, end);
    while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
      p++;
    d->offset = (size_t)(line - text.data);
    d->word = (struct slice){ word, (size_t)(p - word) };
    const char *rest = p = scan_skip_blanks(p, end);
    // in the name of an include, <a//b> or "a'b", there is no comment and no literal
    bool angle = p < end && *p == '<' && d->word.size >= 7 &&
        memcmp(word, "include", 7) == 0;
    while (angle && p < end && *p != '>' && *p != '\n')
      p++;
    p = scan_skip_line(p, end);
    d->rest = (struct slice){ rest, (size_t)(p - rest) };
    d->end = *at = (size_t)(p - text.data);
    return true;
  }
  *at = text.size;
  return false;
}

enum line line_kind(struct slice word) {
  static const struct {
    const char *word;
    enum line kind;
  } words[] = {
    { "if", LINE_IF },           { "ifdef", LINE_IF },
    { "ifndef", LINE_IF },       { "elif", LINE_ELSE },
    { "else", LINE_ELSE },       { "elifdef", LINE_ELSE },
    { "elifndef", LINE_ELSE },   { "endif", LINE_ENDIF },
    { "define", LINE_DEFINE },   { "undef", LINE_UNDEF },
    { "include", LINE_INCLUDE }, { "include_next", LINE_INCLUDE_NEXT },
    { "pragma", LINE_PRAGMA },
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (slice_is(word, words[i].word))
      return words[i].kind;
  return LINE_OTHER;
}

bool line_is_conditional(enum line kind) {
  return kind == LINE_IF || kind == LINE_ELSE || kind == LINE_ENDIF;
}

enum line lex_directive(struct lexer *l, struct lexer *rest) {
  const char *end = lex_line_end(l->p, l->end);
  *rest = (struct lexer){ l->p, end, false };
  *l = (struct lexer){ end, l->end, true };
  return line_kind(lex(rest).text);
}
