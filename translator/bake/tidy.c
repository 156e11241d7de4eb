// SPDX-License-Identifier: Apache-2.0
// tidy.c: makes a transformed nest readable. The text from loops/ begins at the left edge
// and has numbers in parentheses, as their macros had. Here it is indented by its braces,
// and `(64)` becomes `64`. The user's own lines do not change; nor does anything but
// blanks and such parentheses.
#include <string.h>

#include "bake.h"

// Writes LINE with `64` in place of `(64)` after an operator.
static void write_numbers(struct slice line, struct text *out) {
  struct lexer l = lexer_of(line);
  struct token before = { 0 };
  const char *from = line.data;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END; before = t) {
    bool behind = before.kind != TOKEN_WORD && before.kind != TOKEN_END &&
        !slice_is(before.text, ")") && !slice_is(before.text, "]");
    struct lexer ahead = l;
    struct token number = lex(&ahead);
    struct token close = lex(&ahead);
    if (!behind || !slice_is(t.text, "(") || number.kind != TOKEN_NUMBER ||
        !slice_is(close.text, ")"))
      continue;
    text_add(out, from, (size_t)(t.text.data - from));
    text_add(out, number.text.data, number.text.size);
    from = ahead.p;
    l = ahead;
    t = number;
  }
  text_add(out, from, (size_t)(line.data + line.size - from));
}

// Returns how many braces deeper the end of the line is than its start. Sets *LOW to the
// lowest depth between them.
static int tidy_deeper(struct slice line, int *low) {
  struct lexer l = lexer_of(line);
  int depth = 0;
  *low = 0;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    depth += slice_is(t.text, "{") ? 1 : slice_is(t.text, "}") ? -1 : 0;
    *low = depth < *low ? depth : *low;
  }
  return depth;
}

static void tidy_write_line(struct slice line, bool continued, int *depth,
                            struct text *out) {
  int low, more = tidy_deeper(line, &low);
  bool ours = !continued && line.size && !strchr(" \t#\r", line.data[0]);
  int indent = *depth + (line.size && line.data[0] == '}' ? low : 0);
  if (ours && indent > 0)
    text_printf(out, "%*s", 2 * indent, "");
  if (ours && memmem(line.data, line.size, "autotune_", 9))
    write_numbers(line, out);
  else
    text_add(out, line.data, line.size);
  *depth = *depth + more > 0 ? *depth + more : 0;
}

void bake_tidy(struct slice text, struct text *out) {
  const char *end = text.data + text.size;
  bool continued = false;
  int depth = 0;
  for (const char *p = text.data, *next; p < end; p = next) {
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    struct slice line = { p, (size_t)((newline ? newline : end) - p) };
    next = newline ? newline + 1 : end;
    bool numbered = end - next >= 6 && memcmp(next, "#line ", 6) == 0;
    if (line.size == 0 && (p == text.data || numbered) && !continued)
      continue;
    tidy_write_line(line, continued, &depth, out);
    text_add(out, p + line.size, (size_t)(next - p) - line.size);
    continued = line.size && p[line.size - 1] == '\\';
  }
}
