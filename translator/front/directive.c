// SPDX-License-Identifier: Apache-2.0
// directive.c: the directives of a text, past comments and strings, without preprocessing
// it.
#include <string.h>

#include "front/include.h"

bool directive_next(struct slice text, size_t *at, struct directive *d) {
  const char *end = text.data + text.size;
  for (const char *line = text.data + *at, *next; line < end; line = next) {
    const char *stop = lex_line_end(line, end);
    next = stop + (stop < end);
    struct lexer l = { line, stop, true };
    if (!slice_is(lex(&l).text, "#"))
      continue;
    d->word = lex(&l).text;
    const char *rest = lex(&l).text.data;
    // in the name of an include, <a//b> or "a'b", there is no comment and no literal
    bool angle = rest < stop && *rest == '<' && d->word.size >= 7 &&
        memcmp(d->word.data, "include", 7) == 0;
    const char *close = angle ? memchr(rest, '>', (size_t)(stop - rest)) : NULL;
    stop = close ? lex_line_end(close, end) : stop;
    next = stop + (stop < end);
    d->offset = (size_t)(line - text.data);
    d->rest = (struct slice){ rest, (size_t)(next - rest) };
    d->end = *at = (size_t)(next - text.data);
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

bool line_is_number(struct lexer l) {
  struct token word = lex(&l);
  return !word.first && (slice_is(word.text, "line") || word.kind == TOKEN_NUMBER);
}

enum line lex_directive(struct lexer *l, struct lexer *rest) {
  const char *end = lex_line_end(l->p, l->end);
  *rest = (struct lexer){ l->p, end, false };
  *l = (struct lexer){ end, l->end, true };
  return line_kind(lex(rest).text);
}
